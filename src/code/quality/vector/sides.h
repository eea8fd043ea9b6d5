/* What the conditional parts of a loop do, which decides how its branches can become selections. */
#ifndef CODE_QUALITY_VECTOR_SIDES_H
#define CODE_QUALITY_VECTOR_SIDES_H
#include "code/quality/subject.h"

enum sides_kind {
    sides_SELECT,  /* they choose between values */
    sides_COMPUTE, /* some iterations do floating-point arithmetic that others do not, which may trap */
    sides_STORE,   /* some iterations store and others do not */
};

/* The last of the kinds above that occurs. */
enum sides_kind sides_find(const struct subject *subject);
/* Whether two operands, or NULL, are one place in memory, by their registers. */
bool sides_is_same_place(const struct operand *one, const struct operand *other);
/* Whether the arrays of the path are walked through element by element, and nothing but branches keeps vectors away. */
bool sides_are_contiguous(const struct subject *subject);
/* Whether GCC at -O3 does both sides in vectors and selects: they choose between values, and load nothing from where
   iterations of the other side access nothing, which might not be there. */
bool sides_become_vectors(const struct subject *subject);
#endif
