#include "change/optimise/replay/program_runs.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/leftovers.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "change/optimise/replay/shell_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_RUNS = 3, MOST_RUNS = 25, MOST_SOURCE = 64 << 20 };
static const double MANY_TIMES = 10;

struct program_runs {
    char *build;
    const char *run;
    const char *source;                /* absolute */
    char *text;                        /* of it */
    char *copy;                        /* path of its copy in the folder */
    char *folder, *original, *variant; /* paths of programs */
    char *output;                      /* of the original */
    double seconds;                    /* that it took */
    double longest;                    /* that a command may take */
};

/* --- the source in the build command --- */
static const char source_word[] = "$ASSAY_SOURCE";

/* Whether the build command has a place for a changed source. */
static bool program_runs_takes_source(const struct program_runs *runs)
{
    return strstr(runs->build, "ASSAY_SOURCE") != NULL;
}

const char *program_runs_folder(const struct program_runs *runs)
{
    return runs->folder;
}

/* Words that are paths of the source become $ASSAY_SOURCE; to be freed. */
static char *name_source(const char *command, const char *source)
{
    static const char ends[] = " \t\n'\";|&()<>";
    struct array out = ARRAY_OF(char);
    for (const char *at = command; *at;) {
        size_t length = strcspn(at, ends);
        char *word = memory_copy_text(at, length), *path = length ? realpath(word, NULL) : NULL;
        bool is_source = path && !strcmp(path, source);
        const char *text = is_source ? source_word : word;
        if (*text)
            memcpy(array_push_many(&out, strlen(text)), text, strlen(text));
        at += length;
        if (*at)
            *(char *)array_push(&out) = *at++;
        free(word);
        free(path);
    }
    char *made = memory_copy_text(out.count ? out.data : "", out.count);
    array_free(&out);
    return made;
}

/* A copy of the source in the folder, and a link to its folder for headers beside it: names without spaces.
 */
static bool copy_source(struct program_runs *runs, struct error *error)
{
    const char *dot = strrchr(path_name(runs->source), '.');
    runs->text = regular_file_text(runs->source, MOST_SOURCE, "a source", error);
    if (!runs->text)
        return false;
    runs->copy = memory_format("%s/source%s", runs->folder, dot ? dot : "");
    char *beside = path_folder(runs->source), *link = memory_format("%s/beside", runs->folder);
    bool is_fine =
        !symlink(*beside ? beside : "/", link) || error_set_errno(error, link, "cannot be created");
    free(beside);
    free(link);
    return is_fine;
}

static bool write_source(const struct program_runs *runs, const char *text, struct error *error)
{
    FILE *file = fopen(runs->copy, "we");
    bool is_written = file && fputs(text ? text : runs->text, file) >= 0;
    if (file && fclose(file))
        is_written = false;
    return is_written || error_set_errno(error, runs->copy, "cannot be written");
}

static bool build(const struct program_runs *runs, const struct program_change *change, const char *program,
                  struct error *error)
{
    struct shell_command outcome = {0};
    const char *flags = change->flags ? change->flags : "";
    bool has_source = program_runs_takes_source(runs);
    if (has_source && !write_source(runs, change->text, error))
        return false;
    if (!has_source && (change->text || change->object))
        return error_set(error, NULL,
                         "it changes the source: $ASSAY_SOURCE must stand for %s in --build-with",
                         path_name(runs->source));
    char *all =
        has_source ? memory_format("-I%s/beside %s", runs->folder, flags) : memory_format("%s", flags);
    char *sources = has_source ? memory_format("%s%s%s", runs->copy, change->object ? " " : "",
                                               change->object ? change->object : "")
                               : memory_format("%s", runs->source);
    setenv("ASSAY_FLAGS", all, 1);
    setenv("ASSAY_SOURCE", sources, 1);
    setenv("ASSAY_PROGRAM", program, 1);
    bool is_fine = shell_command_run(runs->build, runs->longest, &outcome, error);
    if (is_fine && outcome.problem)
        is_fine = error_set(error, NULL, "the command of --build-with failed with '%s': %s", flags,
                            outcome.problem);
    if (is_fine && access(program, R_OK))
        is_fine = error_set(error, NULL, "the command of --build-with left no program at $ASSAY_PROGRAM");
    shell_command_free(&outcome);
    free(all);
    free(sources);
    return is_fine;
}

static bool run(const struct program_runs *runs, const char *program, double most,
                struct shell_command *outcome, struct error *error)
{
    setenv("ASSAY_PROGRAM", program, 1);
    return shell_command_run(runs->run, most, outcome, error);
}

struct program_runs *program_runs_begin(const char *build_command, const char *run_command,
                                        const char *source, double seconds, struct error *error)
{
    struct program_runs *runs = memory_get(sizeof *runs);
    struct shell_command outcome = {0};
    *runs = (struct program_runs){.build = name_source(build_command, source),
                                  .run = run_command,
                                  .source = source,
                                  .folder = leftovers_make_folder(error),
                                  .longest = fmin(fmax(seconds, 1), SHELL_COMMAND_LONGEST)};
    if (!runs->folder) {
        program_runs_end(runs);
        return NULL;
    }
    runs->original = memory_format("%s/original", runs->folder);
    runs->variant = memory_format("%s/variant", runs->folder);
    bool is_fine = copy_source(runs, error) &&
                   build(runs, &(struct program_change){0}, runs->original, error) &&
                   run(runs, runs->original, runs->longest, &outcome, error);
    if (is_fine && outcome.problem)
        is_fine = error_set(error, NULL, "the command of --measure-with failed: %s", outcome.problem);
    runs->seconds = outcome.seconds;
    runs->output = outcome.output;
    outcome.output = NULL;
    shell_command_free(&outcome);
    if (is_fine)
        return runs;
    program_runs_end(runs);
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The median, and half the distance of the quartiles. */
static double middle(double *times, size_t count, double *spread)
{
    qsort(times, count, sizeof *times, by_size);
    *spread = (times[3 * (count - 1) / 4] - times[(count - 1) / 4]) / 2;
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

/* The first run of the variant: what it says, and whether it is worth more runs. */
static bool check_first(const struct program_runs *runs, double tolerance, struct replay_result *result,
                        struct error *error)
{
    struct shell_command outcome = {0};
    if (!run(runs, runs->variant, 60 + MANY_TIMES * runs->seconds, &outcome, error))
        return false;
    if (outcome.problem) {
        result->verdict = outcome.end == child_end_SLOW ? replay_SLOW : replay_CRASHED;
        result->where = outcome.problem;
        outcome.problem = NULL;
    } else {
        result->verdict = program_output_compare(runs->output, outcome.output, tolerance,
                                                 &result->largest_error, &result->where);
        result->is_strange = isinf(result->largest_error);
        /* What is wrong is not run again. */
        result->seconds = outcome.seconds;
        result->original_seconds = runs->seconds;
    }
    shell_command_free(&outcome);
    return true;
}

const char *program_runs_build(struct program_runs *runs, const struct program_change *change,
                               struct error *error)
{
    return build(runs, change, runs->variant, error) ? runs->variant : NULL;
}

bool program_runs_measure(struct program_runs *runs, const struct program_change *change, double seconds,
                          double tolerance, struct replay_result *result, struct error *error)
{
    double times[2][MOST_RUNS], begin = clock_monotonic_seconds();
    const char *const programs[] = {runs->original, runs->variant};
    size_t count = 0;
    *result = (struct replay_result){0};
    if (!build(runs, change, runs->variant, error) || !check_first(runs, tolerance, result, error))
        return false;
    if (result->verdict != replay_SAME && result->verdict != replay_WITHIN && result->verdict != replay_NEAR)
        return true;
    while (count < MOST_RUNS && (count < LEAST_RUNS || clock_monotonic_seconds() - begin < seconds)) {
        if (interrupt_came())
            return error_set(error, NULL, "interrupted");
        for (int which = 0; which < 2; which++) {
            struct shell_command outcome = {0};
            if (!run(runs, programs[which], 60 + MANY_TIMES * runs->seconds, &outcome, error))
                return false;
            times[which][count] = outcome.seconds;
            shell_command_free(&outcome);
        }
        count++;
    }
    result->original_seconds = middle(times[0], count, &result->original_spread);
    result->seconds = middle(times[1], count, &result->spread);
    return true;
}

void program_runs_end(struct program_runs *runs)
{
    if (!runs)
        return;
    if (runs->folder)
        leftovers_remove_folder(runs->folder);
    leftovers_drop(runs->folder);
    free(runs->build);
    free(runs->text);
    free(runs->copy);
    free(runs->folder);
    free(runs->original);
    free(runs->variant);
    free(runs->output);
    free(runs);
}
