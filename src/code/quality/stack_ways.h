/* Which store of a path the loads of the function's own stack read from. */
#ifndef CODE_QUALITY_STACK_WAYS_H
#define CODE_QUALITY_STACK_WAYS_H
#include "code/quality/subject.h"

enum { NO_ITEM = UINT32_MAX, MOST_STACK_WAYS = 2 };

/* By item; memory of the subject's arena. */
struct stack_ways {
    uint32_t (*sources)[MOST_STACK_WAYS]; /* items that stored the values it loads, NO_ITEM for none */
    uint8_t *is_spill;                    /* only stores or loads a register there */
    uint8_t *is_kept;                     /* stores there */
};

void stack_ways_find(struct stack_ways *ways, const struct subject *subject);
#endif
