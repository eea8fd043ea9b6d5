/* A path with some of its instructions changed, and the cycles of its iterations then.

   Instructions are added one by one, in order: instructions of the path unchanged, several times or not at
   all, and others in their place. One iteration of the new block may do the work of several of the path's;
   the addresses of all accesses move on accordingly, so that loads meet stores where they really would. */
#ifndef CODE_QUALITY_ALTERED_H
#define CODE_QUALITY_ALTERED_H
#include "code/quality/subject.h"

/* Longer blocks take too long for an analysis that runs on every loop. */
enum { MOST_ALTERED = 2048 };

struct altered {
    const struct subject *subject;
    struct cost_item *items;
    unsigned count, room;
    unsigned iterations; /* iterations of the path in one of the block */
    unsigned last;       /* item of the path that was added last */
    uint64_t address;    /* of the next one */
    uint32_t size;
    bool is_full;
    bool is_apart;              /* set by the caller: loads read nothing that the block stores */
    const uint32_t *references; /* by item of the path: the first of its references, and one more */
};

/* address: of the first instruction.  Memory of the subject's arena. */
void altered_begin(struct altered *altered, const struct subject *subject, unsigned iterations,
                   uint64_t address);
/* Adds an item of the path unchanged. */
void altered_keep(struct altered *altered, unsigned item);
/* Adds an instruction with this cost, which accesses memory where the item of the path does. The caller owns
   the cost, which must live until the result is computed. */
void altered_put(struct altered *altered, const struct machine_cost *cost, unsigned item);
/* Cycles for the work of one iteration of the path; NaN if unknown. */
double altered_cycles(struct altered *altered);
#endif
