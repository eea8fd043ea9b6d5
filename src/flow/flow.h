/* Which values reach which instructions.

   For every function, from blocks, edges, code and register_uses: reaching definitions (def_use), liveness at
   the borders of blocks (live_ranges), accesses of the own stack frame (stack_accesses) and those of them
   that are useless on every path (useless_accesses).  Registers are full ones: a write of eax defines rax.  A
   conditional or partial write keeps what reached it.  Calls define what the ABI lets them change, and use
   its arguments. */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H
#include "model/model.h"

struct flow_options {
    unsigned threads;      /* 0: one for each processor */
    const uint8_t *wanted; /* by function: 1 for those to look at; NULL: all */
};

/* Fills the tables for all programs and sets programs.has_flow.  Functions that are too large for that are
   counted in problems; where only some are wanted has_flow stays as it is.  The result does not depend on the
   number of threads. */
void flow_build(struct model *model, const struct flow_options *options);
#endif
