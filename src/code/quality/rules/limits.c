/* if (sum > 32767) sum = 32767: most numbers are within the limits, or the programmer would have chosen a
   wider type, so the branch nearly always goes one way.

   A side is followed from its first to its last instruction. A register is a limit if it was made of
   constants, of registers that the loop does not change or sets to a constant, of flags, or of the sign of a
   number (a shift by all bits but one). If every register and every store that the sides differ in is a
   limit, the side may be a limit's. It is one if the limit is also what the number is compared with, or the
   largest or smallest number of a type is there, as a constant that is compared or put in, or as the distance
   by which a check of both ends moves the number (x + 32768 > 65535, unsigned). Two limits to choose from are
   a threshold, which may go either way. */
#include "code/quality/rules/limits.h"

#include <stddef.h>

enum { MOST_ITEMS = 16 };
enum state { state_UNTOUCHED, state_DATA, state_LIMIT };

struct following {
    struct values *values;
    uint8_t *states; /* by row of registers, full ones: enum state */
    bool has_extreme, has_compared;
    const struct subject_item *compare;
};

/* The largest and the smallest number of a type, or one beyond. */
static bool is_extreme(int64_t value)
{
    static const unsigned bits[] = {7, 8, 15, 16, 31, 32, 63};
    uint64_t size = (uint64_t)(value < 0 ? ~value : value);
    for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
        if (size == (UINT64_C(1) << bits[i]) - 1 || size == UINT64_C(1) << bits[i])
            return true;
    return false;
}

static bool is_number(const struct model *model, uint32_t row)
{
    unsigned kind = model_register(model, row)->kind;
    return kind == register_kind_GENERAL || kind == register_kind_VECTOR;
}

/* The constant that the one definition of a register before the loop puts there; 0: none. */
static int64_t constant_before(const struct subject *subject, uint32_t instruction, uint32_t row)
{
    const struct model *model = subject->model;
    const struct array *table = &model->def_use;
    int64_t constant = 0;
    unsigned found = 0;
    for (size_t at = array_first_not_below(table, 0, offsetof(struct def_use, use), instruction);
         at < table->count && model_def_use(model, (uint32_t)at)->use == instruction; at++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)at);
        struct subject_item item;
        if (reaching->register_ != row || !reaching->definition)
            continue;
        subject_item_take(model, &item, reaching->definition);
        found++;
        for (unsigned i = 0; item.row->operation == operation_COPY && i < item.operand_count; i++)
            if (item.operands[i].kind == operand_kind_IMMEDIATE)
                constant = item.operands[i].value;
    }
    return found == 1 ? constant : 0;
}

static bool reads(const struct model *model, const struct subject_item *item, uint32_t row)
{
    for (unsigned u = 0; u < item->use_count; u++)
        if (value_is_read(&item->uses[u]) && model_full_register(model, item->uses[u].register_) == row)
            return true;
    return false;
}

static bool has_constant(const struct subject_item *item, int64_t value)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_IMMEDIATE && item->operands[i].value == value)
            return true;
    return false;
}

/* Notes whether a constant or register that makes a limit is what the number was compared with. */
static void look_at_limit(struct following *following, const struct subject_item *item)
{
    const struct model *model = following->values->subject->model;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind != operand_kind_IMMEDIATE)
            continue;
        following->has_extreme |= is_extreme(operand->value);
        following->has_compared |= operand->value && has_constant(following->compare, operand->value);
    }
    for (unsigned u = 0; u < item->use_count; u++) {
        uint32_t row = model_full_register(model, item->uses[u].register_);
        if (!value_is_read(&item->uses[u]) || item->uses[u].is_address || !is_number(model, row) ||
            following->states[row] != state_UNTOUCHED)
            continue;
        following->has_extreme |=
            is_extreme(constant_before(following->values->subject, item->instruction, row));
        following->has_compared |= reads(model, following->compare, row);
    }
}

/* Whether it leaves all ones or all zeros: the sign. */
static bool takes_sign(const struct subject_item *item)
{
    for (unsigned i = 0; item->row->class == class_SHIFT && i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_IMMEDIATE)
            return item->operands[i].value == 15 || item->operands[i].value == 31 ||
                   item->operands[i].value == 63;
    return false;
}

/* Whether nothing but constants reaches an instruction in a register: the loop sets it anew each time. */
static bool is_set_to_constant(const struct subject *subject, uint32_t instruction, uint32_t row)
{
    const struct model *model = subject->model;
    const struct array *table = &model->def_use;
    unsigned found = 0;
    for (size_t at = array_first_not_below(table, 0, offsetof(struct def_use, use), instruction);
         at < table->count && model_def_use(model, (uint32_t)at)->use == instruction; at++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)at);
        struct subject_item item;
        if (reaching->register_ != row)
            continue;
        if (!reaching->definition || reaching->is_entry_too)
            return false;
        subject_item_take(model, &item, reaching->definition);
        bool is_constant = item.row->operation == operation_COPY && item.operand_count == 2 &&
                           item.operands[1].kind == operand_kind_IMMEDIATE;
        if (!is_constant)
            return false;
        found++;
    }
    return found;
}

static enum state state_of(struct following *following, uint32_t instruction, uint32_t row)
{
    uint8_t *state = &following->states[row];
    if (*state == state_UNTOUCHED)
        return values_stays(following->values, row) ||
                       is_set_to_constant(following->values->subject, instruction, row)
                   ? state_LIMIT
                   : state_DATA;
    return (enum state) * state;
}

/* False: it stores something that is not a limit. */
static bool follow(struct following *following, const struct subject_item *item)
{
    const struct model *model = following->values->subject->model;
    enum state made = state_LIMIT;
    if (item->row->flow != flow_NEXT || item->row->class == class_COMPARE || item->row->class == class_NOP)
        return true;
    for (unsigned u = 0; u < item->use_count; u++) {
        uint32_t row = model_full_register(model, item->uses[u].register_);
        if (value_is_read(&item->uses[u]) && !item->uses[u].is_address && is_number(model, row) &&
            state_of(following, item->instruction, row) == state_DATA)
            made = state_DATA;
    }
    if (takes_sign(item))
        made = state_LIMIT;
    if (made == state_LIMIT)
        look_at_limit(following, item);
    for (unsigned u = 0; u < item->use_count; u++)
        if (value_is_written(&item->uses[u]) && !item->uses[u].is_address)
            following->states[model_full_register(model, item->uses[u].register_)] = (uint8_t)made;
    return !item->row->store_bytes || made == state_LIMIT;
}

static bool is_limit(struct following *following, const struct fork *fork, const struct fork_side *side)
{
    const struct subject *subject = following->values->subject;
    const struct model *model = subject->model;
    struct subject_item items[MOST_ITEMS];
    unsigned count = fork_side_items(subject, side, items, MOST_ITEMS), put_in = 0;
    following->states = arena_get(subject->arena, model->registers.count);
    if (!count || count == MOST_ITEMS || side->loads)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!follow(following, &items[i]))
            return false;
    for (uint32_t row = 1; row < model->registers.count; row++) {
        if (!side->writers[row] || !is_number(model, row) || !fork_changes(subject, fork, row))
            continue;
        if (following->states[row] != state_LIMIT)
            return false;
        put_in++;
    }
    return put_in;
}

/* Whether it is compared with an extreme number, or moved by one before. */
static bool compares_extreme(const struct following *following, unsigned compare)
{
    const struct subject *subject = following->values->subject;
    const struct subject_item *row = following->compare;
    for (unsigned i = 0; i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_IMMEDIATE && is_extreme(row->operands[i].value))
            return true;
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(following->values, compare, u);
        if (!value_is_read(&row->uses[u]))
            continue;
        if (source.item == VALUE_OUTSIDE) {
            uint32_t number = model_full_register(subject->model, row->uses[u].register_);
            if (is_number(subject->model, number) &&
                is_extreme(constant_before(subject, row->instruction, number)))
                return true;
            continue;
        }
        const struct subject_item *made = &subject->items[source.item];
        enum operation operation = made->row->operation;
        for (unsigned i = 0; i < made->operand_count; i++) {
            const struct operand *operand = &made->operands[i];
            bool is_sum = operand->kind == operand_kind_IMMEDIATE &&
                          (operation == operation_ADD || operation == operation_SUBTRACT);
            if ((is_sum && is_extreme(operand->value)) ||
                (operand->kind == operand_kind_ADDRESS && is_extreme(operand->displacement)))
                return true;
        }
    }
    return false;
}

bool limits_are_put_in(struct values *values, const struct fork *fork, unsigned compare)
{
    struct following sides[2];
    bool are_limits[2];
    for (unsigned i = 0; i < 2; i++) {
        sides[i] = (struct following){.values = values, .compare = &values->subject->items[compare]};
        are_limits[i] = is_limit(&sides[i], fork, &fork->sides[i]);
    }
    if (are_limits[0] == are_limits[1])
        return false;
    const struct following *side = &sides[are_limits[1]];
    return side->has_extreme || side->has_compared || compares_extreme(side, compare);
}
