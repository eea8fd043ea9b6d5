/* What a report says about all its loops together. */
#ifndef SHOW_REPORT_QUALITY_SUMMARY_H
#define SHOW_REPORT_QUALITY_SUMMARY_H
#include "code/quality/compiler.h"
#include "show/report/quality/quality.h"

enum { MOST_TO_GAIN = 10 }; /* loops that a summary names */

struct quality_compiler {
    struct compiler compiler;
    size_t loop_count; /* loops in its code */
};

/* How many loops a rule applies to. */
struct quality_rule_use {
    uint32_t rule;
    size_t loop_count;
};

struct quality_summary {
    size_t path_count;                       /* paths analysed */
    size_t unanswered_count;                 /* loops without cycles on any path */
    uint32_t unanswered;                     /* the first of them */
    size_t cut_count;                        /* loops with paths that were not analysed */
    size_t unplaced_count;                   /* loops without source lines */
    size_t limits[core_part_COUNT];          /* loops by what limits their slowest path */
    size_t advised[advice_level_COUNT];      /* loops with advice at each level */
    size_t advised_count;                    /* loops with advice up to the level of the view */
    uint64_t instruction_count, known_count; /* of all paths */
    struct array compilers;                  /* of struct quality_compiler, the most loops first */
    struct array rules; /* of struct quality_rule_use: those up to the level of the view, the most loops first
                         */
    uint32_t top[MOST_TO_GAIN]; /* loops with the largest gains, of those that have any */
    size_t top_count;
};

/* The same version with the same options. */
bool quality_is_same_compiler(const struct compiler *left, const struct compiler *right);
void quality_summarise(struct quality_summary *summary, const struct quality_view *view);
void quality_summary_free(struct quality_summary *summary);
#endif
