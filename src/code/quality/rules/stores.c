/* Values that are stored in every iteration although only the last one matters.

   A store to a fixed place could be done once, after the loop, if nothing else could read the place
   meanwhile. Where the loop passes the structure of the place to a function, on whatever path, the value must
   be in memory there, so that is only a hint. If the loop also loads from the place, the value would come
   from a register: the loop then waits for its arithmetic, but no longer for memory. A sum that is kept in
   memory and that the iterations wait for is left to rule reduction; places on the stack are left to rule
   spills.

   The other case is a run of adjacent short stores in a loop that stores limit: one wide store could do the
   work of several, but the cost of combining the values first is unknown, so that is only a hint. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/callees.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"
#include "code/quality/rules/spare.h"
#include "code/quality/values.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdio.h>

/* A value that passes through memory arrives sooner than the model says on some cores. */
static const double NEARLY_ALWAYS = 2;
/* In loops that decide a lot, wrong guesses and other paths hide less than this. */
static const double AMONG_BRANCHES = 1.5;
enum { MANY_BRANCHES = 3 };
enum { MOST_COMPARED = 1 << 16, WIDE_STORE = 8 /* bytes that a general register stores at once */ };

static const struct remedy local = {audience_C, NULL,
                                    "Use a local variable in the loop and store it once after the loop: "
                                    "double sum = *p; for (…) sum += x[i]; *p = "
                                    "sum; for a structure, a local copy of it.",
                                    action_KEEP_LOCAL};
static const struct remedy scalar = {
    audience_FORTRAN, NULL,
    "Use a local scalar in the loop and assign it to the array element or component once after the loop.",
    action_KEEP_LOCAL};
static const struct remedy growing = {audience_C, NULL,
                                      "push_back checks for room and stores the end of the vector each time: "
                                      "if the number of elements is known, "
                                      "resize() the vector before the loop and write to its elements.",
                                      action_ALLOCATE_ONCE};
static const struct remedy restricting = {audience_C, NULL,
                                          "Or rule out aliasing: declare the pointers restrict (__restrict "
                                          "in C++). Without it, pointers to char may alias anything.",
                                          action_RESTRICT, precondition_two_arrays};
static const struct remedy widening = {
    audience_ANY, NULL,
    "Combine the values in a variable of 4 or 8 bytes (with shifts, a union or memcpy) and store that, or "
    "vectorise the loop so that it stores whole vectors.",
    action_COMBINE_STORES};

struct storing {
    const struct subject *subject;
    const struct cost_addresses *addresses;
    unsigned still, stores;
    bool is_passed;    /* to a function that the loop calls: it may read such a place */
    unsigned compared; /* accesses that may still be compared */
};

static const struct cost_reference *reference_at(const struct storing *storing, size_t index)
{
    return ARRAY_AT(struct cost_reference, &storing->addresses->references, index);
}

static bool stays(const struct storing *storing, const struct cost_reference *reference)
{
    struct cost_place before = reference->place;
    int64_t apart;
    return reference->place.is_known && cost_earlier_place(storing->addresses, &before) &&
           cost_is_apart(&before, &reference->place, &apart) && !apart;
}

static bool is_on_stack(const struct subject *subject, uint32_t item)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].item == item && subject->accesses[i].is_stack)
            return true;
    return false;
}

static bool counts(const struct storing *storing, const struct cost_reference *store)
{
    const struct subject_item *item = &storing->subject->items[store->item];
    unsigned class = item->row->class;
    return store->stores && class != class_ATOMIC && class != class_PUSH && class != class_CALL &&
           class != class_STRING && class != class_SCATTER && !is_on_stack(storing->subject, store->item) &&
           stays(storing, store);
}

/* Loads of the same place would come from the register. */
static void take_out(struct storing *storing, const struct cost_reference *store, struct without *gone,
                     struct without *quick)
{
    for (size_t i = 0; i < storing->addresses->references.count && storing->compared; i++) {
        const struct cost_reference *other = reference_at(storing, i);
        int64_t apart;
        storing->compared--;
        if (!cost_is_apart(&store->place, &other->place, &apart) || apart <= -(int64_t)other->bytes ||
            apart >= store->bytes)
            continue;
        if (other->loads)
            without_waiting(quick, other->item);
        without_memory(gone, other->item);
    }
}

/* Whether iterations wait for a floating-point number to pass through memory, which another rule reports. */
static bool is_chain(const struct subject *subject, uint32_t item)
{
    return subject->path->limit == core_part_LATENCY && subject->items[item].is_fp &&
           subject_is_marked(subject, core_part_LATENCY, item);
}

/* By how much a stored value is more than before; 0: unknown. *made: the item that makes it. */
static int64_t stored_step(const struct values *values, uint32_t store, uint32_t *made)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[store];
    *made = store;
    if (row->row->load_bytes)
        return iterations_step(subject, store);
    for (unsigned use = 0; use < row->use_count; use++) {
        *made = values_source(values, store, use).item;
        int64_t step = value_is_read(&row->uses[use]) && !row->uses[use].is_address && *made != VALUE_OUTSIDE
                           ? iterations_step(subject, *made)
                           : 0;
        if (step)
            return step;
    }
    return 0;
}

/* Whether the loop ends as soon as a stored value has made a step, or a few: a buffer of bits that is emptied
   or filled by bytes. */
static bool ends_at_once(const struct storing *storing)
{
    struct values values;
    uint32_t made;
    values_find(&values, storing->subject);
    for (size_t i = 0; i < storing->addresses->references.count; i++) {
        const struct cost_reference *store = reference_at(storing, i);
        int64_t step = counts(storing, store) ? stored_step(&values, store->item, &made) : 0, apart;
        if (step && iterations_pass_limit(&values, made, step))
            return true;
        for (size_t k = 0; step && k < storing->addresses->references.count; k++) {
            const struct cost_reference *load = reference_at(storing, k);
            if (load->loads && cost_is_apart(&store->place, &load->place, &apart) && apart >= 0 &&
                apart < store->bytes && iterations_pass_limit(&values, load->item, step))
                return true;
        }
    }
    return false;
}

static bool find_still(struct storing *storing, struct remark *remark)
{
    const struct subject *subject = storing->subject;
    struct without gone, quick;
    struct callee callee;
    unsigned spare[2] = {spare_registers(subject, register_kind_GENERAL),
                         spare_registers(subject, register_kind_VECTOR)};
    without_begin(&gone, subject);
    without_begin(&quick, subject);
    for (size_t i = 0; i < storing->addresses->references.count; i++) {
        const struct cost_reference *store = reference_at(storing, i);
        storing->stores += store->stores;
        if (!counts(storing, store))
            continue;
        if (is_chain(subject, store->item))
            return false;
        unsigned *free = &spare[store->is_vector];
        if (!*free || around_is_array(subject, store->item))
            continue;
        --*free;
        storing->still++;
        storing->is_passed |= around_passes(subject, store->item);
        remark_point(remark, store->item);
        take_out(storing, store, &gone, &quick);
    }
    if (!storing->still)
        return false;
    remark->cycles = fmax(without_cycles(&gone), without_chain(&quick));
    /* Parts of a value that are stored apart are still parts of it in a register. */
    if (subject_bound(subject, core_part_FORWARDING) > 0)
        remark->cycles = fmax(remark->cycles, without_memory_chain(subject));
    if (!without_gains(subject, remark->cycles))
        return false;
    bool is_sure = subject->path->cycles >= NEARLY_ALWAYS * remark->cycles && around_is_straight(subject);
    bool grows = callee_find_in_loop(subject, callee_GROWTH, &callee);
    bool is_hidden = subject->metric->branch_count >= MANY_BRANCHES &&
                     subject->path->cycles < AMONG_BRANCHES * remark->cycles;
    if ((storing->is_passed || is_hidden) && !grows)
        remark->level = advice_level_HINT;
    else if (is_sure)
        remark->level = advice_level_GAIN;
    remark->is_upper = !is_sure && subject->path->limit == core_part_LATENCY;
    if (storing->still < storing->stores)
        remark_say(remark, "%u of the %u stores", storing->still, storing->stores);
    else if (storing->still > 1)
        remark_say(remark, storing->still == 2 ? "Both stores" : "All %u stores", storing->still);
    else
        remark_say(remark, "The store");
    remark_say(remark,
               " per iteration %s to the same address every time: a register could hold the value until the "
               "loop ends.",
               storing->still == 1 ? "goes" : "go");
    iterations_caution(subject, remark);
    remark_advise(remark, grows ? &growing : &local);
    remark_advise(remark, &scalar);
    remark_advise(remark, &restricting);
    return true;
}

/* Stores that begin where the one before ended, so that one of WIDE_STORE bytes could take both. */
static unsigned count_short(const struct storing *storing, struct remark *remark)
{
    const struct cost_reference *last = NULL;
    unsigned together = 0, count = 0;
    for (size_t i = 0; i < storing->addresses->references.count; i++) {
        const struct cost_reference *store = reference_at(storing, i);
        int64_t apart;
        if (!store->stores)
            continue;
        bool follows = last && !store->is_vector && cost_is_apart(&last->place, &store->place, &apart) &&
                       (apart == last->bytes || apart == -(int64_t)store->bytes) &&
                       together + store->bytes <= WIDE_STORE;
        if (follows) {
            remark_point(remark, last->item);
            remark_point(remark, store->item);
            count++;
        }
        together = follows ? together + store->bytes : store->bytes;
        last = store;
    }
    return count;
}

static bool find_short(const struct storing *storing, struct remark *remark)
{
    const struct subject *subject = storing->subject;
    bool is_limit =
        subject->path->limit == core_part_STORES ||
        ((subject->path->limit == core_part_PORTS || subject->path->limit == core_part_CONTENTION) &&
         subject_bound(subject, core_part_STORES) >= subject_bound(subject, core_part_PORTS));
    if (!is_limit || !count_short(storing, remark))
        return false;
    remark->level = advice_level_HINT;
    remark_say(remark,
               "Stores limit the loop, %u per iteration; %u of them are narrow, adjacent stores that one "
               "store could replace.",
               storing->stores, (unsigned)remark->evidence.count);
    remark_advise(remark, &widening);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct storing storing = {
        .subject = subject, .addresses = &subject->work->scratch.addresses, .compared = MOST_COMPARED};
    if (!without_matters(subject) || !subject->metric->store_count || around_is_shared(subject))
        return false;
    subject_find_dependences(subject);
    if (ends_at_once(&storing))
        return false;
    if (find_still(&storing, remark))
        return true;
    remark->evidence.count = 0;
    remark->cycles = NAN;
    return find_short(&storing, remark);
}

const struct rule rule_stores = {
    .name = "stores",
    .title = "The loop stores more than it needs to",
    .meaning = "A processor does only one or two stores per cycle. Storing a result in every iteration, "
               "though the next one overwrites it, takes slots from stores that are needed.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
