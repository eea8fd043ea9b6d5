/* What the files that make a plan share. */
#ifndef WATCH_PLAN_PARTS_H
#define WATCH_PLAN_PARTS_H
#include "runtime/probe/record_file.h"
#include "watch/probe/free.h"
#include "watch/probe/plan.h"

uint32_t watch_add_subject(struct watch_plan *plan, const struct watch_subject *subject);
/* A point with no action yet; it moves when the next one is added. */
struct watch_point *watch_add_point(struct watch_plan *plan, uint32_t subject, uint32_t instruction,
                                    enum watch_where where);
/* What is free in the model's code. */
struct watch_freedom *watch_plan_freedom(struct watch_plan *plan);
struct watch_action watch_event(uint32_t subject, enum probe_event_kind kind, struct watch_source source);
/* Jumps to the start of a block from sources that are inside shall go past the actions there.  false: some of
   these ways are not direct jumps. */
bool watch_pass_by(struct watch_plan *plan, uint32_t subject, uint32_t function, uint32_t block,
                   bool (*is_inside)(const void *context, uint32_t block), const void *context);
/* Jumps inside a function to its entry shall go past the entry actions there: they are not calls. */
bool watch_pass_by_entry(struct watch_plan *plan, uint32_t subject, uint32_t function, uint32_t entry);
/* Whether a block certainly is code.  In functions with guessed bounds, what nothing reaches may be data,
   which must not be changed. */
bool watch_is_code(const struct model *model, uint32_t block);
/* Whether a function has code of its own, which probes can be put into. */
bool watch_has_code(const struct model *model, uint32_t function);
/* The name of a called function without the mark of a stub (@plt): to be freed; NULL: it has none. */
char *watch_callee_name(const struct model *model, uint32_t function);
/* Takes back its points from first_point on: it has no probe, and this is why. */
void watch_refuse_subject(struct watch_plan *plan, uint32_t subject, uint32_t instruction,
                          enum watch_refusal why, size_t first_point);
/* Where a register counts, other probes must not use it: neither in the loop nor on the ways into it.  Once,
   before points are placed. */
void watch_keep_reserved(struct watch_plan *plan);
#endif
