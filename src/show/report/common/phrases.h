/* Short phrases for sentences and headings; all are to be freed. */
#ifndef SHOW_REPORT_COMMON_PHRASES_H
#define SHOW_REPORT_COMMON_PHRASES_H
#include "base/memory.h"

char *phrase_count(uint64_t count);   /* "17,908,672" */
char *phrase_seconds(double seconds); /* "1.25 s", "830 µs" */
char *phrase_ns(double ns);           /* "31 ns", "1.2 µs", "830 ms" */
char *phrase_share(double share);     /* "41 %", "under 0.1 %" */
/* "exit status 3", "ended by signal 11 (…)"; exit_status -1 and end_signal 0: none. */
char *phrase_end(int64_t exit_status, int64_t end_signal);

/* Puts a sentence (which is taken over) after others, an array of char *. */
void sentences_say(struct array *sentences, char *sentence);
void sentences_free(struct array *sentences);
#endif
