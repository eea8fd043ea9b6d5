/* Small functions that are called, where compilers could inline them: because an option forbids it, or because they
   are in another compile unit.  A compiler sees one unit at a time, but with -flto, which sees all of them when it
   links. */
#ifndef RUN_UNITS_SMALL_H
#define RUN_UNITS_SMALL_H
#include "model/model.h"

/* Processor time, in shares of the run's: in such functions; on calling them, which may be more, because part of a
   call is its caller's work. */
struct small_functions {
    double share, calls;
};
/* Of a compile unit, whoever calls them. */
struct small_functions small_of_unit(const struct model *model, uint32_t run, uint32_t unit);
/* Those that another unit calls, where neither was compiled with -flto as far as options are recorded. */
struct small_functions small_apart(const struct model *model, uint32_t run);
#endif
