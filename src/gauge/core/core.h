/* Experiments about the core: width, window and queues, what renaming removes, fusion with branches, the ways
   to the first cache, mispredicted branches.

   Each experiment is a set of tests named `core|WHAT|NUMBER`, and a pure function from their results to
   findings.  A finding needs the results of its own tests only: where some are missing, or do not show what
   they should, there is no finding, and the machine file takes the fact from elsewhere. */
#ifndef GAUGE_CORE_CORE_H
#define GAUGE_CORE_CORE_H
#include "gauge/findings.h"
#include "gauge/plan.h"
#include "gauge/results.h"

/* Appends the tests (struct gauge_planned). */
void gauge_plan_core(struct array *planned, enum isa isa);
/* Appends what follows from the results (struct gauge_finding): words of machine/core.def and facts.def. */
void gauge_core_findings(struct array *findings, struct gauge_results *results, enum isa isa);

/* A word of a line of a form (machine/forms.def) that is known from experiments: `eliminated`, `breaks`,
   `fuses jb,jae`, `same-ports none`; or core_USUAL: the shortest latencies of a form, which chains of it
   show, are this long among other instructions. */
extern const char core_USUAL[];
struct gauge_form_word {
    char form[96];
    char word[16];
    char value[160]; /* "" for words without one */
    double spread;
};
void gauge_core_form_words(struct array *words, struct gauge_results *results, enum isa isa);

/* How many µops wait for operands together: those of all ports that a form goes to.  A line `queue PORTS N`,
   once the ports are known. */
struct gauge_queue {
    char form[96]; /* that filled it */
    unsigned size;
    double spread;
    gauge_session session; /* the newest of its results */
};
void gauge_core_queues(struct array *queues, struct gauge_results *results, enum isa isa);
#endif
