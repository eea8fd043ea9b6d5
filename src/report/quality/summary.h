/* What a report says of all its loops together. */
#ifndef REPORT_QUALITY_SUMMARY_H
#define REPORT_QUALITY_SUMMARY_H
#include "quality/compiler.h"
#include "report/quality/quality.h"

enum { MOST_TO_GAIN = 10 }; /* loops that a summary names */

struct quality_compiler {
    struct compiler compiler;
    size_t loop_count; /* loops of code that it made */
};

/* Loops that have advice of a rule. */
struct quality_rule_use {
    uint32_t rule;
    size_t loop_count;
};

struct quality_summary {
    size_t path_count;                  /* paths that were looked at */
    size_t unanswered_count;            /* loops of which no path has cycles */
    uint32_t unanswered;                /* the first of them */
    size_t cut_count;                   /* loops of which not every path was looked at */
    size_t unplaced_count;              /* loops that no source line is known of */
    size_t limits[core_part_COUNT];     /* loops by what limits their slowest path */
    size_t advised[advice_level_COUNT]; /* loops that have advice of a level */
    size_t advised_count;               /* loops that have advice that is told, up to the level of the view */
    uint64_t instruction_count, known_count; /* of all paths */
    struct array compilers;                  /* of struct quality_compiler, the most loops first */
    struct array rules; /* of struct quality_rule_use: those up to the level of the view, the most loops first
                         */
    uint32_t top[MOST_TO_GAIN]; /* loops with the most to gain of those that have something to gain */
    size_t top_count;
};

void quality_summarise(struct quality_summary *summary, const struct quality_view *view);
void quality_summary_free(struct quality_summary *summary);
#endif
