/* Joins the rows of listings with their instructions. */
#ifndef CODE_STRUCTURE_LISTING_ROWS_H
#define CODE_STRUCTURE_LISTING_ROWS_H
#include "model/model.h"

/* Rows of listing_instructions know program and address; when all code is there they get their instruction
   and are put in its order. */
void listing_rows_attach(struct model *model);
#endif
