/* Where a source is looked for: at the path in the debug information or listing, then relative to the
   compilation directory, then beside the analysed file and beside the file that a database was made from.
   These paths come from the input, so a source is read only if base/trust.h allows it. --source replaces the
   source file of the same name; if no loop comes from a file of that name, it replaces all of them. */
#include "cli/bounds_sources.h"

#include "base/path.h"
#include "base/progress.h"
#include "code/source/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SOURCES = 32 };

static bool is_file(const char *path)
{
    struct stat facts;
    return !stat(path, &facts) && S_ISREG(facts.st_mode);
}

/* directory/path if that is a file; owns neither. */
static char *beside(const char *directory, size_t length, const char *path)
{
    char *joined =
        path[0] == '/' || !directory ? NULL : memory_format("%.*s/%s", (int)length, directory, path);
    if (joined && is_file(joined))
        return joined;
    free(joined);
    return NULL;
}

/* The same in the directory of a file, then with the file name alone. */
static char *near_file(const char *file, const char *path)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *folder = slash ? file : ".";
    size_t length = slash ? (size_t)(slash - file) : 1;
    char *found = beside(folder, length, path);
    return found ? found : beside(folder, length, path_name(path));
}

static char *find_source(const char *path, const char *directory, const char *analysed, const char *original)
{
    if (is_file(path))
        return memory_copy_text(path, strlen(path));
    char *found = beside(directory, directory ? strlen(directory) : 0, path);
    if (!found)
        found = near_file(analysed, path);
    return found ? found : near_file(original, path);
}

static const struct unit *unit_of(const struct model *model, const struct loop *loop)
{
    uint32_t id = model_function(model, loop->function)->unit;
    return id && id < model->units.count ? model_unit(model, id) : NULL;
}

/* The path of the compile unit if the file is one of its headers, or NULL; to be freed. */
static char *unit_path(const struct model *model, const struct unit *unit, const char *path)
{
    const char *name = unit ? model_text(model, unit->name) : NULL;
    const char *directory = unit ? model_text(model, unit->directory) : NULL;
    if (!name || !strcmp(path_name(name), path_name(path)))
        return NULL;
    if (name[0] == '/' || !directory)
        return memory_copy_text(name, strlen(name));
    return memory_format("%s/%s", directory, name);
}

static void read_one(struct bounds_sources *sources, struct model *model, uint32_t loop_id, const char *given,
                     const struct invocation *invocation, struct trust *trust)
{
    const struct loop *loop = model_loop(model, loop_id);
    uint32_t file = loop->file, program = model_function(model, loop->function)->program;
    const char *path = model_text(model, model_file(model, file)->path);
    const struct unit *unit = unit_of(model, loop);
    const char *directory = unit ? model_text(model, unit->directory) : NULL;
    autofree char *found = given ? memory_copy_text(given, strlen(given))
                                 : find_source(path, directory, options_operand(invocation, 0),
                                               model_text(model, model_program(model, program)->path));
    if (!found) {
        sources->failures[file] = memory_format("source %s not found; give its place with --source", path);
        return;
    }
    if (!given && !trust_allows(trust, found)) {
        sources->failures[file] = memory_format("source %s is outside the file's folder, its project and the "
                                                "current directory; --trust or --source allows reading it",
                                                found);
        return;
    }
    autofree char *compiled = unit_path(model, unit, path);
    struct source_options options = {
        .compile_commands = options_value(invocation, OPTION_COMPILE_COMMANDS),
        .flags = unit ? model_text(model, unit->flags) : NULL,
        .directory = directory,
        .unit = compiled && is_file(compiled) && trust_allows(trust, compiled) ? compiled : NULL,
        .program = program,
        .trust = trust};
    struct error error = {0};
    progress_tell("reading sources", 0, 0);
    if (source_read(model, found, &options, &error))
        sources->source_of[file] = model_file_id(model, found);
    else
        sources->failures[file] = memory_format("%s", error.text);
}

void bounds_sources_read(struct bounds_sources *sources, struct model *model, const struct array *loops,
                         const struct invocation *invocation, struct trust *trust)
{
    const char *given = options_value(invocation, OPTION_SOURCE);
    if (given)
        trust_add_file(trust, given);
    bool *is_wanted = memory_get(model->files.count), is_named = false;
    size_t wanted = 0;
    *sources = (struct bounds_sources){.count = model->files.count};
    sources->source_of = memory_get(sources->count * sizeof *sources->source_of);
    sources->failures = memory_get(sources->count * sizeof *sources->failures);
    for (size_t i = 0; i < loops->count; i++) {
        const struct loop *loop = model_loop(model, (uint32_t)*ARRAY_AT(int64_t, loops, i));
        const char *path = model_text(model, model_file(model, loop->file)->path);
        if (!loop->file || !path)
            continue;
        wanted += !is_wanted[loop->file];
        is_wanted[loop->file] = true;
        is_named = is_named || (given && !strcmp(path_name(path), path_name(given)));
    }
    sources->are_too_many = wanted > MOST_SOURCES && !given;
    for (size_t i = 0; i < loops->count && !sources->are_too_many; i++) {
        uint32_t id = (uint32_t)*ARRAY_AT(int64_t, loops, i), file = model_loop(model, id)->file;
        if (!file || file >= sources->count || !is_wanted[file])
            continue;
        const char *path = model_text(model, model_file(model, file)->path);
        bool is_given = given && (!is_named || !strcmp(path_name(path), path_name(given)));
        is_wanted[file] = false;
        read_one(sources, model, id, is_given ? given : NULL, invocation, trust);
    }
    progress_clear();
    free(is_wanted);
}

char *bounds_sources_lack(const struct bounds_sources *sources, const struct model *model, uint32_t loop_id)
{
    const struct loop *loop = model_loop(model, loop_id);
    if (!loop->file || !loop->first_line)
        return memory_format("no source lines; compile with -g");
    if (sources->are_too_many)
        return memory_format(
            "the loops come from more than %d source files; select some with --function, --line or --loop",
            MOST_SOURCES);
    if (loop->file < sources->count && sources->failures[loop->file])
        return memory_format("%s", sources->failures[loop->file]);
    return memory_format(
        "no source loop covers lines %u to %u; this loop may come from a macro or a library call",
        loop->first_line, loop->last_line);
}

void bounds_sources_free(struct bounds_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->failures[i]);
    free(sources->failures);
    free(sources->source_of);
}
