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
#endif
