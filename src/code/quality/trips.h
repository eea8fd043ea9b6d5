/* How many iterations a loop does each time it is entered, where the code shows a constant.

   For innermost loops motion/trips.c follows the data flow; what it finds is a metric of each path. Loops
   around others have no path of their own. For them there is an estimate which ranks loops, not a proof: the
   way into the loop is taken to be the chain of dominators of its header. */
#ifndef CODE_QUALITY_TRIPS_H
#define CODE_QUALITY_TRIPS_H
#include "model/model.h"

/* An exit compares two values; in the first iteration they are `distance` apart, and the distance shrinks by
   `step` in each. The branch at the end of an iteration goes on under its condition; one before that leaves
   under it, and its last comparison belongs to an iteration that is not complete. 0: never, or too many to be
   true. */
int64_t trips_between(int64_t distance, int64_t step, enum condition condition, bool is_last);
enum trips_kind { trips_AROUND, trips_ALL };
/* By loop: the constant; 0 where none is known, and for functions that are not wanted (by id). With
   trips_AROUND, innermost loops have those of their paths in loop_metrics, and here an estimate where the
   code shows that it is small; trips_ALL takes them as it takes the loops around them. To be freed. */
int64_t *trips_find(const struct model *model, const bool *wanted, enum trips_kind kind);
#endif
