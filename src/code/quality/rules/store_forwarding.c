/* Loads of bytes that the loop stored just before, in other pieces.

   A core hands a stored value to a load from the store buffer if one store has all of its bytes (and, on some
   cores, if the load starts at certain places of the store). Otherwise the load waits until the store has
   reached the cache. code/cost/core/forwarding.c has the model, machine files have the figures. The gain is
   that of the same loop with loads that read no store: values combined in registers, or stored whole. A value
   that goes round the loop this way still has to go round, so the gain is then an upper limit. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/rule.h"
#include "code/quality/without.h"

#include <math.h>

static const double WORTH_A_WORD = 1.15;

struct waiting {
    const struct cost_meeting *first;
    unsigned loads, load_bytes, store_bytes, stores;
    bool is_carried;
};

static unsigned bytes_of(const struct subject *subject, unsigned item, bool stores)
{
    const struct machine_cost *cost = ((const struct cost_item *)subject->work->items.data)[item].cost;
    for (unsigned i = 0; i < cost->access_count; i++)
        if (stores ? cost->accesses[i].stores : cost->accesses[i].loads)
            return cost->accesses[i].bytes;
    return 0;
}

/* Removes the waiting of all loads that are not forwarded. */
static void look(const struct subject *subject, struct waiting *waiting, struct without *without,
                 struct remark *remark)
{
    subject_find_dependences(subject);
    const struct array *meetings = &subject->work->scratch.addresses.meetings;
    for (size_t i = 0; i < meetings->count; i++) {
        const struct cost_meeting *meeting = ARRAY_AT(struct cost_meeting, meetings, i);
        if (meeting->fits)
            continue;
        if (!waiting->first)
            waiting->first = meeting;
        waiting->loads++;
        waiting->is_carried |= subject_is_marked(subject, core_part_LATENCY, meeting->load) &&
                               subject_is_marked(subject, core_part_LATENCY, meeting->store);
        remark_point(remark, meeting->store);
        remark_point(remark, meeting->load);
        without_meeting(without, meeting->load);
    }
}

static void say(const struct subject *subject, const struct waiting *waiting, struct remark *remark)
{
    unsigned load = bytes_of(subject, waiting->first->load, false),
             store = bytes_of(subject, waiting->first->store, true);
    const char *when = waiting->first->distance ? "in an earlier iteration" : "just before";
    if (load > store)
        remark_say(remark, "A load of %u bytes reads what a store of %u byte%s wrote %s, and other bytes too",
                   load, store, store == 1 ? "" : "s", when);
    else
        remark_say(remark, "A load of %u byte%s reads part of what a store of %u wrote %s, at another place",
                   load, load == 1 ? "" : "s", store, when);
    remark_say(
        remark,
        ". The store buffer hands over a value only if one store has all of it%s; this load waits until "
        "the store has reached the cache, about %.0f cycles%s.",
        subject->machine->core.forward_piece ? " and the load starts with the store or its second half" : "",
        subject->machine->core.forward_failed, waiting->loads > 1 ? ", and it is not the only one" : "");
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct waiting waiting = {0};
    struct without without;
    if (!(subject->machine->core.forward_failed > 0) || !without_matters(subject) ||
        !(subject_bound(subject, core_part_FORWARDING) > 0))
        return false;
    without_begin(&without, subject);
    look(subject, &waiting, &without, remark);
    if (!waiting.first)
        return false;
    double cycles = without_cycles_in_place(&without);
    if (waiting.is_carried) /* the next iteration needs the value, wherever it is kept */
        cycles = fmax(cycles, without_memory_chain(subject));
    if (isnan(cycles) || !(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    remark->cycles = cycles;
    remark->is_upper = waiting.is_carried;
    if (waiting.is_carried || !around_is_straight(subject))
        remark->level = advice_level_POTENTIAL;
    say(subject, &waiting, remark);
    return true;
}

const struct rule rule_store_forwarding = {
    .name = "store-forwarding",
    .title = "A load waits for stores of other sizes",
    .meaning =
        "The loop stores a value in pieces and loads it as a whole, or the other way round. A value "
        "that was just stored is still in the store buffer. It can be loaded from there only in the "
        "way it was stored; otherwise the load has to wait for the cache, and iterations do not overlap.",
    .level = advice_level_GAIN,
    .remedies =
        {{audience_ANY, NULL,
          "Load with the width of the stores: read the parts one by one, or keep them in variables, and "
          "combine them with shifts and or.",
          action_ACCESS_WIDTH, NULL},
         {audience_ANY, NULL,
          "Or build the whole value in a variable first and store it once, with the width of the load.",
          action_ACCESS_WIDTH, NULL},
         {audience_ANY, NULL,
          "Where the compiler vectorised only the load, vectorise the stores too, or put other work between "
          "the stores and the load.",
          action_ACCESS_WIDTH, NULL},
         {0}},
    .find = find,
};
