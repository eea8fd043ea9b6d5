/* The report on a sampled run: where the time went, the loops that took it, measured beside predicted, why
   they differ, and what advice would save of the whole run.

   All facts are in the tables runs, run_… and samples, and in those of quality_build for the hot loops; a
   view only selects and words them.  Loops without samples come after the others, folded. */
#ifndef SHOW_REPORT_RUN_RUN_H
#define SHOW_REPORT_RUN_RUN_H
#include "show/report/quality/quality.h"

struct run_view {
    struct quality_view quality; /* model, machines, level, trust; loops: the hot ones that were analysed */
    uint32_t run;                /* row of runs */
    size_t top;                  /* rows of each table */
    const char *database;        /* that was written, for "show again"; NULL: none */
    bool was_tried;              /* --try, whatever came of it */
    bool is_guessed; /* it ran on another kind of computer, and no machine file is known to have that one */
};

/* Whether the model has a sampled run. */
bool report_run_has(const struct model *model);
bool report_run_text(const struct run_view *view, const struct report_style *style, FILE *out,
                     struct error *error);
bool report_run_json(const struct run_view *view, FILE *out, struct error *error);
/* A row for each function and loop. */
bool report_run_csv(const struct run_view *view, FILE *out, struct error *error);
bool report_run_html(const struct run_view *view, FILE *out, struct error *error);
/* What the run says about one loop, as a paragraph for a page; nothing where it has no samples. */
void report_run_html_loop(const struct run_view *view, uint32_t loop, FILE *out);
/* The first screen of that page, to be put into another one: where the time went, the hottest loops and
   functions, what to change, how it was measured.  Loops and functions have pages of their own there. */
struct run_links {
    const char *loop, *function; /* addresses, in front of an id */
    const char *behind;          /* the id of a loop; "": nothing */
};
bool report_run_answer(const struct run_view *view, const struct run_links *links, FILE *out,
                       struct error *error);
/* The same with the call tree, threads and counters: that page without the sections of loops. */
bool report_run_content(const struct run_view *view, const struct run_links *links, FILE *out,
                        struct error *error);
#endif
