/* Views of a schedule: what ran, what runs, what is planned, and why.

   A view is made of rows of a ledger once (schedule_view_load), within one reading transaction, so that all
   its parts speak of the same moment; text, picture, page and rows are drawn from it. It shows the hosts of
   one engine, because engines have clocks of their own: the `now` of a simulated cluster is the latest time
   that the ledger has of it.

   Workflows that are not done are shown; where all are done, the one that ended last. Other tasks that ran on
   the same hosts at the same time are drawn as well: the hosts were not free. */
#ifndef SHOW_REPORT_SCHEDULE_SCHEDULE_H
#define SHOW_REPORT_SCHEDULE_SCHEDULE_H
#include "base/error.h"
#include "base/memory.h"
#include "ledger/ledger.h"
#include "show/report/common/style.h"

struct schedule_choice {
    const char *engine;           /* NULL: the one that was used last */
    const char *const *workflows; /* names, NULL after the last; NULL: as said above */
    bool is_all;                  /* every workflow; in text every host */
    const char *spool;            /* folder of the outputs of tasks; NULL: not known */
    bool is_attended;             /* a scheduler runs */
    bool with_decisions;          /* for the page and for json: why each task waited */
    double now;                   /* clock of the engine; NaN: taken as said above */
};

struct schedule_view;
struct schedule_view *schedule_view_load(struct ledger *ledger, const struct schedule_choice *choice,
                                         struct error *error);
void schedule_view_free(struct schedule_view *view);
/* Tasks of the chosen workflows that have failed or are late: what an exit status of 1 tells. */
bool schedule_view_has_trouble(const struct schedule_view *view);
/* Whether nothing is left to be done. */
bool schedule_view_is_done(const struct schedule_view *view);

/* style.format: text for people, csv (a row for each task) or json (an object). lines: of the terminal, what
   the chart may take of them; 0: does not matter. */
bool report_schedule(const struct schedule_view *view, const struct report_style *style, unsigned lines,
                     FILE *out, struct error *error);
bool report_schedule_picture(const struct schedule_view *view, FILE *out, struct error *error); /* SVG */
bool report_schedule_page(const struct schedule_view *view, FILE *out, struct error *error);    /* HTML */

/* Everything that was decided about a task, in order: `name` is WORKFLOW/TASK, or TASK where only one has
   this name.  style.format as above. */
bool report_schedule_why(struct ledger *ledger, const char *name, const struct report_style *style, FILE *out,
                         struct error *error);

/* What `assay schedule what-if` found: times of the engine's clock. */
struct what_if_task {
    const char *name, *estimate_from; /* as in tasks.estimate_from */
    const char *hosts;                /* names with processors: "node1:4" … */
    unsigned processors;
    double begins, ends, deadline; /* deadline NaN: none */
    double likely;                 /* its end if things go well: three of four times it is later */
};
struct what_if {
    const char *workflow;
    double now;
    double ends, likely,
        latest; /* of all its tasks, by estimates, if things go well, and by the upper ends of their intervals; NaN: no
                            such interval is known */
    double others_end, others_end_with; /* of all that is there already: as planned, and if this were added;
                                           NaN: there is nothing else */
    double deadline;                    /* of the workflow; NaN: none */
    unsigned late_before, late_with;    /* tasks of others over their deadlines */
    double others, share; /* processes of others on this computer, and the speed they leave; NaN: not asked */
    double wait, wait_upper; /* of jobs of this engine, lately: from asking to beginning; NaN: not known */
    bool has_clock;          /* times are seconds since 1970 */
    const struct what_if_task *tasks; /* in the order of their beginnings */
    unsigned count;
};
void report_what_if(const struct what_if *result, const struct report_style *style, FILE *out);
#endif
