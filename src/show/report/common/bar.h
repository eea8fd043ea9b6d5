/* A bar in text: eighths of a character where the terminal shows UTF-8. */
#ifndef SHOW_REPORT_COMMON_BAR_H
#define SHOW_REPORT_COMMON_BAR_H
#include "show/report/common/style.h"

/* Of this share of `columns`; something above 0 is at least seen.  Returns the columns that it takes. */
size_t report_bar(const struct report_style *style, double share, size_t columns, FILE *out);
#endif
