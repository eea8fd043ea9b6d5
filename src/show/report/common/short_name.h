/* Names of functions that are too long for the place where they are shown. */
#ifndef SHOW_REPORT_COMMON_SHORT_NAME_H
#define SHOW_REPORT_COMMON_SHORT_NAME_H
#include "base/memory.h"
#include <stdbool.h>

/* Columns of a name in tables and headings; csv and json have whole names. */
enum { NAME_COLUMNS = 72 };

/* A safe text (show/report/common/text.h) that names something of C++ or Rust, in at most so many columns if
   leaving out whole parts of it achieves that: parameters, the result's type, template arguments, outer
   namespaces. The rest may still be wider: an identifier is never cut.  To be freed. */
char *name_shorten(const char *name, size_t columns, bool unicode);
/* The same, but cut where that is not enough: names with a class at the start, plain ones at the end.  To be
 * freed. */
char *name_fit(const char *name, size_t columns, bool unicode);
#endif
