/* Long text on a terminal is shown by a pager: $ASSAY_PAGER, $PAGER, or less. Text that fits the screen is
   printed as it is, and so is everything if there is no pager: --no-pager, a pager called cat, a terminal
   that cannot move its cursor, a program that is not there. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H
#include "base/error.h"

#include <stddef.h>

/* Whether text for this terminal may go to a pager, so that it is worth collecting. */
bool pager_is_wanted(void);
/* Shows the text on standard output, which is a terminal, through a pager if it has more lines than that.
   Whoever leaves the pager before the end of the text has read enough: that is not an error. */
bool pager_show(const char *text, size_t size, struct error *error);
#endif
