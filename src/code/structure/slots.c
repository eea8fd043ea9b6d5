#include "code/structure/slots.h"

enum { MOST_STEPS = 8 };

static const struct operand *operands_of(const struct switch_context *context, uint32_t entry,
                                         unsigned *count)
{
    return meanings_operands(context->layout->meanings, context->layout->model,
                             context->entries[entry].encoding, count);
}

static uint32_t full_register(const struct switch_context *context, uint32_t row)
{
    return model_full_register(context->layout->model, row);
}

static bool is_jumped_to(const struct switch_context *context, uint32_t entry)
{
    struct bisection search = {0, context->jump_count};
    while (bisect(&search))
        bisect_past(&search, context->jumps[search.middle].target < entry);
    return search.first < context->jump_count && context->jumps[search.first].target == entry;
}

static bool writes(const struct switch_context *context, uint32_t entry, uint32_t full)
{
    unsigned count;
    const struct register_use *uses = meanings_uses(context->layout->meanings, context->layout->model,
                                                    context->entries[entry].encoding, &count);
    for (unsigned i = 0; i < count; i++)
        if (uses[i].access != access_READ && full_register(context, uses[i].register_) == full)
            return true;
    return false;
}

/* The instruction that wrote the register before this entry, if straight-line code leads from it; UINT32_MAX
   otherwise. */
static uint32_t find_writer(const struct switch_context *context, uint32_t entry, uint32_t full)
{
    for (int steps = 0; steps < MOST_STEPS && entry > 0; steps++) {
        if (is_jumped_to(context, entry) || !context->entries[entry - 1].encoding)
            break;
        entry--;
        uint8_t flow = model_encoding(context->layout->model, context->entries[entry].encoding)->flow;
        if (flow != flow_NEXT && flow != flow_BRANCH)
            break;
        if (writes(context, entry, full))
            return entry;
    }
    return UINT32_MAX;
}

/* The load that the register comes from, through copies of it. */
static uint32_t find_load(const struct switch_context *context, uint32_t entry, uint32_t full)
{
    for (int copies = 0; copies < MOST_STEPS; copies++) {
        entry = find_writer(context, entry, full);
        if (entry == UINT32_MAX)
            break;
        uint8_t class = model_encoding(context->layout->model, context->entries[entry].encoding)->class;
        if (class == class_LOAD)
            return entry;
        unsigned count;
        const struct operand *operand = operands_of(context, entry, &count);
        if (class != class_MOVE || count != 2 || operand[1].kind != operand_kind_REGISTER)
            break;
        full = full_register(context, operand[1].register_);
    }
    return UINT32_MAX;
}

bool slot_find(const struct switch_context *context, uint32_t entry, uint64_t *slot)
{
    unsigned count;
    const struct operand *operand = operands_of(context, entry, &count);
    if (!count || operand->kind != operand_kind_REGISTER)
        return false;
    uint32_t load = find_load(context, entry, full_register(context, operand->register_));
    if (load == UINT32_MAX)
        return false;
    operand = operands_of(context, load, &count);
    if (count != 2 || operand[1].kind != operand_kind_MEMORY)
        return false;
    if (operand[1].is_relative) {
        *slot = context->entries[load].target;
        return *slot != NO_ADDRESS;
    }
    if (operand[1].index_register || !operand[1].base_register)
        return false;
    uint32_t base = find_writer(context, load, full_register(context, operand[1].base_register));
    if (base == UINT32_MAX ||
        model_encoding(context->layout->model, context->entries[base].encoding)->class != class_ADDRESS ||
        context->entries[base].target == NO_ADDRESS)
        return false;
    *slot = context->entries[base].target + (uint64_t)operand[1].displacement;
    return true;
}
