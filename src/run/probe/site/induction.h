/* A register that moves by the same constant in every iteration of a loop, so that its values at the entry
   and at the exit give the number of iterations. */
#ifndef RUN_PROBE_SITE_INDUCTION_H
#define RUN_PROBE_SITE_INDUCTION_H
#include "model/model.h"
#include "run/probe/site/loop_shape.h"

struct probe_variable {
    uint32_t register_;   /* full register; 0: there is none */
    uint32_t instruction; /* the first one that moves it */
    int64_t step;
    uint8_t *
        moved; /* for each block of the loop: whether it has moved at the block's end; the caller's to free */
    uint8_t bits; /* 32: it wraps there */
};

struct probe_variable probe_find_variable(const struct model *model, const struct loop_shape *shape);
/* Whether it has moved when the loop is left from this block. */
bool probe_variable_moves_before(const struct probe_variable *variable, const struct loop_shape *shape,
                                 uint32_t exit_block);
/* (difference * inverse) >> shift is the number of steps. */
void probe_variable_division(const struct probe_variable *variable, uint64_t *inverse, uint8_t *shift);
#endif
