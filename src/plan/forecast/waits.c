/* Waits in queues: see waits.h. */
#include "plan/forecast/waits.h"

#include "base/child.h"
#include "plan/forecast/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_OUTPUT = 1 << 26, MOST_SECONDS = 60, SHOWN_WAITS = 100000 };

bool waits_of_ledger(struct series *series, struct ledger *ledger, const char *engine, struct error *error)
{
    struct ledger_rows rows;
    *series = (struct series){.name = memory_format("wait"), .points = ARRAY_OF(struct series_point)};
    if (!ledger_ask(ledger, &rows, error, query_named(forecast_queries, "waits"), "ti", engine,
                    (int64_t)SHOWN_WAITS))
        return false;
    while (ledger_next(&rows))
        *(struct series_point *)array_push(&series->points) =
            (struct series_point){ledger_real(&rows, 0), ledger_real(&rows, 1)};
    return ledger_end(&rows, error);
}

/* 2026-11-17T02:33:05; Unknown and None are no time. */
static double read_time(const char *text, const char **end)
{
    struct tm time = {.tm_isdst = -1};
    *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &time);
    return *end ? (double)mktime(&time) : NAN;
}

static int by_time(const void *a, const void *b)
{
    double x = ((const struct series_point *)a)->time, y = ((const struct series_point *)b)->time;
    return (x > y) - (x < y);
}

bool waits_parse(struct series *series, const char *text, struct error *error)
{
    *series = (struct series){.name = memory_format("wait"), .points = ARRAY_OF(struct series_point)};
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *rest;
        double submitted = read_time(line, &rest);
        if (!rest || *rest != '|')
            return error_set(error, "sacct", "printed a line that is not SUBMIT|START: %.*s",
                             (int)(strcspn(line, "\n") < 60 ? strcspn(line, "\n") : 60), line);
        double started = read_time(rest + 1, &rest);
        if (started >= submitted)
            *(struct series_point *)array_push(&series->points) =
                (struct series_point){started, started - submitted};
    }
    if (series->points.count)
        qsort(series->points.data, series->points.count, series->points.width, by_time);
    return true;
}

bool waits_of_slurm(struct series *series, struct error *error)
{
    /* Unless told, sacct begins with the last midnight. */
    static const char *const words[] = {"sacct", "-a",         "-X", "-n",           "-P",
                                        "-S",    "now-30days", "-o", "Submit,Start", NULL};
    struct child_job job = {.words = words,
                            .limits = {.memory = (uint64_t)1 << 32,
                                       .file_size = 1 << 20,
                                       .output = MOST_OUTPUT,
                                       .seconds = MOST_SECONDS}};
    struct child_answer answer;
    *series = (struct series){.points = ARRAY_OF(struct series_point)};
    if (!child_run(&job, &answer, error))
        return false;
    bool is_good = answer.end == child_end_DONE;
    if (is_good) {
        is_good = waits_parse(series, answer.output.data, error);
    } else if (answer.end == child_end_MISSING) {
        error_set(
            error, NULL,
            "sacct is not here: install slurm-client, or take waits from a ledger (assay forecast waits)");
    } else {
        const char *said = answer.messages.count ? answer.messages.data : "";
        error_set(error, "sacct", "did not answer: %.*s", (int)strcspn(said, "\n"), said);
    }
    child_answer_free(&answer);
    return is_good;
}
