/* Functions that are parts of others: what a compiler moved out of line (f.cold). */
#ifndef RUN_PROBE_SITE_FUNCTION_PARTS_H
#define RUN_PROBE_SITE_FUNCTION_PARTS_H
#include "model/model.h"

struct function_parts {
    uint32_t *owner;    /* by function: the function that it is a part of; 0: none */
    struct array parts; /* of struct function_part, by owner */
};

struct function_part {
    uint32_t owner, part;
};

void function_parts_find(struct function_parts *parts, const struct model *model);
void function_parts_free(struct function_parts *parts);
/* Adds the blocks (of uint32_t) of a function's parts that it reaches. */
void function_parts_blocks(const struct function_parts *parts, const struct model *model, uint32_t owner,
                           struct array *blocks);
#endif
