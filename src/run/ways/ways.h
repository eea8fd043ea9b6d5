/* Predicted cycles of code that is no loop without others inside: the own code of loops around others, functions
   outside their loops, and loops with more paths than are listed.

   walk.h draws ways through the code as the run took them; the cost of each is that of a loop that goes this way
   again and again, and the prediction their mean.  What runs inside, loops and called functions, is not in it:
   it has figures of its own.  A call itself is: its jump, and what the caller does for it. */
#ifndef RUN_WAYS_WAYS_H
#define RUN_WAYS_WAYS_H
#include "code/machine/machine.h"
#include "model/model.h"

/* After quality_build and, maybe, measuring; before sample_savings.  Machines by instruction set; NULL: unknown.
   Fills columns of run_loops and run_functions. */
void ways_predict(struct model *model, struct machine *const *machines);
#endif
