/* Finds the structure of the programs that code/read/ read: functions, blocks, edges, dominators, loops,
   paths, calls, code, encodings.

   The work is split by function over threads; the tables do not depend on their number. */
#ifndef CODE_STRUCTURE_STRUCTURE_H
#define CODE_STRUCTURE_STRUCTURE_H
#include "model/model.h"
#include "model/part.h"

struct structure_options {
    unsigned threads;    /* 0: one for each processor */
    unsigned path_limit; /* paths listed for each innermost loop; 0 lists none (they are still counted) */
    /* The caller does not need rows of code, which take most of the memory of a large program.  They are left
       out if that affects no tables except the uses of encodings and the source lines of loops, which the
       caller must not need either. */
    bool without_code;
    /* Of programs with these paths only the functions of the parts are decoded; the others have a row of
       functions at most.  Programs that no part names are done whole. */
    const struct model_part *parts;
    size_t part_count;
};

/* For every program of the model.  Fails only if a program's ISA has no reader. */
bool structure_build(struct model *model, const struct structure_options *options, struct error *error);
#endif
