/* Loads whose addresses are loaded first: x[index[i]], by gathers or one by one.

   Their cost is estimated by the same loop with its data in order: indices and the computations on them are
   removed, and a gather, or a vector assembled from single loads, becomes a plain load. If that does not make
   the loop faster, it is only a hint: such loads are conspicuous, but often something else limits the loop,
   for example a division. Lookup tables of integer code cannot be put in order and are not reported,
   nor are lists and trees, which have no index array. Sums that are scattered (y[index[i]] += x) cannot be put in
   order by a copy, because several of them meet in one place: a hint. */
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/vector/sides.h"
#include "code/quality/without.h"

#include <math.h>
#include <stdio.h>

/* Reordering data is work, so it must pay. */
static const double WORTH_A_WORD = 1.15;

enum { CHASE_STEPS = 4 };

struct indirection {
    const struct subject *subject;
    struct values values;
    uint8_t *is_indirect; /* by item */
    uint8_t *is_gone;     /* by item: only makes such addresses */
    uint8_t *is_part;     /* by item: assembles vectors from such loads */
    unsigned loads, gathers, scatters;
};

/* Whether an item loads into a register; an address that it steps on its way is not loaded. */
static bool loads_into(const struct subject *subject, unsigned item, uint32_t wanted)
{
    const struct subject_item *row = &subject->items[item];
    uint32_t full = model_full_register(subject->model, wanted);
    for (unsigned i = 0; row->row->load_bytes && i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_REGISTER && row->operands[i].access != access_READ &&
            model_full_register(subject->model, row->operands[i].register_) == full)
            return true;
    return false;
}

/* Whether what an item reads leads to what another item loads, through values and addresses. */
static bool leads_to(const struct indirection *indirection, unsigned item, unsigned wanted, unsigned steps)
{
    const struct subject_item *row = &indirection->subject->items[item];
    for (unsigned u = 0; steps && u < row->use_count; u++) {
        struct value_source source = values_source(&indirection->values, item, u);
        if (!value_is_read(&row->uses[u]) || source.item == VALUE_OUTSIDE)
            continue;
        if (source.item == wanted ? loads_into(indirection->subject, wanted, row->uses[u].register_)
                                  : leads_to(indirection, source.item, wanted, steps - 1))
            return true;
    }
    return false;
}

/* Whether the address comes from a load that needs its own earlier result: a list or a tree, which is walked
   by its pointers and has no index array. */
static bool is_chased(const struct indirection *indirection, unsigned item, unsigned steps)
{
    enum { NEAR = 3 };
    const struct subject_item *row = &indirection->subject->items[item];
    for (unsigned u = 0; steps && u < row->use_count; u++) {
        struct value_source source = values_source(&indirection->values, item, u);
        if (!value_is_read(&row->uses[u]) || source.item == VALUE_OUTSIDE ||
            (row->row->load_bytes && !row->uses[u].is_address))
            continue;
        bool loads = loads_into(indirection->subject, source.item, row->uses[u].register_);
        if ((loads && leads_to(indirection, source.item, source.item, NEAR)) ||
            is_chased(indirection, source.item, steps - 1))
            return true;
    }
    return false;
}

static void mark_accesses(struct indirection *indirection)
{
    const struct subject *subject = indirection->subject;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        unsigned class = subject->items[access->item].row->class;
        if (access->pattern != access_pattern_INDIRECT || indirection->is_indirect[access->item] ||
            subject->items[access->item].purpose != purpose_DATA ||
            is_chased(indirection, access->item, CHASE_STEPS))
            continue;
        indirection->is_indirect[access->item] = 1;
        indirection->gathers += class == class_GATHER;
        indirection->scatters += access->stores;
        indirection->loads += access->loads && class != class_GATHER;
    }
}

/* Whether every reader of an item's result is an indirect access that uses it in its address, or is removed
   itself. */
static bool serves_addresses(const struct indirection *indirection, unsigned item)
{
    const struct subject *subject = indirection->subject;
    unsigned readers = 0;
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            struct value_source source = values_source(&indirection->values, i, u);
            if (source.item != item)
                continue;
            bool is_gather = subject->items[i].row->class == class_GATHER;
            bool is_place =
                indirection->is_indirect[i] && (subject->items[i].uses[u].is_address || is_gather);
            if (source.is_earlier || (!is_place && !indirection->is_gone[i]))
                return false;
            readers++;
        }
    return readers;
}

/* From the last to the first, so that the inputs of an index are removed with it. Counters stay: other items
   step by them. */
static void mark_gone(struct indirection *indirection)
{
    const struct subject *subject = indirection->subject;
    const struct cost_item *costs = subject->work->items.data;
    for (unsigned i = subject->item_count; i--;) {
        const struct subject_item *item = &subject->items[i];
        const struct cost_step *step = &costs[i].cost->step;
        bool counts = step->to && step->to == step->from;
        if (indirection->is_indirect[i] || counts || item->row->store_bytes || item->row->flow != flow_NEXT)
            continue;
        indirection->is_gone[i] = serves_addresses(indirection, i);
    }
}

/* Vectors assembled from elements: shuffles whose inputs were all loaded through indices. */
static void mark_parts(struct indirection *indirection)
{
    const struct subject *subject = indirection->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        unsigned sources = 0, others = 0;
        if (item->row->class != class_SHUFFLE)
            continue;
        for (unsigned u = 0; u < item->use_count; u++) {
            struct value_source source = values_source(&indirection->values, i, u);
            if (!value_is_read(&item->uses[u]) || item->uses[u].is_address ||
                model_register(subject->model, item->uses[u].register_)->kind != register_kind_VECTOR)
                continue;
            bool is_so = source.item != VALUE_OUTSIDE && !source.is_earlier &&
                         (indirection->is_part[source.item] || indirection->is_indirect[source.item]);
            *(is_so ? &sources : &others) += 1;
        }
        indirection->is_part[i] = !others && (sources || indirection->is_indirect[i]);
    }
}

/* Whether another instruction that assembles the vector uses the result. */
static bool is_inner_part(const struct indirection *indirection, unsigned item)
{
    const struct subject *subject = indirection->subject;
    for (unsigned i = item + 1; i < subject->item_count; i++)
        for (unsigned u = 0; indirection->is_part[i] && u < subject->items[i].use_count; u++)
            if (values_source(&indirection->values, i, u).item == item)
                return true;
    return false;
}

static double cycles_in_order(const struct indirection *indirection)
{
    const struct subject *subject = indirection->subject;
    struct without without;
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        bool is_whole = indirection->is_indirect[i] && subject->items[i].row->class == class_GATHER;
        if (indirection->is_gone[i] || is_inner_part(indirection, i))
            without_item(&without, i);
        else if (is_whole || indirection->is_part[i])
            without_gathering(&without, i);
    }
    return without_cycles(&without);
}

/* Whether one of the places that are loaded is also stored to: the same operands, or one instruction. */
static bool is_scattered_back(const struct indirection *indirection)
{
    const struct subject *subject = indirection->subject;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *store = &subject->accesses[i];
        const struct operand *place = subject_item_memory(&subject->items[store->item]);
        if (!store->stores || !indirection->is_indirect[store->item] || !place)
            continue;
        for (unsigned k = 0; k < subject->access_count; k++) {
            const struct subject_access *load = &subject->accesses[k];
            const struct operand *from = subject_item_memory(&subject->items[load->item]);
            if (load->loads && indirection->is_indirect[load->item] && from &&
                sides_is_same_place(from, place))
                return true;
        }
    }
    return false;
}

/* Whether the loop waits for loads, or for assembling the loaded values. */
static bool are_waited_for(const struct indirection *indirection)
{
    enum core_part limit = indirection->subject->path->limit;
    if (limit == core_part_LOADS || limit == core_part_PORTS || limit == core_part_CONTENTION ||
        indirection->gathers)
        return true;
    for (unsigned i = 0; i < indirection->subject->item_count; i++)
        if (indirection->is_part[i])
            return true;
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct indirection indirection = {.subject = subject};
    char gathers[32], loads[32];
    enum { MOST_ITEMS = 512 }; /* readers are searched one by one */
    if (!without_matters(subject) || !subject->metric->indirect_count || subject->item_count > MOST_ITEMS ||
        !(subject->metric->flop_count + subject->metric->gather_count))
        return false;
    indirection.is_indirect = arena_get(subject->arena, subject->item_count + 1);
    indirection.is_gone = arena_get(subject->arena, subject->item_count + 1);
    indirection.is_part = arena_get(subject->arena, subject->item_count + 1);
    values_find(&indirection.values, subject);
    mark_accesses(&indirection);
    if (!(indirection.loads + indirection.gathers))
        return false;
    mark_gone(&indirection);
    mark_parts(&indirection);
    for (unsigned i = 0; i < subject->item_count; i++)
        if (indirection.is_indirect[i])
            remark_point(remark, i);
    double cycles = cycles_in_order(&indirection);
    remark_count(gathers, sizeof gathers, indirection.gathers, "gather", "gathers");
    remark_count(loads, sizeof loads, indirection.loads, "load", "loads");
    remark_say(remark, "%s%s%s per iteration %s through indices that are loaded first",
               indirection.loads ? loads : "", indirection.loads && indirection.gathers ? " and " : "",
               indirection.gathers ? gathers : "",
               indirection.loads + indirection.gathers == 1 ? "goes" : "go");
    remark->cycles = without_gains(subject, cycles) ? cycles : NAN;
    if (isnan(remark->cycles))
        remark_say(
            remark,
            ". With data in the L1 cache they do not slow this loop down; with data further away they will.");
    else
        remark_say(remark, "; with the data in the order of its use, the loop would take %.2f cycles.",
                   cycles);
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles) || !are_waited_for(&indirection) ||
        is_scattered_back(&indirection))
        remark->level = advice_level_HINT;
    return true;
}

const struct rule rule_indirect = {
    .name = "indirect",
    .title = "Elements are accessed through an index array",
    .meaning = "The index must be loaded before the element, elements are loaded one by one, and a gather is "
               "no faster than the single loads that it replaces. With irregular indices each element also "
               "needs its own cache line.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_ANY, NULL,
          "If the same indices are used many times, copy the elements once into the order of their use, and "
          "loop over the copy.",
          action_REORDER_DATA},
         {audience_ANY, NULL,
          "Renumber the elements or sort the indices, so that elements used together are close in memory and "
          "share cache lines.",
          action_REORDER_DATA},
         {audience_ANY, NULL,
          "Where neighbouring elements are used in a row, store runs (first and count) instead of single "
          "indices, with a plain loop over each run.",
          action_REORDER_DATA},
         {audience_ANY, NULL,
          "Put data that is always used together into one structure, so that one index reaches all of it.",
          action_LAYOUT},
         {0}},
    .find = find,
};
