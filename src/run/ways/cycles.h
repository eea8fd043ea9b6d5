/* The cycles of the ways through a region.

   Each part of the core is asked for each way, and the part that takes most in the mean of all ways is the
   prediction: a way that waits for one part and the next one that waits for another overlap.

   The chain from one iteration to the next needs a word more where other code runs inside.  If it does not go
   through that code, the core works on both at a time: the iteration as a whole takes as long as the chain, and
   the region's own code has that part of it that it has of the time. */
#ifndef RUN_WAYS_CYCLES_H
#define RUN_WAYS_CYCLES_H
#include "code/cost/loops.h"
#include "run/ways/walk.h"

struct way_cycles {
    enum run_silence silence; /* NONE: there are figures */
    double cycles;            /* of the ways; NaN: unknown */
    double chain;             /* mean of their longest chains */
    double least, most;       /* of the quickest and the slowest way, each for itself */
    double calls;             /* mean; known without cycles, too */
    uint32_t count;           /* of different ways */
};

/* work: begun for the machine of the region's code; NULL: only calls are counted.  own_part: of the time in and
   below the region, that of its own code; 1 where nothing runs inside. */
struct way_cycles way_cycles_find(const struct way_region *region, const struct ways *ways,
                                  struct block_costs *work, double own_part);
#endif
