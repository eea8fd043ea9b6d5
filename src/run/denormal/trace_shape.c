/* The shape of an array, with and without debug information.

   Memory after a C pointer has only a size and an element type. Then the shape is assumed, so that a map
   shows something: a square if the number of elements is a square, else its two closest factors if they are
   close enough, else one row. If all dimensions but one are known (a pointer to rows of fixed length) the
   size gives the last one. */
#include "run/denormal/trace.h"

#include <math.h>

/* A rectangle longer than this is no better than a row. */
static const uint64_t LONGEST_SIDE = 16;
/* Fewer elements than this are shown as a row. */
static const uint64_t FEW_ELEMENTS = 64;
/* More than memory has: such a size is damage, and squares of its root would not fit. */
static const uint64_t MOST_ELEMENTS = (uint64_t)1 << 60;
/* Factors are tried one by one, at most this many. */
static const uint64_t MOST_TRIED = 1 << 12;

static void assume(struct trace_shape *shape, uint64_t elements)
{
    shape->is_assumed = true;
    shape->rank = 1;
    shape->dimensions[0] = elements;
    if (elements < FEW_ELEMENTS || elements > MOST_ELEMENTS)
        return;
    uint64_t side = (uint64_t)sqrt((double)elements);
    while (side * side > elements)
        side--;
    while ((side + 1) * (side + 1) <= elements)
        side++;
    for (uint64_t tried = 0; tried < MOST_TRIED && side > 1; tried++, side--) {
        if (elements % side)
            continue;
        if (elements / side > LONGEST_SIDE * side)
            return;
        shape->rank = 2;
        shape->dimensions[0] = elements / side;
        shape->dimensions[1] = side;
        return;
    }
}

/* The one unknown dimension, from the size. */
static bool complete(struct trace_shape *shape, uint64_t elements)
{
    uint32_t missing = 0, place = 0;
    uint64_t known = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint64_t count = shape->dimensions[i];
        if (!count) {
            missing++;
            place = i;
        } else if (__builtin_mul_overflow(known, count, &known)) {
            return false;
        }
    }
    if (!shape->rank || missing > 1)
        return false;
    if (!missing)
        return known <= UINT64_MAX / shape->element_bytes;
    if (!elements)
        return false;
    shape->dimensions[place] = (elements + known - 1) / known;
    return true;
}

struct trace_shape trace_shape_of(const struct trace *trace, uint32_t number, uint32_t cell_bytes)
{
    const struct trace_array *facts = &ARRAY_AT(struct trace_array_read, &trace->arrays, number)->facts;
    struct trace_shape shape = {.element_bytes = facts->element_bytes, .rank = facts->rank};
    if (!shape.element_bytes)
        shape.element_bytes = facts->value_bytes ? facts->value_bytes : cell_bytes ? cell_bytes : 4;
    for (uint32_t i = 0; i < facts->rank; i++)
        shape.dimensions[i] = facts->dimensions[i];
    uint64_t elements = facts->bytes / shape.element_bytes;
    if (!complete(&shape, elements))
        assume(&shape, elements ? elements : 1);
    shape.is_assumed |= facts->is_size_open != 0;
    return shape;
}
