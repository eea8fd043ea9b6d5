/* Tags, births and the tags of memory, for events.c. */
#ifndef RUNTIME_DENORMAL_TRACE_TAGS_H
#define RUNTIME_DENORMAL_TRACE_TAGS_H
#include "stretch.h"

/* A tag is the number of a record, and how wide the value is that it was given to.  A provisional one belongs
   to a bit pattern that was loaded from memory nothing is known of: whether it is a floating-point number
   shows when an operation consumes it. */
enum { TAG_RECORD = 0x00ffffff, TAG_DOUBLE = 0x40000000, TAG_ENTRY_SHIFT = 32 };
#define TAG_ENTRY (0xffffffffULL << TAG_ENTRY_SHIFT)
#define TAG_PROVISIONAL 0x80000000u

Tag tag_outside(void);               /* made by nothing the tracer saw */
Tag tag_born(UInt birth);            /* from no array yet */
Tag tag_union(Tag a, Tag b);         /* of operands, for the result */
Tag tag_loaded(Tag tag, UInt array); /* of a value in an array (0: not in one), as it is loaded from there */
static inline Tag tag_unite(Tag a, Tag b)
{
    a &= TAG_RECORD, b &= TAG_RECORD;
    return a == b || b == 0 ? a : a == 0 ? b : tag_union(a, b);
}
void tag_stored(Tag tag, UInt array, Addr address, UInt bytes);
void tag_operated(Tag tag); /* an operation met denormals of this tag */

/* births.c */
UInt birth_here(Addr instruction);
UInt birth_outside(void);
struct birth *birth_of(UInt number);
void birth_stored(UInt number, UInt array);

/* shadow.c: marks of memory.  Address: of a 32-bit word. */
/* The number of the log's entry that the value comes from goes with the tag. */
Tag shadow_tag(Addr address, UInt value); /* 0: none, or the word no longer holds that value */
void shadow_forget(Addr address);
void shadow_set(Addr address, UInt value, Tag tag);
#endif
