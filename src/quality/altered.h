/* A path with some of its instructions changed: what its iterations would take then.

   Instructions are put in one by one, in order: those of the path as they are, several times or not at all,
   and others in their place.  One iteration of the new block may do the work of several of the path's; the
   addresses of all accesses move on accordingly, so that loads meet stores where they really would. */
#ifndef QUALITY_ALTERED_H
#define QUALITY_ALTERED_H
#include "quality/subject.h"

/* Longer blocks take the model too long for an analysis that runs on every loop. */
enum { MOST_ALTERED = 2048 };

struct altered {
    const struct subject *subject;
    struct cost_item *items;
    unsigned count, room;
    unsigned iterations; /* of the path, that one of the block does */
    unsigned last;       /* item of the path that was put in last */
    uint64_t address;    /* of the next one */
    uint32_t size;
    bool is_full;
    const uint32_t *references; /* by item of the path: the first of its references, and one more */
};

/* address: of the first instruction.  Memory of the subject's arena. */
void altered_begin(struct altered *altered, const struct subject *subject, unsigned iterations,
                   uint64_t address);
/* An item of the path as it is. */
void altered_keep(struct altered *altered, unsigned item);
/* An instruction of this cost, which accesses memory where the item of the path does.  Stored costs stay the
   caller's; they must live until the answer. */
void altered_put(struct altered *altered, const struct machine_cost *cost, unsigned item);
/* For the work of one iteration of the path; NaN where there is no answer. */
double altered_cycles(struct altered *altered);
#endif
