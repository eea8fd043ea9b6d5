/* Data flow: which values reach which instructions.

   For every function, from blocks, edges, code and register_uses: reaching definitions (def_use), liveness at
   the start of blocks (live_ranges), accesses to the function's own stack frame (stack_accesses) and those
   that are redundant on every path (useless_accesses).  Registers are full ones: a write of eax defines rax.
   A conditional or partial write keeps what reached it.  Calls define the registers that the ABI lets them
   change, and use its argument registers. */
#ifndef CODE_FLOW_FLOW_H
#define CODE_FLOW_FLOW_H
#include "model/model.h"

struct flow_options {
    unsigned threads;      /* 0: one for each processor */
    const uint8_t *wanted; /* by function: 1 for those to look at; NULL: all */
    bool is_frame_only;    /* fills stack_accesses alone, which is much less work */
};

/* Fills the tables for all programs and sets programs.has_flow.  Functions that are too large are counted in
   problems; has_flow is unchanged if only some functions are wanted.  The result does not depend on the
   number of threads. */
void flow_build(struct model *model, const struct flow_options *options);
/* Empties the tables. */
void flow_forget(struct model *model);
#endif
