/* Whether a function may return, going by what is known of those that it calls. */
#ifndef CODE_STRUCTURE_RETURNS_H
#define CODE_STRUCTURE_RETURNS_H
#include "code/structure/layout.h"

/* Memory for looking at one function after another; one for each worker. */
struct returns_walk {
    struct array is_seen; /* of uint8_t, by entry: reached by the last walk */
    struct array waiting; /* of uint32_t: entries to go on from */
};
struct returns_walk returns_walk_begin(void);
void returns_walk_end(struct returns_walk *walk);
/* Callees return as their pieces say (piece.returns). */
bool returns_may(const struct layout *layout, const struct piece *piece, struct returns_walk *walk);
#endif
