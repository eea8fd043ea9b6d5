#include "cli/source_compilation.h"

#include <stdlib.h>
#include <unistd.h>

char *source_compilation_commands(const struct invocation *invocation)
{
    const char *given = options_value(invocation, OPTION_COMPILE_COMMANDS);
    char *inside = given ? memory_format("%s/compile_commands.json", given) : NULL;
    if (!given || !access(inside, R_OK))
        return inside;
    free(inside);
    return memory_format("%s", given);
}

/* A header is compiled by the source after --, which includes it. */
static bool is_header(const char *file)
{
    enum source_language language;
    return !compilation_is_source(file, &language);
}

bool source_compilation_take(const struct invocation *invocation, const char *file, const char *how,
                             struct compilation *compilation, struct error *error)
{
    autofree char *folder = getcwd(NULL, 0), *source = realpath(file, NULL);
    autofree char *listed = source_compilation_commands(invocation);
    if (!listed && source)
        listed = compilation_find_commands(source);
    size_t first = invocation->before, count = invocation->operands.count - first;
    if (!folder)
        return error_set_errno(error, NULL, "the current folder is not there");
    if (count)
        return compilation_from_words((const char *const *)invocation->operands.data + first, count, folder,
                                      source && is_header(file) ? NULL : source, compilation, error);
    if (!source)
        return error_set_errno(error, file, "cannot be read");
    if (is_header(file))
        return error_set(error, file,
                         "say which source includes it, and how that is compiled: %s -- cc -O2 -c FILE.c",
                         how);
    if (listed)
        return compilation_from_commands_file(listed, source, compilation, error);
    return error_set(
        error, NULL,
        "say how %s is compiled: %s -- cc -O2 -c %s, or --compile-commands build/compile_commands.json", file,
        how, file);
}
