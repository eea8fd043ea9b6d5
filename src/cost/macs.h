/* MACS bounds: how fast the machine could be (M), the application on it (MA), the code the compiler made of
   it (MAC) and that code in its order (MACS), in cycles of an iteration of an innermost loop, and per
   floating-point operation, branch and memory operation. */
#ifndef COST_MACS_H
#define COST_MACS_H
#include "machine/machine.h"

struct macs_options {
    bool single_bundles; /* Itanium: count bundles, two a cycle, without asking which pairs can issue together
                          */
    uint32_t loop;       /* only this one; 0: all innermost loops */
    double measured;     /* cycles of an iteration that a run took, with loop; NaN: none */
};

/* Adds rows of bounds: M, MAC, MACS, MA where source_loops has the loop, measured where it is given. */
bool cost_macs(struct model *model, const struct machine *machine, const struct macs_options *options,
               struct error *error);
#endif
