/* Parameters at the entry of their function.

   Locations of optimised code hold for ranges of addresses and are taken as they are.  Code that was not
   optimised has one location for a whole function, a slot of its frame, which is not filled yet at the entry:
   there the store that fills it is looked for in the first block, and the register that it stores, if its
   value came unchanged from the entry (perhaps through other registers and slots), is what the caller passed.
   So no calling convention is needed,
   whatever else is passed (structures, hidden addresses of results).

   Fortran passes addresses: a location that is memory behind a register which is not of the frame, or after
   an address in a slot, is a number of the caller.  Arguments may be left out, and their address is 0.
   Other languages pass structures that way, whose address is nothing that the source has. */
#include "run/probe/site/value_parts.h"

#include "run/probe/site/registers.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { VECTORS = 32, REGISTERS = 64, NOWHERE = 255, X86_RBP = 5 };

/* A slot of the frame: at a distance from the frame address, or from a register. */
struct slot {
    uint8_t base; /* PROBE_NO_REGISTER: the frame address */
    int64_t distance;
};

/* ---- the first block ---- */

/* A value of the entry that was put into memory. */
struct kept {
    uint8_t base, origin;
    int64_t displacement;
};
enum { MOST_KEPT = 32 };

struct walk {
    const struct value_place *place;
    struct slot slot;
    struct kept kept[MOST_KEPT];
    unsigned kept_count;
    uint8_t origin[REGISTERS]; /* by register: which one had its value at the entry, or NOWHERE */
    uint8_t found;             /* the register that was stored to the slot, as it was at the entry */
};

static uint8_t number_of(const struct model *model, uint32_t row)
{
    uint8_t general = probe_general_number(model, row), vector = probe_vector_number(model, row);
    return general != PROBE_NO_REGISTER  ? general
           : vector != PROBE_NO_REGISTER ? (uint8_t)(VECTORS + vector)
                                         : NOWHERE;
}

static bool is_slot(const struct walk *walk, uint64_t address, uint8_t base, int64_t displacement)
{
    uint8_t frame;
    int64_t offset;
    if (walk->slot.base != PROBE_NO_REGISTER)
        return walk->slot.base == base && walk->slot.distance == displacement;
    const struct value_place *place = walk->place;
    return frame_address_at(&place->values->frames, place->program, address, &frame, &offset) &&
           frame == base && displacement - offset == walk->slot.distance;
}

/* Operands of an encoding: registers in order, and the memory operand. */
struct operands {
    uint32_t registers[4];
    uint8_t access[4];
    unsigned count;
    const struct operand *memory;
};

static struct operands operands_of(const struct model *model, uint32_t encoding)
{
    struct operands operands = {.count = 0};
    size_t at = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; at < model->operands.count && model_operand(model, (uint32_t)at)->encoding == encoding; at++) {
        const struct operand *operand = model_operand(model, (uint32_t)at);
        if (operand->kind == operand_kind_REGISTER && operands.count < 4) {
            operands.access[operands.count] = operand->access;
            operands.registers[operands.count++] = operand->register_;
        } else if (operand->kind == operand_kind_MEMORY) {
            operands.memory = operand;
        }
    }
    return operands;
}

static void look_at_store(struct walk *walk, uint64_t address, const struct encoding *encoding,
                          const struct operands *operands)
{
    const struct model *model = walk->place->values->model;
    const struct operand *memory = operands->memory;
    bool is_pair = encoding->operation == operation_COPY_PAIR;
    if (!memory || !(memory->access & access_WRITE) || memory->index_register || !memory->base_register ||
        (encoding->operation != operation_COPY && !is_pair))
        return;
    uint8_t base = probe_general_number(model, memory->base_register);
    unsigned bytes = is_pair ? encoding->store_bytes / 2u : 0;
    for (unsigned i = 0; i < operands->count && i < (is_pair ? 2u : 1u); i++) {
        uint8_t number = number_of(model, operands->registers[i]);
        int64_t displacement = memory->displacement + (int64_t)(i * bytes);
        if (number == NOWHERE)
            continue;
        if (walk->found == NOWHERE && is_slot(walk, address, base, displacement))
            walk->found = walk->origin[number];
        if (walk->kept_count < MOST_KEPT)
            walk->kept[walk->kept_count++] = (struct kept){base, walk->origin[number], displacement};
    }
}

/* What an instruction puts into its first operand of the values at the entry. */
static uint8_t copied(const struct walk *walk, const struct encoding *encoding,
                      const struct operands *operands)
{
    const struct model *model = walk->place->values->model;
    const struct operand *memory = operands->memory;
    if (encoding->operation != operation_COPY && encoding->operation != operation_EXTEND)
        return NOWHERE;
    if (!memory && operands->count == 2) {
        uint8_t source = number_of(model, operands->registers[1]);
        return source != NOWHERE ? walk->origin[source] : NOWHERE;
    }
    if (!memory || operands->count != 1 || memory->access != access_READ || memory->index_register ||
        !memory->base_register)
        return NOWHERE;
    uint8_t base = probe_general_number(model, memory->base_register);
    for (unsigned i = walk->kept_count; i-- > 0;)
        if (walk->kept[i].base == base && walk->kept[i].displacement == memory->displacement)
            return walk->kept[i].origin;
    return NOWHERE;
}

/* The register holds something else: slots at a distance from it are others now. */
static void forget(struct walk *walk, uint8_t number)
{
    unsigned left = 0;
    walk->origin[number] = NOWHERE;
    for (unsigned i = 0; i < walk->kept_count; i++)
        if (walk->kept[i].base != number)
            walk->kept[left++] = walk->kept[i];
    walk->kept_count = left;
}

static void step(struct walk *walk, const struct encoding *encoding, uint32_t id,
                 const struct operands *operands)
{
    const struct model *model = walk->place->values->model;
    uint8_t value = copied(walk, encoding, operands);
    size_t at = array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), id);
    for (; at < model->register_uses.count; at++) {
        const struct register_use *use = model_register_use(model, (uint32_t)at);
        if (use->encoding != id)
            break;
        uint8_t number = number_of(model, use->register_);
        if (number != NOWHERE && use->access & access_WRITE)
            forget(walk, number);
    }
    uint8_t target = value != NOWHERE ? number_of(model, operands->registers[0]) : NOWHERE;
    if (target != NOWHERE)
        walk->origin[target] = value;
}

/* The register whose value at the entry is stored to the slot in the first block; NOWHERE. */
static uint8_t stored_from(const struct value_place *place, uint32_t entry, struct slot slot)
{
    const struct model *model = place->values->model;
    const struct block *block = model_block(model, model_instruction(model, entry)->block);
    struct walk walk = {.place = place, .slot = slot, .found = NOWHERE};
    for (unsigned i = 0; i < REGISTERS; i++)
        walk.origin[i] = (uint8_t)i;
    uint32_t end = block->first_instruction + block->instruction_count;
    for (uint32_t id = entry; id < end && walk.found == NOWHERE; id++) {
        uint32_t encoding = model_instruction(model, id)->encoding;
        const struct encoding *row = model_encoding(model, encoding);
        if (row->flow == flow_CALL)
            break;
        struct operands operands = operands_of(model, encoding);
        look_at_store(&walk, model_address(model, id), row, &operands);
        step(&walk, row, encoding, &operands);
    }
    return walk.found;
}

/* ---- parameters ---- */

/* "fbreg -40 deref", "bregx rbp -40 deref": the address of the number is in the frame. */
static bool is_behind_slot(const struct model *model, const struct location *location, struct location *slot)
{
    const char *text = model_text(model, location->expression);
    char name[16];
    long long distance;
    int end = 0;
    *slot = *location;
    if (!text || location->kind != location_kind_EXPRESSION)
        return false;
    if (sscanf(text, "fbreg %lld deref%n", &distance, &end) == 1 && end && !text[end]) {
        slot->kind = location_kind_FRAME;
    } else if (sscanf(text, "bregx %15s %lld deref%n", name, &distance, &end) == 2 && end && !text[end]) {
        slot->kind = location_kind_BASED;
        slot->register_name = strings_find(&model->strings, name);
    } else {
        return false;
    }
    slot->value = distance;
    return true;
}

/* What the caller pushed lies at the frame address and above. */
static bool is_pushed(enum isa isa, const struct slot *slot, int64_t *distance)
{
    enum { X86_FRAME = 16 }; /* return address and rbp */
    bool is_on_rbp = isa == isa_X86_64 && slot->base == X86_RBP;
    *distance = is_on_rbp ? slot->distance - X86_FRAME : slot->distance;
    return *distance >= 0 && (is_on_rbp || slot->base == PROBE_NO_REGISTER);
}

static void set_number(struct probe_named_value *value, uint8_t number)
{
    bool is_vector = number >= VECTORS;
    value->register_kind = is_vector ? register_kind_VECTOR : register_kind_GENERAL;
    value->source = (struct probe_source){.kind = is_vector ? PROBE_FROM_VECTOR : PROBE_FROM_GENERAL,
                                          .base = is_vector ? number - VECTORS : number,
                                          .index = PROBE_NO_REGISTER};
}

static bool take_slot(const struct value_place *place, uint32_t entry, struct slot slot,
                      struct probe_named_value *value)
{
    int64_t distance;
    if (is_pushed(place->isa, &slot, &distance)) {
        int64_t return_address = place->isa == isa_X86_64 ? 8 : 0;
        value_set_memory(value, value_stack_pointer(place->isa), distance + return_address);
        return true;
    }
    uint8_t number = stored_from(place, entry, slot);
    if (number != NOWHERE)
        set_number(value, number);
    return number != NOWHERE;
}

/* An address becomes the number after it, or stays what it is if there is more than a number. */
static void follow(struct probe_named_value *value, bool is_number)
{
    if (is_number && value->source.kind == PROBE_FROM_GENERAL) {
        value_set_memory(value, value->source.base, 0);
        value->source.may_be_null = true;
    } else {
        value->is_address = true;
        value->width = value->source.bytes = 8;
        value->is_signed = value->source.is_signed = value->is_float = false;
    }
}

static bool slot_of(const struct value_place *place, const struct location *location, struct slot *slot)
{
    const struct model *model = place->values->model;
    const char *name = model_text(model, location->register_name);
    *slot = (struct slot){PROBE_NO_REGISTER, location->value};
    if (location->kind == location_kind_FRAME)
        return true;
    uint32_t row =
        location->kind == location_kind_BASED && name ? probe_register_named(model, place->isa, name) : 0;
    slot->base = row ? probe_general_number(model, row) : (uint8_t)PROBE_NO_REGISTER;
    return slot->base != PROBE_NO_REGISTER;
}

static bool is_fortran(const struct model *model, const struct variable *variable)
{
    return variable->unit && model_unit(model, variable->unit)->language == language_FORTRAN;
}

bool probe_value_of_parameter(struct probe_value_finder *values, uint32_t variable, uint32_t entry,
                              struct probe_named_value *value)
{
    const struct model *model = values->model;
    const struct variable *row = model_variable(model, variable);
    struct value_place place = value_place_of(values, entry);
    const struct location *location = value_location(model, variable, place.address);
    *value = (struct probe_named_value){.variable = variable, .name = row->name};
    bool is_number = value_set_format(model, row->type, value);
    struct location behind;
    struct slot slot;
    if (!location)
        return false;
    if (is_behind_slot(model, location, &behind)) {
        if (!is_fortran(model, row) || !slot_of(&place, &behind, &slot) ||
            !take_slot(&place, entry, slot, value))
            return false;
        follow(value, is_number);
        return true;
    }
    if (!slot_of(&place, location, &slot))
        return is_number && location->kind == location_kind_REGISTER &&
               value_take_location(&place, location, value);
    if (slot.base != PROBE_NO_REGISTER && !value_is_of_frame(place.isa, slot.base)) {
        if (!is_fortran(model, row) || slot.distance)
            return false;
        set_number(value, slot.base);
        follow(value, is_number);
        return true;
    }
    return is_number && take_slot(&place, entry, slot, value);
}
