/* Loops that take a number apart bit by bit, where a table takes eight at once, or one instruction all of them:
   CRCs, products in a Galois field, counts of ones, reversed bits.

   The evidence is a loop without memory, calls and arithmetic but sums and bits, which shifts a number by one
   in every iteration and tests its lowest or its highest bit. Such a loop ends after at most 64 iterations
   that do anything, each of which waits for the one before. Powers by repeated squares multiply, bit readers
   load: neither is meant, nor is a number that some path adds to (3 x + 1 of Collatz). How much a table gains depends on the loop around it, so there is no figure. */
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"

#include <stddef.h>

enum { MOST_ITEMS = 32, MOST_STEPS = 4 };

static const struct remedy table = {
    audience_C, NULL,
    "Take eight bits at once: fill a table of 256 entries with what this loop does for each byte, before, and "
    "look it up (crc = table[(crc ^ byte) & 255] ^ crc >> 8).",
    action_TABLE, NULL};
static const struct remedy table_fortran = {
    audience_FORTRAN, NULL,
    "Take eight bits at once: fill a table of 256 entries with what this loop does for each byte, before, and "
    "look it up.",
    action_TABLE, NULL};
static const struct remedy counting = {
    audience_C, NULL,
    "If it counts bits or looks for one, there are instructions: std::popcount, std::countr_zero and "
    "std::bit_width of <bit>, or __builtin_popcountll, __builtin_ctzll and __builtin_clzll (on x86-64 with "
    "-mpopcnt).",
    action_TABLE, NULL};
static const struct remedy counting_fortran = {
    audience_FORTRAN, NULL, "If it counts bits or looks for one, there are functions: popcnt, trailz, leadz.",
    action_TABLE, NULL};

static bool has_constant(const struct subject_item *item, int64_t value)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_IMMEDIATE)
            return item->operands[i].value == value;
    return false;
}

/* Whether an item reads one register only, be it twice. */
static bool doubles(const struct subject_item *item)
{
    uint32_t first = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_ADDRESS)
            return operand->base_register && operand->base_register == operand->index_register &&
                   operand->scale == 1 && !operand->displacement;
        if (operand->kind != operand_kind_REGISTER || operand->access == access_WRITE)
            continue;
        if ((first && operand->register_ != first) || operand->value) /* or is shifted itself */
            return false;
        first = operand->register_;
        count++;
    }
    return count > 1;
}

static bool shifts_by_one(const struct subject_item *item)
{
    switch (item->row->operation) {
    case operation_SHIFT_LEFT:
    case operation_SHIFT_RIGHT:
        return has_constant(item, 1);
    case operation_ADD:
    case operation_ADDRESS:
        return doubles(item);
    default:
        return item->row->class == class_SHIFT && has_constant(item, 1);
    }
}

/* Whether a value comes from the iteration before, through copies and selections. */
static bool is_carried(const struct values *values, unsigned item, unsigned steps)
{
    const struct subject_item *row = &values->subject->items[item];
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(values, item, u);
        if (!value_is_read(&row->uses[u]) || source.item == VALUE_OUTSIDE)
            continue;
        if (source.is_earlier)
            return true;
        enum operation operation = values->subject->items[source.item].row->operation;
        if (steps && (operation == operation_COPY || operation == operation_EXTEND) &&
            is_carried(values, source.item, steps - 1))
            return true;
    }
    return false;
}

/* Whether a source of an item, some copies back, is also a source of the other. */
static bool have_common_source(const struct values *values, unsigned item, unsigned other, unsigned steps)
{
    const struct subject *subject = values->subject;
    for (unsigned u = 0; u < subject->items[item].use_count; u++) {
        struct value_source one = values_source(values, item, u);
        if (!value_is_read(&subject->items[item].uses[u]) || one.item == VALUE_OUTSIDE)
            continue;
        if (one.item == other)
            return true;
        for (unsigned k = 0; k < subject->items[other].use_count; k++)
            if (value_is_read(&subject->items[other].uses[k]) &&
                values_source(values, other, k).item == one.item)
                return true;
        enum operation operation = subject->items[one.item].row->operation;
        if (steps && (operation == operation_COPY || operation == operation_EXTEND) &&
            have_common_source(values, one.item, other, steps - 1))
            return true;
    }
    return false;
}

/* The lowest bit of a number, or its sign. */
static bool takes_bit(const struct subject_item *item)
{
    bool is_logic = item->row->operation == operation_AND ||
                    (item->row->class == class_COMPARE && item->row->operation != operation_COMPARE);
    return is_logic ? has_constant(item, 1) || doubles(item)
                    : item->row->operation == operation_EXTRACT && item->operand_count > 2 &&
                          item->operands[item->operand_count - 1].value == 1;
}

static bool is_other_work(const struct subject_item *item)
{
    enum class class = item->row->class;
    return item->row->load_bytes || item->row->store_bytes || item->row->is_vector || item->is_fp ||
           class == class_MULTIPLY || class == class_DIVIDE || class == class_FMA || class == class_CALL ||
           class == class_ATOMIC || class == class_SYSTEM;
}

/* Whether an instruction computes a register from numbers, not from bits. */
static bool calculates(const struct subject *subject, uint32_t instruction, uint32_t full)
{
    struct subject_item item;
    subject_item_take(subject->model, &item, instruction);
    enum operation operation = item.row->operation;
    bool is_sum = operation == operation_ADD || operation == operation_SUBTRACT ||
                  operation == operation_ADDRESS || operation == operation_INCREMENT;
    if ((!is_sum && item.row->class != class_MULTIPLY) || shifts_by_one(&item))
        return false;
    for (unsigned u = 0; u < item.use_count; u++)
        if (value_is_written(&item.uses[u]) &&
            model_full_register(subject->model, item.uses[u].register_) == full)
            return true;
    return false;
}

/* Whether the path makes another number of what an item shifts: a sum or a product of it. */
static bool is_added_to(const struct values *values, unsigned shift)
{
    const struct subject *subject = values->subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        enum operation operation = subject->items[i].row->operation;
        if (i != shift && (operation == operation_ADD || operation == operation_ADDRESS) &&
            !shifts_by_one(&subject->items[i]) && have_common_source(values, i, shift, 0))
            return true;
    }
    return false;
}

/* Whether any path of the loop computes the register that an item shifts. */
static bool is_calculated(const struct values *values, unsigned shift)
{
    const struct subject *subject = values->subject;
    const struct model *model = subject->model;
    const struct subject_item *row = &subject->items[shift];
    if (is_added_to(values, shift))
        return true;
    for (unsigned u = 0; u < row->use_count; u++) {
        uint32_t full = model_full_register(model, row->uses[u].register_);
        if (!value_is_written(&row->uses[u]) || model_register(model, full)->kind != register_kind_GENERAL)
            continue;
        size_t at =
            array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
        for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
             at++) {
            const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
            for (uint32_t i = 0; i < block->instruction_count; i++)
                if (calculates(subject, block->first_instruction + i, full))
                    return true;
        }
    }
    return false;
}

/* The shift and the test of a bit of what it shifts. */
static bool find_bits(const struct subject *subject, struct remark *remark, bool *mixes)
{
    struct values values;
    values_find(&values, subject);
    bool is_found = false;
    *mixes = false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        if (is_other_work(&subject->items[i]))
            return false;
        *mixes |= subject->items[i].row->operation == operation_EXCLUSIVE_OR && !doubles(&subject->items[i]);
    }
    for (unsigned i = 0; i < subject->item_count && !is_found; i++) {
        if (!shifts_by_one(&subject->items[i]) || !is_carried(&values, i, MOST_STEPS) ||
            is_calculated(&values, i))
            continue;
        for (unsigned k = 0; k < subject->item_count && !is_found; k++) {
            if (k == i || !takes_bit(&subject->items[k]) || !have_common_source(&values, k, i, MOST_STEPS))
                continue;
            remark_point(remark, i);
            remark_point(remark, k);
            is_found = true;
        }
    }
    return is_found;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    bool mixes;
    if (subject->item_count > MOST_ITEMS || subject_is_aside(subject) || !subject_is_timed(subject) ||
        (subject->compiler->flags && !subject->compiler->optimisation) || !find_bits(subject, remark, &mixes))
        return false;
    remark_say(remark,
               "Each iteration shifts a number by one bit, looks at that bit, and waits for the "
               "iteration before%s.",
               mixes ? ", as for a checksum (CRC) or a product without carries" : "");
    remark_advise(remark, mixes ? &table : &counting);
    remark_advise(remark, mixes ? &table_fortran : &counting_fortran);
    remark_advise_later(remark, mixes ? &counting : &table);
    remark_advise_later(remark, mixes ? &counting_fortran : &table_fortran);
    return true;
}

const struct rule rule_bit_by_bit = {
    .name = "bit-by-bit",
    .title = "The loop works on one bit after the other",
    .meaning = "A processor handles 64 bits as fast as one. A loop that takes a number apart bit by bit uses "
               "an iteration for what a table does for eight bits, or an instruction for all of them.",
    .level = advice_level_POTENTIAL,
    .remedies = {{0}},
    .find = find,
};
