/* What builds with other options showed (run_trials), beside what was promised for the same options. */
#ifndef RUN_UNITS_TRIALS_H
#define RUN_UNITS_TRIALS_H
#include "model/model.h"

/* After run_trials was filled, in any order, and after all promises: sorts it, and puts what was measured in the
   place of what run_options promises; run_savings are no more than what a build with that option saved.  What saves
   nothing goes. */
void units_take_trials(struct model *model);
/* The trial of these options alone that was timed and accepted; NULL: none. */
const struct run_trial *units_trial_of(const struct model *model, const char *options);
/* The options that a remedy stands for among the trials; NULL: none. */
const char *units_trial_options(enum action action);
#endif
