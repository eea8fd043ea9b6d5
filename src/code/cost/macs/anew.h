/* How fast the instructions of an iteration could be if somebody bundled them anew: all of them, or all but
   some. The difference between two answers is what an instruction costs, whatever the compiler did with the
   stops and no-ops around it.

   in_order keeps their order: each issues as soon as its inputs are ready, a port is free and the cycle
   has room; a cycle of a machine with bundles needs no stop but where an instruction waits. fewest lets
   them have any order, as in a loop that is software-pipelined: no fewer cycles than the fullest ports,
   the integer program of the bundles (bundles.h) and the slowest chain from iteration to iteration allow.
   No-ops need nothing in either. Dependences through memory do not count, as in the MACS bounds, and
   templates limit only fewest. */
#ifndef CODE_COST_MACS_ANEW_H
#define CODE_COST_MACS_ANEW_H
#include "code/cost/macs/bundles.h"
#include "code/cost/macs/schedule.h"

enum anew_change {
    anew_STAYS,
    anew_GONE,   /* the registers that it writes keep their values */
    anew_PASSES, /* its results are ready as soon as what it reads: others do its work as well */
};

struct anew {
    double in_order, fewest; /* cycles of an iteration */
    double resources;        /* of fewest: for ports and bundles */
    double recurrence;       /* of fewest: for the slowest chain between iterations */
    double latency; /* from the start of an iteration to its last result, without rotating registers */
};

/* changes: enum anew_change for each item; NULL: all stay. */
struct anew anew_find(struct scheduler *scheduler, const struct bundle_program *program,
                      const struct schedule_item *items, size_t count, unsigned rotating,
                      const uint8_t *changes);
#endif
