/* The part of an encoding's meaning that the stack needs: addresses it computes, memory it accesses. */
#ifndef CODE_FLOW_SHAPES_H
#define CODE_FLOW_SHAPES_H
#include "code/flow/meaning.h"

/* Shapes of the encodings first … end-1; their uses are made already. */
void shapes_make(struct flow_meanings *meanings, const struct model *model, uint32_t first, uint32_t end);
#endif
