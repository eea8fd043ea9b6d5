/* Paragraphs for people: words in lines that fit. */
#ifndef SHOW_REPORT_COMMON_WRAP_H
#define SHOW_REPORT_COMMON_WRAP_H
#include <stddef.h>
#include <stdio.h>

enum {
    WRAP_USUAL_WIDTH = 80, /* where the output is not a terminal */
    WRAP_WIDEST = 120      /* longer lines are hard to read */
};

/* Prints the words of a safe text and an end of line; the cursor is at column at, later lines start at column
 * indent. A word longer than a line gets its own. */
void wrap_print(FILE *out, const char *text, size_t at, size_t indent, size_t width);
/* The same for any text: it is made safe and indented. */
void wrap_say(FILE *out, size_t indent, size_t width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
