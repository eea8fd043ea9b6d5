/* Types of numbers and their widths. */
#ifndef MODEL_ELEMENTS_H
#define MODEL_ELEMENTS_H
#include "model/model.h"

/* 0 where it is none, or a whole register of whatever. */
unsigned element_bits(enum element element);
/* NONE where there is none of that width. */
enum element element_integer(unsigned bits);
enum element element_float(unsigned bits);
static inline bool element_is_fp(enum element element)
{
    return element >= element_FP16;
}
#endif
