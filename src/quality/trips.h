/* How many iterations a loop does each time it is entered, where the code shows a constant.

   That is an estimate which ranks loops, not a proof: the way into the loop is taken to be the chain of
   dominators of its header. */
#ifndef QUALITY_TRIPS_H
#define QUALITY_TRIPS_H
#include "model/model.h"

/* By loop: the constant; 0 where none is known, and for functions that are not wanted (by id). To be freed.
 */
double *trips_find(const struct model *model, const bool *wanted);
#endif
