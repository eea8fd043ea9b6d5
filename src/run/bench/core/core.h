/* Experiments about the core: width, window and queues, what renaming removes, fusion with branches, the ways
   to the first cache, mispredicted branches.

   Each experiment is a set of tests named `core|WHAT|NUMBER`, and a pure function from their results to
   findings.  A finding needs the results of its own tests only: where some are missing, or do not show what
   they should, there is no finding, and the machine file takes the fact from elsewhere. */
#ifndef RUN_BENCH_CORE_CORE_H
#define RUN_BENCH_CORE_CORE_H
#include "run/bench/findings.h"
#include "run/bench/plan.h"
#include "run/bench/results.h"

/* Appends the tests (struct bench_planned). */
void bench_plan_core(struct array *planned, enum isa isa);
/* Appends what follows from the results (struct bench_finding): words of code/machine/core.def and
   facts.def. */
void bench_core_findings(struct array *findings, struct bench_results *results, enum isa isa);

/* A word of a line of a form (code/machine/forms.def) that is known from experiments: `eliminated`, `breaks`,
   `fuses jb,jae`, `same-ports none`; or core_USUAL: the shortest latencies of a form, which chains of it
   show, are this long among other instructions. */
extern const char core_USUAL[];
struct bench_form_word {
    char form[96];
    char word[16];
    char value[160]; /* "" for words without one */
    double spread;
};
void bench_core_form_words(struct array *words, struct bench_results *results, enum isa isa);

/* How many µops wait for operands together: those of all ports that a form goes to.  A line `queue PORTS N`,
   once the ports are known. */
struct bench_queue {
    char form[96]; /* that filled it */
    unsigned size;
    double spread;
    bench_session session; /* the newest of its results */
};
void bench_core_queues(struct array *queues, struct bench_results *results, enum isa isa);
#endif
