/* What the sampled code of a compile unit spends its time on, as far as an option explains it. */
#ifndef RUN_UNITS_EVIDENCE_H
#define RUN_UNITS_EVIDENCE_H
#include "model/model.h"

enum { EVIDENCE_SMALL = 32 }; /* instructions of a small function; compilers inline such at -O2 */

struct evidence {
    uint32_t function; /* its hottest */
    double hottest;
    uint64_t samples;
    /* Seconds: in all; on accesses to the frame; on those of floating-point numbers, and on what waits for
       them; on what only assertions need; on calls of small functions; on what newer processors
       have better instructions for. */
    double all, frame, floats, assertions, calls, old;
};

/* Adds up the samples, by row of units; to be freed. */
struct evidence *evidence_find(struct model *model);
#endif
