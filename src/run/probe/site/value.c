/* Registers and variables become sources, by names and locations (tables variables, locations, types). */
#include "run/probe/site/value_parts.h"

#include "base/nearest.h"
#include "run/probe/site/registers.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void probe_values_begin(struct probe_value_finder *values, const struct model *model)
{
    *values = (struct probe_value_finder){.model = model};
    frame_addresses_begin(&values->frames, model);
    values->first = memory_get((model->functions.count + 1) * sizeof *values->first);
    values->next = memory_get((model->variables.count + 1) * sizeof *values->next);
    for (uint32_t id = (uint32_t)model->variables.count; id-- > 1;) {
        uint32_t function = model_variable(model, id)->function;
        values->next[id] = values->first[function];
        values->first[function] = id;
    }
}

void probe_values_end(struct probe_value_finder *values)
{
    frame_addresses_end(&values->frames);
    free(values->first);
    free(values->next);
}

/* ---- types ---- */

/* Without names and qualifiers. */
static const struct type *plain_type(const struct model *model, uint32_t id)
{
    enum { MOST_STEPS = 50 };
    for (unsigned step = 0; id && step < MOST_STEPS; step++) {
        const struct type *type = model_type(model, id);
        if (type->kind != type_kind_TYPEDEF && type->kind != type_kind_QUALIFIED)
            return type;
        id = type->target;
    }
    return NULL;
}

/* The debug information says of both only that they are characters. */
static bool is_signed_character(const struct model *model, const struct type *type)
{
    const char *name = model_text(model, type->name);
    if (name && !strcmp(name, "char"))
        return model_program(model, type->program)->isa != isa_AARCH64;
    return name && !strcmp(name, "signed char");
}

bool value_set_format(const struct model *model, uint32_t id, struct probe_named_value *value)
{
    const struct type *type = plain_type(model, id);
    if (!type)
        return false;
    uint64_t bytes = type->kind == type_kind_POINTER ? 8 : type->bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return false;
    value->width = (uint8_t)bytes;
    value->is_address = type->kind == type_kind_POINTER;
    value->is_float = type->kind == type_kind_BASE && type->number_format == number_format_FLOAT;
    value->is_signed = type->kind == type_kind_BASE && type->number_format != number_format_UNSIGNED &&
                       type->number_format != number_format_BOOLEAN;
    if (type->kind == type_kind_BASE && type->number_format == number_format_CHARACTER)
        value->is_signed = is_signed_character(model, type);
    bool is_complex = type->kind == type_kind_BASE && type->number_format == number_format_COMPLEX;
    return (type->kind == type_kind_BASE || type->kind == type_kind_POINTER ||
            type->kind == type_kind_ENUM) &&
           !is_complex && (!value->is_float || bytes >= 4);
}

/* ---- registers ---- */

/* Nodes alone (nodes/ia64.c): r14, f8, ar.lc. */
static bool set_ia64_register(const struct model *model, const struct register_ *fact,
                              struct probe_named_value *value)
{
    const char *name = model_text(model, fact->name);
    bool is_counter = !strcmp(name, "ar.lc"), has_number = name[1] >= '0' && name[1] <= '9';
    value->register_kind = fact->kind;
    value->source = (struct probe_source){.kind = is_counter     ? PROBE_FROM_LOOP_COUNT
                                                  : *name == 'f' ? PROBE_FROM_VECTOR
                                                                 : PROBE_FROM_GENERAL,
                                          .base = has_number ? (uint8_t)strtoul(name + 1, NULL, 10) : 0,
                                          .index = PROBE_NO_REGISTER};
    return is_counter || (has_number && (*name == 'f' || *name == 'r'));
}

/* The source, by a row of registers; false if it has no number. */
static bool value_set_register(const struct model *model, uint32_t row, struct probe_named_value *value)
{
    const struct register_ *fact = model_register(model, row);
    if (fact->isa == isa_IA64)
        return set_ia64_register(model, fact, value);
    uint8_t general = probe_general_number(model, row), vector = probe_vector_number(model, row);
    value->register_kind = fact->kind;
    value->source = (struct probe_source){.base = general, .index = PROBE_NO_REGISTER};
    if (general != PROBE_NO_REGISTER && !fact->bit_offset) {
        bool is_stack = fact->isa == isa_AARCH64 && general == PROBE_AARCH64_SP;
        value->source.kind = is_stack ? PROBE_FROM_ADDRESS : PROBE_FROM_GENERAL;
        return true;
    }
    value->source.kind = PROBE_FROM_VECTOR;
    value->source.base = vector;
    return vector != PROBE_NO_REGISTER && !fact->bit_offset;
}

static bool register_value(const struct model *model, uint32_t row, struct probe_named_value *value)
{
    const struct register_ *fact = model_register(model, row);
    *value = (struct probe_named_value){.name = fact->name};
    if (!value_set_register(model, row, value))
        return false;
    value->is_float = value->source.kind == PROBE_FROM_VECTOR;
    value->is_signed = true;
    value->width = (uint8_t)(fact->bits >= 64 ? 8 : fact->bits / 8);
    return value->width == 1 || value->width == 2 || value->width == 4 || value->width == 8;
}

/* ---- locations ---- */

uint8_t value_stack_pointer(enum isa isa)
{
    return isa == isa_AARCH64 ? PROBE_AARCH64_SP : PROBE_X86_RSP;
}

bool value_is_of_frame(enum isa isa, uint8_t base)
{
    enum { X86_RBP = 5, AARCH64_FP = 29 };
    return base == value_stack_pointer(isa) || base == (isa == isa_AARCH64 ? AARCH64_FP : X86_RBP);
}

void value_set_memory(struct probe_named_value *value, uint8_t base, int64_t displacement)
{
    value->register_kind = register_kind_GENERAL;
    value->source = (struct probe_source){.kind = PROBE_FROM_MEMORY,
                                          .base = base,
                                          .index = PROBE_NO_REGISTER,
                                          .bytes = value->width,
                                          .is_signed = value->is_signed && !value->is_float,
                                          .displacement = displacement};
}

static uint32_t row_of_register(const struct model *model, enum isa isa, string_id name)
{
    const char *text = model_text(model, name);
    return text ? probe_register_named(model, isa, text) : 0;
}

const struct location *value_location(const struct model *model, uint32_t variable, uint64_t address)
{
    size_t at = array_first_not_below(&model->locations, 1, offsetof(struct location, variable), variable);
    for (; at < model->locations.count; at++) {
        const struct location *location = model_location(model, (uint32_t)at);
        if (location->variable != variable)
            break;
        if (location->address == NO_ADDRESS || (address >= location->address && address < location->end))
            return location;
    }
    return NULL;
}

struct value_place value_place_of(struct probe_value_finder *values, uint32_t instruction)
{
    const struct model *model = values->model;
    uint32_t function = model_block(model, model_instruction(model, instruction)->block)->function;
    uint32_t program = model_function(model, function)->program;
    return (struct value_place){values, program, (enum isa)model_program(model, program)->isa,
                                model_address(model, instruction)};
}

bool value_take_location(const struct value_place *place, const struct location *location,
                         struct probe_named_value *value)
{
    const struct model *model = place->values->model;
    uint8_t base;
    int64_t offset;
    uint32_t row = 0;
    switch ((enum location_kind)location->kind) {
    case location_kind_REGISTER:
        row = row_of_register(model, place->isa, location->register_name);
        return row && value_set_register(model, row, value);
    case location_kind_BASED:
        row = row_of_register(model, place->isa, location->register_name);
        base = row ? probe_general_number(model, row) : (uint8_t)PROBE_NO_REGISTER;
        value_set_memory(value, base, location->value);
        value->source.may_be_null = !value_is_of_frame(place->isa, base);
        return base != PROBE_NO_REGISTER;
    case location_kind_FRAME:
        if (!frame_address_at(&place->values->frames, place->program, place->address, &base, &offset))
            return false;
        value_set_memory(value, base, offset + location->value);
        return true;
    case location_kind_ADDRESS:
        value_set_memory(value, PROBE_NO_REGISTER, location->value);
        value->source.kind = PROBE_FROM_PLACE_MEMORY;
        return true;
    default:
        return false;
    }
}

/* ---- variables by name ---- */

/* How deep in the inlined calls of an instruction a variable is declared; 0: it is not visible there. */
static unsigned visibility(const struct model *model, uint32_t instruction, const struct variable *variable)
{
    enum { MOST_STEPS = 200 };
    uint32_t line = model_instruction(model, instruction)->source_line;
    uint32_t call = line ? model_source_line(model, line)->inlined_call : 0;
    unsigned depth = 0, found = variable->inlined_call ? 0 : MOST_STEPS + 1;
    for (; call && depth < MOST_STEPS; depth++, call = model_inlined_call(model, call)->parent)
        if (call == variable->inlined_call)
            found = 2 * MOST_STEPS - depth;
    return found;
}

static bool no_place(const struct model *model, const struct location *location, const char *name,
                     uint64_t address, struct error *error)
{
    uint8_t kind = location ? location->kind : location_kind_NONE;
    if (kind == location_kind_CONSTANT)
        return error_set(error, NULL, "%s is the constant %" PRId64 " at 0x%" PRIx64, name, location->value,
                         address);
    const char *text = kind == location_kind_EXPRESSION ? model_text(model, location->expression) : NULL;
    if (text)
        return error_set(error, NULL,
                         "%s is in no register and at no fixed place at 0x%" PRIx64
                         ": the debug information computes it (%s)",
                         name, address, text);
    return error_set(error, NULL, "%s has no place at 0x%" PRIx64 ": the compiler optimised it away there",
                     name, address);
}

static bool variable_value(struct probe_value_finder *values, uint32_t instruction, uint32_t variable,
                           struct probe_named_value *value, struct error *error)
{
    const struct model *model = values->model;
    const struct variable *row = model_variable(model, variable);
    struct value_place place = value_place_of(values, instruction);
    const char *name = model_text(model, row->name);
    const struct location *location = value_location(model, variable, place.address);
    *value = (struct probe_named_value){.variable = variable, .name = row->name};
    if (!value_set_format(model, row->type, value))
        return error_set(error, NULL, "%s is not a number of 1, 2, 4 or 8 bytes", name);
    if (location && value_take_location(&place, location, value))
        return true;
    return no_place(model, location, name, place.address, error);
}

/* The variable of this name that the instruction sees: the innermost one, and of several in one function the
   first with a place there; else one at file level. */
static uint32_t variable_named(const struct probe_value_finder *values, uint32_t instruction,
                               const char *name)
{
    const struct model *model = values->model;
    string_id text = strings_find(&model->strings, name);
    uint32_t function = model_block(model, model_instruction(model, instruction)->block)->function;
    uint32_t program = model_function(model, function)->program, best = 0;
    unsigned best_rank = 0;
    for (uint32_t id = text ? values->first[function] : 0; id; id = values->next[id]) {
        const struct variable *variable = model_variable(model, id);
        unsigned depth = variable->name == text ? visibility(model, instruction, variable) : 0;
        const struct location *location =
            depth ? value_location(model, id, model_address(model, instruction)) : NULL;
        unsigned rank = depth ? 2 * depth + (location && location->kind != location_kind_NONE) : 0;
        if (rank > best_rank) {
            best = id;
            best_rank = rank;
        }
    }
    for (uint32_t id = text && !best ? values->first[0] : 0; id && !best; id = values->next[id]) {
        const struct variable *variable = model_variable(model, id);
        if (variable->name == text && variable->program == program)
            best = id;
    }
    return best;
}

static bool no_variable(const struct probe_value_finder *values, uint32_t instruction, const char *name,
                        struct error *error)
{
    const struct model *model = values->model;
    uint32_t function = model_block(model, model_instruction(model, instruction)->block)->function;
    struct nearest nearest = {.wanted = name};
    for (uint32_t id = values->first[function]; id; id = values->next[id]) {
        const char *text = model_text(model, model_variable(model, id)->name);
        if (text)
            nearest_offer(&nearest, text);
    }
    const char *place = model_text(model, model_function(model, function)->name);
    if (nearest.best)
        error_set(error, NULL, "%s is neither a register nor a variable of %s; did you mean %s?", name,
                  place ? place : "the function", nearest.best);
    else
        error_set(error, NULL, "%s is neither a register nor a variable of %s%s", name,
                  place ? place : "the function",
                  values->first[function] ? "" : ", which has no debug information");
    free(nearest.best);
    return false;
}

bool probe_value_at(struct probe_value_finder *values, uint32_t instruction, const char *name,
                    struct probe_named_value *value, struct error *error)
{
    const struct model *model = values->model;
    uint32_t row = probe_register_named(model, value_place_of(values, instruction).isa, name);
    uint32_t variable = variable_named(values, instruction, name);
    if (row && !variable)
        return register_value(model, row, value) ||
               error_set(error, NULL, "%s is not a general or vector register", name);
    if (!variable)
        return no_variable(values, instruction, name, error);
    return variable_value(values, instruction, variable, value, error);
}

bool probe_value_of_argument(const struct probe_value_finder *values, enum isa isa, unsigned position,
                             struct probe_named_value *value)
{
    static const char *const arm[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
    static const char *const x86[] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
    bool is_arm = isa == isa_AARCH64;
    size_t most = is_arm ? sizeof arm / sizeof *arm : isa == isa_X86_64 ? sizeof x86 / sizeof *x86 : 0;
    if (!position || position > most)
        return false;
    return probe_value_of_register(values->model, isa, is_arm ? arm[position - 1] : x86[position - 1], value);
}

bool probe_value_of_register(const struct model *model, enum isa isa, const char *name,
                             struct probe_named_value *value)
{
    uint32_t row = probe_register_named(model, isa, name);
    return row && register_value(model, row, value);
}
