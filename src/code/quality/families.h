/* Which loops of the code come from one source loop, the role of each, and how many source iterations it
   does.

   Found for whole functions: innermost loops whose lines are those of one statement and one inlined call are
   a family. A family's largest footprint (numbers that its arithmetic and its accesses work on) is the main
   loop; smaller ones before it are peel loops, smaller ones after it tails; equal ones are versions. The
   ratio of footprints is the number of source iterations. Without debug information every loop is its own
   family. */
#ifndef CODE_QUALITY_FAMILIES_H
#define CODE_QUALITY_FAMILIES_H
#include "model/model.h"

/* Fills loop_families and loop_roles for the functions of these innermost loops (of uint32_t, in order);
   other loops of these functions are in the families as well. */
void families_find(struct model *model, const struct array *loops);
/* The row of a loop; NULL for none. */
const struct loop_role_row *families_role(const struct model *model, uint32_t loop);
#endif
