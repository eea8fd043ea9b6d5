/* Moves that need aligned data (movaps), and those that do not (movups), which else do the same. */
#ifndef CODE_QUALITY_ALIGNED_H
#define CODE_QUALITY_ALIGNED_H
#include "code/quality/subject.h"

/* Its data is aligned, else it would fail. */
bool aligned_is_move(const struct subject *subject, const struct subject_item *item);
/* The second half of an access that the compiler split because its alignment is unknown (vinsertf128 from memory,
   vextractf128 to it). */
bool aligned_is_half(const struct subject *subject, const struct subject_item *item);
/* The form for aligned data of an unaligned move, if the machine does it with fewer µops; else NULL. */
const struct machine_form *aligned_form(const struct subject *subject, const struct subject_item *item);
#endif
