/* The log of a run, for events.c and pendings.c: each operation on a denormal, with its values. */
#ifndef RUNTIME_DENORMAL_TRACE_LOG_H
#define RUNTIME_DENORMAL_TRACE_LOG_H
#include "tags.h"
#include "trace_file.h"

/* A value, and the entry that it comes from (0: none), as its tag has it. */
struct log_value {
    ULong bits;
    UInt from;
};
static inline UInt log_number_of(Tag tag)
{
    return (UInt)(tag >> TAG_ENTRY_SHIFT);
}
static inline Tag log_tag(Tag tag, UInt number)
{
    return (tag & ~TAG_ENTRY) | (Tag)number << TAG_ENTRY_SHIFT;
}

/* Each adds an entry where one is wanted; its number, 0: it has none. */
struct log_access {
    Addr instruction, address;
    UInt array, bytes; /* array 0: none */
    Bool is_move;
};
UInt log_load(const struct log_access *access, struct log_value value);
UInt log_store(const struct log_access *access, struct log_value value);
UInt log_operation(const struct step *step, UInt lane, const struct log_value *operands, ULong result);

void log_flush(void);  /* at the end: entries that wait are written, or dropped */
void log_forget(void); /* a child begins */
ULong log_left_out(void);  /* operations after the log was full */
ULong log_passed_by(void); /* operations before its first one */

/* arrays.c */
UInt array_element_at(UInt array, Addr address, UInt bytes); /* place in the array, in values so wide */
Bool array_is_logged(UInt array);                            /* it has the name of settings.log_array */
/* write.c */
void recording_log(const struct trace_log_entry *entry);
#endif
