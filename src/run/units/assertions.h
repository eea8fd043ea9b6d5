/* What only assertions need: code that a compiler leaves out with -DNDEBUG. */
#ifndef RUN_UNITS_ASSERTIONS_H
#define RUN_UNITS_ASSERTIONS_H
#include "model/model.h"

/* Blocks that report a failed assertion, by row; to be freed.  NULL: there are none. */
uint8_t *assertions_find_alarms(const struct model *model);
/* Marks the instructions (by row) that these blocks alone need, as far as def_use has the function. */
void assertions_mark(const struct model *model, uint32_t function, const uint8_t *is_alarm,
                     uint8_t *is_spared);
#endif
