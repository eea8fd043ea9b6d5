#include "change/optimise/replay/shell_command.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_OUTPUT = 64 << 20, MOST_SAID = 200 };
static const double PARALLEL = 1.1;

static double processor_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

/* What a failed command said: its first line with "error", else its first. */
static char *word_failure(const struct child_answer *answer)
{
    const char *said = answer->messages.data, *error = strstr(said, "error");
    while (error && error > said && error[-1] != '\n')
        error--;
    const char *line = error ? error : said;
    int length = (int)fmin((double)strcspn(line, "\n"), MOST_SAID);
    return memory_format("status %d%s%.*s", answer->status, length ? ": " : "", length, line);
}

static char *word_problem(const struct child_answer *answer)
{
    switch (answer->end) {
    case child_end_DONE:
        return NULL;
    case child_end_SLOW:
        return memory_format("it took too long");
    case child_end_CRASHED:
        return memory_format("signal %d ended it", answer->status);
    case child_end_LARGE:
        return memory_format("it wrote more than %d MB", MOST_OUTPUT >> 20);
    default:
        return word_failure(answer);
    }
}

bool shell_command_run(const char *command, double most, struct shell_command *outcome, struct error *error)
{
    const char *const words[] = {"/bin/sh", "-c", command, NULL};
    struct child_job job = {.words = words,
                            .place = child_place_PRESENT,
                            .ends_by_interrupt = true,
                            .limits = {.memory = UINT64_MAX / 2,
                                       .file_size = UINT64_MAX / 2,
                                       .output = MOST_OUTPUT,
                                       .seconds = (unsigned)fmin(ceil(most), SHELL_COMMAND_LONGEST)}};
    struct child_answer answer;
    double wall = clock_monotonic_seconds(), processor = processor_seconds();
    if (!child_run(&job, &answer, error))
        return false;
    wall = clock_monotonic_seconds() - wall;
    processor = processor_seconds() - processor;
    *outcome = (struct shell_command){.seconds = processor > PARALLEL * wall ? wall : processor,
                                      .output = memory_copy_text(answer.output.data, answer.output.count),
                                      .problem = word_problem(&answer),
                                      .end = answer.end};
    child_answer_free(&answer);
    if (outcome->end != child_end_STOPPED)
        return true;
    shell_command_free(outcome);
    return error_set(error, NULL, "interrupted");
}

void shell_command_free(struct shell_command *outcome)
{
    free(outcome->output);
    free(outcome->problem);
    *outcome = (struct shell_command){0};
}
