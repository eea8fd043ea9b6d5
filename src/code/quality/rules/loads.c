/* Values that are loaded although a register could have kept them.

   Three kinds, found from the code alone: a place that is the same in every iteration; a place that was
   loaded before in the same iteration; and a single number that the iteration before has loaded, as in a
   stencil. Mostly the compiler cannot keep them, because a store in between might change them. Places that
   the loop stores to at a known distance are left to rule stores, those on the stack to rule spills, pointers
   to rule double-indirection. A value counts only as long as a register is free to keep it: beyond that the
   compiler has no choice. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/spare.h"
#include "code/quality/without.h"

#include <math.h>

enum repeat { repeat_NONE, repeat_STILL, repeat_AGAIN, repeat_EARLIER, repeat_KINDS };

/* With this gain in the model, nearly every loop gains in reality. */
static const double NEARLY_ALWAYS = 1.2;
/* And with this many cycles saved: less is within the error of the model. */
static const double LEAST_SAVING = 0.5;
/* Below this gain it mostly brings nothing: the loads fit in beside the rest, above all beside branches. */
static const double WORTH_A_TRY = 1.1, WORTH_BESIDE_BRANCHES = 1.25;
/* Pairs of accesses that are compared at most: paths are long in unrolled loops. */
enum { MOST_COMPARED = 1 << 16 };

static const struct remedy restricting = {audience_C, NULL,
                                          "If the arrays do not overlap, declare pointer parameters restrict "
                                          "(double *restrict y; __restrict in C++).",
                                          action_RESTRICT, precondition_two_arrays};
static const struct remedy copying = {
    audience_C, NULL, "Copy loop-invariant values (p->a, *p, a[k]) to local variables before the loop.",
    action_HOIST};
static const struct remedy attributes = {
    audience_FORTRAN, NULL,
    "Copy loop-invariant components and elements to local scalars before the loop; drop TARGET and POINTER "
    "where they are not needed, because they allow arrays to overlap.",
    action_HOIST};
static const struct remedy commoning = {
    audience_GCC, "-fpredictive-commoning",
    "-O3, or -fpredictive-commoning: passes values from one iteration to the next in registers.",
    action_OPTIMISE};

struct loading {
    const struct subject *subject;
    const struct cost_addresses *addresses;
    unsigned counts[repeat_KINDS];
    unsigned loads;
};

static const struct cost_reference *reference_at(const struct loading *loading, size_t index)
{
    return ARRAY_AT(struct cost_reference, &loading->addresses->references, index);
}

/* The same place, whole or a part of it. */
static bool holds(const struct cost_place *place, unsigned bytes, const struct cost_reference *load)
{
    int64_t apart;
    return cost_is_apart(place, &load->place, &apart) && apart >= 0 && apart + load->bytes <= bytes;
}

static bool overlaps(const struct cost_reference *store, const struct cost_place *place, unsigned bytes)
{
    int64_t apart;
    return cost_is_apart(&store->place, place, &apart) && apart > -(int64_t)bytes && apart < store->bytes;
}

/* Whether a store of the path goes to the place of a load, in this iteration or another one. */
static bool is_stored(const struct loading *loading, const struct cost_reference *load)
{
    const struct array *meetings = &loading->addresses->meetings;
    for (size_t i = 0; i < meetings->count; i++)
        if (ARRAY_AT(struct cost_meeting, meetings, i)->load == load->item)
            return true;
    for (size_t i = 0; i < loading->addresses->references.count; i++)
        if (reference_at(loading, i)->stores && overlaps(reference_at(loading, i), &load->place, load->bytes))
            return true;
    return false;
}

static bool is_still(const struct loading *loading, const struct cost_reference *load)
{
    struct cost_place before = load->place;
    int64_t apart;
    return cost_earlier_place(loading->addresses, &before) && cost_is_apart(&before, &load->place, &apart) &&
           !apart;
}

/* Whether an earlier load of this iteration has the value. */
static bool is_again(const struct loading *loading, size_t index, unsigned *compared)
{
    const struct cost_reference *load = reference_at(loading, index);
    for (size_t i = index; i-- && *compared;) {
        const struct cost_reference *other = reference_at(loading, i);
        (*compared)--;
        if (other->item != load->item && other->loads && holds(&other->place, other->bytes, load) &&
            other->bytes == load->bytes)
            return true;
    }
    return false;
}

/* Whether a load of the previous iteration has it: only scalars, because parts of vectors would have to be
 * combined. */
static bool is_earlier(const struct loading *loading, size_t index, unsigned *compared)
{
    const struct cost_reference *load = reference_at(loading, index);
    struct cost_reference before = *load;
    if (loading->subject->items[load->item].row->is_vector ||
        !cost_earlier_place(loading->addresses, &before.place))
        return false;
    for (size_t i = 0; i < loading->addresses->references.count && *compared; i++) {
        const struct cost_reference *other = reference_at(loading, i);
        (*compared)--;
        if (other->loads && other->bytes == load->bytes && holds(&other->place, other->bytes, &before))
            return true;
    }
    return false;
}

/* Data to compute with, at one place: not a pointer, not on the stack. */
static bool counts(const struct loading *loading, const struct cost_reference *load)
{
    const struct subject *subject = loading->subject;
    const struct subject_item *item = &subject->items[load->item];
    if (!load->loads || load->stores || !load->place.is_known || item->purpose != purpose_DATA ||
        item->row->class == class_GATHER)
        return false;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].item == load->item &&
            (subject->accesses[i].is_stack || subject->accesses[i].stores))
            return false;
    return true;
}

/* The kind of register that keeps the value. */
static enum register_kind kind_of(const struct loading *loading, const struct cost_reference *load)
{
    return load->is_vector || loading->subject->items[load->item].is_fp ? register_kind_VECTOR
                                                                        : register_kind_GENERAL;
}

static enum repeat repeat_of(const struct loading *loading, size_t index, unsigned *compared)
{
    const struct cost_reference *load = reference_at(loading, index);
    if (!counts(loading, load) || is_stored(loading, load))
        return repeat_NONE;
    return is_again(loading, index, compared)     ? repeat_AGAIN
           : is_still(loading, load)              ? repeat_STILL
           : is_earlier(loading, index, compared) ? repeat_EARLIER
                                                  : repeat_NONE;
}

static void take_out(struct loading *loading, struct without *without, struct remark *remark)
{
    const struct subject *subject = loading->subject;
    unsigned spare[2] = {spare_registers(subject, register_kind_GENERAL),
                         spare_registers(subject, register_kind_VECTOR)};
    unsigned compared = MOST_COMPARED;
    for (size_t i = 0; i < loading->addresses->references.count; i++) {
        const struct cost_reference *load = reference_at(loading, i);
        loading->loads += load->loads;
        enum repeat repeat = load->loads ? repeat_of(loading, i, &compared) : repeat_NONE;
        unsigned *free = &spare[kind_of(loading, load) == register_kind_VECTOR];
        if (repeat == repeat_NONE || !*free)
            continue;
        --*free;
        loading->counts[repeat]++;
        without_memory(without, load->item);
        remark_point(remark, load->item);
    }
}

static void say_repeats(const struct loading *loading, struct remark *remark)
{
    static const char *const words[repeat_KINDS] = {
        NULL, "%u from the same address in every iteration",
        "%u from an address that the iteration has loaded already",
        "%u of a value that the previous iteration has loaded"};
    const char *before = "";
    unsigned all =
        loading->counts[repeat_STILL] + loading->counts[repeat_AGAIN] + loading->counts[repeat_EARLIER];
    if (all == loading->loads && all == 1)
        remark_say(remark, "The load");
    else
        remark_say(remark, "%u of the %u loads", all, loading->loads);
    remark_say(remark, " per iteration read%s values that a register could keep: ", all == 1 ? "s" : "");
    for (unsigned kind = repeat_STILL; kind < repeat_KINDS; kind++) {
        if (!loading->counts[kind])
            continue;
        remark_say(remark, "%s", before);
        remark_say(remark, words[kind], loading->counts[kind]);
        before = ", ";
    }
    remark_say(remark, ".");
    if (loading->counts[repeat_STILL] || loading->counts[repeat_AGAIN]) {
        remark_advise(remark, &restricting);
        remark_advise(remark, &copying);
        remark_advise(remark, &attributes);
    }
    if (loading->counts[repeat_EARLIER])
        remark_advise(remark, &commoning);
}

/* Ports are shared with branches that may be guessed wrong: then fewer loads hardly show. */
static bool gains_for_sure(const struct loading *loading, double cycles)
{
    const struct subject *subject = loading->subject;
    bool is_crowded =
        (subject->path->limit == core_part_PORTS || subject->path->limit == core_part_CONTENTION) &&
        subject->metric->branch_count > 1;
    return subject->path->cycles >= NEARLY_ALWAYS * cycles &&
           subject->path->cycles - cycles >= LEAST_SAVING && !is_crowded &&
           !loading->counts[repeat_EARLIER] && around_is_straight(subject);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct loading loading = {.subject = subject, .addresses = &subject->work->scratch.addresses};
    struct without without;
    if (!without_matters(subject) || !subject->metric->load_count || around_is_shared(subject))
        return false;
    subject_find_dependences(subject);
    without_begin(&without, subject);
    take_out(&loading, &without, remark);
    remark->cycles = remark->evidence.count ? without_cycles(&without) : NAN;
    if (!without_gains(subject, remark->cycles))
        return false;
    if (gains_for_sure(&loading, remark->cycles))
        remark->level = advice_level_GAIN;
    else if (subject->path->cycles <
             (around_is_straight(subject) ? WORTH_A_TRY : WORTH_BESIDE_BRANCHES) * remark->cycles)
        remark->level = advice_level_HINT;
    iterations_limit(subject, remark);
    say_repeats(&loading, remark);
    return true;
}

const struct rule rule_loads = {
    .name = "loads",
    .title = "The loop loads more than it needs to",
    .meaning = "A processor starts only two or three loads per cycle. Loading unchanged values again takes "
               "load slots from loads that are needed, or makes the arithmetic wait.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
