/* Rows of read/ become structure: functions, blocks, edges, dominators, loops, paths, calls, code, encodings.

   The work is split by function over threads; the tables do not depend on their number. */
#ifndef STRUCTURE_STRUCTURE_H
#define STRUCTURE_STRUCTURE_H
#include "model/model.h"

struct structure_options {
    unsigned threads;    /* 0: one for each processor */
    unsigned path_limit; /* paths listed for each innermost loop; 0 lists none (they are still counted) */
    /* Nobody will read rows of code, most of the memory of a large program: they are left out where that
       changes no other table but the uses of encodings and the source lines of loops, which nobody reads then
       either. */
    bool without_code;
};

/* For every program of the model.  Fails only where a program's ISA has no reader. */
bool structure_build(struct model *model, const struct structure_options *options, struct error *error);
#endif
