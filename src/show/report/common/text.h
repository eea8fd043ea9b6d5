/* Text for people: how wide it is and how to cut it; base/text.h keeps a hostile name from driving a
 * terminal. */
#ifndef SHOW_REPORT_COMMON_TEXT_H
#define SHOW_REPORT_COMMON_TEXT_H
#include "base/memory.h"
#include "base/text.h"
#include <stdbool.h>

/* Columns that a safe text takes. */
size_t text_width(const char *text);
/* A copy of a safe text in at most width columns, with an ellipsis where something was cut: at the end, or at
 * the start where that part matters less (paths).  To be freed. */
char *text_cut(const char *text, size_t width, bool at_start, bool unicode);
#endif
