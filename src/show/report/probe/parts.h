/* Shared by the views of the tables probe_…: the runs shown, the findings and their sentences, the tables. */
#ifndef SHOW_REPORT_PROBE_PARTS_H
#define SHOW_REPORT_PROBE_PARTS_H
#include "base/memory.h"
#include "show/report/common/ask.h"
#include "show/report/common/paper.h"
#include "show/report/common/phrases.h"
#include "show/report/probe/probe.h"

struct probed_run {
    int64_t id, process, end_signal, threads;
    int64_t exit_status; /* -1: none */
    char *command, *processor;
    double seconds, thread_seconds, probe_seconds, reading_ns, pair_ns; /* NaN: unknown */
    double measured_ns; /* in functions that have probes, together; 0: none */
    uint64_t traps;
    uint64_t subjects; /* functions, loops, calls, values and accesses that were reached */
};

static inline struct asked probe_asked(const struct probe_view *view)
{
    return (struct asked){view->connection, view->path, view->pages};
}
/* Registers the SQL functions that the queries of these views use: those of show/report/common/shown.h;
   figure(number), rounded for people; brief(name), the name of a function in few columns; sparkline(run,
   quantity, subject), a distribution in a few characters, NULL where all is in one place.
   is_plain: without characters that a terminal may not have; longest_name: 0 for names as they are. */
bool probe_begin(const struct probe_view *view, bool is_plain, size_t longest_name, struct error *error);
/* The runs that the view chose, as struct probed_run, those with most to show first.  None is an error. */
bool probe_find_runs(const struct probe_view *view, struct array *runs, struct error *error);
void probe_free_runs(struct array *runs);

/* findings.c: what stands out, hottest first: rows of the view probe_findings, a handful of them. */
enum probe_group { PROBE_FUNCTIONS, PROBE_LOOPS, PROBE_CALLS, PROBE_VALUES, PROBE_ACCESSES, PROBE_GROUPS };
struct probe_finding {
    enum probe_group group;
    const char *kind, *advice;                  /* advice: NULL for none */
    int64_t function, loop, instruction, value; /* rows; 0: none */
    double ns;                                  /* time that it concerns; NaN: unknown */
    uint64_t count;
    char *text;            /* the sentence */
    size_t subject_length; /* of what it is about, at its start */
};
bool probe_find_findings(const struct probe_view *view, const struct probed_run *run, struct array *findings,
                         struct error *error);
void probe_free_findings(struct array *findings);
/* sentences.c: fills `text`. */
bool probe_word_finding(const struct asked *asked, const struct probed_run *run,
                        struct probe_finding *finding, struct error *error);
/* measured.c: how it was measured, as sentences (of char *). */
bool probe_find_measured(const struct asked *asked, const struct probed_run *run, struct array *sentences,
                         struct error *error);

/* Of the files .sql here: the tables below the answer; rows for JSON; rows for CSV; single questions. */
extern const struct query probe_sections[], probe_rows[], probe_csv[], probe_queries[];
#endif
