/* How much an innermost loop may matter, estimated from the structure of the program alone.

   Nobody runs the program here. A loop inside others, or in a function that is called from loops, runs more
   often than one that main enters once; what parses options or prints the usage runs once. So the iterations
   of a loop are the product of the trip counts of the loops around it: constants where the code shows them,
   10 otherwise; and those of the loops around the calls that lead to its function, along the call graph.
   Recursion counts as one loop, more than four loops around calls as four, a nest of more than five as five,
   and constants above 100 as 100. Functions without known callers in an executable, and the exported
   functions of a library, start with 1. The estimate only ranks; a sampled run (assay run) replaces it. */
#ifndef CODE_QUALITY_WEIGHT_H
#define CODE_QUALITY_WEIGHT_H
#include "model/model.h"

/* Fills loop_weights for all loops with rows in loop_cycles, in place of earlier rows; meant: of stubs_find.
 */
void weight_build(struct model *model, const uint32_t *meant);
/* Shares of the whole program's time by loop, without a report: to be freed.  The same estimate from rows of
   loop_cycles alone, which may be of a few loops; the others take as long as their instructions would at the
   rate of these. */
double *weight_estimate(const struct model *model);
/* The share of a loop: of the samples of the newest run, if the model has one, else of loop_weights; 0 where
   unknown. */
double weight_share(const struct model *model, uint32_t loop);
/* Whether that is of samples. */
bool weight_is_sampled(const struct model *model);
/* The part of the time of its loop that an advice saves: 1 - 1/gain of the time that it is about
   (path_shares.h). A gain that is an upper limit counts half. 0 where the gain is unknown. */
double weight_saved(const struct model *model, uint32_t advice);
/* The row of a loop; NULL: none. */
const struct loop_weight *weight_of(const struct model *model, uint32_t loop);
/* By program: the first program of its file. Members of an archive belong together. To be freed. */
uint32_t *weight_files(const struct model *model);
#endif
