/* How addresses move from iteration to iteration. */
#include "quality/subject.h"

void subject_find_accesses(const struct subject *subject, struct array *accesses)
{
    (void)subject;
    (void)accesses;
}
