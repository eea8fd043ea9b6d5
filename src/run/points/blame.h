/* Which instruction a sample waited for.

   A processor takes an interrupt between two instructions.  While a slow one runs, the interrupt waits until
   it retires; what retires in the same cycle goes with it.  So the sample stands at the instruction after the
   slow one, or at the first one that waits for its result.  The walk back from a sampled instruction ends at
   the first slow one that could have held it up: within what retires in a cycle, with nobody between that
   waits for it.  Slow ones by nature (a division, a lock) go before loads and stores, which mostly are quick, and
   among these the ones to any place before those that go through memory in order.

   Where a block begins, all blocks before it are asked.  If they disagree, the one that every way leads
   through has it; else nobody.  A call that lies between ends the walk: the time is the callee's. */
#ifndef RUN_POINTS_BLAME_H
#define RUN_POINTS_BLAME_H
#include "code/quality/subject.h"

/* What is known of where a branch, or a jump through a table, goes: often not where the processor guesses, or
   nearly always to the same place. */
enum point_guess { POINT_GUESS_UNKNOWN, POINT_GUESS_WRONG, POINT_GUESS_RIGHT };

/* Of one function. */
struct point_blame {
    const struct model *model;
    uint32_t function, first_block, block_count;
    unsigned reach;                             /* instructions that retire in a cycle */
    uint32_t *predecessor_first, *predecessors; /* by block of the function */
    const uint8_t *guesses;                     /* by instruction, enum point_guess; NULL: all unknown */
};

enum { POINT_NONE = point_kind_COUNT };

void point_blame_begin(struct point_blame *blame, const struct model *model, uint32_t function,
                       unsigned reach, const uint8_t *guesses);
void point_blame_end(struct point_blame *blame);
/* What makes an instruction slow, if anything does; POINT_NONE: it never is. */
unsigned point_kind_of(const struct point_blame *blame, uint32_t instruction);
/* The slow instruction that a sample at this one waited for; 0: none. */
uint32_t point_blame_of(const struct point_blame *blame, uint32_t instruction);
/* Whether samples of a function stand at its first instruction for the sake of whoever called it. */
static inline bool point_is_entry(const struct model *model, uint32_t function, uint32_t instruction)
{
    return model_block(model, model_function(model, function)->first_block)->first_instruction == instruction;
}
#endif
