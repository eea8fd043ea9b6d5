/* A variant of the program, built in a private folder: its units, several at a time, by their own commands with
   the changes after them; or by the user's command with $ASSAY_FLAGS.

   A profile takes two builds and a run between them. Each variant has its own profile, because a profile fits only
   code that was made by the same options. */
#include "base/interrupt.h"
#include "base/leftovers.h"
#include "base/workers.h"
#include "change/optimise/program/program_parts.h"
#include "change/optimise/replay/shell_command.h"
#include "run/launch/program.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct child_limits link_limits = {
    .memory = 8ull << 30, .file_size = 1ull << 30, .output = 1 << 16, .seconds = 600};
static const double MANY_TIMES_LONGER = 600; /* seconds that a run with counters may take */

enum profile { profile_NONE, profile_MAKE, profile_USE };

struct building {
    struct program_builder *builder;
    const uint32_t *sets;
    enum profile profile;
    const char *folder;   /* of its objects, and of what counters left */
    struct error *errors; /* of each unit */
};

static void add_words(struct array *words, const char *text)
{
    for (size_t length; *(text += strspn(text, " ")); text += length) {
        length = strcspn(text, " ");
        *(char **)array_push(words) = memory_copy_text(text, length);
    }
}

static bool is_clang(const struct program_unit *unit)
{
    return unit->compilation.family == compiler_CLANG;
}

/* What counters of a unit left: GCC writes a file beside each object, clang one for all. */
static char *counts_of(const struct building *building, size_t unit)
{
    return is_clang(ARRAY_AT(struct program_unit, building->builder->request->units, unit))
               ? memory_format("%s/merged.profdata", building->folder)
               : memory_format("%s/%zu.gcda", building->folder, unit);
}

static void add_profile(const struct building *building, size_t place, struct array *words)
{
    const struct program_unit *unit = ARRAY_AT(struct program_unit, building->builder->request->units, place);
    autofree char *counts = counts_of(building, place);
    if (building->profile == profile_MAKE)
        *(char **)array_push(words) = is_clang(unit)
                                          ? memory_format("-fprofile-generate=%s", building->folder)
                                          : memory_format("-fprofile-generate");
    if (building->profile != profile_USE || access(counts, R_OK))
        return;
    if (is_clang(unit))
        *(char **)array_push(words) = memory_format("-fprofile-use=%s", counts);
    else /* GCC looks beside the object; the name of a file would be taken for a folder */
        add_words(words, "-fprofile-use -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch");
}

/* Whether the word is one that a change takes away. */
static bool goes(const struct array *changes, uint32_t set, const char *word)
{
    for (unsigned i = 0; i < changes->count; i++) {
        const struct program_option *change = ARRAY_AT(struct program_option, changes, i);
        if (set >> i & 1 && change->kind == program_LESS && !strcmp(change->words, word))
            return true;
    }
    return false;
}

static void compile_one(void *context, size_t place, unsigned worker)
{
    const struct building *building = context;
    const struct array *changes = building->builder->changes;
    struct program_unit unit = *ARRAY_AT(struct program_unit, building->builder->request->units, place);
    uint32_t set = building->sets[place];
    struct array tuning = ARRAY_OF(char *), words = ARRAY_OF(char *);
    autofree char *flags = program_changes_words(changes, set, program_FLAGS),
                  *both = program_changes_words(changes, set, program_LINK),
                  *object = memory_format("%s/%zu.o", building->folder, place);
    (void)worker;
    if (interrupt_came()) {
        error_set(&building->errors[place], NULL, "interrupted");
        return;
    }
    for (size_t i = 0; i < unit.compilation.tuning.count; i++)
        if (!goes(changes, set, *ARRAY_AT(char *, &unit.compilation.tuning, i)))
            *(char **)array_push(&tuning) = *ARRAY_AT(char *, &unit.compilation.tuning, i);
    unit.compilation.tuning = tuning;
    add_words(&words, flags);
    add_words(&words, both);
    if (program_changes_has(changes, set, program_PROFILE))
        add_profile(building, place, &words);
    *(char **)array_push(&words) = NULL;
    program_units_compile(&unit, (const char *const *)words.data, object, &building->errors[place]);
    array_free_texts(&words);
    array_free(&tuning);
}

/* The unit whose compiler links: one of C++ brings its library, one of Fortran, too. */
static size_t linking_unit(const struct array *units)
{
    size_t found = 0;
    for (size_t i = 0; i < units->count; i++)
        if (ARRAY_AT(struct program_unit, units, i)->compilation.language >
            ARRAY_AT(struct program_unit, units, found)->compilation.language)
            found = i;
    return found;
}

static void add_link_words(const struct building *building, const char *path, struct array *words)
{
    const struct program_builder *builder = building->builder;
    const struct program_unit *unit =
        ARRAY_AT(struct program_unit, builder->request->units, linking_unit(builder->request->units));
    struct array own = ARRAY_OF(const char *);
    uint32_t all = 0;
    for (size_t i = 0; i < builder->units; i++)
        all |= building->sets[i];
    autofree char *both = program_changes_words(builder->changes, all, program_LINK);
    compilation_words(&unit->compilation, &own);
    for (size_t i = 0; i < own.count; i++)
        if (!goes(builder->changes, all, *ARRAY_AT(const char *, &own, i)))
            *(char **)array_push(words) = memory_format("%s", *ARRAY_AT(const char *, &own, i));
    array_free(&own);
    add_words(words, both);
    if (*both && !is_clang(unit))
        add_words(words, "-flto=auto");
    if (building->profile == profile_MAKE)
        *(char **)array_push(words) = memory_format("-fprofile-generate");
    add_words(words, "-w -o");
    *(char **)array_push(words) = memory_format("%s", path);
    for (size_t i = 0; i < builder->units; i++)
        *(char **)array_push(words) = memory_format("%s/%zu.o", building->folder, i);
    for (size_t i = 0; i < builder->libraries.count; i++)
        *(char **)array_push(words) = memory_format("%s", *ARRAY_AT(char *, &builder->libraries, i));
    *(char **)array_push(words) = NULL;
}

static bool link_units(const struct building *building, const char *path, struct error *error)
{
    struct array words = ARRAY_OF(char *);
    struct child_answer answer;
    add_link_words(building, path, &words);
    struct child_job job = {
        .words = (const char *const *)words.data, .place = child_place_PRIVATE, .limits = link_limits};
    bool is_fine = child_run(&job, &answer, error);
    if (is_fine) {
        const char *said = answer.messages.data, *undefined = strstr(said, "undefined reference");
        is_fine = (answer.end == child_end_DONE && !access(path, X_OK)) ||
                  error_set(error, NULL, "the program does not link: %.*s",
                            (int)strcspn(undefined ? undefined : said, "\n"), undefined ? undefined : said);
        child_answer_free(&answer);
    }
    array_free_texts(&words);
    return is_fine;
}

static bool build_units(const struct building *building, const char *path, struct error *error)
{
    struct program_builder *builder = building->builder;
    struct building own = *building;
    own.errors = memory_get(builder->units * sizeof *own.errors);
    workers_run(builder->request->processes, builder->units, compile_one, &own);
    bool is_fine = true;
    for (size_t i = 0; is_fine && i < builder->units; i++)
        if (own.errors[i].set) {
            *error = own.errors[i];
            is_fine = false;
        }
    free(own.errors);
    return is_fine && link_units(building, path, error);
}

/* --- by a command --- */
char *program_builder_flags(const struct program_builder *builder, uint32_t set)
{
    autofree char *flags = program_changes_words(builder->changes, set, program_FLAGS),
                  *both = program_changes_words(builder->changes, set, program_LINK);
    return memory_format("%s%s%s", flags, *flags && *both ? " " : "", both);
}

static bool build_by_command(const struct building *building, const char *path, struct error *error)
{
    const struct program_builder *builder = building->builder;
    struct shell_command outcome = {0};
    autofree char *own = program_builder_flags(builder, building->sets[0]),
                  *built = memory_format("%s/program", builder->folder);
    autofree char *profile =
        building->profile == profile_MAKE ? memory_format("-fprofile-generate=%s", building->folder)
        : building->profile == profile_USE
            ? memory_format(
                  "-fprofile-use=%s -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch",
                  building->folder)
            : memory_format("%s", "");
    autofree char *flags = memory_format("%s%s%s", own, *own && *profile ? " " : "", profile);
    setenv("ASSAY_FLAGS", flags, 1);
    setenv("ASSAY_PROGRAM", built, 1);
    unlink(built);
    if (!shell_command_run(builder->request->build, SHELL_COMMAND_LONGEST, &outcome, error))
        return false;
    bool is_fine = true;
    if (outcome.problem)
        is_fine = error_set(error, NULL, "the command of --build-with failed: %s", outcome.problem);
    else if (rename(built, path))
        is_fine = error_set(error, NULL, "the command of --build-with left no program at $ASSAY_PROGRAM");
    shell_command_free(&outcome);
    return is_fine;
}

static bool build_plainly(const struct building *building, const char *path, struct error *error)
{
    return building->builder->request->units ? build_units(building, path, error)
                                             : build_by_command(building, path, error);
}

/* --- profiles --- */
static bool is_counts(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".gcda") || !strcmp(dot, ".profraw"));
}

/* clang's counters are read by its own tool. */
static bool merge_counts(const struct building *building, struct error *error)
{
    const struct array *units = building->builder->request->units;
    const struct program_unit *clang = NULL;
    for (size_t i = 0; units && i < units->count; i++)
        if (is_clang(ARRAY_AT(struct program_unit, units, i)))
            clang = ARRAY_AT(struct program_unit, units, i);
    if (!clang)
        return true;
    const char *number = strstr(clang->compilation.version, "version ");
    autofree char *exact = memory_format("llvm-profdata-%d", number ? atoi(number + 8) : 0),
                  *tool = child_find_program(exact);
    autofree char *merged = memory_format("%s/merged.profdata", building->folder);
    const char *const words[] = {
        tool ? tool : "llvm-profdata", "merge", "-o", merged, building->folder, NULL};
    struct child_job job = {.words = words, .place = child_place_PRIVATE, .limits = link_limits};
    struct child_answer answer;
    if (!child_run(&job, &answer, error))
        return false;
    bool is_fine = answer.end == child_end_DONE ||
                   error_set(error, NULL, "%s, which reads clang's profiles, is not there or failed", exact);
    child_answer_free(&answer);
    return is_fine;
}

static bool has_counts(const struct building *building, struct error *error)
{
    DIR *folder = opendir(building->folder);
    bool has = false;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        has |= is_counts(entry->d_name);
    if (folder)
        closedir(folder);
    return has ||
           error_set(error, NULL, "the run with counters left no profile: the program must end by exit");
}

/* The build with counters, and the run that fills them. */
static bool make_profile(struct building *building, struct error *error)
{
    struct program_builder *builder = building->builder;
    autofree char *counting = memory_format("%s/counting", builder->folder), *output = NULL, *problem = NULL;
    double seconds;
    building->profile = profile_MAKE;
    if (!build_plainly(building, counting, error) ||
        !program_run_once(builder->request->run, counting, MANY_TIMES_LONGER, &output, &seconds, &problem,
                          error))
        return false;
    if (problem)
        return error_set(error, NULL, "the run with counters failed: %s", problem);
    building->profile = profile_USE;
    return has_counts(building, error) && merge_counts(building, error);
}

/* --- */
bool program_builder_build(struct program_builder *builder, const uint32_t *sets, const char *path,
                           char **problem)
{
    struct error error = {0};
    bool has_profile = false;
    for (size_t i = 0; i < builder->units; i++)
        has_profile |= program_changes_has(builder->changes, sets[i], program_PROFILE);
    autofree char *folder = memory_format("%s/objects-%u", builder->folder, ++builder->made);
    struct building building = {.builder = builder, .sets = sets, .folder = folder};
    bool is_fine = !mkdir(folder, 0700) || error_set_errno(&error, folder, "cannot be created");
    is_fine = is_fine && (!has_profile || make_profile(&building, &error)) &&
              build_plainly(&building, path, &error);
    leftovers_remove_folder(folder);
    *problem = is_fine ? NULL : memory_format("%s", error.text);
    return is_fine;
}

bool program_builder_begin(struct program_builder *builder, const struct program_request *request,
                           const struct array *changes, struct error *error)
{
    *builder = (struct program_builder){.request = request,
                                        .changes = changes,
                                        .folder = leftovers_make_folder(error),
                                        .units = request->units ? request->units->count : 1,
                                        .libraries = ARRAY_OF(char *)};
    if (request->units)
        program_units_add_libraries(request->program, &builder->libraries);
    return builder->folder != NULL;
}

void program_builder_end(struct program_builder *builder)
{
    if (builder->folder) {
        leftovers_remove_folder(builder->folder);
        leftovers_drop(builder->folder);
    }
    free(builder->folder);
    array_free_texts(&builder->libraries);
}
