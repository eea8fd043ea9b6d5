/* When iterations repeat: a part that simulates iteration after iteration, each starting where the last one
   ended, has few starting states. Once two iterations start in the same state, everything between them
   repeats for ever, and the cycles between them are exact. A state is kept for 1, 2, 4, … iterations and
   compared with each (Brent), so no memory is needed, whatever the number of states. */
#ifndef CODE_COST_CORE_REPETITION_H
#define CODE_COST_CORE_REPETITION_H
#include <stdbool.h>
#include <stdint.h>

struct cost_repetition {
    uint64_t iteration;           /* that starts now */
    uint64_t kept, state, cycles; /* the iteration to compare with, and its starting state */
    uint64_t until;               /* the next to keep */
};

/* An iteration starts in a state, after this many cycles. true: the state repeats, and the result has the
   cycles of each iteration. No real machine has a state that does not repeat within thousands of iterations:
   then the average is good enough. */
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
