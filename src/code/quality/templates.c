#include "code/quality/templates.h"

#include "code/quality/metrics/metrics.h"
#include "code/quality/motion/outer.h"
#include "code/quality/template_values.h"

#include <stddef.h>
#include <stdlib.h>

/* Longer bodies are not one of these, whatever they are unrolled by. */
enum { MOST_ITEMS = 256 };
enum { NONE = UINT32_MAX };

/* A store, and what is loaded for it. */
struct pair {
    uint32_t store, load;
    int64_t ahead; /* bytes that the load is ahead of the store */
};

struct search {
    const struct subject *subject;
    struct pair pairs[MOST_ITEMS];
    unsigned pair_count;
    int64_t store_shift; /* of the stored value that is looked at: the second of a pair (stp) */
    struct template_values values;
    struct template_match *match;
};

static const struct motion_reference *reference_at(const struct search *search, uint32_t index)
{
    return &search->values.references[index];
}

static const struct cost_access *access_of(const struct search *search, uint32_t reference)
{
    const struct motion_reference *it = reference_at(search, reference);
    const struct cost_item *costs = search->subject->work->items.data;
    return &costs[it->item].cost->accesses[it->position];
}

static const struct subject_access *pattern_of(const struct search *search, uint32_t reference)
{
    const struct motion_reference *it = reference_at(search, reference);
    for (unsigned i = 0; i < search->subject->access_count; i++)
        if (search->subject->accesses[i].item == it->item &&
            search->subject->accesses[i].position == it->position + 1)
            return &search->subject->accesses[i];
    return NULL;
}

static bool is_unit(const struct subject_access *access)
{
    return access && access->pattern == access_pattern_STRIDE_ONE;
}

static bool is_strided(const struct subject_access *access)
{
    return access && access->pattern == access_pattern_CONSTANT_STRIDE && !access->is_stack &&
           (!access->stride || llabs(access->stride) >= 2 * (int64_t)access->bytes);
}

static enum element element_of(const struct search *search, uint32_t item)
{
    return (enum element)search->subject->items[item].row->element;
}

/* How a reference moves with the loop around, and with the one around that. */
static struct motion outer_motion(const struct search *search, uint32_t reference, unsigned levels)
{
    const struct model *model = search->subject->model;
    uint32_t loop = search->subject->loop;
    while (levels-- && loop)
        loop = model_loop(model, loop)->parent;
    return motion_around(search->subject, reference_at(search, reference)->item, access_of(search, reference),
                         loop);
}

static bool moves(struct motion motion)
{
    return motion.kind == motion_STEPS || motion.kind == motion_STRIDES;
}

/* A loop that goes along `walked` again and again while `kept` stays: with the loop around it is a product of
   a matrix and a vector, with one more, in which what is kept moves, one of two matrices. */
static enum loop_template in_nest(const struct search *search, uint32_t kept, uint32_t walked,
                                  enum loop_template alone)
{
    struct motion rows = outer_motion(search, walked, 1);
    const struct subject_access *along = pattern_of(search, walked);
    /* Rows that begin an element apart and lie one over the other are no matrix: a convolution. */
    bool is_overlapping =
        is_unit(along) && rows.kind == motion_STEPS && llabs(rows.step) <= llabs(along->stride);
    if (outer_motion(search, kept, 1).kind != motion_STILL || !moves(rows) || is_overlapping)
        return alone;
    return moves(outer_motion(search, kept, 2)) ? loop_template_GEMM : loop_template_GEMV;
}

/* Whether everything that the path computes for its data is part of what was looked at. */
static bool is_all_explained(const struct search *search)
{
    for (unsigned i = 0; i < search->subject->item_count; i++) {
        const struct subject_item *item = &search->subject->items[i];
        if (item->purpose == purpose_STACK)
            return false;
        bool is_kept_aside =
            item->row->class == class_MOVE && !item->row->load_bytes; /* for after the loop */
        if (item->purpose == purpose_DATA && !search->values.is_used[i] && !item->row->store_bytes &&
            !is_kept_aside)
            return false;
    }
    return true;
}

static bool is_alone(const struct template_value *value, unsigned plain, unsigned scaled, unsigned products,
                     unsigned carried)
{
    return value->is_known && value->plain == plain && value->scaled == scaled &&
           value->products == products && value->carried == carried;
}

/* Whether a load goes through an array that the loop stores to: iterations may need each other's results. */
static bool is_stored_too(const struct search *search, uint32_t load)
{
    for (uint32_t i = 0; i < search->values.reference_count; i++)
        if (access_of(search, i)->stores && template_is_same_array(&search->values, i, load))
            return true;
    return false;
}

/* Whether all stores to an array take their numbers from the same array, as far ahead: pairs that are swapped
   are no copy. */
static bool is_in_step(struct search *search, uint32_t store, uint32_t load, int64_t shift)
{
    const struct motion_reference *rows = search->values.references;
    int64_t ahead = rows[load].place.constant - rows[store].place.constant + shift - search->store_shift;
    for (unsigned i = 0; i < search->pair_count; i++) {
        const struct pair *it = &search->pairs[i];
        if (!template_is_same_array(&search->values, it->store, store))
            continue;
        if (!template_is_same_array(&search->values, it->load, load) || it->ahead != ahead)
            return false;
    }
    if (search->pair_count < MOST_ITEMS)
        search->pairs[search->pair_count++] = (struct pair){store, load, ahead};
    return true;
}

/* Copies and transpositions. */
static bool moves_data(struct search *search, uint32_t store, const struct template_value *value,
                       enum loop_template *kind)
{
    const struct subject_access *from = pattern_of(search, value->plain_load),
                                *to = pattern_of(search, store);
    const struct cost_access *loaded = access_of(search, value->plain_load),
                             *stored = access_of(search, store);
    if (!from || !to || is_stored_too(search, value->plain_load))
        return false;
    if (is_unit(from) && is_unit(to) && from->stride == to->stride && loaded->bytes == stored->bytes) {
        *kind = loop_template_COPY;
        return is_in_step(search, store, value->plain_load, value->plain_shift);
    }
    bool is_across = (is_unit(from) && is_strided(to)) || (is_strided(from) && is_unit(to));
    uint32_t strided = is_strided(to) ? store : value->plain_load;
    struct motion outer =
        is_across ? outer_motion(search, strided, 1) : (struct motion){.kind = motion_VARIES};
    const struct subject_access *unit = is_unit(from) ? from : to;
    *kind = loop_template_TRANSPOSE;
    /* In the other direction it would be a rotation. */
    return is_across && outer.kind == motion_STEPS &&
           outer.step == (unit->stride < 0 ? -1 : 1) * (int64_t)access_of(search, strided)->bytes;
}

/* Sums with a multiple: the plain term is what is updated, or a third array. */
static bool adds_multiple(struct search *search, uint32_t store, const struct template_value *value,
                          enum loop_template *kind)
{
    if (!is_unit(pattern_of(search, store)) || !is_unit(pattern_of(search, value->plain_load)) ||
        !is_unit(pattern_of(search, value->scaled_load)) || is_stored_too(search, value->scaled_load))
        return false;
    bool is_update = template_is_same_place(&search->values, value->plain_load, store) &&
                     value->plain_shift == search->store_shift;
    if ((!is_update && is_stored_too(search, value->plain_load)) ||
        !is_in_step(search, store, value->scaled_load, value->scaled_shift))
        return false;
    *kind = is_update ? in_nest(search, store, value->scaled_load, loop_template_AXPY) : loop_template_TRIAD;
    return true;
}

/* The item that makes what is stored. */
static uint32_t maker_of(const struct search *search, uint32_t item)
{
    const struct subject_item *row = &search->subject->items[item];
    for (unsigned i = 0; i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_REGISTER && row->operands[i].access != access_WRITE) {
            struct value_source source =
                values_of_register(&search->values.values, item, row->operands[i].register_);
            return source.item == VALUE_OUTSIDE || source.is_earlier ? NONE : source.item;
        }
    return NONE;
}

static bool kind_of_stored(struct search *search, uint32_t store, const struct template_value *value,
                           enum loop_template *kind)
{
    const struct subject_access *to = pattern_of(search, store);
    if (!value->is_known || !to)
        return false;
    if (is_alone(value, 0, 0, 0, 0) && value->invariant) {
        *kind = loop_template_FILL;
        return is_unit(to);
    }
    if (is_alone(value, 1, 0, 0, 0) && !value->invariant)
        return moves_data(search, store, value, kind);
    if (is_alone(value, 1, 1, 0, 0) && !value->invariant && !value->is_extended)
        return adds_multiple(search, store, value, kind);
    if (is_alone(value, 1, 0, 0, 1) && !value->invariant && !value->is_extended &&
        value->carried_by == maker_of(search, reference_at(search, store)->item)) {
        *kind = loop_template_PREFIX_SUM;
        return is_unit(to) && is_unit(pattern_of(search, value->plain_load));
    }
    return false;
}

/* Whether a sum that an item leaves for the next iteration begins anew with each iteration of the loop
   around: one definition of what the loop starts with lies there. */
static bool begins_anew(const struct search *search, uint32_t item)
{
    const struct subject *subject = search->subject;
    const struct model *model = subject->model;
    uint32_t maker = subject->items[item].instruction, around = model_loop(model, subject->loop)->parent;
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint32_t use = subject->items[i].instruction, register_ = 0;
        size_t first = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
        for (size_t k = first; k < model->def_use.count && model_def_use(model, (uint32_t)k)->use == use; k++)
            if (model_def_use(model, (uint32_t)k)->definition == maker)
                register_ = model_def_use(model, (uint32_t)k)->register_;
        for (size_t k = first; register_ && k < model->def_use.count; k++) {
            const struct def_use *pair = model_def_use(model, (uint32_t)k);
            if (pair->use != use)
                break;
            if (pair->register_ == register_ &&
                model_block(model, model_instruction(model, pair->definition)->block)->loop == around)
                return true;
        }
    }
    return false;
}

/* y[i] += a[i][j] * x[j] with y[i] in memory, or in a register: the sum of products. */
static bool adds_products(const struct search *search, const struct template_value *value,
                          enum loop_template *kind)
{
    const uint32_t *loads = value->product_loads;
    const struct template_values *all = &search->values;
    if (!value->products || value->plain || value->scaled || value->invariant || loads[0] == NONE ||
        all->is_mixed || (all->adds && all->subtracts))
        return false;
    const struct subject_access *one = pattern_of(search, loads[0]), *other = pattern_of(search, loads[1]);
    enum loop_template alone = loop_template_COUNT;
    if (is_unit(one) && is_unit(other))
        alone = loop_template_DOT;
    else if (!(is_unit(one) && is_strided(other)) && !(is_strided(one) && is_unit(other)))
        return false;
    *kind = in_nest(search, loads[0], loads[1], alone);
    if (*kind == alone)
        *kind = in_nest(search, loads[1], loads[0], alone);
    if (*kind != alone && value->carried_by < search->subject->item_count &&
        !begins_anew(search, value->carried_by))
        *kind = alone; /* one sum over all rows */
    return *kind != loop_template_COUNT;
}

/* An entry that data selects, plus something: one instruction, or a load, an addition and a store. */
static bool is_counter(struct search *search, uint32_t store)
{
    const struct subject *subject = search->subject;
    uint32_t item = reference_at(search, store)->item;
    const struct subject_access *to = pattern_of(search, store);
    struct template_value value;
    if (!to || to->pattern != access_pattern_INDIRECT || subject->items[item].is_vectorised ||
        !reference_at(search, store)->motion.is_loaded)
        return false;
    if (subject->items[item].row->load_bytes)
        return subject->items[item].row->class == class_ADD;
    if (!template_value_stored(&search->values, item, 0, &value) || !value.is_known || value.carried ||
        value.products || !value.plain || value.plain + value.scaled > 2)
        return false;
    for (unsigned i = 0; i < search->values.reference_count; i++)
        if (access_of(search, i)->loads && template_is_same_place(&search->values, i, store))
            return value.plain == 2 || value.scaled || value.invariant;
    return false;
}

static bool take_store(struct search *search, uint32_t store, enum loop_template *kind)
{
    uint32_t item = reference_at(search, store)->item;
    struct template_value value;
    if (is_counter(search, store)) {
        *kind = loop_template_HISTOGRAM;
        return true;
    }
    if (search->subject->items[item].row->load_bytes ||
        search->subject->items[item].row->class != class_STORE)
        return false;
    bool is_found = false;
    for (unsigned n = 0; template_value_stored(&search->values, item, n, &value); n++) {
        enum loop_template own;
        search->store_shift = n ? search->subject->items[item].row->store_bytes / 2 : 0;
        bool is_sum = value.is_known && value.carried && value.carried_by == CARRIED_IN_MEMORY;
        if (!(is_sum ? adds_products(search, &value, &own) : kind_of_stored(search, store, &value, &own)) ||
            (is_found && own != *kind))
            return false;
        search->match->is_in_memory = is_sum;
        *kind = own;
        is_found = true;
    }
    return is_found;
}

/* Loops that store: every store is of the same kind. */
static bool take_stores(struct search *search)
{
    bool is_found = false;
    for (uint32_t i = 0; i < search->values.reference_count; i++) {
        enum loop_template kind;
        if (!access_of(search, i)->stores)
            continue;
        if (!take_store(search, i, &kind) || (is_found && kind != search->match->kind))
            return false;
        search->match->kind = kind;
        search->match->item = reference_at(search, i)->item;
        is_found = true;
    }
    return is_found;
}

/* Loops that only add up: every value that an iteration hands to the next is such a sum. */
static bool take_sums(struct search *search)
{
    bool is_found = false;
    for (uint32_t i = 0; i < search->subject->item_count; i++) {
        const struct subject_item *item = &search->subject->items[i];
        if (item->purpose != purpose_DATA || (item->row->class != class_ADD && item->row->class != class_FMA))
            continue;
        struct template_value value = template_value_of(&search->values, i);
        enum loop_template kind;
        if (!value.is_known)
            return false;
        if (!value.carried || value.carried_by != i)
            continue;
        if (!adds_products(search, &value, &kind) || (is_found && kind != search->match->kind))
            return false;
        search->match->kind = kind;
        search->match->item = i;
        is_found = true;
    }
    return is_found;
}

/* One way round, and one out. */
static bool may_be_one(const struct subject *subject)
{
    const struct loop *loop = model_loop(subject->model, subject->loop);
    return loop->path_count == 2 && loop->exit_count == 1 && !subject->path->is_exit &&
           !subject->work->is_bundled && subject->item_count <= MOST_ITEMS && !subject->metric->call_count &&
           subject->access_count;
}

/* Whether an item loads a register, and does not only move an address in it while it loads another. */
static bool is_loaded_by(const struct subject_item *item, const struct model *model, uint32_t register_row)
{
    uint32_t full = model_full_register(model, register_row);
    for (unsigned u = 0; u < item->use_count; u++)
        if (value_is_read(&item->uses[u]) && model_full_register(model, item->uses[u].register_) == full)
            return false;
    return item->row->load_bytes;
}

/* Whether what is loaded decides when the loop ends: strcpy is no copy. */
static bool ends_by_data(const struct search *search)
{
    const struct subject *subject = search->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        const struct subject_access *access = values_access(subject, i);
        if (item->purpose != purpose_CONTROL)
            continue;
        if (access && access->loads && access->stride)
            return true;
        for (unsigned u = 0; u < item->use_count; u++) {
            struct value_source source = values_source(&search->values.values, i, u);
            if (value_is_read(&item->uses[u]) && source.item != VALUE_OUTSIDE &&
                is_loaded_by(&subject->items[source.item], subject->model, item->uses[u].register_))
                return true;
        }
    }
    return false;
}

bool template_find(const struct subject *subject, struct template_match *match)
{
    struct search search = {.subject = subject, .match = match};
    bool has_stores = false;
    *match = (struct template_match){0};
    if (!may_be_one(subject))
        return false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        if (subject->accesses[i].is_stack)
            return false;
        has_stores |= subject->accesses[i].stores;
    }
    template_values_find(&search.values, subject);
    if (ends_by_data(&search))
        return false;
    if (!(has_stores ? take_stores(&search) : take_sums(&search)) || !is_all_explained(&search))
        return false;
    if (search.values.paired[0] != NONE && search.values.is_mixed)
        return false;
    match->element = match->kind == loop_template_COPY || match->kind == loop_template_TRANSPOSE
                         ? element_NONE
                         : element_of(&search, match->item);
    return true;
}
