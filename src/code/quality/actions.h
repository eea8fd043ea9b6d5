/* Remedies grouped over all loops: what to do for the whole program, before anybody looks at a single loop.

   An advice may offer several remedies. It counts for the action of its first one alone: the others are
   alternatives, or of use only after it, so that "-O3 helps 67 loops" is true of loops that need nothing else
   before. Actions that differ from loop to loop (other) and questions to the compiler (why) are not grouped,
   and hints are not counted. The saving of an action is the sum over its loops of share x part saved
   (weight_saved), by the best advice that it is a remedy for; advice without a known gain counts as a loop
   and saves nothing. */
#ifndef CODE_QUALITY_ACTIONS_H
#define CODE_QUALITY_ACTIONS_H
#include "model/model.h"

/* Fills program_actions from advice, remedies and the shares of loops (weight.h), in place of earlier rows.
 */
void actions_build(struct model *model);
/* The action that an advice counts for; action_OTHER: none. */
enum action actions_of_advice(const struct model *model, uint32_t advice);
/* Whether an action is an option alone, which changes neither the source nor results: it costs a try, so
   summaries show it whatever the estimated weights of its loops are. */
bool actions_is_option(enum action action);
/* An option alone that may change the last digits of results. */
bool actions_is_arithmetic(enum action action);
#endif
