/* Moves that need aligned data (movaps), and those that do not (movups), which else do the same. */
#ifndef QUALITY_ALIGNED_H
#define QUALITY_ALIGNED_H
#include "quality/subject.h"

/* Its data is aligned, else it would fail. */
bool is_aligned_move(const struct subject *subject, const struct subject_item *item);
/* The form for aligned data of an unaligned move, if the machine does it with fewer µops; else NULL. */
const struct machine_form *aligned_form(const struct subject *subject, const struct subject_item *item);
#endif
