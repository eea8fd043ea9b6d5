/* One loop as compilers made it: a screen for one compilation, a table for several, rows for programs. */
#ifndef SHOW_REPORT_EXPLORE_EXPLORE_H
#define SHOW_REPORT_EXPLORE_EXPLORE_H
#include "change/explore/explore.h"
#include "show/report/quality/quality.h"

struct explore_view {
    const struct explored *explored;
    size_t best;   /* explore_best */
    char *machine; /* which one the figures are for, in words; NULL: there are no loops */
    struct quality_view
        quality; /* machines, level, trust; its model and loop are those of each attempt in turn */
    /* Makes quality.context that of an attempt, for print_block. */
    void (*choose)(void *context, const struct explore_attempt *attempt);
    bool is_all; /* every compilation in full */
};

/* "4-5", the lines of its loop; to be freed. */
char *explore_lines(const struct explore_attempt *attempt);
/* The options that decide how it is optimised: "-O2 -march=native"; to be freed. */
char *explore_options(const struct explore_attempt *attempt);
/* The whole command, without what Assay adds; to be freed. */
char *explore_command(const struct explore_attempt *attempt);
/* "gcc", as the user names it. */
const char *explore_compiler(const struct explore_attempt *attempt);

bool report_explore_text(const struct explore_view *view, const struct report_style *style, FILE *out,
                         struct error *error);
/* json: an object with all compilations, their code, advice and remarks; csv: a row for each compilation. */
void report_explore_rows(const struct explore_view *view, const struct report_style *style, FILE *out);
#endif
