/* Tables of counters or sums that data selects: counts[bytes[i]]++, weights[bin[i]] += w[i].

   If two elements in a row select the same entry, the second update loads what the first one stored. It waits
   until the store is forwarded, longer than the rest of the iteration takes. The code does not show how often
   that happens, so the gain is that of data in which it always does, an upper limit. Four tables, used in
   turn and added up after the loop, do with a quarter of the waiting.

   Only the data shows whether it pays: four tables took 0.4 of the time with runs of equal bytes and 1.2 times
   the time with random ones (GCC 12, Neoverse V1). So it is a hint. It is silent where the loop already uses several tables, where each iteration has a table
   of its own, where the entries are used meanwhile, and where other work takes as long as the waiting. */
#include "code/quality/motion/trips.h"
#include "code/quality/rules/around.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/without.h"

#include <math.h>

enum { TABLES = 4, MOST_UPDATES = 32, MOST_STEPS = 5, LEAST_TRIPS = 1024, MOST_ENTRIES = 4096 };
static const double WORTH_A_WORD = 1.5;

/* What an address is made of. */
struct reach {
    uint32_t table;   /* register that stays, 0 for none */
    unsigned loaded;  /* bytes of the number that selects the entry, 0 for none */
    int64_t constant; /* added to a part of the address */
    bool is_masked, moves;
};

struct update {
    uint32_t load, store; /* items, the same one if it does both */
    struct reach reach;
    int64_t displacement;
};

struct histogram {
    const struct subject *subject;
    const struct cost_addresses *addresses;
    struct values values;
    struct update updates[MOST_UPDATES];
    unsigned count;
};

/* How many bits a bit field has that an instruction takes (ubfx, ubfiz); 0: it takes none. */
static unsigned field_bits(const struct subject_item *item)
{
    unsigned immediates = 0, bits = 0;
    if (item->row->class != class_SHIFT)
        return 0;
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_IMMEDIATE && ++immediates)
            bits = (unsigned)item->operands[i].value;
    return immediates == 2 ? bits : 0;
}

/* Whether the result is a byte, or limited by a small constant. */
static bool masks(const struct subject_item *item)
{
    unsigned bits = field_bits(item);
    if (item->row->operation == operation_EXTEND && item->row->source_element == element_INT8)
        return true;
    if (bits && bits < 32 && UINT32_C(1) << bits <= MOST_ENTRIES)
        return true;
    if (item->row->class == class_LOGIC)
        for (unsigned i = 0; i < item->operand_count; i++)
            if (item->operands[i].kind == operand_kind_IMMEDIATE && item->operands[i].value > 0 &&
                item->operands[i].value < MOST_ENTRIES)
                return true;
    return false;
}

static void follow(const struct histogram *histogram, uint32_t item, unsigned use, unsigned steps,
                   struct reach *reach)
{
    const struct subject *subject = histogram->subject;
    const struct cost_item *costs = subject->work->items.data;
    struct value_source source = values_source(&histogram->values, item, use);
    if (source.item == VALUE_OUTSIDE) {
        reach->table = subject->items[item].uses[use].register_;
        return;
    }
    const struct subject_item *row = &subject->items[source.item];
    const struct cost_step *step = &costs[source.item].cost->step;
    uint16_t resource = subject->work->costs.resource_of[subject->items[item].uses[use].register_];
    bool is_pointer = row->row->load_bytes && step->to && step->to == resource;
    if (source.is_earlier || !steps || is_pointer) {
        reach->moves = true;
        return;
    }
    if (row->row->load_bytes) {
        reach->loaded = row->row->load_bytes;
        return;
    }
    if (step->to == resource)
        reach->constant += step->constant;
    reach->is_masked |= masks(row);
    for (unsigned i = 0; i < row->use_count; i++)
        if (value_is_read(&row->uses[i]))
            follow(histogram, source.item, i, steps - 1, reach);
}

static struct reach reach_of(const struct histogram *histogram, uint32_t item)
{
    const struct subject_item *row = &histogram->subject->items[item];
    struct reach reach = {0};
    for (unsigned i = 0; i < row->use_count; i++)
        if (row->uses[i].is_address && value_is_read(&row->uses[i]))
            follow(histogram, item, i, MOST_STEPS, &reach);
    return reach;
}

static const struct cost_reference *reference_of(const struct histogram *histogram, uint32_t item,
                                                 bool stores)
{
    for (size_t i = 0; i < histogram->addresses->references.count; i++) {
        const struct cost_reference *reference =
            ARRAY_AT(struct cost_reference, &histogram->addresses->references, i);
        if (reference->item == item && (stores ? reference->stores : reference->loads))
            return reference;
    }
    return NULL;
}

static bool is_same_place(const struct histogram *histogram, uint32_t load, uint32_t store)
{
    const struct cost_reference *from = reference_of(histogram, load, false),
                                *to = reference_of(histogram, store, true);
    int64_t apart;
    return from && to && from->bytes == to->bytes && from->place.is_known && to->place.is_known &&
           cost_is_apart(&from->place, &to->place, &apart) && !apart;
}

/* The load of the entry, from the item that changes its value on; VALUE_OUTSIDE: it is not a sum. */
static uint32_t load_behind(const struct histogram *histogram, uint32_t item, uint32_t store, unsigned steps)
{
    const struct subject *subject = histogram->subject;
    const struct subject_item *row = &subject->items[item];
    bool adds = row->row->class == class_ADD || row->row->class == class_FMA || row->row->class == class_MOVE;
    if (row->row->load_bytes && item != store && is_same_place(histogram, item, store))
        return item;
    for (unsigned i = 0; steps && (item == store || adds) && i < row->use_count; i++) {
        struct value_source source = values_source(&histogram->values, item, i);
        if (row->uses[i].is_address || !value_is_read(&row->uses[i]) || source.item == VALUE_OUTSIDE ||
            source.is_earlier)
            continue;
        uint32_t load = load_behind(histogram, source.item, store, steps - 1);
        if (load != VALUE_OUTSIDE)
            return load;
    }
    return VALUE_OUTSIDE;
}

/* Whether something else reads the entry or its new value: places that a sort hands out, for example. */
static bool is_used(const struct histogram *histogram, uint32_t load, uint32_t store)
{
    const struct subject *subject = histogram->subject;
    for (uint32_t i = 0; load != store && i < subject->item_count; i++)
        for (unsigned use = 0; i != store && use < subject->items[i].use_count; use++) {
            uint32_t source = values_source(&histogram->values, i, use).item;
            bool is_part = source != VALUE_OUTSIDE && value_is_read(&subject->items[i].uses[use]) &&
                           load_behind(histogram, source, store, MOST_STEPS) == load;
            if (is_part && load_behind(histogram, i, store, MOST_STEPS) != load)
                return true;
        }
    return false;
}

static void look(struct histogram *histogram)
{
    const struct subject *subject = histogram->subject;
    const struct cost_item *costs = subject->work->items.data;
    for (unsigned i = 0; i < subject->access_count && histogram->count < MOST_UPDATES; i++) {
        const struct subject_access *access = &subject->accesses[i];
        const struct subject_item *item = &subject->items[access->item];
        if (!access->stores || access->is_stack || access->pattern != access_pattern_INDIRECT ||
            item->is_vectorised || item->row->class == class_ATOMIC || item->row->class == class_SCATTER)
            continue;
        bool is_both = item->row->load_bytes && item->row->class == class_ADD;
        uint32_t load =
            is_both ? access->item : load_behind(histogram, access->item, access->item, MOST_STEPS);
        struct reach reach = reach_of(histogram, access->item);
        if (load == VALUE_OUTSIDE || reach.moves || !reach.table || !reach.loaded ||
            is_used(histogram, load, access->item))
            continue;
        histogram->updates[histogram->count++] = (struct update){
            .load = load,
            .store = access->item,
            .reach = reach,
            .displacement = costs[access->item].cost->accesses[access->position - 1].displacement};
    }
}

/* Cycles that a value takes through an item, beyond a plain load or store. */
static double latency_of(const struct subject *subject, uint32_t item)
{
    const struct machine_cost *cost = ((const struct cost_item *)subject->work->items.data)[item].cost;
    double most = 0;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].way == way_REGISTER || cost->flows[i].way == way_MEMORY)
            most = fmax(most, cost->flows[i].latency);
    return most;
}

/* Cycles from one update of an entry to the next. */
static double waiting(const struct histogram *histogram, const struct update *update)
{
    const struct subject *subject = histogram->subject;
    const struct cost_reference *store = reference_of(histogram, update->store, true);
    const struct machine_core *core = &subject->machine->core;
    double cycles = store && store->is_vector ? core->forward_vector : core->forward;
    if (update->load == update->store)
        return cycles + latency_of(subject, update->store);
    for (uint32_t i = update->load + 1; i < update->store; i++)
        if ((subject->items[i].row->class == class_ADD || subject->items[i].row->class == class_FMA) &&
            load_behind(histogram, i, update->store, MOST_STEPS) == update->load)
            cycles += latency_of(subject, i);
    return cycles;
}

static bool is_one_table(const struct histogram *histogram)
{
    for (unsigned i = 1; i < histogram->count; i++)
        if (histogram->updates[i].reach.table != histogram->updates[0].reach.table ||
            histogram->updates[i].displacement != histogram->updates[0].displacement ||
            histogram->updates[i].reach.constant != histogram->updates[0].reach.constant)
            return false;
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct histogram histogram = {.subject = subject, .addresses = &subject->work->scratch.addresses};
    if (!without_matters(subject) || !subject->metric->store_count || !subject->metric->indirect_count ||
        subject->metric->call_count || !(subject->machine->core.forward > 0))
        return false;
    subject_find_dependences(subject);
    values_find(&histogram.values, subject);
    look(&histogram);
    if (!histogram.count || !is_one_table(&histogram))
        return false;
    const struct update *first = &histogram.updates[0];
    double wait = waiting(&histogram, first) * histogram.count;
    double cycles = fmax(subject->path->cycles, wait / TABLES);
    int64_t trips = motion_trips(subject);
    if (!(wait >= WORTH_A_WORD * cycles) || (trips && trips < LEAST_TRIPS))
        return false;
    for (unsigned i = 0; i < histogram.count; i++) {
        remark_point(remark, histogram.updates[i].load);
        remark_point(remark, histogram.updates[i].store);
    }
    remark->now = wait;
    remark->cycles = cycles;
    remark->is_upper = true;
    remark_say(
        remark,
        "It adds to an entry of a table that %s selects. If elements in a row select the same entry, each "
        "waits until the store before it is forwarded: an iteration then takes %.2f cycles instead of "
        "%.2f. How often that happens depends on the data; it pays for runs of equal elements in loops of "
        "many more iterations than the table has entries. Where neighbours seldom are equal, several tables "
        "are no faster, or slower.",
        first->reach.loaded == 1 ? "a byte" : "loaded data", wait, subject->path->cycles);
    return true;
}

const struct rule rule_histogram = {
    .name = "histogram",
    .title = "Updates of a table may wait for each other",
    .meaning =
        "The loop counts or sums in a table. Where elements in a row select the same entry, as bytes of "
        "text and images often do, each update must load what the one before stored, and iterations "
        "do not overlap.",
    .level = advice_level_HINT,
    .remedies = {{audience_ANY, NULL,
                  "Use four tables in turn, one for each of four neighbouring elements (unroll the loop four "
                  "times), and add them up after the loop.",
                  action_PARTIAL_SUMS, NULL},
                 {0}},
    .find = find,
};
