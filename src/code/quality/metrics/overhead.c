/* An item counts only if its purpose is ADDRESS (subject.h), so removing it does not change the results of
   the loop. */
#include "code/quality/metrics/overhead.h"

#include "code/quality/metrics/metrics.h"
#include "code/quality/motion/motion.h"
#include "code/quality/without.h"

/* Nobody reads longer paths. */
enum { MOST_ITEMS = 4096 };

/* By item. */
struct look {
    enum access_pattern *patterns; /* of its load, if that is not on the stack; UNKNOWN for none */
    uint8_t *stack;                /* it loads from one place of the stack */
    uint8_t *still;                /* its result is the same in every iteration */
    uint8_t *is_multiplied, *is_read_otherwise;
    uint8_t *moves;     /* it accesses a place that moves */
    uint8_t *is_wanted; /* by the address of such an access */
    bool stores;        /* the path stores something, for which pointers may have to be loaded again */
};

static void find_patterns(const struct subject *subject, struct look *look)
{
    size_t count = subject->item_count + 1;
    look->patterns = arena_get(subject->arena, count * sizeof *look->patterns);
    look->stack = arena_get(subject->arena, count);
    look->still = arena_get(subject->arena, count);
    look->is_multiplied = arena_get(subject->arena, count);
    look->is_read_otherwise = arena_get(subject->arena, count);
    look->moves = arena_get(subject->arena, count);
    look->is_wanted = arena_get(subject->arena, count);
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (!access->is_stack && access->pattern != access_pattern_INVARIANT)
            look->moves[access->item] = 1;
        look->stores = look->stores || (access->stores && !access->is_stack);
        if (access->position != 1 || !access->loads)
            continue;
        if (access->is_stack)
            look->stack[access->item] = access->pattern == access_pattern_INVARIANT;
        else
            look->patterns[access->item] = access->pattern;
    }
}

static unsigned address_bytes(const struct subject *subject)
{
    const struct loop *loop = model_loop(subject->model, subject->loop);
    return model_program(subject->model, model_function(subject->model, loop->function)->program)->bits / 8;
}

bool overhead_may_load_pointers(const struct subject *subject)
{
    bool stores = false, loads = false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        stores = stores || (access->stores && !access->is_stack);
        loads = loads || (access->loads && !access->is_stack && access->pattern == access_pattern_INVARIANT &&
                          subject->items[access->item].purpose == purpose_ADDRESS);
    }
    return stores && loads;
}

/* A load from a fixed address is not loop-invariant if the path also stores there. */
static void find_stored(const struct subject *subject, struct look *look)
{
    unsigned count;
    const struct motion_reference *references = motion_follow(subject, &count);
    const struct cost_item *items = subject->work->items.data;
    for (unsigned i = 0; i < count; i++) {
        const struct cost_access *store = &items[references[i].item].cost->accesses[references[i].position];
        for (unsigned k = 0; k < count && store->stores; k++) {
            const struct motion_reference *load = &references[k];
            if (look->patterns[load->item] != access_pattern_INVARIANT ||
                !motion_is_apart(&load->place, &references[i].place))
                continue;
            int64_t distance = references[i].place.constant - load->place.constant;
            if (distance < items[load->item].cost->accesses[load->position].bytes && -distance < store->bytes)
                look->patterns[load->item] = access_pattern_UNKNOWN;
        }
    }
}

/* Loads one address, or several adjacent ones. */
static bool is_pointer_load(const struct subject *subject, const struct subject_item *item)
{
    unsigned bytes = address_bytes(subject);
    return bytes && item->row->load_bytes && item->row->load_bytes % bytes == 0 && !item->row->is_vector;
}

/* Whether an item's result is the same in every iteration: it is loaded from a fixed address, also on the
   stack, or is a copy of such a value. */
static bool is_still(const struct overhead *overhead, unsigned item, const struct look *look)
{
    const struct subject_item *row = &overhead->subject->items[item];
    if (row->row->class == class_LOAD || row->row->class == class_POP)
        return look->patterns[item] == access_pattern_INVARIANT || look->stack[item];
    if (row->row->class != class_MOVE)
        return false;
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(&overhead->values, item, u);
        if (value_is_read(&row->uses[u]) && source.item != VALUE_OUTSIDE && !look->still[source.item])
            return false;
    }
    return true;
}

/* Whether a value that is the same in every iteration enters by a register. */
static bool has_still_source(const struct overhead *overhead, unsigned item, const struct look *look)
{
    const struct subject_item *row = &overhead->subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++) {
        if (!value_is_read(&row->uses[u]) || row->uses[u].is_address)
            continue;
        struct value_source source = values_source(&overhead->values, item, u);
        if (source.item == VALUE_OUTSIDE || look->still[source.item])
            return true;
    }
    return false;
}

static bool multiplies(enum class class)
{
    return class == class_MULTIPLY || class == class_FMA;
}

/* Which items multiply the loaded value, and which use it otherwise. */
static void find_readers(const struct overhead *overhead, struct look *look)
{
    const struct subject *subject = overhead->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *row = &subject->items[i];
        for (unsigned u = 0; u < row->use_count; u++) {
            struct value_source source = values_source(&overhead->values, i, u);
            if (!value_is_read(&row->uses[u]) || source.item == VALUE_OUTSIDE)
                continue;
            if (multiplies(row->row->class) && !row->uses[u].is_address)
                look->is_multiplied[source.item] = 1;
            else
                look->is_read_otherwise[source.item] = 1;
        }
    }
}

/* From the accesses that move back to the items that make their addresses. */
static void find_wanted(const struct overhead *overhead, struct look *look)
{
    const struct subject *subject = overhead->subject;
    for (unsigned i = subject->item_count; i-- > 0;) {
        const struct subject_item *row = &subject->items[i];
        for (unsigned u = 0; u < row->use_count; u++) {
            struct value_source source = values_source(&overhead->values, i, u);
            if (source.item == VALUE_OUTSIDE || source.is_earlier)
                continue;
            if (look->is_wanted[i] || (look->moves[i] && row->uses[u].is_address))
                look->is_wanted[source.item] = 1;
        }
    }
}

/* Whether it steps a register: its result is its input in the next iteration. */
static bool is_step(const struct overhead *overhead, unsigned item)
{
    const struct subject_item *row = &overhead->subject->items[item];
    if (row->row->class != class_ADD && row->row->class != class_ADDRESS)
        return false;
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(&overhead->values, item, u);
        if (source.item == item && source.is_earlier)
            return true;
    }
    return false;
}

static enum overhead_kind kind_of(const struct overhead *overhead, unsigned item, const struct look *look)
{
    const struct subject *subject = overhead->subject;
    const struct subject_item *row = &subject->items[item];
    bool loads_still = look->patterns[item] == access_pattern_INVARIANT;
    if (row->purpose != purpose_ADDRESS || !metric_is_scalar_integer(subject->model, row))
        return overhead_NONE;
    switch (row->row->class) {
    case class_LOAD:
        if (!loads_still || !look->is_wanted[item] || !look->stores || !is_pointer_load(subject, row))
            return overhead_NONE;
        return look->is_multiplied[item] && !look->is_read_otherwise[item] ? overhead_STRIDE
                                                                           : overhead_POINTER;
    case class_MULTIPLY:
    case class_FMA:
        return loads_still || has_still_source(overhead, item, look) ? overhead_STRIDE : overhead_OTHER;
    case class_ADD:
    case class_ADDRESS:
        if (loads_still)
            return overhead_STRIDE;
        return is_step(overhead, item) ? overhead_NONE : overhead_OTHER;
    case class_DIVIDE:
    case class_LOGIC:
    case class_SHIFT:
    case class_BIT:
    case class_MOVE:
    case class_CONVERT:
        return overhead_OTHER;
    default:
        return overhead_NONE;
    }
}

void overhead_find(struct overhead *overhead, const struct subject *subject)
{
    struct look look = {0};
    *overhead = (struct overhead){.subject = subject};
    overhead->kinds = arena_get(subject->arena, subject->item_count + 1);
    find_patterns(subject, &look);
    if (overhead_may_load_pointers(subject))
        find_stored(subject, &look);
    values_find(&overhead->values, subject);
    find_readers(overhead, &look);
    find_wanted(overhead, &look);
    for (unsigned i = 0; i < subject->item_count; i++) {
        look.still[i] = is_still(overhead, i, &look);
        overhead->kinds[i] = (uint8_t)kind_of(overhead, i, &look);
        overhead->counts[overhead->kinds[i]]++;
        if (overhead->kinds[i] == overhead_POINTER)
            overhead->pointers += subject->items[i].row->load_bytes / address_bytes(subject);
    }
    overhead->count = subject->item_count - overhead->counts[overhead_NONE];
}

double overhead_cycles(const struct overhead *overhead, enum overhead_kind kind)
{
    struct without without;
    without_begin(&without, overhead->subject);
    for (unsigned i = 0; i < overhead->subject->item_count; i++) {
        enum overhead_kind own = overhead->kinds[i];
        if (own == overhead_NONE || (kind != overhead_NONE && kind != own))
            continue;
        if (overhead->subject->items[i].row->class == class_LOAD)
            without_item(&without, i);
        else
            without_work(&without, i);
    }
    return without_cycles(&without);
}

bool overhead_matters(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return subject_is_timed(subject) && subject->item_count <= MOST_ITEMS && !subject->metric->call_count &&
           !subject_is_aside(subject) && !(compiler->flags && compiler->optimisation == 0);
}
