/* The rows after all views of a schedule, put in order: load.c fills it, the other files only read it. */
#ifndef SHOW_REPORT_SCHEDULE_VIEW_H
#define SHOW_REPORT_SCHEDULE_VIEW_H
#include "show/report/schedule/schedule.h"

enum task_state {
    task_WAITING,
    task_RUNNING,
    task_DONE,
    task_FAILED,
    task_CANCELLED,
    task_BLOCKED,
    task_STATES
};
extern const char *const task_state_words[task_STATES];

struct view_workflow {
    int64_t id;
    const char *name, *user;
    double submitted, deadline; /* NaN: none */
    bool is_speculative, is_cancelled, is_chosen;
    unsigned group; /* colour: by the order in which they are shown */
    unsigned tasks; /* of the chosen ones, probes apart */
    double ends;    /* of its last task, as far as is known; NaN: it is not */
};

struct view_task {
    int64_t id;
    uint32_t workflow;
    const char *name;
    const char *of; /* of a probe: the task that it measures */
    bool is_probe, is_chosen;
    enum task_state state;
    double deadline; /* of its own; NaN: none */
    double seconds, lower, upper;
    const char *estimate_from;
    /* What the latest attempt began with (NaN and estimate_from: none is known): seconds on its host if nobody
       else were there, and what others were expected to leave of it. */
    double estimate, share;
    const char *began_from;
    int64_t least, most;
    /* The latest attempt: */
    unsigned attempts;
    const char *tag, *problem; /* NULL: none */
    int64_t processors, exit_status;
    bool has_exit;
    double expected; /* seconds that it should take, there; without an attempt by the plan; NaN: not known */
    double begins, ends; /* real times where they are known, else expected ones; NaN: nothing is known */
    double packed;       /* when it was planned; NaN: it is not */
    const char *stuck;   /* why it cannot be planned; NULL: it can, or is not known */
    char *output;        /* the last lines of a failed task; NULL: none */
};

enum bar_kind { bar_RAN, bar_RUNS, bar_PLANNED, bar_FAILED, bar_KINDS };

struct view_bar {
    uint32_t task, host;
    uint32_t track, tracks; /* processors of the host, from the first one of them */
    int64_t first;          /* as the ledger says; -1: it does not */
    double begins, ends;
    enum bar_kind kind;
};

struct view_host {
    int64_t id;
    const char *name, *state, *why;
    uint32_t processors, busy; /* busy now, with our tasks */
    double seen;
    uint32_t first_bar, bar_count; /* of bars, in the order of their beginnings */
    char *idle;                    /* why processors of it are idle now; NULL: none is, or all is done */
};

enum lateness { late_MISSED, late_WILL_BE, late_MAY_BE };

struct view_late {
    const char *workflow, *task; /* task NULL: the workflow as a whole */
    double deadline, ends;       /* ends NaN: not known */
    bool is_guessed;             /* its time, or that of a task of its workflow, is not known */
    enum lateness lateness;
};

struct view_decision {
    uint32_t task; /* UINT32_MAX: none of the chosen ones */
    double time;
    const char *kind, *reason;
};

struct schedule_view {
    struct arena arena;
    const char *path, *engine; /* engine NULL: nothing was ever run or planned */
    char *spool;
    double now;
    bool has_clock;
    bool is_attended;                     /* a scheduler runs */
    double begins, ends;                  /* what a chart shows */
    double packed;                        /* when the plan was last made; NaN: there is none */
    unsigned counts[task_STATES], probes; /* of chosen tasks; probes apart */
    unsigned others;                      /* workflows that are not chosen */
    struct array workflows, tasks, hosts, bars, late, decisions;
};

#define VIEW_TASK(view, index) ARRAY_AT(struct view_task, &(view)->tasks, index)
#define VIEW_HOST(view, index) ARRAY_AT(struct view_host, &(view)->hosts, index)
#define VIEW_BAR(view, index) ARRAY_AT(struct view_bar, &(view)->bars, index)
#define VIEW_WORKFLOW(view, index) ARRAY_AT(struct view_workflow, &(view)->workflows, index)

static inline const struct view_workflow *view_workflow_of(const struct schedule_view *view,
                                                           const struct view_task *task)
{
    return VIEW_WORKFLOW(view, task->workflow);
}
/* Whether an engine's times, such as this one, are seconds since 1970; an engine that simulates has to say so
   here. */
bool view_has_clock(const char *engine, double time);
/* Whether this moment is part of a chart: it is not where all is over, on a simulated clock or a real one. */
bool view_shows_now(const struct schedule_view *view);
const char *view_copy(struct schedule_view *view, const char *text); /* NULL for NULL */
/* NULL where there is no such row. */
struct view_task *view_find_task(const struct schedule_view *view, int64_t id);
struct view_host *view_find_host(const struct schedule_view *view, int64_t id);
/* Tasks of any workflow, by ids (int64_t) of which none is loaded. */
bool view_load_tasks(struct schedule_view *view, struct ledger *ledger, const struct array *ids,
                     struct error *error);
bool view_load_bars(struct schedule_view *view, struct ledger *ledger, struct error *error);
/* "workflow/align"; to be freed. */
char *view_task_name(const struct schedule_view *view, const struct view_task *task);
/* How wrong the estimate was: predicted ÷ measured − 1; NaN where one of them is not known. */
double view_task_error(const struct view_task *task);
/* The same of the estimate alone, as if its host had been for itself. */
double view_task_estimate_error(const struct view_task *task);
/* The interval of the estimate for the processors that it got; false: not known. */
bool view_task_interval(const struct view_task *task, double *lower, double *upper);

/* Which processors of its host a bar is drawn on, where the ledger does not say. */
void view_find_tracks(struct schedule_view *view);
/* Why hosts are idle, what is late, what failed tasks wrote: asked of the ledger while it is read. */
bool view_find_idle(struct schedule_view *view, struct ledger *ledger, struct error *error);
void view_find_late(struct schedule_view *view);
void view_read_outputs(struct schedule_view *view);
char *view_output_path(const struct schedule_view *view, const struct view_task *task); /* to be freed */

/* The answer: sentences (of char *), most important first.  The same in text, page and json. */
struct array schedule_answer(const struct schedule_view *view);
/* "node1, node3 and node4: drained: …", one for each reason; at most so many (0: all). */
struct array schedule_idle(const struct schedule_view *view, size_t most);
char *schedule_late_words(const struct schedule_view *view, const struct view_late *late);
char *schedule_failure_words(const struct schedule_view *view, const struct view_task *task);
/* Tasks that wait and that nothing can be planned for: a sentence each. */
struct array schedule_stuck(const struct schedule_view *view, size_t most);
/* Tasks that failed, chosen ones, in order: numbers of tasks (uint32_t). */
struct array schedule_failed(const struct schedule_view *view);

void schedule_print_chart(const struct schedule_view *view, const struct report_style *style, unsigned lines,
                          FILE *out);
void schedule_print_rows(const struct schedule_view *view, const struct report_style *style, FILE *out);
/* The picture as an element; alone: with its own style. */
void schedule_print_gantt(const struct schedule_view *view, bool is_alone, FILE *out);
#endif
