/* A complex division that scales its divisor, as Fortran asks for it and compilers write it without a call.

   Of the two parts of the divisor the smaller is divided by the larger one first, so that no square of them
   is needed. Which that is, a comparison of their absolute values says; what comes out of the first division
   is in the divisor of the others. */
#ifndef QUALITY_RULES_SCALED_H
#define QUALITY_RULES_SCALED_H
#include "quality/subject.h"

/* Items that the plain formula would not have. */
struct scaled {
    unsigned items[4]; /* two absolute values, their comparison, the first division */
};

/* Whether the path has one; only where it is timed, with nothing left out that goes on in a callee. */
bool scaled_find(const struct subject *subject, struct scaled *scaled);
#endif
