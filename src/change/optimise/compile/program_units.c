#include "change/optimise/compile/program_units.h"

#include "base/child.h"
#include "base/path.h"
#include "code/source/parts.h"
#include "run/launch/program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_UNITS = 1000, MOST_SAID = 200 };
static const struct child_limits limits = {
    .memory = 4ull << 30, .file_size = 256ull << 20, .output = 1 << 16, .seconds = 900};

/* --- what the debug information says --- */
struct noted {
    const char *name, *folder, *producer;
};

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    return dwarf_attr_integrate(die, attribute, &found) ? dwarf_formstring(&found) : NULL;
}

/* Of struct noted; what has no name is left out. */
static void list_noted(Dwarf *dwarf, struct array *notes)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, child;
    uint8_t type;
    while (dwarf && notes->count < MOST_UNITS &&
           !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &child)) {
        struct noted noted = {text_of(&die, DW_AT_name), text_of(&die, DW_AT_comp_dir),
                              text_of(&die, DW_AT_producer)};
        if (type == DW_UT_compile && noted.name && noted.folder && noted.producer &&
            !strstr(noted.producer, "GNU AS"))
            *(struct noted *)array_push(notes) = noted;
    }
}

static bool add_unit(const struct noted *noted, const char *program, const char *commands,
                     struct array *units, struct error *error)
{
    autofree char *joined = source_join_path(noted->folder, noted->name), *path = realpath(joined, NULL);
    const struct compilation_trace trace = {.source = path,
                                            .commands = commands,
                                            .producer = noted->producer,
                                            .folder = noted->folder,
                                            .program = program};
    struct program_unit unit = {0};
    if (!strcmp(noted->name, "<artificial>"))
        return error_set(error, program, "was linked with -flto, which mixes its sources: build it without");
    if (!path)
        return error_set(error, joined, "is not there any more");
    if (!compilation_recover(&trace, &unit.compilation, &unit.is_guessed, error))
        return false;
    unit.name = memory_format("%s", noted->name);
    *(struct program_unit *)array_push(units) = unit;
    return true;
}

bool program_units_list(const struct launch_program *program, const char *commands, struct array *units,
                        struct error *error)
{
    struct array notes = ARRAY_OF(struct noted);
    if (program->is_script || program->is_static || !program->code)
        return error_set(error, program->path, "is no program that was linked with shared libraries");
    int file = open(program->code, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
    list_noted(dwarf, &notes);
    bool is_fine = notes.count || error_set(error, program->path, "has no debug information (-g)");
    for (size_t i = 0; is_fine && i < notes.count; i++)
        is_fine = add_unit(ARRAY_AT(struct noted, &notes, i), program->code, commands, units, error);
    array_free(&notes);
    if (dwarf)
        dwarf_end(dwarf);
    if (file >= 0)
        close(file);
    return is_fine;
}

void program_units_free(struct array *units)
{
    for (size_t i = 0; i < units->count; i++) {
        struct program_unit *unit = ARRAY_AT(struct program_unit, units, i);
        compilation_free(&unit->compilation);
        free(unit->name);
    }
    array_free(units);
}

/* --- */
static bool refuse(const struct program_unit *unit, const struct child_answer *answer, struct error *error)
{
    const char *all = answer->messages.data, *said = strstr(all, "error: ");
    if (answer->end == child_end_SLOW)
        return error_set(error, unit->compilation.source, "takes longer than %u s to compile",
                         limits.seconds);
    return error_set(error, unit->compilation.source, "does not compile as %s: %.*s",
                     unit->is_guessed ? "the debug information says" : "compile_commands.json says",
                     said ? (int)strcspn(said, "\n") : MOST_SAID, said ? said : all);
}

bool program_units_compile(const struct program_unit *unit, const char *const *more, const char *object,
                           struct error *error)
{
    struct array words = ARRAY_OF(const char *);
    struct child_answer answer;
    const char *const rest[] = {"-w", "-c", "-o", object, unit->compilation.source, NULL};
    compilation_words(&unit->compilation, &words);
    for (; *more; more++)
        *(const char **)array_push(&words) = *more;
    memcpy(array_push_many(&words, sizeof rest / sizeof *rest), rest, sizeof rest);
    struct child_job job = {.words = words.data, .place = child_place_PRIVATE, .limits = limits};
    bool is_fine = child_run(&job, &answer, error);
    if (is_fine) {
        is_fine = (answer.end == child_end_DONE && !access(object, R_OK)) || refuse(unit, &answer, error);
        child_answer_free(&answer);
    }
    array_free(&words);
    return is_fine;
}

static bool is_standard_folder(const char *folder)
{
    return !strncmp(folder, "/lib", 4) || !strncmp(folder, "/usr/lib", 8);
}

void program_units_add_libraries(const struct launch_program *program, struct array *words)
{
    struct array paths = ARRAY_OF(char *);
    launch_list_libraries(program, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = *ARRAY_AT(char *, &paths, i);
        autofree char *folder = path_folder(path);
        bool is_library = *path == '/' && strncmp(path_name(path), "ld-", 3);
        if (is_standard_folder(folder) && !strncmp(path_name(path), "libm.so.", 8)) {
            free(path);
            *(char **)array_push(words) = memory_format("-lm"); /* with its functions on vectors (libmvec) */
        } else if (is_library) {
            *(char **)array_push(words) = path;
        } else {
            free(path);
        }
        if (is_library && !is_standard_folder(folder))
            *(char **)array_push(words) = memory_format("-Wl,-rpath,%s", folder);
    }
    array_free(&paths);
}
