/* How few bundles, or cycles of two bundles, hold given numbers of floating-point, memory and branch
   operations: the integer programs of the MACS model for Itanium.

   Single bundles: minimise the number of bundles; a cycle takes two of them. Pairs: minimise the number of
   cycles, each a pair of bundles that the machine issues together, or one bundle. A pair that the machine
   issues only if the first one's B slot is a no-op counts without that branch. Pairs that depend on A-type
   integer operations are allowed: integer operations are not counted.

   The constraints are ≥, not =: a slot may stay empty. */
#ifndef CODE_COST_MACS_BUNDLES_H
#define CODE_COST_MACS_BUNDLES_H
#include "code/machine/machine.h"

enum { MOST_SHAPES = MOST_TEMPLATES * (MOST_TEMPLATES + 1) };
enum { NO_TEMPLATE = 255 };

/* A unit of issue: a bundle, or two in one cycle. */
struct bundle_shape {
    uint8_t first, second; /* templates of the machine; second NO_TEMPLATE for one bundle */
    uint8_t floating, memory, branches;
};

struct bundle_program {
    const struct machine *machine;
    struct bundle_shape shapes[MOST_SHAPES];
    unsigned count;
    bool is_single; /* shapes are single bundles, and two make a cycle */
    bool is_usual;  /* bundles_formula holds for these shapes */
};

/* The machine must outlive the program. */
void bundles_prepare(struct bundle_program *program, const struct machine *machine, bool is_single);

/* By GLPK.  least: bundles or cycles; counts (may be NULL): how often each shape is used.  One thread. */
bool bundles_solve(const struct bundle_program *program, unsigned floating, unsigned memory,
                   unsigned branches, unsigned *least, unsigned counts[MOST_SHAPES], struct error *error);
/* The same optimum by a formula, quickly and on any thread, if program->is_usual. Without rounding up it is
   the optimum of the relaxed program, for counts that are averages. */
double bundles_formula(const struct bundle_program *program, double floating, double memory, double branches);
#endif
