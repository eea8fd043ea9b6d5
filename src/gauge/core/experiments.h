/* The experiments: tests, and what their results say. */
#ifndef GAUGE_CORE_EXPERIMENTS_H
#define GAUGE_CORE_EXPERIMENTS_H
#include "gauge/core/parts.h"

/* Results, and where findings go. */
struct core_evidence {
    struct gauge_results *results;
    enum isa isa;
    struct array *findings, *words, *queues; /* any may be NULL */
};

void core_plan_width(struct array *plan, enum isa isa);
void core_find_width(struct core_evidence *evidence);
/* µops that are renamed in a cycle, as far as mixes show; NaN: not measured. */
double core_issue_width(struct gauge_results *results, enum isa isa, double *spread);
#endif
