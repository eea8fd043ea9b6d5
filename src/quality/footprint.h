/* What a stretch of code does to numbers, in amounts that unrolling and vectorising multiply and nothing else
   changes: floating-point operations, bytes stored, bytes loaded.

   Addresses and counters are left out, because unrolling does not multiply them; so are spills, which it
   brings, and constants next to the code, which one copy of a loop may load once and another again and again.
   The vectors of a scalable instruction set have the machine's length, so code that uses them has no
   footprint that can be compared. */
#ifndef QUALITY_FOOTPRINT_H
#define QUALITY_FOOTPRINT_H
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
};

void footprint_add(struct footprint *footprint, const struct model *model, uint32_t instruction);
/* How often an operation of the source is in a stretch of code: the instructions at its place by what they
 * do.
 */
struct repetition {
    uint32_t computes, stores, loads;
};
void repetition_add(struct repetition *repetition, const struct model *model, uint32_t instruction);
/* Whether something is done once there, of what a footprint consists of. */
bool repetition_is_single(const struct repetition *repetition, const struct footprint *footprint);
static inline bool footprint_is_empty(const struct footprint *footprint)
{
    return !footprint->flops && !footprint->stored && !footprint->loaded;
}
/* Works on one number at a time. */
bool footprint_is_scalar(const struct footprint *footprint);
/* How many times the work of part is in whole; 0 where the amounts do not tell, or contradict each other. */
uint32_t footprint_ratio(const struct footprint *whole, const struct footprint *part);
/* Lanes of the vectors in whole (1 for scalars; more where one access of it is several of part's), where part
   is its scalar counterpart and does one of so many iterations; 0 where they do not tell. */
uint32_t footprint_lanes(const struct footprint *whole, const struct footprint *part, uint32_t iterations);
#endif
