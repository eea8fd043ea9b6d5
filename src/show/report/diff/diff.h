/* Two builds of a program, in words: what got slower, what got faster, and why. */
#ifndef SHOW_REPORT_DIFF_DIFF_H
#define SHOW_REPORT_DIFF_DIFF_H
#include "code/diff/changes.h"
#include "show/report/common/style.h"

struct diff_view {
    const struct comparison *comparison;
    const struct array *changes; /* of struct loop_change */
    const char *paths[diff_BUILDS];
    const char *directory;             /* left out at the start of paths; NULL: none */
    const char *machines[diff_BUILDS]; /* in words, that cycles are of; NULL: no loop, and for the new
                                             build if it is the same */
    bool is_sampled;                   /* shares of the time are of samples, not estimated */
    double threshold;                  /* relative: smaller changes of a loop count as the same */
    size_t most;                       /* rows of each list, as text */
    bool is_whole;                     /* all rows are shown, as in csv, json and the page */
    bool demangle;
};

/* In the order in which they are shown. */
enum diff_verdict {
    diff_SLOWER,
    diff_FASTER,
    diff_DEPENDS,
    diff_ADDED,
    diff_REMOVED,
    diff_UNKNOWN,
    diff_SAME,
    diff_VERDICTS
};
extern const char *const diff_headings[diff_VERDICTS];
enum diff_verdict diff_verdict(const struct diff_view *view, const struct loop_change *change);
/* How many loops have a verdict. */
size_t diff_count(const struct diff_view *view, enum diff_verdict verdict);

/* Which changes are shown with their reasons, or, as text, with cycles that they do not have yet: 1 by
   change; to be freed. */
uint8_t *diff_choose(const struct diff_view *view);

/* Functions with code. */
struct diff_totals {
    size_t functions, same, changed, only[diff_BUILDS];
};
struct diff_totals diff_totals(const struct comparison *comparison);

void report_diff_text(const struct diff_view *view, const struct report_style *style, FILE *out);
/* csv: a row for each loop that differs, or, by_function, for the total and each function that differs; json:
   all of these. */
void report_diff_rows(const struct diff_view *view, bool by_function, const struct report_style *style,
                      FILE *out);
bool report_diff_html(const struct diff_view *view, FILE *out, struct error *error);
/* What is in the page, for any page that has the style and the script of tables. */
void report_diff_body(const struct diff_view *view, FILE *out);

/* words.c: the place of a loop, with the one in the old build if its lines moved; to be freed. */
char *diff_place(const struct diff_view *view, const struct loop_change *change);
/* What the program came to, in a sentence or two; to be freed. */
char *diff_total_words(const struct diff_view *view, const struct change_total *total);
/* Sentences why, to be freed; "" where nothing is known. */
char *diff_reasons(const struct loop_change *change, const struct comparison *comparison);
/* "per source iteration", … */
const char *diff_unit_words(enum change_unit unit);
#endif
