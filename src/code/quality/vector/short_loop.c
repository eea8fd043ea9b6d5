/* Loops over channels, components, axes or planes look like long ones. Four signs tell them apart:

   - the limit is a byte in memory (at most 255, and programmers who expect many do not use a byte);
   - the function also tests whether the limit equals a small number (if (channels == 2) …);
   - the counter is compared with a small constant, wherever it starts;
   - all accesses go through large structures, element by element: descriptions of things, not data.

   The limit is followed back through the definitions that reach it, a few steps. */
#include "code/quality/vector/short_loop.h"

#include "code/quality/motion/trips.h"
#include "code/quality/values.h"

#include <stddef.h>

enum {
    SMALL = 16,           /* a constant that a limit is compared with */
    LEAST_STRUCTURE = 64, /* bytes; smaller ones are vectors, particles, pixels */
    MOST_STRUCTURE = 255, /* larger steps are rows of matrices */
    MOST_STEPS = 3,
    NEAR = 200 /* instructions around a loop */
};

static bool steps_through_structures(const struct subject *subject)
{
    unsigned moving = 0;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        int64_t distance = access->stride < 0 ? -access->stride : access->stride;
        if (access->pattern == access_pattern_INVARIANT)
            continue;
        if (access->pattern != access_pattern_CONSTANT_STRIDE || distance < LEAST_STRUCTURE ||
            distance > MOST_STRUCTURE)
            return false;
        moving++;
    }
    return moving > 0;
}

static int64_t constant_of(const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_IMMEDIATE)
            return item->operands[i].value;
    return 0;
}

/* Whether the branch after a comparison asks for equality. */
static bool asks_for_equality(const struct model *model, uint32_t compare)
{
    enum { BEHIND = 3 };
    for (uint32_t id = compare + 1; id < model->code.count && id <= compare + BEHIND; id++) {
        const struct encoding *row = model_encoding(model, model_instruction(model, id)->encoding);
        if (row->flow == flow_BRANCH)
            return row->condition == condition_EQUAL || row->condition == condition_NOT_EQUAL;
    }
    return false;
}

/* A value that a register has: of a definition, or 0 for the function's entry. */
struct value {
    uint32_t definition, full;
};

static bool reaches(const struct model *model, const struct value *value, uint32_t use)
{
    bool is_defined = false;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count && model_def_use(model, (uint32_t)i)->use == use; i++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)i);
        if (reaching->register_ == value->full && value->definition == reaching->definition)
            return true;
        is_defined |= reaching->register_ == value->full;
    }
    return !value->definition && !is_defined;
}

/* Whether an instruction asks whether the value equals a small number. */
static bool asks(const struct model *model, const struct value *value, uint32_t id)
{
    struct subject_item item;
    uint32_t encoding = model_instruction(model, id)->encoding;
    if (model_encoding(model, encoding)->operation != operation_COMPARE)
        return false;
    subject_item_take(model, &item, id);
    int64_t constant = constant_of(&item);
    if (constant <= 1 || constant > SMALL || !asks_for_equality(model, id))
        return false;
    for (unsigned i = 0; i < item.operand_count; i++)
        if (item.operands[i].kind == operand_kind_REGISTER && item.operands[i].register_ &&
            model_full_register(model, item.operands[i].register_) == value->full)
            return reaches(model, value, id);
    return false;
}

/* The same for the instructions of the function near one of the loop. */
static bool is_compared(const struct model *model, const struct value *value, uint32_t near)
{
    uint32_t function = model_block(model, model_instruction(model, near)->block)->function;
    uint32_t first = near > NEAR ? near - NEAR : 0;
    for (uint32_t id = first; id < near + NEAR && id < model->code.count; id++) {
        uint32_t block = model_instruction(model, id)->block;
        if (block && model_block(model, block)->function == function && asks(model, value, id))
            return true;
    }
    return false;
}

static bool is_small(const struct subject *subject, uint32_t use, uint32_t full, unsigned steps);

/* Whether a value is small by its definition, or by what that is made of. */
static bool is_small_value(const struct subject *subject, const struct value *value, uint32_t near,
                           unsigned steps)
{
    const struct model *model = subject->model;
    struct subject_item item;
    if (is_compared(model, value, near))
        return true;
    if (!value->definition)
        return false;
    subject_item_take(model, &item, value->definition);
    if (item.row->load_bytes)
        return item.row->load_bytes == 1;
    for (unsigned i = 0; i < item.operand_count; i++)
        if (item.operands[i].kind == operand_kind_REGISTER && item.operands[i].access & access_READ &&
            item.operands[i].register_ &&
            is_small(subject, value->definition, model_full_register(model, item.operands[i].register_),
                     steps + 1))
            return true;
    return false;
}

/* Whether what a register holds before the loop, as an instruction reads it, is small. */
static bool is_small(const struct subject *subject, uint32_t use, uint32_t full, unsigned steps)
{
    const struct model *model = subject->model;
    bool is_defined = false;
    if (steps > MOST_STEPS)
        return false;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count && model_def_use(model, (uint32_t)i)->use == use; i++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)i);
        if (reaching->register_ != full)
            continue;
        is_defined = true;
        uint32_t block = model_instruction(model, reaching->definition)->block;
        if (model_block(model, block)->loop != subject->loop &&
            is_small_value(subject, &(struct value){reaching->definition, full}, use, steps))
            return true;
    }
    return !is_defined && is_small_value(subject, &(struct value){0, full}, use, steps);
}

/* The counter's step, if an operand of a comparison is a counter. */
static int64_t step_of(const struct values *values, uint32_t compare, const struct operand *operand)
{
    const struct cost_item *costs = values->subject->work->items.data;
    struct value_source source = values_of_register(values, compare, operand->register_);
    if (source.item == VALUE_OUTSIDE || source.item == compare)
        return 0;
    const struct cost_step *step = &costs[source.item].cost->step;
    return step->to && step->to == step->from ? step->constant : 0;
}

static bool ends_soon(const struct values *values, uint32_t compare)
{
    const struct subject *subject = values->subject;
    const struct subject_item *item = &subject->items[compare];
    int64_t end = constant_of(item), step = 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind != operand_kind_REGISTER || !(operand->access & access_READ) || !operand->register_)
            continue;
        struct value_source source = values_of_register(values, compare, operand->register_);
        if (source.item == VALUE_OUTSIDE &&
            is_small(subject, item->instruction, model_full_register(subject->model, operand->register_), 0))
            return true;
        const struct subject_access *load =
            source.item == VALUE_OUTSIDE ? NULL : values_access(subject, source.item);
        if (load && load->loads && load->bytes == 1 && load->pattern == access_pattern_INVARIANT)
            return true;
        step = step ? step : step_of(values, compare, operand);
    }
    return step > 0 && end > 0 && end / step <= SMALL;
}

bool short_loop_shows(const struct subject *subject)
{
    struct values values;
    if (steps_through_structures(subject))
        return true;
    values_find(&values, subject);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        if (item->row->flow != flow_BRANCH || !motion_leaves_loop(subject, i))
            continue;
        for (unsigned use = 0; use < item->use_count; use++) {
            uint32_t source =
                value_is_read(&item->uses[use]) ? values_source(&values, i, use).item : VALUE_OUTSIDE;
            if (source != VALUE_OUTSIDE && subject->items[source].row->class == class_COMPARE &&
                ends_soon(&values, source))
                return true;
        }
    }
    return false;
}
