/* The body of an innermost loop: its blocks, how often each runs in an iteration, and its instructions in the
   form that the schedule needs. */
#ifndef CODE_COST_MACS_BODY_H
#define CODE_COST_MACS_BODY_H
#include "code/cost/macs/schedule.h"

struct body_block {
    uint32_t block;
    double weight;    /* times in an iteration */
    bool is_recovery; /* see body_take */
};

/* Kept from loop to loop. */
struct bodies {
    const struct model *model;
    struct operations operations;
    uint32_t
        *compiler_block; /* by block: row of compiler_blocks, 0 for none; NULL where there are none at all */
    uint32_t function;   /* whose alloc was looked for last */
    unsigned rotating;   /* general registers that rotate there */
    struct array blocks; /* of struct body_block: of the current loop */
    struct array items;  /* of struct schedule_item, of all blocks that run in every other iteration */
    uint32_t listed_end; /* the instruction after the last one in items */
    bool is_weighted;
    unsigned recovery_count; /* blocks left out, because only failed speculation leads there */
    unsigned
        repeat_count; /* blocks left out, because they only repeat a gather for other lines of the cache */
    bool is_cut;      /* the loop is too large to be scheduled */
};

void body_begin(struct bodies *bodies, const struct model *model, const struct machine *machine);
void body_end(struct bodies *bodies);
/* Makes this the current loop. Recovery code of speculative loads has weight 0, and so has the second half of a gather that is
   written twice (code/structure/shape_gathers.c). */
void body_take(struct bodies *bodies, uint32_t loop);
/* The same for one path through a loop: its blocks in their order, each once. */
void body_take_path(struct bodies *bodies, const struct path_block *blocks, size_t count);
/* Its instructions, for a schedule; how many general registers rotate. */
unsigned body_list_items(struct bodies *bodies, uint32_t loop);
void body_count(struct bodies *bodies, struct operation_counts *counts);
/* The compiler's cycles of an iteration; false unless its comments give them for every block. */
bool body_compiler_cycles(const struct bodies *bodies, double *cycles);
#endif
