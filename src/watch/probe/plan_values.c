/* Values become subjects with one point each: parameters at the entry of their function, and registers and
   variables at any instruction. */
#include "watch/probe/entry.h"
#include "watch/probe/free.h"
#include "watch/probe/plan_parts.h"
#include "watch/probe/value.h"

#include <string.h>

static struct watch_subject value_subject(const struct watch_plan *plan, enum watch_subject_kind kind,
                                          uint32_t function, uint32_t instruction,
                                          const struct watch_value *value)
{
    return (struct watch_subject){
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

static void add_parameter(struct watch_plan *plan, uint32_t function, uint32_t entry, uint32_t position,
                          const struct watch_value *value, bool is_known)
{
    struct watch_subject subject = value_subject(plan, WATCH_PARAMETER, function, entry, value);
    subject.position = position;
    uint32_t number = watch_add_subject(plan, &subject);
    size_t first_point = plan->points.count;
    if (!is_known) {
        watch_refuse_subject(plan, number, entry, WATCH_NO_VALUE, first_point);
        return;
    }
    struct watch_point *point = watch_add_point(plan, number, entry, WATCH_BEFORE);
    point->action = watch_event(number, PROBE_SEEN, value->source);
    point->free = watch_free_at(watch_plan_freedom(plan), entry, WATCH_BEFORE);
    point->free.has_red_zone = true; /* nothing is there yet */
    point->is_entry = true;
    if (!watch_pass_by_entry(plan, number, function, entry))
        watch_refuse_subject(plan, number, entry, WATCH_NO_PLACE, first_point);
}

/* Its parameters by the debug information; false: there is none. */
static bool add_known(struct watch_plan *plan, struct watch_values *values, uint32_t function, uint32_t entry)
{
    const struct model *model = plan->model;
    uint32_t position = 0;
    for (uint32_t id = values->first[function]; id; id = values->next[id]) {
        const struct variable *variable = model_variable(model, id);
        if (variable->kind != variable_kind_PARAMETER || variable->inlined_call)
            continue;
        struct watch_value value;
        bool is_known = watch_value_of_parameter(values, id, entry, &value);
        add_parameter(plan, function, entry, ++position, &value, is_known);
    }
    return position || model_function(model, function)->unit;
}

/* Argument registers up to the last that the function reads before it writes it. */
static void add_registers(struct watch_plan *plan, struct watch_values *values, uint32_t function,
                          uint32_t entry)
{
    enum isa isa = watch_isa_of(plan->model, function);
    uint32_t read = watch_read_at_entry(watch_plan_freedom(plan), function);
    struct watch_value value;
    unsigned count = 0;
    for (unsigned position = 1; watch_value_of_argument(values, isa, position, &value); position++)
        if (read >> value.source.base & 1)
            count = position;
    for (unsigned position = 1; position <= count; position++)
        if (watch_value_of_argument(values, isa, position, &value))
            add_parameter(plan, function, entry, position, &value, true);
}

void watch_plan_parameters(struct watch_plan *plan, const uint32_t *functions, size_t count)
{
    struct watch_values values;
    if (!count)
        return;
    watch_values_begin(&values, plan->model);
    for (size_t i = 0; i < count; i++) {
        uint32_t function = functions[i];
        uint32_t entry =
            watch_has_code(plan->model, function) ? watch_entry_instruction(plan->model, function) : 0;
        if (entry && !add_known(plan, &values, function, entry))
            add_registers(plan, &values, function, entry);
    }
    watch_values_end(&values);
}

bool watch_plan_at(struct watch_plan *plan, uint32_t instruction, const char *name, struct error *error)
{
    struct watch_values values;
    struct watch_value value;
    watch_values_begin(&values, plan->model);
    bool is_found = watch_value_at(&values, instruction, name, &value, error);
    watch_values_end(&values);
    if (!is_found)
        return false;
    uint32_t function =
        model_block(plan->model, model_instruction(plan->model, instruction)->block)->function;
    struct watch_subject subject = value_subject(plan, WATCH_AT, function, instruction, &value);
    uint32_t number = watch_add_subject(plan, &subject);
    struct watch_point *point = watch_add_point(plan, number, instruction, WATCH_BEFORE);
    point->action = watch_event(number, PROBE_SEEN, value.source);
    point->free = watch_free_at(watch_plan_freedom(plan), instruction, WATCH_BEFORE);
    return true;
}
