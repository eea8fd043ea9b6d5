/* A path whose iterations run side by side in the lanes of vectors: whether that can be, and what it takes.

   The promise must be one that a compiler can keep.  Whatever has no vector form, and whatever one iteration
   needs from the one before, ends it; numbers that are not side by side in memory are brought one by one. */
#ifndef QUALITY_VECTOR_VECTORISE_H
#define QUALITY_VECTOR_VECTORISE_H
#include "quality/vector/carried.h"
#include "quality/vector/forms.h"

enum vector_obstacle {
    obstacle_NONE,
    obstacle_NOTHING,    /* it does nothing that vectors could do */
    obstacle_LENGTH,     /* too long to ask */
    obstacle_CALL,       /* calls a function */
    obstacle_X87,        /* computes in the old floating-point unit */
    obstacle_EXIT,       /* stops when it has found something */
    obstacle_BRANCH,     /* does different things in different iterations */
    obstacle_RECURRENCE, /* an iteration needs a result of the one before */
    obstacle_CHASE,      /* finds its next address in memory */
    obstacle_UPDATE,     /* updates elements through an index: two iterations may update the same one */
    obstacle_FORM,       /* no vector instruction does what one of its instructions does */
};

struct vectorising {
    const struct subject *subject;
    enum vector_obstacle obstacle;
    uint32_t item; /* that is in the way; item_count: none in particular */
    struct carried carried;
    bool has_scalars, has_vectors, has_fp; /* work on one number, on vectors; floating-point arithmetic */
    unsigned element;                      /* bits of the longest number */
    unsigned vector;                       /* of the longest vector that there is already */
    bool scatters;                         /* some stores go where the data says */
    bool has_lanes;                        /* some accesses are not side by side */
    bool may_meet; /* a load and a store start from one pointer, at a distance that the code does not tell */
    unsigned bits; /* of the vectors that cycles were found best with; 0: none yet */
    uint8_t *ways; /* by item: enum vector_memory */
    uint8_t *varies;  /* by item: makes an address that is another one in every lane */
    uint8_t *is_gone; /* by item: only takes vectors apart or puts them together */
};

/* Memory of the subject's arena. */
void vectorising_find(struct vectorising *vectorising, const struct subject *subject);
/* Cycles of one iteration of the path; NaN where there is an obstacle.  only_fp: floating-point arithmetic
   alone works on vectors; everything is loaded and stored as it is, and what it takes to put lanes together
   is not counted. */
double vectorising_cycles(struct vectorising *vectorising, bool only_fp);
#endif
