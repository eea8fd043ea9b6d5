/* What instructions are there for. */
#include "quality/subject.h"

void subject_find_purposes(const struct subject *subject, struct subject_item *items)
{
    (void)subject;
    (void)items;
}
