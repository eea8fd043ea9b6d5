/* Single bits of packed words, one after the other: std::vector<bool>, std::bitset with a variable index.

   The evidence is a shift by the counter of the loop, or x86's test of the bit that it counts, a word loaded
   from the place that the same counter selects (shifted right by 3, 5 or 6), and an operation that brings the
   two together. Iterators of vector<bool> count up to 63 instead, and then move on to the next word. In C
   such code was written by hand, for the memory that it saves, and gets a hint. */
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"

#include <stddef.h>
#include <string.h>

enum { MOST_STEPS = 5, LAST_BIT = 63 };

struct search {
    struct values values;
    uint32_t counter; /* full register */
    unsigned shift;   /* item */
};

static const struct operand *last_operand(const struct subject_item *item)
{
    return item->operand_count ? &item->operands[item->operand_count - 1] : NULL;
}

/* Copies, and the remainder by a power of two: what lies between a counter and the amount of a shift. Numbers
   with a sign are corrected around both where they are negative: sums with the sign, and selections. */
static bool keeps_counter(const struct subject_item *item)
{
    enum operation operation = item->row->operation;
    return !item->row->load_bytes &&
           (operation == operation_COPY || operation == operation_EXTEND || operation == operation_AND ||
            operation == operation_EXTRACT || operation == operation_ADD || operation == operation_SUBTRACT ||
            operation == operation_ADDRESS || item->row->class == class_MOVE);
}

/* Whether a register moves on by the same distance in each iteration: by a constant, or by a register that
   stays. */
static bool counts_evenly(struct values *values, uint32_t full)
{
    const struct subject *subject = values->subject;
    if (values_counts(subject, full))
        return true;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        bool reads = false, writes = false, stays = true;
        if (item->row->operation != operation_ADD || item->row->load_bytes)
            continue;
        for (unsigned u = 0; u < item->use_count; u++) {
            uint32_t other = model_full_register(subject->model, item->uses[u].register_);
            reads |= other == full && value_is_read(&item->uses[u]);
            writes |= other == full && value_is_written(&item->uses[u]);
            stays &= other == full || !value_is_read(&item->uses[u]) || values_stays(values, other);
        }
        if (reads && writes && stays)
            return true;
    }
    return false;
}

/* The counter that a register of an item is a copy of; 0: none. */
static uint32_t find_counter(struct values *values, unsigned item, uint32_t register_row, unsigned steps)
{
    const struct subject *subject = values->subject;
    if (counts_evenly(values, model_full_register(subject->model, register_row)))
        return model_full_register(subject->model, register_row);
    struct value_source source = values_of_register(values, item, register_row);
    if (!steps || source.item == VALUE_OUTSIDE || source.is_earlier ||
        !keeps_counter(&subject->items[source.item]))
        return 0;
    const struct subject_item *copy = &subject->items[source.item];
    for (unsigned u = 0; u < copy->use_count; u++) {
        uint32_t found = value_is_read(&copy->uses[u])
                             ? find_counter(values, source.item, copy->uses[u].register_, steps - 1)
                             : 0;
        if (found)
            return found;
    }
    return 0;
}

/* How far an item shifts to the right: with ubfx, down to the lowest bit that it takes. */
static const struct operand *shift_amount(const struct subject_item *item)
{
    enum { OPERANDS = 4, LOWEST = 2 };
    if (item->row->operation == operation_EXTRACT && item->operand_count == OPERANDS)
        return &item->operands[LOWEST];
    return item->row->class == class_SHIFT ? last_operand(item) : NULL;
}

/* Whether a value is computed from the counter shifted right: the number of the word. */
static bool is_word_number(struct search *search, unsigned item, unsigned steps)
{
    const struct subject *subject = search->values.subject;
    const struct subject_item *row = &subject->items[item];
    const struct operand *amount = shift_amount(row);
    if (amount && amount->kind == operand_kind_IMMEDIATE &&
        (amount->value == 3 || amount->value == 5 || amount->value == 6)) {
        for (unsigned u = 0; u < row->use_count; u++)
            if (value_is_read(&row->uses[u]) &&
                find_counter(&search->values, item, row->uses[u].register_, MOST_STEPS) == search->counter)
                return true;
        return false;
    }
    for (unsigned u = 0; steps && u < row->use_count; u++) {
        struct value_source source = values_source(&search->values, item, u);
        if (value_is_read(&row->uses[u]) && source.item != VALUE_OUTSIDE && !source.is_earlier &&
            is_word_number(search, source.item, steps - 1))
            return true;
    }
    return false;
}

static bool is_word(struct search *search, unsigned item)
{
    const struct subject *subject = search->values.subject;
    const struct subject_item *row = &subject->items[item];
    for (unsigned u = 0; row->row->load_bytes && u < row->use_count; u++) {
        struct value_source source = values_source(&search->values, item, u);
        if (row->uses[u].is_address && source.item != VALUE_OUTSIDE && !source.is_earlier &&
            is_word_number(search, source.item, MOST_STEPS))
            return true;
    }
    return false;
}

/* Whether the loop compares the counter with the number of a word's last bit. */
static bool counts_bits(const struct search *search)
{
    const struct subject *subject = search->values.subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct subject_item *row = &subject->items[i];
        const struct operand *last = last_operand(row);
        if (row->row->class != class_COMPARE || !last || last->kind != operand_kind_IMMEDIATE ||
            last->value != LAST_BIT)
            continue;
        for (unsigned u = 0; u < row->use_count; u++)
            if (value_is_read(&row->uses[u]) &&
                model_full_register(subject->model, row->uses[u].register_) == search->counter)
                return true;
    }
    return false;
}

/* Whether one item reads the results of both, or one of them reads that of the other. */
static bool meet(const struct search *search, unsigned shift, unsigned load)
{
    const struct subject *subject = search->values.subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        bool has_shift = i == shift, has_load = i == load;
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            if (!value_is_read(&subject->items[i].uses[u]))
                continue;
            uint32_t source = values_source(&search->values, i, u).item;
            has_shift |= source == shift;
            has_load |= source == load;
        }
        if (has_shift && has_load)
            return true;
    }
    return false;
}

/* The operand by which an item selects a bit: how far it shifts, or which bit it tests; NULL: it does
 * neither. */
static const struct operand *bit_number(const struct subject *subject, const struct subject_item *item)
{
    bool selects = item->row->class == class_SHIFT
                       ? !item->row->is_vector
                       : !strcmp(model_text(subject->model, item->row->name), "bt");
    return selects ? last_operand(item) : NULL;
}

/* A shift by the counter and a word that it is applied to. */
static bool find_bits(struct search *search, struct remark *remark)
{
    const struct subject *subject = search->values.subject;
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct operand *amount = bit_number(subject, &subject->items[i]);
        if (!amount || amount->kind != operand_kind_REGISTER)
            continue;
        search->shift = i;
        search->counter = find_counter(&search->values, i, amount->register_, MOST_STEPS);
        if (!search->counter)
            continue;
        bool is_iterator = counts_bits(search);
        for (unsigned k = 0; k < subject->item_count; k++)
            if (subject->items[k].row->load_bytes && (is_iterator || is_word(search, k)) &&
                meet(search, i, k)) {
                remark_point(remark, i);
                remark_point(remark, k);
                return true;
            }
    }
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct search search = {0};
    const struct function *function =
        model_function(subject->model, model_loop(subject->model, subject->loop)->function);
    const char *name = function->name ? model_text(subject->model, function->name) : NULL;
    if (subject_is_aside(subject) || !subject_is_timed(subject) || subject->metric->call_count)
        return false;
    values_find(&search.values, subject);
    if (!find_bits(&search, remark))
        return false;
    bool is_cpp = subject->compiler->language == language_CPLUSPLUS || (name && !strncmp(name, "_Z", 2));
    if (!is_cpp)
        remark->level = advice_level_HINT;
    remark_say(
        remark,
        "Each iteration takes a single bit out of a word, or puts one in, with shifts and masks%s. The "
        "compiler cannot vectorise that.",
        is_cpp ? ", as std::vector<bool> does" : "");
    return true;
}

const struct rule rule_vector_bool = {
    .name = "vector-bool",
    .title = "Single bits are packed into words",
    .meaning =
        "std::vector<bool> and bit fields by hand save memory, and pay for it at each access: find the "
        "word, make a mask, select the bit. A store changes the whole word, so the next store to it "
        "waits.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_C, NULL,
          "Use a byte for each truth value, if memory is not scarce: std::vector<char>, or unsigned char[].",
          action_ELEMENT_TYPE, NULL},
         {audience_C, NULL,
          "Or work on whole words: count bits with std::popcount or __builtin_popcountll, combine words "
          "with &, | and ^.",
          action_ELEMENT_TYPE, NULL}},
    .find = find,
};
