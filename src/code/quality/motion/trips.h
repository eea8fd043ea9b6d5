/* How often a loop goes round each time it is entered, where the code shows it or a run was counted. */
#ifndef CODE_QUALITY_MOTION_TRIPS_H
#define CODE_QUALITY_MOTION_TRIPS_H
#include "code/quality/subject.h"

/* Iterations of the path, if all of them take it; 0: unknown. With several exits, the fewest count. It is
   computed once: rules read subject->trips. */
int64_t motion_trips(const struct subject *subject);
/* The mean of a run that counted entries and iterations of the loop (assay run --measure); NaN: none. */
double motion_counted_trips(const struct model *model, uint32_t loop);
/* Whether a branch of the path may leave the loop. */
bool motion_leaves_loop(const struct subject *subject, uint32_t item);
#endif
