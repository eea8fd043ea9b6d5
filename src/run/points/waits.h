/* How long an instruction waits each time, as far as a sampled run shows it.

   Where iterations of the loop were counted (--measure), by their number.  Else by its neighbours: so many
   instructions, which run as often as it, take at least some cycles to retire, and their samples say how many
   cycles a sample is.  Neighbours that are slow, too, are left out, each with one of these cycles.  A loop of
   few instructions, which all retire in one cycle, shows nothing this way. */
#ifndef RUN_POINTS_WAITS_H
#define RUN_POINTS_WAITS_H
#include "model/model.h"

struct point_wait {
    double cycles; /* NaN: unknown */
    bool is_least, is_counted;
};

/* What is known of the instruction's samples. */
struct point_samples {
    uint32_t instruction, sampled; /* it, and where most of them stand */
    uint64_t count;                /* that wait for it */
    double seconds;
    const uint64_t *counts; /* by instruction: samples that stand there */
    uint64_t others;        /* that are to be counted with those of its neighbours */
    unsigned retired;       /* instructions that retire in a cycle, at most */
};
struct point_wait point_wait_of(const struct model *model, uint32_t run, const struct point_samples *samples);
#endif
