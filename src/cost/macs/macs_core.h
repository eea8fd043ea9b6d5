/* MAC and MACS where the machine file has a table of forms: the parts of the core in place of widths and of
   latencies by class.

   MAC asks of the operations that count (floating-point, memory, branches), and of nothing else in the loop,
   how few cycles hold them: their µops over the ports, exactly; the renamer; loads, stores and branches of a
   cycle.  Dependences and the front end are MACS's matter, which is all parts together on the whole loop. */
#ifndef COST_MACS_MACS_CORE_H
#define COST_MACS_MACS_CORE_H
#include "cost/macs/body.h"
#include "cost/loops.h"

/* Whether the parts of the core can tell for this machine. */
bool macs_core_serves(const struct machine *machine);
/* NaN where they cannot for the body at hand: the machine lacks an instruction, its blocks run in different
   numbers, or it is too long. */
double macs_core_operations(struct block_costs *costs, struct bodies *bodies);
/* The whole body as a loop; false where there is no answer. */
bool macs_core_schedule(struct block_costs *costs, struct bodies *bodies);
#endif
