/* Loops in loops. */
#ifndef MODEL_LOOPS_H
#define MODEL_LOOPS_H
#include "model/tables.h"

/* Whether a loop is another one, or lies inside it. Nothing is within loop 0, which is none. */
static inline bool loop_is_within(const struct model *model, uint32_t loop, uint32_t around)
{
    while (loop && loop != around)
        loop = model_loop(model, loop)->parent;
    return loop != 0;
}
#endif
