/* The log: each operation that made, passed on or consumed a denormal, with its values, in order.

   All such operations of the run are numbered, whether they are kept or not, so that a number means the same in
   the next run with other wishes.  A value carries the number of the entry that made it, in its tag: through
   registers, and through memory outside arrays, whose loads and stores are not worth an entry.  An entry has the
   numbers of those that its operands come from.

   The log is bounded: it begins at settings.log_first and holds TRACE_LOG_MOST entries; what comes after is
   counted only.

   With settings.log_array, an entry is wanted if it loads from that array, is made of what was loaded there, or
   leads to what is stored there.  The last shows only later, so entries wait in a ring, long enough for the
   operations between the loads and the store of a value, and those that are wanted are written when they leave it.
   Loads and stores end this: what a value was made of before it was loaded from another array is another
   value's matter. */
#include "log.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { RING = 1 << 14 };

struct waiting {
    struct trace_log_entry entry; /* number 0: none */
    Bool is_wanted, concerns;     /* concerns: and so does what is made of it */
};

static ULong last;    /* number of the last operation */
static ULong newest;  /* of the last one that waited: operations go on when numbers or the log are at their end */
static ULong written; /* entries */
static ULong left_out;
static struct waiting *ring;
static UInt *stack; /* for want: numbers that are left to look at */

static void write(const struct trace_log_entry *entry)
{
    if (written == TRACE_LOG_MOST)
        return;
    written++;
    recording_log(entry);
}

static struct waiting *waiting_of(UInt number)
{
    struct waiting *waiting = number ? &ring[number % RING] : NULL;
    return waiting && waiting->entry.number == number ? waiting : NULL;
}

/* This entry, and all that led to it since values were loaded. */
static void want(UInt number)
{
    UInt depth = 0;
    stack[depth++] = number;
    while (depth) {
        struct waiting *waiting = waiting_of(stack[--depth]);
        if (!waiting || waiting->is_wanted)
            continue;
        waiting->is_wanted = True;
        for (UInt i = 0; waiting->entry.action != TRACE_LOAD && i < waiting->entry.operands; i++)
            if (depth < RING)
                stack[depth++] = waiting->entry.from[i];
    }
}

static Bool concerns(const struct trace_log_entry *entry)
{
    Bool is_access = entry->action == TRACE_LOAD || entry->action == TRACE_STORE;
    if (is_access && entry->array && array_is_logged(entry->array))
        return True;
    for (UInt i = 0; entry->action != TRACE_LOAD && i < entry->operands; i++) {
        const struct waiting *from = waiting_of(entry->from[i]);
        if (from && from->concerns)
            return True;
    }
    return False;
}

static void wait(const struct trace_log_entry *entry)
{
    if (!ring) {
        ring = VG_(calloc)("trace.log", RING, sizeof *ring);
        stack = VG_(malloc)("trace.log", RING * sizeof *stack);
    }
    struct waiting *place = &ring[entry->number % RING];
    newest = entry->number;
    if (place->entry.number && place->is_wanted)
        write(&place->entry);
    Bool does_concern = concerns(entry);
    *place = (struct waiting){*entry, False, does_concern && entry->action != TRACE_STORE};
    if (does_concern)
        want((UInt)entry->number);
}

/* The number of an operation that is going to be an entry; 0: it is none. */
static UInt number_next(void)
{
    last++;
    if (last < settings.log_first)
        return 0;
    if (written == TRACE_LOG_MOST || last > 0xffffffffULL) {
        left_out++;
        return 0;
    }
    return (UInt)last;
}

static UInt add(struct trace_log_entry *entry)
{
    if (settings.log_array)
        wait(entry);
    else
        write(entry);
    return (UInt)entry->number;
}

static UInt add_access(UInt action, const struct log_access *access, struct log_value value)
{
    UInt number = number_next();
    if (!number)
        return 0;
    struct trace_log_entry entry = {.number = number,
                                    .address = access->instruction,
                                    .values = {value.bits},
                                    .result = value.bits,
                                    .from = {value.from},
                                    .array = access->array,
                                    .data_address = access->address,
                                    .action = action,
                                    .operands = 1,
                                    .operand_bytes = access->bytes,
                                    .result_bytes = access->bytes,
                                    .is_move = access->is_move};
    if (access->array)
        entry.element = array_element_at(access->array, access->address, access->bytes);
    return add(&entry);
}

UInt log_load(const struct log_access *access, struct log_value value)
{
    return add_access(TRACE_LOAD, access, value);
}

UInt log_store(const struct log_access *access, struct log_value value)
{
    return add_access(TRACE_STORE, access, value);
}

UInt log_operation(const struct step *step, UInt lane, const struct log_value *operands, ULong result)
{
    UInt number = number_next();
    if (!number)
        return 0;
    struct trace_log_entry entry = {.number = number,
                                    .address = step->site->address,
                                    .result = result,
                                    .action = step->action,
                                    .lane = lane,
                                    .operands = step->operands,
                                    .operand_bytes = step->bytes,
                                    .result_bytes = step->result_bytes};
    for (UInt i = 0; i < step->operands; i++) {
        entry.values[i] = operands[i].bits;
        entry.from[i] = operands[i].from;
    }
    return add(&entry);
}

void log_flush(void)
{
    for (UInt i = 1; ring && i <= RING; i++) {
        struct waiting *waiting = &ring[(newest + i) % RING];
        if (waiting->entry.number && waiting->is_wanted)
            write(&waiting->entry);
        waiting->entry.number = 0;
    }
}

/* Numbers go on, because values in memory have those of the parent. */
void log_forget(void)
{
    written = left_out = 0;
    if (ring)
        VG_(memset)(ring, 0, RING * sizeof *ring);
}

ULong log_left_out(void)
{
    return left_out;
}

ULong log_passed_by(void)
{
    return last < settings.log_first ? last : settings.log_first - 1;
}
