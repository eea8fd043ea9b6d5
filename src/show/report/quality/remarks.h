/* What the compiler recorded about loops, in sentences.  They contain texts from files: the printer makes them
   safe. */
#ifndef SHOW_REPORT_QUALITY_REMARKS_H
#define SHOW_REPORT_QUALITY_REMARKS_H
#include "show/report/quality/quality.h"
#include "show/report/quality/rows.h"
#include <stdio.h>

/* About one loop; false, and nothing is written, if there is no record of it. */
bool quality_say_remarks(FILE *out, const struct quality_rows *rows);
/* About all loops of the report, without a full stop: how many were vectorised, and where the code disagrees;
   false, and nothing is written, if there are no records. */
bool quality_say_records(FILE *out, const struct quality_view *view);
#endif
