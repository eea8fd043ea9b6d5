/* Atomic updates without an instruction of their own: a loop of ldxr and stxr. */
#ifndef CODE_QUALITY_RULES_RETRIES_H
#define CODE_QUALITY_RULES_RETRIES_H
#include "code/quality/subject.h"

/* Whether the subject's loop does nothing but repeat an update until its store succeeds, inside another loop
   of the function, and nobody reads the old or the new value. */
bool retry_is_update(const struct subject *subject);
/* Whether the loop around it updates the same place each time. */
bool retry_is_same(const struct subject *subject);
/* Whether the loop around it calls functions. */
bool retry_calls(const struct subject *subject);
#endif
