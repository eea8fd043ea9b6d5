/* How good the code of innermost loops is, and what to do about it.

   Each path through a loop becomes a subject (subject.h): its instructions with their purposes, its cycles,
   its memory accesses. Metrics are figures of a subject, a row of loop_metrics; rules (rule.h) look at a
   subject and its metrics and give advice. All results are rows of tables; other rooms do the wording, except
   for the texts of the rules, and all output formats. */
#ifndef CODE_QUALITY_QUALITY_H
#define CODE_QUALITY_QUALITY_H
#include "code/cost/loops.h"

/* Paths of a loop that reports analyse, and of which they choose them. */
enum { QUALITY_PATHS = 8, QUALITY_LISTED_PATHS = 64 };

struct quality_options {
    struct loop_machines
        machines;        /* NULL for an ISA: its loops have no cycles and nothing derived from them */
    unsigned threads;    /* 0: one for each processor */
    unsigned path_limit; /* most paths of a loop to analyse; 0: all that are listed */
    /* Of a model that has the code of a few functions only: loop_weights and program_actions, which rank the
       loops of a program, stay empty. NULL: the model has everything. */
    const struct quality_program *program;
};

/* What is asked about the whole program for each of its loops: found once, from its functions and one
   encoding of each kind, it serves any number of calls. */
struct quality_program *quality_program_find(const struct model *model);
void quality_program_free(struct quality_program *program);
/* By row of functions: what it stands for (code/quality/stubs.h). */
const uint32_t *quality_program_stubs(const struct quality_program *program);

/* Fills loop_cycles, core_bounds, loop_families, loop_roles, loop_metrics, access_patterns,
   bound_instructions, port_uses, rules, advice, advice_evidence, remedies, loop_weights and program_actions
   for these innermost loops (of uint32_t, in order), in place of earlier rows, and data flow for their
   functions if the model has none. The result does not depend on the number of threads. */
void quality_build(struct model *model, const struct quality_options *options, const struct array *loops);
#endif
