/* Where the figures of a machine come from, and how far measurements of them were apart.

   A line `from TEXT` of a machine file holds for the facts and forms after it, until the next; `from` alone
   ends it.  A line may end with a spread, ` ± 0.3 %`.  Facts are kept by their word and values as the file
   has them, because several lines may have the same word; forms carry their source themselves. */
#ifndef CODE_MACHINE_ORIGINS_H
#define CODE_MACHINE_ORIGINS_H
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>

/* The number of a text of `from`, from 1; 0: the file says it for all figures (`figures`). */
typedef uint16_t machine_source;

struct machine_origin {
    const char *word, *values;
    machine_source source;
    float spread; /* in per cent; NaN: not given */
};

struct machine;
/* NULL for 0. */
const char *machine_source_text(const struct machine *machine, machine_source source);
/* Of the line with this word and these values (NULL: whatever they are); of the word's first line, if no line
   has just these values; NULL: the file has no line with the word. */
const struct machine_origin *machine_origin(const struct machine *machine, const char *word,
                                            const char *values);
/* Writes ` ± 0.3 %`, or nothing for NaN. */
void machine_write_spread(float spread, FILE *out);

/* While a file is read: the number of a text, which is copied where it is new. */
struct reading;
machine_source origins_source(struct reading *reading, const char *text);
/* Takes the spread from the end of a line: *end moves before it.  false: it is not a number. */
bool origins_take_spread(struct reading *reading, const char *start, char **end);
/* A fact was read: words[0] and rest of the line are its. */
void origins_note(struct reading *reading);
#endif
