/* Remedies grouped over all loops: what to do for the whole program, before anybody looks at a single loop.

   An advice may offer several remedies, of which one is enough. It counts for the action of its first remedy,
   and for those of the others only where they are needed together (an option behind a change of the source).
   The saving of an action is the sum over its loops of share x (1 - 1/gain), by the best advice of each loop
   that it is a remedy for; advice without a known gain counts as a loop and saves nothing. */
#ifndef QUALITY_ACTIONS_H
#define QUALITY_ACTIONS_H
#include "model/model.h"

/* Fills program_actions from advice, remedies and the shares of loops (weight.h), in place of earlier rows. */
void actions_build(struct model *model);
#endif
