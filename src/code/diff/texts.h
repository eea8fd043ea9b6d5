/* Lines of the old build as lines of the new one, through the texts of both, where these can be read. */
#ifndef CODE_DIFF_TEXTS_H
#define CODE_DIFF_TEXTS_H
#include "code/diff/diff.h"

/* Fills comparison->lines from the sources of both builds; needs comparison->sources. */
void texts_match(struct comparison *comparison);
/* The line of the new build's text for one of the old build's; 0: unknown, gone or changed. */
uint32_t texts_line(const struct comparison *comparison, uint32_t old_file, uint32_t line);
void texts_free(struct comparison *comparison);
#endif
