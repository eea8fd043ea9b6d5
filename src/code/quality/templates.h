/* Loops that everybody writes: copy, fill, scalar product, … (loop_template of enums.def), recognised by data
   flow.

   What an iteration stores, or adds up, is followed back to loads, to values that stay and to what the
   iteration before left. Compilers unroll and vectorise, but a vector or four copies of an iteration do the
   same sum for each element, so that it does not matter. The place of a loop in its nest, and how its
   accesses move with the loops around it, make a matrix product of scalar products.

   A loop is one of them only if everything that it computes is explained. What is not followed (branches,
   calls, conversions, permuted lanes) is silence: to call a loop what it is not would be worse than to miss
   one. */
#ifndef CODE_QUALITY_TEMPLATES_H
#define CODE_QUALITY_TEMPLATES_H
#include "code/quality/subject.h"

struct template_match {
    enum loop_template kind;
    enum element element; /* of the numbers; element_NONE: bytes that are only moved */
    bool is_in_memory;    /* a sum that goes through memory in every iteration */
    uint32_t item;        /* a store, or the item that adds up */
};

/* false: it is none of them. Memory of the subject's arena. */
bool template_find(const struct subject *subject, struct template_match *match);
#endif
