/* Which registers and flags nobody needs at a point of the code (free.c has the rules). */
#ifndef RUN_PROBE_SITE_FREE_H
#define RUN_PROBE_SITE_FREE_H
#include "run/probe/site/between.h"
#include "run/probe/window.h"

struct probe_uses; /* what an encoding does to general registers and flags */

struct probe_freedom {
    const struct model *model;
    struct probe_uses *uses; /* by encoding */
    uint32_t function;       /* that the rest is of; 0: none */
    uint32_t first_instruction, first_block;
    struct array before; /* of uint64_t, by instruction: what lives before it */
    struct array blocks; /* of struct probe_block */
    uint64_t usable, flags;
    bool is_known, has_red_zone;
    struct probe_between between;
};

void probe_free_begin(struct probe_freedom *freedom, const struct model *model);
void probe_free_end(struct probe_freedom *freedom);
/* Quick for points of the same function one after the other. */
struct probe_free_registers probe_free_at(struct probe_freedom *freedom, uint32_t instruction,
                                          enum probe_where where);
/* General registers that a function itself reads before it writes them, on some path; what its calls and its
   callers may need does not count. */
uint32_t probe_read_at_entry(struct probe_freedom *freedom, uint32_t function);
/* General registers that an encoding reads and writes. */
uint32_t probe_reads(const struct probe_freedom *freedom, uint32_t encoding);
uint32_t probe_writes(const struct probe_freedom *freedom, uint32_t encoding);
#endif
