#include "change/optimise/compile/relink.h"

#include "base/leftovers.h"
#include "change/optimise/compile/program_units.h"
#include "run/launch/program.h"

#include <stdlib.h>
#include <string.h>

static void append(char **text, const char *more)
{
    char *longer = memory_format("%s%s", *text ? *text : "", more);
    free(*text);
    *text = longer;
}

void relink_add_quoted(char **command, const char *word)
{
    append(command, *command ? " '" : "'");
    for (size_t length; *word; word += length) {
        length = strcspn(word, "'");
        char *part = memory_copy_text(word, length);
        append(command, part);
        free(part);
        if (word[length]) {
            append(command, "'\\''");
            length++;
        }
    }
    append(command, "'");
}

/* The units but the source; false: one cannot be compiled, or the source is none of them. */
static bool add_units(const struct array *units, const struct compilation *compilation, struct relink *relink,
                      struct error *error)
{
    static const char *const more[] = {"-g", NULL};
    bool is_there = false;
    for (size_t i = 0; i < units->count; i++) {
        const struct program_unit *unit = ARRAY_AT(struct program_unit, units, i);
        autofree char *object = memory_format("%s/%zu.o", relink->folder, i);
        if (!strcmp(unit->compilation.source, compilation->source)) {
            is_there = true;
            continue;
        }
        if (!program_units_compile(unit, more, object, error))
            return false;
        relink_add_quoted(&relink->command, object);
    }
    return is_there ||
           error_set(error, compilation->source, "is no source of the program, by its debug information");
}

static void add_compiler(const struct compilation *compilation, char **command)
{
    struct array words = ARRAY_OF(const char *);
    compilation_words(compilation, &words);
    for (size_t i = 0; i < words.count && *ARRAY_AT(const char *, &words, i); i++)
        relink_add_quoted(command, *ARRAY_AT(const char *, &words, i));
    append(command, " -g $ASSAY_FLAGS -o \"$ASSAY_PROGRAM\" $ASSAY_SOURCE");
    array_free(&words);
}

static void add_libraries(const struct launch_program *program, char **command)
{
    struct array words = ARRAY_OF(char *);
    program_units_add_libraries(program, &words);
    for (size_t i = 0; i < words.count; i++) {
        relink_add_quoted(command, *ARRAY_AT(char *, &words, i));
        free(*ARRAY_AT(char *, &words, i));
    }
    array_free(&words);
}

static bool make_command(const struct launch_program *program, const struct compilation *compilation,
                         struct relink *relink, struct error *error)
{
    struct array units = ARRAY_OF(struct program_unit);
    add_compiler(compilation, &relink->command);
    bool is_fine =
        program_units_list(program, NULL, &units, error) && add_units(&units, compilation, relink, error);
    if (is_fine)
        add_libraries(program, &relink->command);
    program_units_free(&units);
    return is_fine;
}

bool relink_begin(const char *word, const struct compilation *compilation, struct relink *relink,
                  struct error *error)
{
    struct launch_program program = {0};
    *relink = (struct relink){0};
    bool is_fine = launch_find_program(word, &program, error) &&
                   (relink->folder = leftovers_make_folder(error)) &&
                   make_command(&program, compilation, relink, error);
    launch_free_program(&program);
    if (!is_fine)
        relink_end(relink);
    return is_fine;
}

void relink_end(struct relink *relink)
{
    if (relink->folder) {
        leftovers_remove_folder(relink->folder);
        leftovers_drop(relink->folder);
    }
    free(relink->folder);
    free(relink->command);
    *relink = (struct relink){0};
}
