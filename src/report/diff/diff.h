/* Two builds of a program, in words: what got slower, what got faster, and why. */
#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H
#include "compare/changes.h"
#include "report/common/style.h"

struct diff_view {
    const struct comparison *comparison;
    const struct array *changes; /* of struct loop_change */
    const char *paths[compare_BUILDS];
    double threshold; /* relative: smaller changes of a loop count as the same */
    size_t most;      /* rows of each list, as text */
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

/* Functions with code. */
struct diff_totals {
    size_t functions, same, changed, only[compare_BUILDS];
};
struct diff_totals diff_totals(const struct comparison *comparison);

void report_diff_text(const struct diff_view *view, const struct report_style *style, FILE *out);
/* csv or json: a row for each loop that differs. */
void report_diff_rows(const struct diff_view *view, const struct report_style *style, FILE *out);
bool report_diff_html(const struct diff_view *view, FILE *out, struct error *error);

/* words.c: sentences why, to be freed; "" where nothing is known. */
char *diff_reasons(const struct loop_change *change, const struct comparison *comparison);
/* "per source iteration", … */
const char *diff_unit_words(enum change_unit unit);
#endif
