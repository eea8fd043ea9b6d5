/* What is wrong with innermost loops and what to do about it: as text, json, csv or a page for the browser.

   All facts are in the tables that quality_build fills; a view only selects and words them. */
#ifndef SHOW_REPORT_QUALITY_QUALITY_H
#define SHOW_REPORT_QUALITY_QUALITY_H
#include "code/machine/machine.h"
#include "model/model.h"
#include "show/report/common/style.h"

/* What the order of loops is based on: the time in a sampled run, or how often a loop seems to run by the
   structure of the program (loop_weights). */
enum quality_basis { quality_by_STRUCTURE, quality_by_SAMPLES };

struct quality_view {
    const struct model *model;
    const char *path;                          /* the file, as it was named */
    const struct machine *machines[isa_COUNT]; /* in use; that of x86-64 serves i386; NULL: none */
    bool is_named, is_host[isa_COUNT];         /* the machine was named by the user; it is this computer's */
    /* All loops analysed, the largest saving first; the first loop_count of them are shown. */
    const uint32_t *loops;
    enum quality_basis basis; /* of that order */
    size_t analysed_count, loop_count;
    bool is_chosen;          /* the reader chose them: each has a page, also without advice */
    bool is_whole;           /* the reader wants everything (--all) */
    size_t page_limit;       /* text: pages at most */
    bool demangle;           /* show C++, Rust and Fortran names as in the source */
    enum advice_level level; /* the last level that is shown */
    struct trust *trust;     /* sources are read where it allows (base/trust.h) */
    /* Expert level: prints the instructions of a path with their ports, as assay cycles does, followed by
     * their notes; NULL: not. */
    void (*print_block)(void *context, uint32_t loop, uint32_t path, const char *const *notes, FILE *out);
    void *context;
};

/* The gain of a loop: the largest of its advice up to a level; 1 where unknown. */
double quality_gain(const struct model *model, uint32_t loop, enum advice_level level);
/* Whether that is an upper limit: only advice whose gain depends on something that the code does not show
 * reaches it. */
bool quality_gain_is_upper(const struct model *model, uint32_t loop, enum advice_level level);
/* "up to " before a gain that is an upper limit; "" before others. Every view for people puts it there. */
const char *quality_up_to(bool is_upper);
/* What following its best advice up to a level saves of all time (weight_share, weight_saved); 0 where
 * unknown. */
double quality_saving(const struct model *model, uint32_t loop, enum advice_level level);
/* Sorts ids of loops, the largest saving first; then loops with advice but without a known gain, by their
 * share; then loops without advice; last those that run once at the start or the end of the program. Equals
 * by certainty of the advice, main loops before peel and tail loops, deeper ones before others. */
void quality_sort(const struct model *model, enum advice_level level, uint32_t *loops, size_t count);
enum quality_basis quality_sort_basis(const struct model *model);

bool report_quality_text(const struct quality_view *view, const struct report_style *style, FILE *out,
                         struct error *error);
/* The page of one loop alone, with the instructions of its slowest path after the figures (by the view's
   print_block); is_full: all findings and figures, whatever fits a screen. */
bool report_quality_page(const struct quality_view *view, const struct report_style *style, uint32_t loop,
                         bool is_full, FILE *out, struct error *error);
/* An object: file, machine, compiler, summary, loops with paths, metrics, advice. */
bool report_quality_json(const struct quality_view *view, FILE *out, struct error *error);
/* A row for each loop and path, a column for each metric of loop_metrics, with names and places in front. */
bool report_quality_csv(const struct quality_view *view, FILE *out, struct error *error);
/* One file: style, script, source, assembly and drawings inside. */
bool report_quality_html(const struct quality_view *view, FILE *out, struct error *error);
#endif
