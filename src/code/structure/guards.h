/* How large can the index of a jump table be?  The code checks it before it jumps. */
#ifndef CODE_STRUCTURE_GUARDS_H
#define CODE_STRUCTURE_GUARDS_H
#include "code/structure/values.h"

enum { MOST_TABLE_ENTRIES = 65536 };

/* The bound of the index, from the paths back from the jump. */
struct bound {
    bool found;
    bool is_certain; /* on every path */
    uint64_t most;   /* the largest value of unknown + offset */
    uint64_t offset;
};

struct bound guard_find(struct backward *backward, uint32_t jump, const struct value *value);
#endif
