/* What an access of the program loads or stores, as its source would write it: node->next, table->entries[…].key.

   From debug information alone: a register at an instruction holds a variable, or what was loaded from one
   shortly before; a type has a member at the distance that the instruction adds.  Where the compiler made an
   address of its own and no variable leads there, there is no name. */
#ifndef RUN_POINTS_DATA_H
#define RUN_POINTS_DATA_H
#include "model/model.h"

struct point_namer {
    struct model *model;
    uint32_t *first; /* by function: its first variable; 0: none */
    uint32_t *next;  /* by variable: the next of its function */
};

void point_namer_begin(struct point_namer *namer, struct model *model);
void point_namer_end(struct point_namer *namer);
/* The data and the type that it belongs to; both 0 where nothing is known. */
void point_name_data(const struct point_namer *namer, uint32_t instruction, string_id *data, string_id *type);
#endif
