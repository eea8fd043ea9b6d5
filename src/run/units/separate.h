/* Small functions that are called from other compile units.  A compiler sees one unit at a time and cannot inline
   them, but with -flto, which sees all of them when it links. */
#ifndef RUN_UNITS_SEPARATE_H
#define RUN_UNITS_SEPARATE_H
#include "model/model.h"

/* Of the run's processor time: in such functions, where neither unit was compiled with -flto as far as options are
   recorded; and on calling them. */
struct separate {
    double share, calls;
};
struct separate separate_find(const struct model *model, uint32_t run);
#endif
