/* How good the code of innermost loops is, and what to do about it.

   Each path through a loop becomes a subject (subject.h): its instructions with their purposes, its cycles,
   its memory accesses. Metrics are figures of a subject, a row of loop_metrics; rules (rule.h) look at a
   subject and its metrics and give advice. All results are rows of tables; other rooms do the wording, except
   for the texts of the rules, and all output formats. */
#ifndef QUALITY_QUALITY_H
#define QUALITY_QUALITY_H
#include "cost/loops.h"

struct quality_options {
    struct loop_machines
        machines;        /* NULL for an ISA: its loops have no cycles and nothing derived from them */
    unsigned threads;    /* 0: one for each processor */
    unsigned path_limit; /* most paths of a loop to analyse; 0: all that are listed */
};

/* Fills loop_cycles, core_bounds, loop_families, loop_roles, loop_metrics, access_patterns,
   bound_instructions, port_uses, rules, advice, advice_evidence, remedies, loop_weights and program_actions
   for these innermost loops (of uint32_t, in order), in place of earlier rows, and data flow for their
   functions if the model has none. The result does not depend on the number of threads. */
void quality_build(struct model *model, const struct quality_options *options, const struct array *loops);
#endif
