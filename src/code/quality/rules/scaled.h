/* A complex division that scales its divisor, as Fortran requires and compilers do inline.

   Of the two parts of the divisor the smaller is divided by the larger one first, so that no square of them
   is needed. A comparison of their absolute values finds the smaller one; the result of the first division is
   in the divisor of both parts of the quotient. Real rotations (Givens) scale in the same way, but take a
   square root and divide by it once. */
#ifndef CODE_QUALITY_RULES_SCALED_H
#define CODE_QUALITY_RULES_SCALED_H
#include "code/quality/subject.h"

/* Items that the plain formula would not have. */
struct scaled {
    unsigned items[4]; /* two absolute values, their comparison, the first division */
};

/* Whether the path has one; only if its cycles are known and include no callee. */
bool scaled_find(const struct subject *subject, struct scaled *scaled);
#endif
