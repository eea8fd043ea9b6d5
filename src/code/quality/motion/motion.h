/* Where the accesses of a path go from iteration to iteration.

   A value is a sum of symbols, each times a factor, and a constant. Symbols stand for a register or a place
   of memory at the start of an iteration, or for a result that cannot be followed further. */
#ifndef CODE_QUALITY_MOTION_MOTION_H
#define CODE_QUALITY_MOTION_MOTION_H
#include "code/quality/subject.h"

enum { MOST_TERMS = 6 };

struct motion_term {
    uint32_t symbol;
    int64_t factor; /* not 0 */
};

/* Terms are in order of symbols, each once: equal sums are equal records. */
struct motion_sum {
    struct motion_term terms[MOST_TERMS];
    unsigned count;
    int64_t constant;
};

enum motion_kind {
    motion_STILL,   /* the same in every iteration */
    motion_STEPS,   /* moves by step */
    motion_STRIDES, /* moves by the same unknown distance every time */
    motion_VARIES,
};

struct motion {
    enum motion_kind kind;
    int64_t step;
    bool is_loaded; /* VARIES: depends on data loaded in the loop */
};

/* An access of an item: accesses[position] of its cost. */
struct motion_reference {
    uint32_t item;
    unsigned position;
    struct motion_sum place;
    struct motion motion;
};

/* All accesses, in the order of items and positions; memory of the subject's arena. */
const struct motion_reference *motion_follow(const struct subject *subject, unsigned *count);
/* The same, but registers are also traced to definitions before the loop. That takes time, and helps where
 * accesses have strides, or several streams of the same stride could be one: their starting points
 * distinguish them. */
const struct motion_reference *motion_follow_further(const struct subject *subject, unsigned *count);
/* A register that a path compares with another one, with a constant, or with zero. */
struct motion_watch {
    uint32_t item;
    const struct operand *left, *right; /* of the item; right NULL: zero */
    bool is_after;                      /* the item writes left, and its result is compared */
    bool is_negated;                    /* the other sign of right, which is a constant, is compared */
    /* Found: whether one side moves by a constant and the other stays, how far it is from the other in the
       first iteration, and by how much it comes nearer in each. */
    bool is_known;
    int64_t distance, step;
};
/* Fills what is found of each; items are in order. */
void motion_follow_watched(const struct subject *subject, struct motion_watch *watches, unsigned count);
/* Whether one place is a constant distance after another. */
bool motion_is_apart(const struct motion_sum *one, const struct motion_sum *other);
#endif
