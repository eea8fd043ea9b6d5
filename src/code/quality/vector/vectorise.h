/* Whether the iterations of a path can run in the lanes of vectors, and how many cycles that takes.

   The promise must be one that a compiler can keep. Instructions without a vector form, and results that one
   iteration needs from the one before, prevent it. Numbers that are not contiguous in memory are loaded one
   by one. */
#ifndef CODE_QUALITY_VECTOR_VECTORISE_H
#define CODE_QUALITY_VECTOR_VECTORISE_H
#include "code/quality/vector/carried.h"
#include "code/quality/values.h"
#include "code/quality/vector/doubts.h"
#include "code/quality/vector/forms.h"

enum vector_obstacle {
    obstacle_NONE,
    obstacle_NOTHING,    /* it has no work for vectors */
    obstacle_LENGTH,     /* too long to analyse */
    obstacle_CALL,       /* calls a function */
    obstacle_X87,        /* computes in the old floating-point unit */
    obstacle_EXIT,       /* stops when it has found something, or has a second exit */
    obstacle_BRANCH,     /* does different things in different iterations */
    obstacle_RECURRENCE, /* an iteration needs a result of the one before */
    obstacle_CHASE,      /* loads its next address from memory */
    obstacle_UPDATE,     /* updates elements through an index: two iterations may update the same one */
    obstacle_FORM,       /* no vector instruction does what one of its instructions does */
};

struct vectorising {
    const struct subject *subject;
    enum vector_obstacle obstacle;
    uint32_t item; /* the obstacle; item_count: none in particular */
    struct carried carried;
    bool has_scalars, has_vectors, has_fp; /* work on one number, on vectors; floating-point arithmetic */
    unsigned element;                      /* bits of the longest number */
    unsigned vector;                       /* of the longest vector already in use */
    bool scatters;                         /* addresses of some stores depend on the data */
    bool has_lanes;                        /* some accesses are not contiguous */
    bool is_apart;                         /* what is loaded is not among what is stored then */
    bool has_backward_groups;    /* groups of numbers (re, im) are accessed from the last to the first */
    struct vector_doubts doubts; /* without an obstacle */
    unsigned bits;               /* of the vectors with the fewest cycles; 0: none yet */
    double *tried;               /* by dialect: cycles; 0: not tried yet */
    uint8_t *ways;               /* by item: enum vector_memory */
    uint8_t *varies;             /* by item: makes an address that differs in every lane */
    uint8_t *is_gone;            /* by item: only takes vectors apart or assembles them */
};

/* Memory of the subject's arena. */
void vectorising_find(struct vectorising *vectorising, const struct subject *subject);
/* Whether a branch out of the loop depends on nothing but counters, and asks one thing only. */
bool vectorising_is_counted_exit(const struct values *values, uint32_t branch);
/* Cycles of one iteration of the path; NaN if there is an obstacle. only_fp: only floating-point arithmetic
   works on vectors; loads and stores stay unchanged, and the cost of assembling lanes is not counted. */
double vectorising_cycles(struct vectorising *vectorising, bool only_fp);

struct vector_choice {
    double cycles; /* of one iteration of the path; NaN: there are no such vectors for it */
    unsigned bits; /* of the vectors; 0: none */
};
/* The same with vectors of at most so many bits. */
struct vector_choice vectorising_within(const struct vectorising *vectorising, unsigned bits);
#endif
