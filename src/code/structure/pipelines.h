/* Software-pipelined loops of IA-64. */
#ifndef CODE_STRUCTURE_PIPELINES_H
#define CODE_STRUCTURE_PIPELINES_H
#include "code/structure/meanings.h"

/* Rows of pipelined_loops for the whole model, when loops, issue groups and listing rows are there. */
void pipelines_find(struct model *model, const struct meanings *meanings);
#endif
