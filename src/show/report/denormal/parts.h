/* Shared by the views of the tables denormal_…: the runs shown, and the sentences and sections of text, json
 * and page. */
#ifndef SHOW_REPORT_DENORMAL_PARTS_H
#define SHOW_REPORT_DENORMAL_PARTS_H
#include "base/memory.h"
#include "show/report/common/ask.h"
#include "show/report/common/phrases.h"
#include "show/report/common/shown.h"
#include "show/report/denormal/denormal.h"
#include "base/queries.h"

/* A run with its totals. */
struct shown_run {
    int64_t id, process, end_signal, binades;
    int64_t exit_status; /* -1: none */
    char *tool, *mode, *command, *processor;
    double seconds;
    bool is_tracer, is_sampled;
    uint64_t sites, operand_events, underflow_events, operands, results, births, ends, loads, stores, moves,
        near;
    uint64_t limits;         /* what it could not see: rows of denormal_limits */
    uint64_t left_out;       /* other processes without denormals, which have no run */
    uint64_t integers;       /* accesses to integers in watched arrays */
    double low, high;        /* sampled: the 95 % interval of operand_events + underflow_events; else NaN */
    double extra_seconds;    /* NaN: unknown */
    uint64_t unknown_events; /* events of unknown cost */
};

/* Registers the SQL functions that the queries of these views use: those of show/report/common/shown.h;
   shown_data(name), the name of an array, with names of functions in it; call_stack(number), a stack of
   denormal_frames as one line. */
bool denormal_begin(const struct denormal_view *view, struct error *error);
/* The runs that the view chose, as struct shown_run.  None is an error. */
bool denormal_find_runs(const struct denormal_view *view, struct array *runs, struct error *error);
void denormal_free_runs(struct array *runs);
bool denormal_has_events(const struct shown_run *run);
/* Whether nothing happened in it that the report would show. */
bool denormal_is_quiet(const struct shown_run *run);
char *
denormal_removal_words(double share); /* "at least 90 %": what a change would remove; shares of births are
                                         lower bounds, because some operations have operands of several */
/* Whether that is worth a word: "at least 0 %" is none. NaN: unknown, so no. */
bool denormal_removes_some(double share);

static inline struct asked denormal_asked(const struct denormal_view *view)
{
    return (struct asked){view->connection, view->path, view->pages};
}
/* report_ask of the view's connection. */
static inline sqlite3_stmt *denormal_ask(const struct denormal_view *view, const char *sql, int64_t run,
                                         int64_t most, struct error *error)
{
    struct asked asked = denormal_asked(view);
    return report_ask(&asked, sql, run, most, error);
}

/* denormal/answer.c: the answer in two or three sentences; what to change, the best first. */
bool denormal_answer(const struct denormal_view *view, const struct shown_run *run, struct array *answer,
                     struct array *changes, struct error *error);
/* denormal/story.c: a sentence for each chain, the one that would remove most first. */
bool denormal_story(const struct denormal_view *view, const struct shown_run *run, struct array *story,
                    struct error *error);
/* Where a birth is, in code that people can change. */
struct denormal_birth_words {
    char *maker; /* "expf called from compute_kernel", "sweep"; NULL: from outside */
    char *place; /* file:line in the program itself where that is known; NULL: not */
};
bool denormal_find_birth(const struct denormal_view *view, int64_t birth, struct denormal_birth_words *words,
                         struct error *error);
void denormal_free_birth(struct denormal_birth_words *words);
/* The story as a graph: births, arrays, and the values that flow between them. NULL: there is none (or the
 * error is set). */
struct drawing;
struct drawing *denormal_draw_story(const struct denormal_view *view, int64_t run, struct error *error);

/* Of the files .sql here: the tables below the answer; rows for JSON; single questions. */
extern const struct query denormal_sections[], denormal_rows[], denormal_queries[];
/* sections.c: the section as this run shows it; brief text may have a shorter query. */
struct query denormal_section_of(const struct query *section, const struct shown_run *run, bool is_brief);
#endif
