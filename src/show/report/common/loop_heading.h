/* How a page about a loop begins. */
#ifndef SHOW_REPORT_COMMON_LOOP_HEADING_H
#define SHOW_REPORT_COMMON_LOOP_HEADING_H
#include "model/model.h"
#include "show/report/common/style.h"

/* "loop 8 in distance, heat.c:30-31", without an end of line. */
void report_loop_heading(const struct model *model, uint32_t loop, const struct report_style *style,
                         FILE *out);
#endif
