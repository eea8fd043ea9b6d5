/* Cycles of a subject's path if some of its instructions were changed: removed, with their operand in a
   register, or of another form.

   Values stay: the result of a removed instruction is ready at once, or as soon as its inputs are. The
   subject's own block and its marks are not changed. The layout of the changed code is unknown, so fetching
   and decoding get faster only in proportion to the removed instructions: better alignment by chance is not a
   gain. */
#ifndef CODE_QUALITY_WITHOUT_H
#define CODE_QUALITY_WITHOUT_H
#include "code/quality/subject.h"

/* Smaller gains are within the error of the model and of measurements. */
static const double LEAST_GAIN = 1.05;

struct without {
    const struct subject *subject;
    struct changed_item *items; /* as many as the subject has */
};

void without_begin(struct without *without, const struct subject *subject);
/* Removes it; its results are always ready. */
void without_item(struct without *without, unsigned item);
/* Removes it; the registers that it writes keep their old values. */
void without_trace(struct without *without, unsigned item);
/* Removes it; its results are ready as soon as the registers that it read. */
void without_work(struct without *without, unsigned item);
/* The value that it loads (and stores, if it does both) is in a register; a plain load or store is removed.
 */
void without_memory(struct without *without, unsigned item);
/* One instruction of this form does what first and second do: first is removed, second takes over its sources
   and, if it has no load itself, its load. The other sources of second enter by `slot` of the form, the
   result of first by the other slots. */
void without_pair(struct without *without, unsigned first, unsigned second, const struct machine_form *form,
                  unsigned slot);
/* It gets the cost of this form, which has the same operands; values pass through it with the form's best
   latency. */
void without_form(struct without *without, unsigned item, const struct machine_form *form);
/* A gather becomes one plain load. */
void without_gathering(struct without *without, unsigned item);
/* A value that it loads from a store of the loop arrives as fast as from a register; nothing else changes. */
void without_waiting(struct without *without, unsigned item);
/* It does not wait for the old value of this register (a resource). */
void without_input(struct without *without, unsigned item, uint16_t resource);
/* Its load reads none of the loop's stores: it neither waits for one nor gets its value from one. */
void without_meeting(struct without *without, unsigned item);
/* Cycles of the longest chain of dependences between iterations alone. */
double without_chain(const struct without *without);
/* Cycles of an iteration; NaN if unknown: the path has none either, its cycles come from bundles, or it is
   longer than anybody would change by hand. */
double without_cycles(const struct without *without);
/* The same with no instruction removed or moved: the front end counts in full. */
double without_cycles_in_place(const struct without *without);
/* Cycles of the longest chain of the path when its values are in registers, those that were stored in parts,
   too: its arithmetic, and one that joins the parts. */
double without_memory_chain(const struct subject *subject);
/* Cycles of the unchanged path, moved by this many bytes in memory. */
double without_cycles_moved(const struct subject *subject, unsigned bytes);
/* Whether these questions make sense: the cycles are known, none are in a callee, the loop does most of the
   work of its source loop, and it was optimised (else only that matters). */
bool without_matters(const struct subject *subject);
/* Whether a gain of that many cycles is worth reporting. */
bool without_gains(const struct subject *subject, double cycles);
#endif
