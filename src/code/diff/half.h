/* A loop of one build, as far as it is compared with its counterpart. */
#ifndef CODE_DIFF_HALF_H
#define CODE_DIFF_HALF_H
#include "code/diff/diff.h"
#include "code/quality/footprint.h"

struct half {
    const struct model *model;
    uint32_t loop;
    double cycles; /* of an iteration, over all paths, each by its share of the time; NaN */
    double slowest, fastest;
    double iterations; /* of the source; 0: unknown */
    uint32_t path;     /* with the largest share */
    enum core_part limit;
    unsigned path_count; /* that have cycles */
    const struct loop_role_row *role;
    struct footprint footprint;
    uint32_t vector_bits; /* of its widest vectors */
};

/* From loop_cycles, loop_roles and the code; loop 0: nothing. */
struct half half_read(const struct model *model, uint32_t loop);
/* How many iterations of the old loop one of the new loop is worth, by the amounts of work in both
   (code/quality/footprint.h); 0: unknown. */
double half_work_ratio(const struct half *old, const struct half *new);
#endif
