/* The instructions of a path through a loop, with their costs, as assay cycles prints them. */
#ifndef CLI_SHOWN_BLOCK_H
#define CLI_SHOWN_BLOCK_H
#include "code/cost/loops.h"
#include "show/report/common/style.h"

/* Work for each instruction set, begun where it is needed; of one model. */
struct shown_block {
    const struct model *model;
    const struct loop_machines *machines;
    const struct report_style *style;
    bool is_short; /* the instructions alone */
    struct block_costs costs[isa_COUNT];
};
/* print_block of a quality view; context: a struct shown_block. */
void shown_block_print(void *context, uint32_t loop, uint32_t path, const char *const *notes, FILE *out);
void shown_block_end(struct shown_block *block);
#endif
