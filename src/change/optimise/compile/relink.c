#include "change/optimise/compile/relink.h"

#include "base/child.h"
#include "base/leftovers.h"
#include "base/path.h"
#include "code/source/parts.h"
#include "run/launch/program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_UNITS = 400 };
static const struct child_limits limits = {
    .memory = 4ull << 30, .file_size = 256ull << 20, .output = 1 << 16, .seconds = 60};

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

/* A source of the program. */
struct program_source {
    const char *name, *folder, *producer; /* of the debug information */
};

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    return dwarf_attr_integrate(die, attribute, &found) ? dwarf_formstring(&found) : NULL;
}

/* Of struct program_source; assembler and what has no name are left out. */
static void list_units(Dwarf *dwarf, struct array *units)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, child;
    uint8_t type;
    while (dwarf && units->count < MOST_UNITS &&
           !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &child)) {
        struct program_source unit = {text_of(&die, DW_AT_name), text_of(&die, DW_AT_comp_dir),
                                      text_of(&die, DW_AT_producer)};
        if (type == DW_UT_compile && unit.name && unit.folder && unit.producer)
            *(struct program_source *)array_push(units) = unit;
    }
}

static bool compile_unit(const struct program_source *unit, const char *program, const char *path,
                         const char *object, struct error *error)
{
    const struct compilation_trace trace = {
        .source = path, .producer = unit->producer, .folder = unit->folder, .program = program};
    bool is_guessed;
    struct compilation compilation = {0};
    struct array words = ARRAY_OF(const char *);
    struct child_answer answer;
    if (!compilation_recover(&trace, &compilation, &is_guessed, error))
        return false;
    compilation_words(&compilation, &words);
    const char *const more[] = {"-g", "-w", "-c", "-o", object, path, NULL};
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
        *(const char **)array_push(&words) = more[i];
    struct child_job job = {.words = words.data, .place = child_place_PRIVATE, .limits = limits};
    bool is_fine = child_run(&job, &answer, error);
    if (is_fine) {
        is_fine = (answer.end == child_end_DONE && !access(object, R_OK)) ||
                  error_set(error, path, "does not compile as the debug information says");
        child_answer_free(&answer);
    }
    array_free(&words);
    compilation_free(&compilation);
    return is_fine;
}

static bool is_standard_folder(const char *folder)
{
    return !strncmp(folder, "/lib", 4) || !strncmp(folder, "/usr/lib", 8);
}

static void add_libraries(const struct launch_program *program, char **command)
{
    struct array paths = ARRAY_OF(char *);
    launch_list_libraries(program, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = *ARRAY_AT(char *, &paths, i), *folder = path_folder(path);
        if (*path == '/' && strncmp(path_name(path), "ld-", 3)) {
            relink_add_quoted(command, path);
            if (!is_standard_folder(folder)) {
                autofree char *option = memory_format("-Wl,-rpath,%s", folder);
                relink_add_quoted(command, option);
            }
        }
        free(folder);
        free(path);
    }
    array_free(&paths);
}

/* The units but the source; false: one cannot be compiled, or the source is none of them. */
static bool add_units(const struct array *units, const char *program, const struct compilation *compilation,
                      struct relink *relink, struct error *error)
{
    bool is_there = false, is_fine = true;
    for (size_t i = 0; is_fine && i < units->count; i++) {
        const struct program_source *unit = ARRAY_AT(struct program_source, units, i);
        char *joined = source_join_path(unit->folder, unit->name), *path = realpath(joined, NULL);
        autofree char *object = memory_format("%s/%zu.o", relink->folder, i);
        if (path && !strcmp(path, compilation->source))
            is_there = true;
        else if (!strstr(unit->producer, "GNU AS")) {
            is_fine = path ? compile_unit(unit, program, path, object, error)
                           : error_set(error, joined, "is not there any more");
            if (is_fine)
                relink_add_quoted(&relink->command, object);
        }
        free(joined);
        free(path);
    }
    return is_fine && (is_there || error_set(error, compilation->source,
                                             "is no source of the program, by its debug information"));
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

static bool make_command(const struct launch_program *program, const struct compilation *compilation,
                         struct relink *relink, struct error *error)
{
    struct array units = ARRAY_OF(struct program_source);
    int file = open(program->code, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
    list_units(dwarf, &units);
    add_compiler(compilation, &relink->command);
    bool is_fine = (units.count || error_set(error, program->path, "has no debug information (-g)")) &&
                   add_units(&units, program->code, compilation, relink, error);
    if (is_fine)
        add_libraries(program, &relink->command);
    array_free(&units);
    if (dwarf)
        dwarf_end(dwarf);
    if (file >= 0)
        close(file);
    return is_fine;
}

bool relink_begin(const char *word, const struct compilation *compilation, struct relink *relink,
                  struct error *error)
{
    struct launch_program program = {0};
    *relink = (struct relink){0};
    if (!launch_find_program(word, &program, error))
        return false;
    bool is_fine = false;
    if (program.is_script || program.is_static || !program.code)
        error_set(error, word, "is no program that was linked with shared libraries");
    else
        is_fine = (relink->folder = leftovers_make_folder(error)) &&
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
