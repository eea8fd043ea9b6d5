/* When iterations repeat: a part that goes through iteration after iteration, each starting where the last
   one ended, has few states to start from.  Once two iterations start alike, all between them comes again and
   again, and the cycles between are exact.  A state is kept for 1, 2, 4, … iterations and compared with each
   (Brent), so no memory is needed, whatever the number of states. */
#ifndef COST_CORE_REPETITION_H
#define COST_CORE_REPETITION_H
#include <stdbool.h>
#include <stdint.h>

struct cost_repetition {
    uint64_t iteration;           /* that starts now */
    uint64_t kept, state, cycles; /* the iteration that is compared with, and how it started */
    uint64_t until;               /* the next to keep */
};

/* An iteration starts in a state, after so many cycles.  true: the state repeats, and each iteration takes so
 * many. No real machine has a state that does not repeat within thousands of iterations: then the average is
 * good enough. */
static inline bool cost_repeats(struct cost_repetition *repetition, uint64_t state, uint64_t cycles,
                                double *each)
{
    enum { MOST_ITERATIONS = 4096 };
    uint64_t passed = repetition->iteration - repetition->kept;
    if (passed && (state == repetition->state || passed >= MOST_ITERATIONS)) {
        *each = (double)(cycles - repetition->cycles) / (double)passed;
        return true;
    }
    if (repetition->iteration == repetition->until) {
        repetition->kept = repetition->iteration;
        repetition->state = state;
        repetition->cycles = cycles;
        repetition->until = 2 * repetition->iteration + 1;
    }
    repetition->iteration++;
    return false;
}
#endif
