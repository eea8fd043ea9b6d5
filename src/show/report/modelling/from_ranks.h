/* What the ranks of a recorded run did in one loop, where they did not all do the same. */
#ifndef SHOW_REPORT_MODELLING_FROM_RANKS_H
#define SHOW_REPORT_MODELLING_FROM_RANKS_H
#include "base/memory.h"
#include "show/report/common/ask.h"

#include <stdio.h>

struct from_ranks {     /* groups of ranks with one value each; none: all ranks are alike, or nobody knows */
    struct array ranks; /* of struct from_rank */
    bool is_counted;    /* values are iterations; else seconds */
    uint32_t group_count;
};
/* iterations: of all ranks; NaN: not counted. */
bool from_ranks_read(const struct asked *asked, int64_t run, int64_t loop, double ranks, double iterations,
                     struct from_ranks *found, struct error *error);
void from_ranks_free(struct from_ranks *found);
/* A parameter for each group, and the function of a rank that chooses one: name(rank). */
void from_ranks_write(const struct from_ranks *found, const char *name, FILE *out);
#endif
