/* Places in a source as the user wrote it, with macros and includes: where a loop begins, where its function
 * does. */
#ifndef CHANGE_OPTIMISE_APPLY_SOURCE_PLACES_H
#define CHANGE_OPTIMISE_APPLY_SOURCE_PLACES_H
#include "change/optimise/extract/extract_parts.h"

struct source_places {
    size_t loop;     /* of its for, while or do; SIZE_MAX: not found, as all others */
    size_t function; /* of the first word of the definition */
    size_t body;     /* after its { */
    size_t *names;   /* of the parameters of the extract */
};
void source_places_find(const struct extract *extract, const char *text, struct source_places *places);
void source_places_free(struct source_places *places);
#endif
