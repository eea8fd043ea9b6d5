/* Loads whose meaning is known only later, for events.c. */
#ifndef RUNTIME_DENORMAL_TRACE_PENDINGS_H
#define RUNTIME_DENORMAL_TRACE_PENDINGS_H
#include "tags.h"

/* A provisional tag.  Array: of numbers so wide; 0: the value lies in none. */
Tag pending_make(struct site *site, Addr address, const UInt *value, UInt bytes, UInt array);
Tag pending_tag(Tag tag); /* of a provisional one: what it has become; 0: nothing yet */
Tag pending_confirm(
    Tag tag); /* of a value that an operation consumes; of 0 too: made by nothing that was seen */
void pendings_settle(void); /* what nothing has consumed by now counts as integers */

/* events.c */
Tag tag_when_loaded(Tag tag, UInt array);
Tag tag_from_outside(Addr address, const UInt *value, UInt bytes);
#endif
