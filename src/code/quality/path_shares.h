/* The part of a loop's time that each path takes: loop_cycles.share.

   Counted paths (assay run --measure) say how often each ran. Samples say in which blocks the time went: the
   time of a block belongs to the paths through it in equal parts, and a path whose own blocks have no sample
   did not run. Without either, all paths are taken as equally frequent, and each counts by its cycles. */
#ifndef CODE_QUALITY_PATH_SHARES_H
#define CODE_QUALITY_PATH_SHARES_H
#include "model/model.h"

/* Fills loop_cycles.share; again after a run added samples or counts. */
void path_shares_find(struct model *model);
/* The part of the time of its loop that an advice is about: that of its path, or of all paths through its
   evidence, if the advice is about those. */
double path_shares_of_advice(const struct model *model, uint32_t advice);
#endif
