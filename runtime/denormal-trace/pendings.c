/* Loads whose meaning is known only later.

   A denormal bit pattern that no arithmetic made may be a number that came from outside, or an integer: old
   libraries keep integers in arrays of reals, and compilers move integers through vector registers.  So a
   load of one is pending: its tag is provisional, and goes wherever the pattern goes.  When an operation
   consumes it, it was a load of a number all along, and counts as one where it was loaded.  If nothing has
   consumed it when its place here is needed, or when the phase ends, it counts as an integer.

   Without origins memory has no tags, so the type of the array decides, and only loads from memory outside
   arrays of known type are pending. */
#include "pendings.h"
#include "log.h"

enum { PENDING = 1 << 12 };

struct pending {
    struct site *site;
    Addr address;
    UInt number, bytes, value[2];
    UInt array;      /* of numbers so wide, that it lies in; 0: none */
    Tag tag;         /* once an operation has confirmed it; 0: not yet */
    Bool is_settled; /* counted, as one or the other */
};

static struct pending pendings[PENDING];
static UInt pending_number;

static void settle(struct pending *pending)
{
    if (!pending->is_settled && pending->array)
        array_count(pending->array, pending->address, pending->bytes, access_INTEGER_LOAD);
    pending->is_settled = True;
}

void pendings_settle(void)
{
    for (UInt i = 0; i < PENDING; i++)
        settle(&pendings[i]);
}

Tag pending_make(struct site *site, Addr address, const UInt *value, UInt bytes, UInt array)
{
    pending_number = (pending_number + 1) & TAG_RECORD;
    struct pending *pending = &pendings[pending_number % PENDING];
    settle(pending);
    *pending = (struct pending){site,  address, pending_number, bytes, {value[0], bytes == 8 ? value[1] : 0},
                                array, 0,       False};
    return TAG_PROVISIONAL | pending_number;
}

static struct pending *pending_find(Tag tag)
{
    struct pending *pending = &pendings[(tag & TAG_RECORD) % PENDING];
    return tag & TAG_PROVISIONAL && pending->number == (tag & TAG_RECORD) ? pending : NULL;
}

Tag pending_tag(Tag tag)
{
    const struct pending *pending = pending_find(tag);
    return pending && pending->tag ? pending->tag | (tag & TAG_DOUBLE) : 0;
}

Tag pending_confirm(Tag tag)
{
    struct pending *pending = pending_find(tag);
    if (!pending)
        return tag_when_loaded(0, 0);
    if (!pending->tag) {
        UInt array = array_at(pending->address);
        pending->site->counts.loads++;
        if (array)
            array_count(array, pending->address, pending->bytes, access_LOAD);
        pending->is_settled = True;
        pending->tag =
            tag_when_loaded(tag_from_outside(pending->address, pending->value, pending->bytes), array);
        if (settings.log) {
            struct log_access access = {.instruction = pending->site->address,
                                        .address = pending->address,
                                        .array = array,
                                        .bytes = pending->bytes};
            struct log_value value = {(ULong)pending->value[1] << 32 | pending->value[0], 0};
            pending->tag = log_tag(pending->tag, log_load(&access, value));
        }
    }
    return pending->tag | (tag & TAG_DOUBLE);
}
