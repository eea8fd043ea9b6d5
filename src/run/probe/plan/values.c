/* Values become subjects with one point each: parameters at the entry of their function, and registers and
   variables at any instruction. */
#include "run/probe/site/entry.h"
#include "run/probe/site/free.h"
#include "run/probe/plan/parts.h"
#include "run/probe/site/stacked.h"
#include "run/probe/site/value.h"

#include <stdio.h>
#include <string.h>

static struct probe_subject value_subject(const struct probe_plan *plan, enum probe_subject_of kind,
                                          uint32_t function, uint32_t instruction,
                                          const struct probe_named_value *value)
{
    return (struct probe_subject){
        .kind = (uint8_t)kind,
        .register_kind = value->register_kind,
        .is_address = value->is_address,
        .program = model_function(plan->model, function)->program,
        .function = function,
        .instruction = instruction,
        .variable = value->variable,
        .name = value->name,
        .how = {.kind = PROBE_VALUE,
                .flags = (uint8_t)((value->is_float ? PROBE_IS_FLOAT : 0) |
                                   (value->is_signed && !value->is_float ? PROBE_IS_SIGNED : 0)),
                .width = value->width}};
}

static void add_parameter(struct probe_plan *plan, uint32_t function, uint32_t entry, uint32_t position,
                          const struct probe_named_value *value, bool is_known)
{
    struct probe_subject subject = value_subject(plan, PROBE_OF_PARAMETER, function, entry, value);
    subject.position = position;
    uint32_t number = probe_add_subject(plan, &subject);
    size_t first_point = plan->points.count;
    if (!is_known) {
        probe_refuse_subject(plan, number, entry, PROBE_REFUSED_NO_VALUE, first_point);
        return;
    }
    struct probe_point *point = probe_add_point(plan, number, entry, PROBE_BEFORE);
    point->action = probe_make_event(number, PROBE_SEEN, value->source);
    point->free = probe_free_at(probe_plan_freedom(plan), entry, PROBE_BEFORE);
    point->free.has_red_zone = true; /* nothing is there yet */
    point->is_entry = true;
    if (!probe_pass_by_entry(plan, number, function, entry))
        probe_refuse_subject(plan, number, entry, PROBE_REFUSED_NO_PLACE, first_point);
}

/* Its parameters by the debug information; false: there is none. */
static bool add_known(struct probe_plan *plan, struct probe_value_finder *values, uint32_t function,
                      uint32_t entry)
{
    const struct model *model = plan->model;
    uint32_t position = 0;
    for (uint32_t id = values->first[function]; id; id = values->next[id]) {
        const struct variable *variable = model_variable(model, id);
        if (variable->kind != variable_kind_PARAMETER || variable->inlined_call)
            continue;
        struct probe_named_value value;
        bool is_known = probe_value_of_parameter(values, id, entry, &value);
        add_parameter(plan, function, entry, ++position, &value, is_known);
    }
    return position || model_function(model, function)->unit;
}

/* IA-64: those that the function reads, with numbers from 1 for r32 and so on, from 9 for f8 and so on. */
static void add_stacked(struct probe_plan *plan, uint32_t function, uint32_t entry)
{
    uint32_t read = probe_stacked_arguments(plan->model, function);
    for (unsigned i = 0; i < 2 * PROBE_STACKED_EACH; i++) {
        char name[8];
        bool is_float = i >= PROBE_STACKED_EACH;
        snprintf(name, sizeof name, "%c%u", is_float ? 'f' : 'r',
                 is_float ? PROBE_STACKED_FLOAT + i - PROBE_STACKED_EACH : PROBE_STACKED_GENERAL + i);
        struct probe_named_value value;
        if (read >> i & 1 && probe_value_of_register(plan->model, isa_IA64, name, &value))
            add_parameter(plan, function, entry, i + 1, &value, true);
    }
}

/* Argument registers up to the last that the function reads before it writes it. */
static void add_registers(struct probe_plan *plan, struct probe_value_finder *values, uint32_t function,
                          uint32_t entry)
{
    enum isa isa = probe_isa_of(plan->model, function);
    if (isa == isa_IA64) {
        add_stacked(plan, function, entry);
        return;
    }
    uint32_t read = probe_read_at_entry(probe_plan_freedom(plan), function);
    struct probe_named_value value;
    unsigned count = 0;
    for (unsigned position = 1; probe_value_of_argument(values, isa, position, &value); position++)
        if (read >> value.source.base & 1)
            count = position;
    for (unsigned position = 1; position <= count; position++)
        if (probe_value_of_argument(values, isa, position, &value))
            add_parameter(plan, function, entry, position, &value, true);
}

void probe_plan_parameters(struct probe_plan *plan, const uint32_t *functions, size_t count)
{
    struct probe_value_finder values;
    if (!count)
        return;
    probe_values_begin(&values, plan->model);
    for (size_t i = 0; i < count; i++) {
        uint32_t function = functions[i];
        uint32_t entry =
            probe_has_code(plan->model, function) ? probe_entry_instruction(plan->model, function) : 0;
        if (entry && !add_known(plan, &values, function, entry))
            add_registers(plan, &values, function, entry);
    }
    probe_values_end(&values);
}

bool probe_plan_at(struct probe_plan *plan, uint32_t instruction, const char *name, struct error *error)
{
    struct probe_value_finder values;
    struct probe_named_value value;
    probe_values_begin(&values, plan->model);
    bool is_found = probe_value_at(&values, instruction, name, &value, error);
    probe_values_end(&values);
    if (!is_found)
        return false;
    uint32_t function =
        model_block(plan->model, model_instruction(plan->model, instruction)->block)->function;
    struct probe_subject subject = value_subject(plan, PROBE_OF_AT, function, instruction, &value);
    uint32_t number = probe_add_subject(plan, &subject);
    struct probe_point *point = probe_add_point(plan, number, instruction, PROBE_BEFORE);
    point->action = probe_make_event(number, PROBE_SEEN, value.source);
    point->free = probe_free_at(probe_plan_freedom(plan), instruction, PROBE_BEFORE);
    return true;
}
