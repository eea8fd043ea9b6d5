/* Where functions keep the registers of their callers while they run. */
#ifndef RUN_DENORMAL_SAVED_H
#define RUN_DENORMAL_SAVED_H
#include <stdint.h>
#include <stdio.h>

struct saved_reader;
/* NULL if the file has no call frame information; the other two functions accept NULL. */
struct saved_reader *saved_open(const char *path);
void saved_close(struct saved_reader *reader);
/* Lines `saved …` of the list of arrays for a function. */
void saved_put(struct saved_reader *reader, uint64_t low, uint64_t high, FILE *out);
#endif
