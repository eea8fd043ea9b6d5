/* What is certain of a loop: advice that holds on every path that comes back.

   Code that nearly always pays off on one path pays off for the loop only as often as that path is taken:
   scaling against overflow, error cases and first elements are paths, too. So advice at level gain that some
   analysed path lacks becomes potential, and its gain an upper limit. */
#ifndef CODE_QUALITY_CERTAINTY_H
#define CODE_QUALITY_CERTAINTY_H
#include "model/model.h"

/* Changes advice.level and advice.is_upper. */
void certainty_settle(struct model *model);
#endif
