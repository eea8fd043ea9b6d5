/* Which instruction of a path made the value that another one reads.

   Registers are full ones, as in the tables of data flow, but along the one path: a value comes from the last
   item before the reader that writes its register, else from the last one of the iteration before. Else it
   comes from outside the loop and is the same in every iteration. */
#ifndef CODE_QUALITY_VALUES_H
#define CODE_QUALITY_VALUES_H
#include "code/quality/subject.h"

enum { VALUE_OUTSIDE = UINT32_MAX };

struct value_source {
    uint32_t item;   /* VALUE_OUTSIDE: no item of the path */
    bool is_earlier; /* of the iteration before */
};

struct values {
    const struct subject *subject;
    uint32_t *first;              /* by item: where its uses start in sources */
    struct value_source *sources; /* by use; of uses that only write, VALUE_OUTSIDE */
    uint8_t *is_written; /* by row of registers, full ones: somewhere in the loop; NULL: not yet computed */
};

/* Memory of the subject's arena. */
void values_find(struct values *values, const struct subject *subject);
/* The source of the use-th row of the item's uses. */
static inline struct value_source values_source(const struct values *values, unsigned item, unsigned use)
{
    return values->sources[values->first[item] + use];
}
/* The source of a register that the item reads, as one of its operands names it; VALUE_OUTSIDE for 0. */
struct value_source values_of_register(const struct values *values, unsigned item, uint32_t register_row);
/* Whether no instruction of the loop writes a register, also on other paths. */
bool values_stays(struct values *values, uint32_t register_row);
/* Whether the path counts in a register: adds a constant to it, also in its lower half. */
bool values_counts(const struct subject *subject, uint32_t register_row);
/* The access of an item, the first if it has two; NULL for none. */
const struct subject_access *values_access(const struct subject *subject, unsigned item);
/* Whether a use reads. */
static inline bool value_is_read(const struct register_use *use)
{
    return use->access == access_READ || use->access == access_BOTH;
}
/* Whether a use writes. */
static inline bool value_is_written(const struct register_use *use)
{
    return use->access == access_WRITE || use->access == access_BOTH;
}
#endif
