/* What the files that make a plan share. */
#ifndef RUN_PROBE_PLAN_PARTS_H
#define RUN_PROBE_PLAN_PARTS_H
#include "runtime/probe/record_file.h"
#include "run/probe/site/free.h"
#include "run/probe/plan/plan.h"

uint32_t probe_add_subject(struct probe_plan *plan, const struct probe_subject *subject);
/* A point with no action yet; it moves when the next one is added. */
struct probe_point *probe_add_point(struct probe_plan *plan, uint32_t subject, uint32_t instruction,
                                    enum probe_where where);
/* What is free in the model's code. */
struct probe_freedom *probe_plan_freedom(struct probe_plan *plan);
struct probe_action probe_make_event(uint32_t subject, enum probe_event_kind kind,
                                     struct probe_source source);
/* Jumps to the start of a block from sources that are inside shall go past the actions there.  false: some of
   these ways are not direct jumps. */
bool probe_pass_by(struct probe_plan *plan, uint32_t subject, uint32_t function, uint32_t block,
                   bool (*is_inside)(const void *context, uint32_t block), const void *context);
/* Jumps inside a function to its entry shall go past the entry actions there: they are not calls. */
bool probe_pass_by_entry(struct probe_plan *plan, uint32_t subject, uint32_t function, uint32_t entry);
/* Whether a block certainly is code.  In functions with guessed bounds, what nothing reaches may be data,
   which must not be changed. */
bool probe_is_code(const struct model *model, uint32_t block);
/* Whether a function has code of its own, which probes can be put into. */
bool probe_has_code(const struct model *model, uint32_t function);
/* The name of a called function without the mark of a stub (@plt): to be freed; NULL: it has none. */
char *probe_callee_name(const struct model *model, uint32_t function);
/* Takes back its points from first_point on: it has no probe, and this is why. */
void probe_refuse_subject(struct probe_plan *plan, uint32_t subject, uint32_t instruction,
                          enum probe_refusal why, size_t first_point);
/* Where a register counts, other probes must not use it: neither in the loop nor on the ways into it.  Once,
   before points are placed. */
void probe_keep_reserved(struct probe_plan *plan);
/* Which windows are taken back when their tally has seen enough; tallies that cannot count on.  Before
   trampolines are made. */
void probe_plan_switches(struct probe_plan *plan);
#endif
