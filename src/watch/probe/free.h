/* Which registers and flags nobody needs at a point of the code (free.c has the rules). */
#ifndef WATCH_FREE_H
#define WATCH_FREE_H
#include "watch/probe/between.h"
#include "watch/probe/window.h"

struct watch_uses; /* what an encoding does to general registers and flags */

struct watch_freedom {
    const struct model *model;
    struct watch_uses *uses; /* by encoding */
    uint32_t function;       /* that the rest is of; 0: none */
    uint32_t first_instruction, first_block;
    struct array before; /* of uint64_t, by instruction: what lives before it */
    struct array blocks; /* of struct watch_block */
    uint64_t usable, flags;
    bool is_known, has_red_zone;
    struct watch_between between;
};

void watch_free_begin(struct watch_freedom *freedom, const struct model *model);
void watch_free_end(struct watch_freedom *freedom);
/* Quick for points of the same function one after the other. */
struct watch_free watch_free_at(struct watch_freedom *freedom, uint32_t instruction, enum watch_where where);
/* General registers that a function itself reads before it writes them, on some path; what its calls and its
   callers may need does not count. */
uint32_t watch_read_at_entry(struct watch_freedom *freedom, uint32_t function);
/* General registers that an encoding reads and writes. */
uint32_t watch_reads(const struct watch_freedom *freedom, uint32_t encoding);
uint32_t watch_writes(const struct watch_freedom *freedom, uint32_t encoding);
#endif
