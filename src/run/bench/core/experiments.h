/* The experiments: tests, and what their results say. */
#ifndef RUN_BENCH_CORE_EXPERIMENTS_H
#define RUN_BENCH_CORE_EXPERIMENTS_H
#include "run/bench/core/parts.h"

/* Results, and where findings go. */
struct core_evidence {
    struct bench_results *results;
    enum isa isa;
    struct array *findings, *words, *queues; /* any may be NULL */
};

enum { core_ROUNDS = 3 };
void core_plan_width(struct array *plan, enum isa isa, unsigned round);
void core_find_width(struct core_evidence *evidence);
/* µops that are renamed in a cycle, as far as mixes show; NaN: not measured. */
double core_issue_width(struct bench_results *results, enum isa isa, double *spread);

void core_plan_window(struct array *plan, enum isa isa);
void core_find_window(struct core_evidence *evidence);
void core_plan_fetch(struct array *plan, enum isa isa);
void core_find_fetch(struct core_evidence *evidence);
void core_plan_branches(struct array *plan, enum isa isa);
void core_find_branches(struct core_evidence *evidence);
void core_plan_renaming(struct array *plan, enum isa isa);
void core_find_renaming(struct core_evidence *evidence);
void core_plan_fusion(struct array *plan, enum isa isa);
void core_find_fusion(struct core_evidence *evidence);
void core_plan_accesses(struct array *plan, enum isa isa);
void core_find_accesses(struct core_evidence *evidence);

void core_plan_sums(struct array *plan, enum isa isa);
void core_find_sums(struct core_evidence *evidence);

void core_add_word(struct core_evidence *evidence, const char *form, const char *word, const char *value,
                   double spread);
#endif
