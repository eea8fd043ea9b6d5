/* An item is asked for its value at most once. Recursion goes from readers to writers within one iteration
   and never back, so it is as deep as the path is long at most; paths are short here (MOST_ITEMS of
   templates.c). */
#include "code/quality/template_values.h"

#include "model/isa.h"

#include <string.h>

enum { NONE = UINT32_MAX };

static const struct template_value unknown = {
    .plain_load = NONE, .scaled_load = NONE, .product_loads = {NONE, NONE}};

static struct template_value known(void)
{
    struct template_value value = unknown;
    value.is_known = true;
    return value;
}

static struct template_value invariant(void)
{
    struct template_value value = known();
    value.invariant = 1;
    return value;
}

void template_values_find(struct template_values *all, const struct subject *subject)
{
    *all = (struct template_values){.subject = subject, .paired = {NONE, NONE}};
    values_find(&all->values, subject);
    all->references = motion_follow_further(subject, &all->reference_count);
    all->made = arena_get(subject->arena, subject->item_count * sizeof *all->made);
    all->state = arena_get(subject->arena, subject->item_count);
    all->is_used = arena_get(subject->arena, subject->item_count);
}

/* The access of an item that loads, or stores; UINT32_MAX: none. An index of references. */
static uint32_t template_reference(const struct template_values *all, uint32_t item, bool stores)
{
    const struct cost_item *costs = all->subject->work->items.data;
    for (unsigned i = 0; i < all->reference_count; i++) {
        const struct motion_reference *it = &all->references[i];
        if (it->item != item)
            continue;
        const struct cost_access *access = &costs[item].cost->accesses[it->position];
        if (stores ? access->stores : access->loads)
            return i;
    }
    return NONE;
}

bool template_is_same_array(const struct template_values *all, uint32_t one, uint32_t other)
{
    return motion_is_apart(&all->references[one].place, &all->references[other].place);
}

bool template_is_same_place(const struct template_values *all, uint32_t one, uint32_t other)
{
    const struct motion_sum *left = &all->references[one].place, *right = &all->references[other].place;
    return motion_is_apart(left, right) && left->constant == right->constant;
}

/* Whether an access that stays is also stored to: the sum of the loop is kept in memory. */
static bool is_kept(const struct template_values *all, uint32_t reference)
{
    const struct cost_item *costs = all->subject->work->items.data;
    for (unsigned i = 0; i < all->reference_count; i++) {
        const struct motion_reference *it = &all->references[i];
        if (costs[it->item].cost->accesses[it->position].stores && template_is_same_place(all, i, reference))
            return true;
    }
    return false;
}

static struct template_value of_load(struct template_values *all, uint32_t item)
{
    const struct subject_item *row = &all->subject->items[item];
    uint32_t reference = template_reference(all, item, false);
    struct template_value value = known();
    if (reference == NONE || row->row->class == class_GATHER ||
        (row->row->class == class_LOAD && row->row->operation == operation_NONE)) /* movbe */
        return unknown;
    if (all->references[reference].motion.kind == motion_STILL) {
        if (!is_kept(all, reference))
            return invariant();
        value.carried = 1;
        value.carried_by = CARRIED_IN_MEMORY;
        return value;
    }
    value.plain = 1;
    value.plain_load = reference;
    value.is_extended = row->row->operation == operation_EXTEND;
    return row->row->operation == operation_BROADCAST ? unknown : value;
}

/* Where a register of a pair lies behind the place of the access. */
static int64_t shift_of(const struct template_values *all, uint32_t item, uint32_t register_row)
{
    const struct model *model = all->subject->model;
    const struct subject_item *row = &all->subject->items[item];
    if (row->row->operation != operation_COPY_PAIR || row->operand_count < 2)
        return 0;
    bool is_second =
        row->operands[1].kind == operand_kind_REGISTER &&
        model_full_register(model, row->operands[1].register_) == model_full_register(model, register_row);
    return is_second ? row->row->load_bytes / 2 : 0;
}

/* The item whose result a chain of plain moves hands on. */
static uint32_t behind_moves(const struct template_values *all, uint32_t item)
{
    for (unsigned steps = 0; steps < 4; steps++) {
        const struct subject_item *row = &all->subject->items[item];
        const struct operand *from = row->operand_count == 2 ? &row->operands[1] : NULL;
        if (row->row->class != class_MOVE || row->row->operation != operation_COPY || !from ||
            from->kind != operand_kind_REGISTER)
            return item;
        struct value_source source = values_of_register(&all->values, item, from->register_);
        if (source.item == VALUE_OUTSIDE || source.is_earlier)
            return item;
        item = source.item;
    }
    return item;
}

static struct template_value of_register(struct template_values *all, uint32_t item, uint32_t register_row)
{
    struct value_source source = values_of_register(&all->values, item, register_row);
    if (source.item == VALUE_OUTSIDE)
        return invariant();
    if (!source.is_earlier) {
        struct template_value value = template_value_of(all, source.item);
        value.plain_shift += shift_of(all, source.item, register_row);
        return value;
    }
    struct template_value value = known();
    value.carried = 1;
    value.carried_by = behind_moves(all, source.item);
    return value;
}

static struct template_value sum(struct template_value one, struct template_value other)
{
    if (!one.is_known || !other.is_known || (one.carried && other.carried))
        return unknown;
    one.plain += other.plain;
    one.scaled += other.scaled;
    one.products += other.products;
    one.invariant += other.invariant;
    one.carried_by = one.carried ? one.carried_by : other.carried_by;
    one.carried += other.carried;
    one.is_extended |= other.is_extended;
    if (one.plain_load == NONE) {
        one.plain_load = other.plain_load;
        one.plain_shift = other.plain_shift;
    }
    if (one.scaled_load == NONE) {
        one.scaled_load = other.scaled_load;
        one.scaled_shift = other.scaled_shift;
    }
    if (one.product_loads[0] == NONE)
        memcpy(one.product_loads, other.product_loads, sizeof one.product_loads);
    return one;
}

static bool is_invariant(const struct template_value *value)
{
    return value->is_known && !value->plain && !value->scaled && !value->products && !value->carried;
}

static bool is_load(const struct template_value *value)
{
    return value->is_known && value->plain == 1 && !value->scaled && !value->products && !value->carried &&
           !value->invariant && !value->is_extended;
}

/* Whether a further product goes through the arrays of the first, as far ahead in both. */
static bool is_paired(const struct template_values *all, uint32_t one, int64_t one_shift, uint32_t other,
                      int64_t other_shift)
{
    const struct motion_reference *rows = all->references;
    if (!template_is_same_array(all, all->paired[0], one) ||
        !template_is_same_array(all, all->paired[1], other))
        return false;
    return rows[one].place.constant + one_shift - rows[all->paired[0]].place.constant -
               all->paired_shift[0] ==
           rows[other].place.constant + other_shift - rows[all->paired[1]].place.constant -
               all->paired_shift[1];
}

static void note_product(struct template_values *all, const struct template_value *left,
                         const struct template_value *right)
{
    uint32_t one = left->plain_load, other = right->plain_load;
    if (all->paired[0] == NONE) {
        all->paired[0] = one;
        all->paired[1] = other;
        all->paired_shift[0] = left->plain_shift;
        all->paired_shift[1] = right->plain_shift;
    }
    all->is_mixed |= !is_paired(all, one, left->plain_shift, other, right->plain_shift) &&
                     !is_paired(all, other, right->plain_shift, one, left->plain_shift);
}

static struct template_value product(struct template_values *all, const struct template_value *one,
                                     const struct template_value *other)
{
    struct template_value value = known();
    if (is_invariant(one) && is_invariant(other))
        return invariant();
    if (is_load(one) && is_load(other)) {
        value.products = 1;
        value.product_loads[0] = one->plain_load;
        value.product_loads[1] = other->plain_load;
        note_product(all, one, other);
        return value;
    }
    if ((is_load(one) && is_invariant(other)) || (is_load(other) && is_invariant(one))) {
        value.scaled = 1;
        value.scaled_load = is_load(one) ? one->plain_load : other->plain_load;
        value.scaled_shift = is_load(one) ? one->plain_shift : other->plain_shift;
        return value;
    }
    return unknown;
}

/* The values that an item reads, in the order of its operands, and the position of each. */
enum { MOST_INPUTS = 4 };
struct inputs {
    struct template_value values[MOST_INPUTS];
    unsigned positions[MOST_INPUTS], count;
    bool has_immediate, is_too_many;
};

static void find_inputs(struct template_values *all, uint32_t item, struct inputs *inputs)
{
    const struct subject_item *row = &all->subject->items[item];
    *inputs = (struct inputs){0};
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct operand *operand = &row->operands[i];
        bool is_read = operand->access == access_READ || operand->access == access_BOTH;
        inputs->has_immediate |= operand->kind == operand_kind_IMMEDIATE;
        bool is_value = operand->kind == operand_kind_MEMORY ||
                        (operand->kind == operand_kind_REGISTER &&
                         model_register(all->subject->model, operand->register_)->kind != register_kind_MASK);
        if (!is_read || !is_value)
            continue;
        if (inputs->count == MOST_INPUTS) {
            inputs->is_too_many = true;
            return;
        }
        inputs->positions[inputs->count] = i + 1;
        inputs->values[inputs->count++] = operand->kind == operand_kind_MEMORY
                                              ? of_load(all, item)
                                              : of_register(all, item, operand->register_);
    }
}

static struct template_value multiply_add(struct template_values *all, const struct inputs *inputs,
                                          const struct encoding *encoding)
{
    unsigned addend = encoding->addend;
    const struct template_value *factors[2];
    const struct template_value *added = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < inputs->count; i++) {
        if (inputs->positions[i] == addend && !added)
            added = &inputs->values[i];
        else if (count < 2)
            factors[count++] = &inputs->values[i];
    }
    if (inputs->count != 3 || count != 2 || !added)
        return unknown;
    all->is_mixed |= all->fused && all->fused != encoding->name;
    all->fused = encoding->name;
    return sum(product(all, factors[0], factors[1]), *added);
}

/* Lanes that are taken apart or permuted: it does not matter to a sum of products. */
static bool is_only_to_be_added(const struct template_value *value)
{
    return value->is_known && !value->plain && !value->scaled && !value->invariant;
}

static struct template_value compute(struct template_values *all, uint32_t item)
{
    const struct subject_item *row = &all->subject->items[item];
    const struct encoding *encoding = row->row;
    struct inputs inputs;
    if (encoding->element != encoding->source_element && encoding->class != class_LOAD &&
        encoding->operation != operation_EXTEND && encoding->source_element != element_NONE)
        return unknown; /* it converts */
    find_inputs(all, item, &inputs);
    if (inputs.is_too_many)
        return unknown;
    bool is_wide = encoding->operation == operation_COPY_PAIR || encoding->operation == operation_COPY;
    switch (encoding->class) {
    case class_LOAD:
        return of_load(all, item);
    case class_MOVE:
        if (encoding->operation == operation_COPY && inputs.count == 1)
            return inputs.values[0];
        return !inputs.count && inputs.has_immediate ? invariant() : unknown;
    case class_ADD:
        if (encoding->operation != operation_ADD_FLOATS && encoding->operation != operation_SUBTRACT_FLOATS &&
            encoding->operation != operation_ADD)
            return unknown;
        if (encoding->operation == operation_SUBTRACT_FLOATS)
            all->subtracts = true;
        else
            all->adds = true;
        if (inputs.count == 1 && inputs.has_immediate)
            return sum(inputs.values[0], invariant());
        return inputs.count == 2 && !inputs.has_immediate ? sum(inputs.values[0], inputs.values[1]) : unknown;
    case class_MULTIPLY:
        return inputs.count == 2 && !inputs.has_immediate ? product(all, &inputs.values[0], &inputs.values[1])
                                                          : unknown;
    case class_FMA:
        return encoding->addend ? multiply_add(all, &inputs, encoding) : unknown;
    case class_SHUFFLE:
        for (unsigned i = 0; i < inputs.count; i++)
            if (!is_only_to_be_added(&inputs.values[i]) || inputs.values[i].carried)
                return unknown;
        return inputs.count ? inputs.values[0] : unknown;
    default:
        return encoding->load_bytes && is_wide ? of_load(all, item) : unknown;
    }
}

struct template_value template_value_of(struct template_values *all, uint32_t item)
{
    if (all->state[item] == 1)
        return unknown;
    if (!all->state[item]) {
        all->state[item] = 1;
        all->is_used[item] = 1;
        all->made[item] = compute(all, item);
        all->state[item] = 2;
    }
    return all->made[item];
}

bool template_value_stored(struct template_values *all, uint32_t item, unsigned n,
                           struct template_value *value)
{
    const struct subject_item *row = &all->subject->items[item];
    bool has_immediate = false;
    unsigned count = 0;
    for (unsigned i = 0; i < row->operand_count; i++) {
        const struct operand *operand = &row->operands[i];
        has_immediate |= operand->kind == operand_kind_IMMEDIATE;
        if (operand->kind != operand_kind_REGISTER ||
            model_register(all->subject->model, operand->register_)->kind == register_kind_MASK ||
            (operand->access != access_READ && operand->access != access_BOTH) || count++ != n)
            continue;
        *value = of_register(all, item, operand->register_);
        return true;
    }
    if (!n && !count && has_immediate) { /* mov dword ptr [rdi], 0 */
        *value = invariant();
        return true;
    }
    return false;
}
