/* Two builds of a program, in words: what got slower, what got faster, and why. */
#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H
#include "compare/changes.h"
#include "machine/machine.h"
#include "report/common/style.h"

struct diff_view {
    const struct comparison *comparison;
    const struct array *changes; /* of struct loop_change */
    const char *paths[compare_BUILDS];
    const struct machine
        *machines[compare_BUILDS]; /* of the loops of each build; NULL: it has none that changed */
    double threshold;              /* relative: smaller changes of a loop count as the same */
    size_t most;                   /* rows of each list, as text */
};

enum diff_verdict {
    diff_SLOWER,
    diff_FASTER,
    diff_SAME,
    diff_DEPENDS,
    diff_UNKNOWN,
    diff_ADDED,
    diff_REMOVED,
    diff_VERDICTS
};
enum diff_verdict diff_verdict(const struct diff_view *view, const struct loop_change *change);

void report_diff_text(const struct diff_view *view, const struct report_style *style, FILE *out);
/* csv: a row for each loop; json: an object with loops, functions and totals. */
void report_diff_rows(const struct diff_view *view, const struct report_style *style, FILE *out);

/* words.c: sentences why, to be freed; "" where nothing is known. */
char *diff_reasons(const struct loop_change *change, const struct comparison *comparison);
/* "per source iteration", … */
const char *diff_unit_words(enum change_unit unit);
#endif
