/* What a second run may cost: which hot loops get probes with a clock, which are only counted, which are
   counted until enough was seen.

   A probe with a clock costs about 22 ns an entry of the loop, so only the first entries of each thread are
   timed.  To count the others costs about 2.5 ns, to count alone about 1 ns, and a loop without an induction
   variable another 0.6 ns an iteration.  Loops with calls may be entered again before they are left: all of
   their entries are timed.

   How often a loop is entered is unknown before the run, but
   the first run's samples bound it: each entry executes the code around the loop, that of the loop outside it
   or of its function, at least along the shortest way.  So entries = time around / time of the shortest way,
   which is too many rather than too few: other ways are longer, and waiting counts as work.  Where no sample
   fell around the loop, a tenth of one is assumed.

   The costs of all loops together stay below 4 % of the run's processor time, or below 10 ms.  First every
   loop is counted, those with most time first, as far as that goes; what is left is spent on clocks, in the
   same order.

   The estimate is often far too high, and no loop goes without a figure: those that do not fit are counted,
   too, but their probes are taken back (runtime/probe/switch.c) once they have cost a quarter of the run's
   processor time, or half a second, all of them together.

   Loops that contain others are counted and get no clock: it would see the loops inside them, and the cost of
   their probes. */
#ifndef RUN_MEASURE_BUDGET_H
#define RUN_MEASURE_BUDGET_H
#include "model/model.h"

enum { MEASURE_TIMED_BITS = 15, MEASURE_TIMED = 1 << MEASURE_TIMED_BITS }; /* entries of a thread */

enum measure_way {
    MEASURE_ENOUGH, /* counted until enough was seen */
    MEASURE_COUNT,
    MEASURE_TIME,
    MEASURE_REFUSED, /* a probe has no place: never chosen, set when planning */
};

struct measure_choice {
    uint32_t loop;
    uint8_t way;                          /* enum measure_way */
    double entries;                       /* expected, at most; NaN: unknown */
    double seconds;                       /* that the probes will cost, at most */
    uint8_t enough_bits, enough_sum_bits; /* ENOUGH: as in struct probe_plan */
};
/* Choices, of struct measure_choice, in the order of the loops (of uint32_t), which are those with most time
 * first. */
void measure_choose(struct model *model, uint32_t run, const struct array *loops, struct array *choices);
#endif
