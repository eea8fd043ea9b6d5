/* Paragraphs for people: words in lines that fit. */
#ifndef REPORT_COMMON_WRAP_H
#define REPORT_COMMON_WRAP_H
#include <stddef.h>
#include <stdio.h>

enum {
    WRAP_USUAL_WIDTH = 80, /* where the output is no terminal */
    WRAP_WIDEST = 120      /* longer lines are hard to read */
};

/* Words of a text that is safe to show, with an end of line behind the last; the cursor stands at column at,
   later lines start at column indent.  A word that is longer than a line has one of its own. */
void wrap_print(FILE *out, const char *text, size_t at, size_t indent, size_t width);
/* The same of anything: it is made safe, and put behind indent blanks. */
void wrap_say(FILE *out, size_t indent, size_t width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
