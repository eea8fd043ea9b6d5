/* The work of a stretch of code on numbers, in amounts that only unrolling and vectorising multiply:
   floating-point operations, bytes stored, bytes loaded.

   Addresses and counters are left out, because unrolling does not multiply them. So are spills, which
   unrolling causes, and constants next to the code, which one copy of a loop may load once and another in
   every iteration. The vectors of a scalable instruction set have the machine's length, so code that uses
   them has no footprint that can be compared. */
#ifndef CODE_QUALITY_FOOTPRINT_H
#define CODE_QUALITY_FOOTPRINT_H
#include "model/model.h"

struct footprint {
    uint32_t flops, vector_flops; /* lanes of additions, multiplications …; two for each of a multiply-add */
    uint32_t stored, loaded;      /* bytes */
    uint32_t widest_store, widest_load; /* bytes of one instruction */
    uint32_t lanes;                     /* of its arithmetic with vectors; 0: it has none */
    bool is_mixed;                      /* lanes of several numbers */
    bool has_vectors;                   /* of integers, or loaded or stored */
    bool has_logic; /* between vector registers: of numbers without floating-point arithmetic */
    bool is_scalable;
    bool divides;   /* divisions, square roots or estimates of them */
    bool is_atomic; /* it locks what it changes, or tries again */
};

void footprint_add(struct footprint *footprint, const struct model *model, uint32_t instruction);
/* How often an operation of the source is in a stretch of code: the instructions at its place, by kind. */
struct repetition {
    uint32_t computes, stores, loads;
};
void repetition_add(struct repetition *repetition, const struct model *model, uint32_t instruction);
/* Whether some kind of work in a footprint is done exactly once there. */
bool repetition_is_single(const struct repetition *repetition, const struct footprint *footprint);
static inline bool footprint_is_empty(const struct footprint *footprint)
{
    return !footprint->flops && !footprint->stored && !footprint->loaded;
}
/* Whether it works on one number at a time. */
bool footprint_is_scalar(const struct footprint *footprint);
/* Whether both have operations of the same kinds, as copies of one source loop have: the loop that adds the
   sum of a thread to that of all is none of the loop that made it, though both add. */
bool footprint_is_alike(const struct footprint *one, const struct footprint *other);
/* How many times the work of part is in whole; 0 if the amounts do not show it or contradict each other. */
uint32_t footprint_ratio(const struct footprint *whole, const struct footprint *part);
/* Lanes of the vectors in whole (1 for scalars; more if one of its accesses is several of part's). part is
   its scalar counterpart, and whole does this many iterations of it. 0 if unknown. */
uint32_t footprint_lanes(const struct footprint *whole, const struct footprint *part, uint32_t iterations);
#endif
