/* Arguments of calls become subjects: before the call, what the callee will find.

   What the arguments are comes from the first that knows: the debug information of the callee, if its code is
   in the same files (then they are where its parameters are at its entry); a table of well-known functions
   (arguments.def), for the calling conventions AAPCS64 and System V; else the argument registers, up to the
   last that the code writes between the start of the block, or the call before, and the call. */
#include "run/probe/site/entry.h"
#include "run/probe/plan/parts.h"
#include "run/probe/site/registers.h"
#include "run/probe/site/value.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *function, *arguments;
} known[] = {
#define ARGUMENTS(function, arguments) {function, arguments},
#include "run/probe/plan/arguments.def"
#undef ARGUMENTS
};

enum { MOST_VECTOR_ARGUMENTS = 8 };

struct call_probe {
    struct probe_plan *plan;
    struct probe_value_finder *values;
    const struct call *call;
    enum isa isa;
};

char *probe_callee_name(const struct model *model, uint32_t function)
{
    const char *name = function ? model_text(model, model_function(model, function)->name) : NULL;
    const char *mark = name ? strstr(name, "@plt") : NULL;
    return name ? memory_copy_text(name, mark && !mark[4] ? (size_t)(mark - name) : strlen(name)) : NULL;
}

static void add_argument(const struct call_probe *probe, uint32_t position,
                         const struct probe_named_value *value)
{
    const struct call *call = probe->call;
    struct probe_subject subject = {
        .kind = PROBE_OF_PARAMETER,
        .register_kind = value->register_kind,
        .is_address = value->is_address,
        .program = model_function(probe->plan->model, call->caller)->program,
        .function = call->caller,
        .instruction = call->instruction,
        .callee = call->callee,
        .position = position,
        .variable = value->variable,
        .name = value->name,
        .how = {.kind = PROBE_VALUE,
                .flags = (uint8_t)((value->is_float ? PROBE_IS_FLOAT : 0) |
                                   (value->is_signed && !value->is_float ? PROBE_IS_SIGNED : 0)),
                .width = value->width}};
    uint32_t number = probe_add_subject(probe->plan, &subject);
    struct probe_point *point = probe_add_point(probe->plan, number, call->instruction, PROBE_BEFORE);
    point->action = probe_make_event(number, PROBE_SEEN, value->source);
    point->free = probe_free_at(probe_plan_freedom(probe->plan), call->instruction, PROBE_BEFORE);
    point->free.has_red_zone = true; /* a caller's ends at its call */
}

/* Where the callee's parameters are; false: its debug information is unknown. */
static bool add_from_callee(const struct call_probe *probe)
{
    const struct model *model = probe->plan->model;
    uint32_t callee = probe->call->callee, position = 0;
    uint32_t entry = callee && probe_has_code(model, callee) ? probe_entry_instruction(model, callee) : 0;
    if (!entry || !model_function(model, callee)->unit)
        return false;
    for (uint32_t id = probe->values->first[callee]; id; id = probe->values->next[id]) {
        const struct variable *variable = model_variable(model, id);
        struct probe_named_value value;
        if (variable->kind != variable_kind_PARAMETER || variable->inlined_call)
            continue;
        position++;
        if (!probe_value_of_parameter(probe->values, id, entry, &value))
            continue;
        /* The return address is not on the stack yet. */
        if (probe->isa == isa_X86_64 && value.source.kind == PROBE_FROM_MEMORY &&
            value.source.base == PROBE_X86_RSP)
            value.source.displacement -= 8;
        add_argument(probe, position, &value);
    }
    return true;
}

/* Registers that are taken so far. */
struct passed {
    unsigned general, vector;
};

static bool set_kind(const struct call_probe *probe, char kind, struct passed *passed,
                     struct probe_named_value *value)
{
    bool is_vector = kind == 'd' || kind == 'f';
    bool is_behind = kind == 'P' || kind == 'D' || kind == 'F';
    *value = (struct probe_named_value){.register_kind = register_kind_VECTOR};
    if (is_vector) {
        if (passed->vector == MOST_VECTOR_ARGUMENTS)
            return false;
        value->source = (struct probe_source){
            .kind = PROBE_FROM_VECTOR, .base = (uint8_t)passed->vector++, .index = PROBE_NO_REGISTER};
    } else if (!probe_value_of_argument(probe->values, probe->isa, ++passed->general, value)) {
        return false;
    }
    value->is_float = kind == 'd' || kind == 'f' || kind == 'D' || kind == 'F';
    value->is_signed = kind == 'i' || kind == 'l' || kind == 'P' || value->is_float;
    value->width = strchr("iuPfF", kind) ? 4 : kind == 'c' ? 1 : 8;
    value->is_address = kind == 'p';
    if (is_behind) {
        value->source.kind = PROBE_FROM_MEMORY;
        value->source.bytes = value->width;
        value->source.is_signed = kind == 'P';
        value->source.may_be_null = true;
    }
    return true;
}

static bool add_known(const struct call_probe *probe)
{
    struct model *model = probe->plan->model;
    char *name = probe_callee_name(model, probe->call->callee);
    const char *arguments = NULL;
    for (size_t i = 0; name && !arguments && i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].function))
            arguments = known[i].arguments;
    free(name);
    struct passed passed = {0};
    for (uint32_t position = 1; arguments && *arguments; position++) {
        size_t length = strcspn(arguments, ":");
        struct probe_named_value value;
        if (!set_kind(probe, arguments[length + 1], &passed, &value))
            break;
        value.name = strings_add_length(&model->strings, arguments, length);
        add_argument(probe, position, &value);
        arguments += length + 2;
        arguments += strspn(arguments, " ");
    }
    return passed.general || passed.vector;
}

static bool is_written_before(const struct model *model, uint32_t call, uint8_t number)
{
    const struct block *block = model_block(model, model_instruction(model, call)->block);
    for (uint32_t id = call; id-- > block->first_instruction;) {
        uint32_t encoding = model_instruction(model, id)->encoding;
        if (model_encoding(model, encoding)->flow == flow_CALL)
            return false;
        size_t at = array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding),
                                          encoding);
        for (; at < model->register_uses.count; at++) {
            const struct register_use *use = model_register_use(model, (uint32_t)at);
            if (use->encoding != encoding)
                break;
            if (use->access & access_WRITE && probe_general_number(model, use->register_) == number)
                return true;
        }
    }
    return false;
}

static void add_written(const struct call_probe *probe)
{
    const struct model *model = probe->plan->model;
    struct probe_named_value value;
    unsigned count = 0;
    for (unsigned position = 1; probe_value_of_argument(probe->values, probe->isa, position, &value);
         position++)
        if (is_written_before(model, probe->call->instruction, value.source.base))
            count = position;
    for (unsigned position = 1; position <= count; position++)
        if (probe_value_of_argument(probe->values, probe->isa, position, &value))
            add_argument(probe, position, &value);
}

void probe_plan_arguments(struct probe_plan *plan, const uint32_t *calls, size_t count)
{
    const struct model *model = plan->model;
    struct probe_value_finder values;
    if (!count)
        return;
    probe_values_begin(&values, model);
    for (size_t i = 0; i < count; i++) {
        size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), calls[i]);
        const struct call *call = at < model->calls.count ? model_call(model, (uint32_t)at) : NULL;
        uint32_t encoding = model_instruction(model, calls[i])->encoding;
        if (!call || call->instruction != calls[i] || model_encoding(model, encoding)->flow != flow_CALL ||
            !probe_is_code(model, model_instruction(model, calls[i])->block))
            continue;
        struct call_probe probe = {plan, &values, call, probe_isa_of(model, call->caller)};
        if (!add_from_callee(&probe) && !add_known(&probe))
            add_written(&probe);
    }
    probe_values_end(&values);
}
