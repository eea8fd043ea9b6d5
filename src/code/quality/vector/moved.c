/* Each store is followed back to where its value comes from: a load of the path, something outside the loop,
   or an instruction that steps. Loads and stores of one element must agree in width and direction for a copy.
   If a load has the address of a store that stores something else, elements are exchanged. */
#include "code/quality/vector/moved.h"

#include "code/quality/values.h"

#include <stddef.h>
#include <string.h>

enum { MOST_MOVES = 4 };

/* The first register or constant that an item reads as a value; NULL for none. */
static const struct operand *value_of(const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_IMMEDIATE ||
            (operand->kind == operand_kind_REGISTER && operand->access & access_READ))
            return operand;
    }
    return NULL;
}

/* Bytes of one register of a load or store. */
static unsigned width_of(const struct subject_item *item, const struct subject_access *access)
{
    unsigned registers = 0;
    for (unsigned i = 0; i < item->operand_count; i++)
        registers += item->operands[i].kind == operand_kind_REGISTER;
    return item->row->operation == operation_COPY_PAIR && registers > 1 ? access->bytes / registers
                                                                        : access->bytes;
}

static bool is_zero_register(const struct subject *subject, const struct operand *operand)
{
    const char *name =
        operand->kind == operand_kind_REGISTER && operand->register_
            ? model_text(subject->model, model_register(subject->model, operand->register_)->name)
            : NULL;
    return name && (!strcmp(name, "xzr") || !strcmp(name, "wzr"));
}

/* Whether an instruction makes zero: xor of a register with itself, or a constant. */
static bool makes_zero(const struct subject *subject, uint32_t instruction)
{
    struct subject_item item;
    subject_item_take(subject->model, &item, instruction);
    const struct machine_cost *cost = machine_cost(&subject->work->costs, item.encoding);
    const struct operand *value = value_of(&item);
    if (item.row->class == class_LOGIC)
        return !cost->flow_count && !cost->access_count;
    return !cost->access_count && value &&
           (is_zero_register(subject, value) || (value->kind == operand_kind_IMMEDIATE && !value->value));
}

/* Whether the value that a register has before the loop is zero: all its definitions there are. */
static bool is_zero_outside(const struct subject *subject, uint32_t use, uint32_t register_row)
{
    const struct model *model = subject->model;
    uint32_t full = model_full_register(model, register_row), count = 0;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count && model_def_use(model, (uint32_t)i)->use == use; i++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)i);
        if (reaching->register_ != full)
            continue;
        if (reaching->is_entry_too || !makes_zero(subject, reaching->definition))
            return false;
        count++;
    }
    return count > 0;
}

static enum moved_kind kind_of_fill(const struct subject *subject, const struct subject_access *store,
                                    const struct operand *value)
{
    bool is_zero =
        value->kind == operand_kind_IMMEDIATE
            ? !value->value
            : is_zero_register(subject, value) ||
                  is_zero_outside(subject, subject->items[store->item].instruction, value->register_);
    return is_zero || store->bytes == 1 ? moved_FILLED : moved_REPEATED;
}

/* Where the value of a store comes from, after copies between registers. */
static uint32_t source_of(const struct values *values, uint32_t item)
{
    const struct subject *subject = values->subject;
    for (unsigned i = 0; i < MOST_MOVES; i++) {
        const struct operand *value = value_of(&subject->items[item]);
        if (!value || value->kind != operand_kind_REGISTER || is_zero_register(subject, value))
            return VALUE_OUTSIDE;
        uint32_t source = values_of_register(values, item, value->register_).item;
        if (source == VALUE_OUTSIDE || source == item || subject->items[source].row->class != class_MOVE)
            return source;
        item = source;
    }
    return item;
}

static bool is_same_place(const struct operand *one, const struct operand *other)
{
    return one && other && one->base_register == other->base_register &&
           one->index_register == other->index_register && one->scale == other->scale &&
           one->displacement == other->displacement;
}

/* Whether what is at the place of a store was loaded first, and goes elsewhere. */
static bool is_exchanged(const struct subject *subject, const struct subject_access *store, uint32_t source)
{
    const struct operand *stored = subject_item_memory(&subject->items[store->item]);
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *load = &subject->accesses[i];
        if (load->loads && load->item != source && load->item < store->item &&
            is_same_place(subject_item_memory(&subject->items[load->item]), stored))
            return true;
    }
    return false;
}

static enum moved_kind kind_of(const struct values *values, const struct subject_access *store)
{
    const struct subject *subject = values->subject;
    const struct operand *value = value_of(&subject->items[store->item]);
    if (!value)
        return moved_NOTHING;
    uint32_t source = source_of(values, store->item);
    if (source == VALUE_OUTSIDE)
        return kind_of_fill(subject, store, value);
    const struct subject_item *made = &subject->items[source];
    const struct subject_access *load = values_access(subject, source);
    if (!made->row->load_bytes || !load)
        return moved_COUNTED;
    if (is_exchanged(subject, store, source))
        return moved_EXCHANGED;
    if (width_of(made, load) != width_of(&subject->items[store->item], store))
        return moved_CONVERTED;
    return load->stride && load->stride == -store->stride ? moved_REVERSED : moved_COPIED;
}

enum moved_kind moved_find(const struct subject *subject)
{
    enum moved_kind kind = moved_NOTHING;
    struct values values;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *store = &subject->accesses[i];
        if (!store->stores || subject->items[store->item].purpose != purpose_DATA)
            continue;
        enum moved_kind of_store = kind_of(&values, store);
        kind = of_store > kind ? of_store : kind;
    }
    return kind;
}
