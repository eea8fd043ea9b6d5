/* Cycles of a subject's path if some of its instructions were others: gone, with their operand in a register,
   or of another form.

   Values stay: who reads the result of an instruction that is gone finds it there, at once or as soon as what
   it was made from.  The subject's own block and its marks are left alone.  The layout of the changed code is
   unknown, so fetching and decoding get faster only in proportion to the removed instructions: better
   alignment by chance is not a gain. */
#ifndef QUALITY_WITHOUT_H
#define QUALITY_WITHOUT_H
#include "quality/subject.h"

/* Gains below this are within what the model and measurements are sure of. */
static const double LEAST_GAIN = 1.05;

struct without {
    const struct subject *subject;
    struct changed_item *items; /* as many as the subject has */
};

void without_begin(struct without *without, const struct subject *subject);
/* Gone; its results are always there. */
void without_item(struct without *without, unsigned item);
/* Gone; the registers that it writes keep what they held. */
void without_trace(struct without *without, unsigned item);
/* Gone; its results are there as soon as the registers that it read. */
void without_work(struct without *without, unsigned item);
/* What it loads (and, where it does both, stores) is in a register; a plain load or store is gone. */
void without_memory(struct without *without, unsigned item);
/* One instruction of this form does what first and second do: first is gone, second takes over its sources
   and, where it has no load itself, its load.  The result of first enters by any slot of the form but `slot`,
   by which the other sources of second do. */
void without_pair(struct without *without, unsigned first, unsigned second, const struct machine_form *form,
                  unsigned slot);
/* It costs what this form does, whose operands are the same; values pass through it as quickly as they do at
 * best. */
void without_form(struct without *without, unsigned item, const struct machine_form *form);
/* What it brings lane by lane, a gather, it brings by one plain load. */
void without_gathering(struct without *without, unsigned item);
/* Its length-changing prefix is gone. */
void without_prefix(struct without *without, unsigned item);
/* What it loads from a store of the loop takes no longer than a register would; it stays as it is otherwise.
 */
void without_waiting(struct without *without, unsigned item);
/* Of the longest chain of dependences between iterations alone. */
double without_chain(const struct without *without);
/* Of an iteration; NaN where there is no answer: the path has none either, its cycles are those of
   bundles, or it is longer than anybody would change by hand. */
double without_cycles(const struct without *without);
/* The same with nothing gone, where instructions lie as they do: what the front end takes counts in full. */
double without_cycles_in_place(const struct without *without);
/* Of the path as it is, put so many bytes further in memory. */
double without_cycles_moved(const struct subject *subject, unsigned bytes);
/* Whether there is anything to ask: cycles, and none of them in a callee; a loop that does most of the work
   of its source loop, and not one that the compiler was told not to optimise, where only that matters. */
bool without_matters(const struct subject *subject);
/* Whether that many cycles are worth a word. */
bool without_gains(const struct subject *subject, double cycles);
#endif
