/* Labels of IA-64 listings that control reaches in invisible ways. */
#ifndef CODE_STRUCTURE_LABELS_H
#define CODE_STRUCTURE_LABELS_H
#include "code/structure/shape.h"

/* Before the blocks are cut, with the leaders that jumps make: those after code that does not go on. */
void labels_lead(struct shaper *shaper, const struct piece *piece);
/* With blocks and edges: blocks that start at a label and cannot be reached are entered from outside. */
void labels_enter(struct shaper *shaper, const struct piece *piece, const struct shape *shape);
#endif
