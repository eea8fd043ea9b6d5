/* Verdicts of assay check in words: for people, for programs, and for services that host code.

   Each verdict has a place (the comment, the loop, the row of a query), a rule (the word of its assertion)
   and one sentence; the formats differ in nothing else.  Paths are relative to the root of the repository, so
   that a hosting service finds them; those outside stay absolute. */
#ifndef SHOW_REPORT_CHECK_CHECK_H
#define SHOW_REPORT_CHECK_CHECK_H
#include "code/check/check.h"
#include "show/report/common/services.h"
#include "show/report/common/style.h"

struct check_view {
    const struct check *check;
    const char *program; /* the file that was checked */
    const char *root;    /* real path of the repository */
    const char *version; /* of Assay */
    bool demangle;
    bool has_passed; /* also what holds, as text */
};

/* words.c; texts are to be freed. */
/* Where a verdict belongs. */
struct service_place check_place(const struct check_view *view, const struct check_verdict *verdict);
/* "vectorised >= 256 bits", "rule 'no x87'", "no slower than the baseline". */
char *check_title(const struct check_view *view, const struct check_verdict *verdict);
/* Why it fails, or that it holds. */
char *check_sentence(const struct check_view *view, const struct check_verdict *verdict);
/* The kind of assertion, for services that group by it: "vectorised", "spills", "loop-gone", "baseline". */
const char *check_rule(const struct check *check, const struct check_verdict *verdict);
/* "holds", "fails", "unknown", "gone", … */
extern const char *const check_outcome_words[];
/* "loop 3 in dot, solve.c:15-16"; NULL: the verdict is not about a loop. */
char *check_loop(const struct check_view *view, const struct check_verdict *verdict);

void report_check_text(const struct check_view *view, const struct report_style *style, FILE *out);
/* csv or json: a row for each verdict. */
void report_check_rows(const struct check_view *view, const struct report_style *style, FILE *out);
/* Lines that GitHub's runners show in the diff. */
void report_check_annotations(const struct check_view *view, FILE *out);
void report_check_junit(const struct check_view *view, FILE *out);
void report_check_sarif(const struct check_view *view, FILE *out);
#endif
