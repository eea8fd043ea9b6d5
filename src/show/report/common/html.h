/* Text in pages for the browser.

   Names, paths and source come from files that strangers made.  Everything that is not written by Assay
   itself goes through html_text: it cannot end the element or the attribute that it stands in.  Bytes that
   are not UTF-8, control characters and those that reorder text become U+FFFD. */
#ifndef SHOW_REPORT_COMMON_HTML_H
#define SHOW_REPORT_COMMON_HTML_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Everything before the content of a page: its policy (and what is added to it), a title (the last part of a
 * path and the kind of page), and its style. */
void html_begin_page(FILE *out, const char *policy, const char *more_policy, const char *path,
                     const char *what, const char *style);
/* As the content of an element, or of an attribute in double quotes. */
void html_text(FILE *out, const char *text, size_t length);
/* The same of a whole string; NULL writes nothing. */
void html_string(FILE *out, const char *text);
/* Markup with values in it: texts (%s) as html_string writes them; numbers: %u, %d, %zu, %lld, %llu, %.1f. */
void html_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A sentence: compiler options in it, such as -O3, and text between backquotes are set as code. */
void html_prose(FILE *out, const char *text);
enum { PLACE_COLUMNS = 40 }; /* of a place in a table */

/* A place as the end of a tag and its content: ` title="/usr/src/gsl/linalg/lu.c:30">…/linalg/lu.c:30`. Whole
   directories are left out at the front until it has at most so many characters or only its file name is
   left; 0 leaves the file name alone: `lu.c:30`. The title is the whole place, which may say more: `lu.c:30,
   inlined from …`; a place that is shown as a whole has none. */
void html_place(FILE *out, const char *place, const char *whole, size_t most);
/* "7,781". */
void html_count(FILE *out, uint64_t count);
/* "1 loop", "7,781 loops". */
void html_counted(FILE *out, uint64_t count, const char *one, const char *many);
/* A bar of this share of its room. */
void html_bar(FILE *out, const char *class, double share);
#endif
