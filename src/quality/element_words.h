/* What the names of instructions tell of the numbers that they work on, beyond their encodings. */
#ifndef QUALITY_ELEMENT_WORDS_H
#define QUALITY_ELEMENT_WORDS_H
#include "quality/subject.h"

/* Bits of an element; 0 where it is none, or a whole register of whatever. */
unsigned element_bits(enum element element);
static inline bool element_is_fp(enum element element)
{
    return element >= element_FP16;
}
/* The numbers that an instruction takes, where it makes others of them; NONE: unknown. */
enum element element_taken(const struct model *model, const struct subject_item *item);
/* Zeroing and setting: a result that does not depend on the equal registers that it is computed from. */
bool element_is_idiom(const struct model *model, const struct subject_item *item);
/* A load that fills a vector with copies of one number, or of a few. */
bool element_is_broadcast(const struct model *model, const struct subject_item *item);
/* A store of the lowest bits of a vector register. */
bool element_is_low_store(const struct model *model, const struct subject_item *item);
/* Changes of a sign, which count as no operation. */
bool element_is_sign(const struct model *model, const struct subject_item *item);
#endif
