/* Whether rows are in the order that tables.def promises: SORTED columns do not fall, and rows of LINK tables are in the
   order of their keys.  Searches by bisection rely on that. */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H
#include "model/tables.h"

/* A column whose value is below that of the row before, and that row; NULL: all is in order. */
const struct table_column *model_unsorted(const struct model *model, const struct table_description *table,
                                          size_t *row);
#endif
