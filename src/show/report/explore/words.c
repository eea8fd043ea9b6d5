/* Words about a compilation that all views share. */
#include "base/path.h"
#include "show/report/explore/explore.h"

#include <stdlib.h>

static char *join(const struct array *words, char *text)
{
    for (size_t i = 0; i < words->count; i++) {
        char *longer = memory_format("%s%s%s", text, *text ? " " : "", *ARRAY_AT(char *, words, i));
        free(text);
        text = longer;
    }
    return text;
}

char *explore_options(const struct explore_attempt *attempt)
{
    return join(&attempt->compilation.tuning, memory_format("%s", ""));
}

char *explore_command(const struct explore_attempt *attempt)
{
    const struct compilation *compilation = &attempt->compilation;
    autofree char *words =
        join(&compilation->tuning, join(&compilation->meaning, memory_format("%s", compilation->compiler)));
    return memory_format("%s -c %s", words, compilation->source);
}

const char *explore_compiler(const struct explore_attempt *attempt)
{
    return attempt->compiler ? attempt->compiler : path_name(attempt->compilation.compiler);
}

char *explore_lines(const struct explore_attempt *attempt)
{
    const struct loop *loop = model_loop(attempt->model, attempt->loop);
    return loop->last_line > loop->first_line ? memory_format("%u-%u", loop->first_line, loop->last_line)
                                              : memory_format("%u", loop->first_line);
}
