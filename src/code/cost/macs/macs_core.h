/* MAC and MACS if the machine file has a table of forms: the parts of the core replace the widths and the
   latencies by class.

   MAC is the fewest cycles for the operations that count (floating-point, memory, branches), without the rest
   of the loop: their µops on the ports, exactly; the renamer; loads, stores and branches per cycle. MACS adds
   dependences and the front end: it is the bound of all parts on the whole loop. */
#ifndef CODE_COST_MACS_MACS_CORE_H
#define CODE_COST_MACS_MACS_CORE_H
#include "code/cost/macs/body.h"
#include "code/cost/loops.h"

/* Whether the parts of the core can be computed for this machine. */
bool macs_core_serves(const struct machine *machine);
/* NaN if they cannot for the current body: the machine lacks an instruction, its blocks run differently
   often, or it is too long. */
double macs_core_operations(struct block_costs *costs, struct bodies *bodies);
/* The whole body as a loop; false if there is no result. */
bool macs_core_schedule(struct block_costs *costs, struct bodies *bodies);
#endif
