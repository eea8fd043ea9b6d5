/* Values of registers before the loop: constants, the vector length, or another register and a distance.

   The table def_use has the definitions that reach an instruction. If only one comes from outside the loop
   and dominates the use, its sum is the value, in terms of its own inputs and so on, up to MOST_STEPS back
   and MOST_LOOKS in all. Else the value is a symbol: of the definition, of the function's entry, or of this
   use alone. Equal symbols are equal values, since a definition that dominates its uses has run once since;
   an outer loop that changes the register between two uses changes its definitions there. */
#include "code/quality/motion/linear.h"
#include "code/quality/motion/sums.h"

#include <stddef.h>

/* Compilers put bases together from few instructions; a search further back finds little. Sums of more than
   two parts are no more useful than a symbol, and would fill up the sums that they go into. */
enum { MOST_STEPS = 8, MOST_PARTS = 2, MOST_LOOKS = 24 };

struct outside {
    const struct subject *subject;
    struct motion_symbols *symbols;
    unsigned steps, *looks;
    const struct linear_result *result; /* of the current definition */
    uint32_t definition;
};

/* An existing symbol that is the same, or a new one. */
static struct motion_sum symbol_of(const struct outside *outside, const struct motion_symbol *wanted)
{
    struct motion_symbols *symbols = outside->symbols;
    for (unsigned i = 0; i < symbols->outside_count; i++) {
        const struct motion_symbol *symbol = motion_symbol_at(symbols, symbols->outside[i]);
        if (symbol->resource == wanted->resource && symbol->instruction == wanted->instruction &&
            symbol->is_use == wanted->is_use && symbol->access == wanted->access &&
            symbol->offset == wanted->offset)
            return motion_sum_of(symbols->outside[i]);
    }
    uint32_t made = motion_symbol_add(symbols, symbol_OUTSIDE);
    struct motion_symbol *symbol = motion_symbol_at(symbols, made);
    symbol->resource = wanted->resource;
    symbol->instruction = wanted->instruction;
    symbol->is_use = wanted->is_use;
    symbol->access = wanted->access;
    symbol->offset = wanted->offset;
    if (symbols->outside_count < MOST_OUTSIDE)
        symbols->outside[symbols->outside_count++] = made;
    return motion_sum_of(made);
}

/* Whether another instruction dominates this one. */
static bool is_always_before(const struct model *model, uint32_t before, uint32_t after)
{
    uint32_t one = model_instruction(model, before)->block, other = model_instruction(model, after)->block;
    const struct block *dominator = model_block(model, one), *block = model_block(model, other);
    if (one == other)
        return before < after;
    return dominator->function == block->function && dominator->dom_enter &&
           dominator->dom_enter <= block->dom_enter && block->dom_leave <= dominator->dom_leave;
}

/* The one definition from outside the loop that reaches a use: true, 0 for the entry of the function. */
static bool find_definition(const struct outside *outside, uint16_t resource, uint32_t use,
                            uint32_t *definition)
{
    const struct model *model = outside->subject->model;
    uint32_t row = outside->subject->registers->row[resource];
    bool is_entry = true, is_found = false;
    *definition = 0;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count; i++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)i);
        if (reaching->use != use || reaching->register_ > row)
            break;
        if (reaching->register_ != row)
            continue;
        is_entry = reaching->is_entry_too;
        uint32_t block = model_instruction(model, reaching->definition)->block;
        if (model_block(model, block)->loop == outside->subject->loop)
            continue;
        if (is_found)
            return false;
        is_found = true;
        *definition = reaching->definition;
    }
    if (is_found)
        return !is_entry && is_always_before(model, *definition, use);
    return is_entry;
}

/* A number for the definitions that reach a use. */
static uint32_t number_of_definitions(const struct outside *outside, uint16_t resource, uint32_t use)
{
    const struct model *model = outside->subject->model;
    uint32_t row = outside->subject->registers->row[resource], number = 0;
    for (size_t i = array_first_not_below(&model->def_use, 0, offsetof(struct def_use, use), use);
         i < model->def_use.count && model_def_use(model, (uint32_t)i)->use == use; i++) {
        const struct def_use *reaching = model_def_use(model, (uint32_t)i);
        if (reaching->register_ == row)
            number = (number ^ reaching->definition) * UINT32_C(0x9e3779b1);
    }
    return number | UINT32_C(1) << 31; /* not an instruction */
}

static struct motion_sum find(struct outside *outside, uint16_t resource, uint32_t use);

static struct motion_sum part_value(void *context, unsigned number)
{
    struct outside *outside = context;
    const struct linear_part *part = &outside->result->parts[number];
    if (part->kind == linear_REGISTER && !part->resource)
        return (struct motion_sum){0};
    if (part->kind == linear_REGISTER) {
        struct outside further = *outside;
        further.steps++;
        return find(&further, part->resource, outside->definition);
    }
    /* A loaded value is identified by its definition, with a resource that no register has. */
    return symbol_of(outside, &(struct motion_symbol){.resource = RESOURCE_MEMORY,
                                                      .instruction = outside->definition,
                                                      .is_use = true,
                                                      .access = part->access,
                                                      .offset = part->offset});
}

static struct motion_sum find(struct outside *outside, uint16_t resource, uint32_t use)
{
    struct linear_result results[MOST_LINEAR_RESULTS];
    uint32_t definition;
    struct motion_symbol symbol = {.resource = resource};
    if (!find_definition(outside, resource, use, &definition)) {
        symbol.instruction =
            outside->symbols->joins_uses ? number_of_definitions(outside, resource, use) : use;
        symbol.is_use = true;
        return symbol_of(outside, &symbol);
    }
    symbol.instruction = definition;
    if (!definition || outside->steps == MOST_STEPS || ++*outside->looks > MOST_LOOKS)
        return symbol_of(outside, &symbol);
    struct subject_item item;
    subject_item_take(outside->subject->model, &item, definition);
    const struct linear_instruction instruction = {
        .subject = outside->subject,
        .item = &item,
        .cost = machine_cost(&outside->subject->work->costs, item.encoding)};
    unsigned count = linear_results(&instruction, results);
    for (unsigned i = 0; i < count; i++) {
        if (results[i].is_stored || results[i].resource != resource)
            continue;
        outside->result = &results[i];
        outside->definition = definition;
        struct motion_sum sum = motion_compute(outside->symbols, &results[i], part_value, outside);
        if (sum.count <= MOST_PARTS)
            return sum;
    }
    return symbol_of(outside, &symbol);
}

struct motion_sum motion_outside(const struct subject *subject, struct motion_symbols *symbols,
                                 uint16_t resource, uint32_t use)
{
    unsigned looks = 0;
    struct outside outside = {.subject = subject, .symbols = symbols, .looks = &looks};
    return find(&outside, resource, use);
}
