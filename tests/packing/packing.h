/* What the packer is compared with, in tests and measurements: other schedules, a bound, and the optimum. */
#ifndef TESTS_PACKING_PACKING_H
#define TESTS_PACKING_PACKING_H
#include "plan/schedule/pack/case.h"
#include "plan/schedule/pack/pack.h"

/* Schedules to compare with, by name: each fills one that the caller frees.  They know nothing of memory and
   of data that is fetched. */
enum pack_method {
    pack_FIFO_SEQUENTIAL,
    pack_FIFO_PARALLEL,
    pack_HEFT,
    pack_CPOP,
    pack_BACKFILL,
    pack_METHOD_COUNT
};
extern const char *const pack_method_names[pack_METHOD_COUNT];
bool pack_by(enum pack_method method, const struct pack_problem *problem, struct pack_schedule *schedule);
/* No schedule can end earlier: the longest chain of needs, and work over processors. */
double pack_lower_bound(const struct pack_problem *problem);
/* The shortest makespan of a small problem, by GLPK; NaN where it cannot be found in these seconds, or where
   memory, fetching or overheads matter. */
double pack_optimum(const struct pack_problem *problem, double seconds);
double bound_of(const struct pack_case *the_case);
#endif
