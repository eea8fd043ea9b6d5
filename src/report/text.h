/* Text for people: how wide it is, how to cut it, and how to keep a hostile name from driving a terminal.

   Names come from files that strangers made.  Before anything reaches a terminal, control characters and
   bytes that are no UTF-8 become visible escapes (\x1b), so a symbol name cannot move the cursor. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H
#include "base/memory.h"
#include <stdbool.h>

/* Length of the UTF-8 sequence at text (1 … 4) and its code point, or 0 where the bytes are not valid UTF-8.
 */
unsigned text_decode(const char *text, size_t left, uint32_t *code_point);
/* Control characters, and those that reorder the text around them. */
bool text_is_harmful(uint32_t code_point);
/* A copy that is safe to show; to be freed. */
char *text_safe(const char *text, size_t length);
/* Columns that a safe text takes. */
size_t text_width(const char *text);
/* A copy of a safe text in at most width columns, with an ellipsis where something was cut: at the end, or at
   the start where that is the less telling part (paths).  To be freed. */
char *text_cut(const char *text, size_t width, bool at_start, bool unicode);
#endif
