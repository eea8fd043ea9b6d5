/* An item counts only where subject.h says that nothing but addresses depends on it, so whatever is taken
   away here leaves the results of the loop as they are. */
#include "quality/overhead.h"

#include "quality/metrics.h"
#include "quality/without.h"

/* The pattern of the first access of each item that is no stack access; UNKNOWN for none. */
static enum access_pattern *find_patterns(const struct subject *subject)
{
    enum access_pattern *patterns = arena_get(subject->arena, (subject->item_count + 1) * sizeof *patterns);
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->position == 1 && access->loads && !access->is_stack)
            patterns[access->item] = access->pattern;
    }
    return patterns;
}

static unsigned address_bytes(const struct subject *subject)
{
    const struct loop *loop = model_loop(subject->model, subject->loop);
    return model_program(subject->model, model_function(subject->model, loop->function)->program)->bits / 8;
}

/* Loads one address, or several side by side. */
static bool is_pointer_load(const struct subject *subject, const struct subject_item *item,
                            enum access_pattern pattern)
{
    unsigned bytes = address_bytes(subject);
    return item->row->class == class_LOAD && pattern == access_pattern_INVARIANT && bytes &&
           item->row->load_bytes && item->row->load_bytes % bytes == 0 && !item->row->is_vector;
}

/* Whether a value that is the same in every iteration enters by a register. */
static bool has_still_source(const struct overhead *overhead, unsigned item)
{
    const struct subject_item *row = &overhead->subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++) {
        if (!value_is_read(&row->uses[u]) || row->uses[u].is_address)
            continue;
        struct value_source source = values_source(&overhead->values, item, u);
        if (source.item == VALUE_OUTSIDE || overhead->kinds[source.item] == overhead_POINTER)
            return true;
    }
    return false;
}

/* Whether it moves a register on: what it makes is what it starts from in the next iteration. */
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

static enum overhead_kind kind_of(const struct overhead *overhead, unsigned item, enum access_pattern pattern)
{
    const struct subject *subject = overhead->subject;
    const struct subject_item *row = &subject->items[item];
    bool is_still = pattern == access_pattern_INVARIANT;
    if (row->purpose != purpose_ADDRESS || !item_is_scalar_integer(subject->model, row))
        return overhead_NONE;
    switch (row->row->class) {
    case class_LOAD:
        return is_pointer_load(subject, row, pattern) ? overhead_POINTER : overhead_NONE;
    case class_MULTIPLY:
    case class_FMA:
        return is_still || has_still_source(overhead, item) ? overhead_STRIDE : overhead_OTHER;
    case class_ADD:
    case class_ADDRESS:
        if (is_still)
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
    const enum access_pattern *patterns = find_patterns(subject);
    *overhead = (struct overhead){.subject = subject};
    overhead->kinds = arena_get(subject->arena, subject->item_count + 1);
    values_find(&overhead->values, subject);
    for (unsigned i = 0; i < subject->item_count; i++) {
        overhead->kinds[i] = (uint8_t)kind_of(overhead, i, patterns[i]);
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
        if (own == overhead_POINTER)
            without_item(&without, i);
        else
            without_work(&without, i);
    }
    return without_cycles(&without);
}

bool overhead_matters(const struct subject *subject)
{
    const struct compiler *compiler = subject->compiler;
    return subject_is_timed(subject) && !subject->metric->call_count && !subject_is_aside(subject) &&
           !(compiler->flags && compiler->optimisation == 0);
}
