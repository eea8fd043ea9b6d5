/* Signs that a loop makes few iterations, where their number is unknown. */
#ifndef CODE_QUALITY_VECTOR_SHORT_LOOP_H
#define CODE_QUALITY_VECTOR_SHORT_LOOP_H
#include "code/quality/subject.h"

/* Whether the code shows such a sign: gains per iteration are then seldom gains of the program. */
bool short_loop_shows(const struct subject *subject);
#endif
