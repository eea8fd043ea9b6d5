/* The values that an instruction reads and writes, from the state of the processor (decode.h).

   Vector registers are scattered over the area that XSAVE writes: the lowest 128 bits where FXSAVE put them,
   what came later in parts after it.  A part that the processor had in its initial state is not written: a
   bit in the header says so, and its registers are zero.  Everything is checked against the area's size, so
   a state with less than the instruction needs gives "not read", never another register's bytes. */
#include "decode.h"

#include <string.h>

enum {
    AREA_STATUS = 2,    /* x87 status word: bits 11 … 13 are the top of the stack */
    AREA_TAGS = 4,      /* one bit for each register in its place, 0: empty */
    AREA_STACK = 32,    /* 16 bytes for each, st(0) first */
    AREA_VECTORS = 160, /* 16 bytes for each */
    AREA_LEGACY =
        512, /* bytes that FXSAVE writes; XSAVE's header follows, its first word says what is there */
    AREA_HEADER = 64,
    PART_X87 = 0,
    PART_VECTORS = 1,
    PART_UPPER_HALVES = 2,
    PART_MASKS = 5,
    PART_UPPER_256 = 6,
    PART_UPPER_16 = 7,
    MOST_VECTOR_BYTES = 64
};

bool profile_is_denormal(const uint8_t *bytes, unsigned bits)
{
    uint64_t value = 0;
    if (bits == 80) {
        uint16_t sign_exponent;
        memcpy(&value, bytes, 8);
        memcpy(&sign_exponent, bytes + 8, 2);
        return (sign_exponent & 0x7fff) == 0 && value;
    }
    unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
    memcpy(&value, bytes, bits / 8);
    value &= ~(UINT64_C(1) << (bits - 1));
    return value && !(value >> fraction);
}

bool profile_is_zero(const uint8_t *bytes, unsigned bits)
{
    for (unsigned i = 0; i + 1 < bits / 8; i++)
        if (bytes[i])
            return false;
    return !(bytes[bits / 8 - 1] & 0x7f);
}

/* ---- addresses ---- */

bool profile_address(const struct profile_instruction *instruction, const struct profile_state *state, uint64_t *address)
{
    uint64_t sum = (uint64_t)(int64_t)instruction->displacement;
    if (!instruction->has_memory)
        return false;
    if (instruction->base == PROFILE_INSTRUCTION_POINTER)
        sum += state->instruction + instruction->length;
    else if (instruction->base != PROFILE_NO_REGISTER)
        sum += state->general[instruction->base & 15];
    if (instruction->index != PROFILE_NO_REGISTER)
        sum += state->general[instruction->index & 15] * instruction->scale;
    if (instruction->address_bits == 32)
        sum &= UINT32_MAX;
    if (instruction->segment) {
        bool is_f = instruction->segment == 'f';
        if (instruction->segment == '?' || !(is_f ? state->has_fs : state->has_gs))
            return false;
        sum += is_f ? state->fs : state->gs;
    }
    *address = state->is_64 ? sum : sum & UINT32_MAX;
    return true;
}

/* ---- the area ---- */

static bool copy_part(const struct profile_state *state, unsigned part, uint32_t start, size_t offset,
                      size_t size, uint8_t *into)
{
    bool is_extended = state->area && state->area_size >= AREA_LEGACY + AREA_HEADER;
    if (part > PART_VECTORS && (!start || !is_extended))
        return false;
    if (!state->area || (uint64_t)start + offset + size > state->area_size)
        return false;
    if (is_extended) {
        uint64_t written;
        memcpy(&written, state->area + AREA_LEGACY, sizeof written);
        if (!(written >> part & 1)) {
            memset(into, 0, size);
            return true;
        }
    }
    memcpy(into, state->area + start + offset, size);
    return true;
}

/* size bytes, a multiple of 16 or less than 16, from the lowest on. */
static bool read_vector(const struct profile_state *state, unsigned number, size_t size, uint8_t *into)
{
    size_t low = size < 16 ? size : 16;
    if (number >= 16)
        return number < 32 &&
               copy_part(state, PART_UPPER_16, state->upper_16, (size_t)64 * (number - 16), size, into);
    if (!copy_part(state, PART_VECTORS, AREA_VECTORS, (size_t)16 * number, low, into))
        return false;
    if (size <= 16)
        return true;
    if (!copy_part(state, PART_UPPER_HALVES, state->upper_halves, (size_t)16 * number,
                   size < 32 ? size - 16 : 16, into + 16))
        return false;
    return size <= 32 ||
           copy_part(state, PART_UPPER_256, state->upper_256, (size_t)32 * number, size - 32, into + 32);
}

static bool read_stack(const struct profile_state *state, unsigned number, uint8_t *into)
{
    uint8_t status[2], tags;
    if (!copy_part(state, PART_X87, 0, AREA_STATUS, 2, status) ||
        !copy_part(state, PART_X87, 0, AREA_TAGS, 1, &tags))
        return false;
    unsigned top = status[1] >> 3 & 7;
    if (!(tags >> ((top + number) & 7) & 1))
        return false;
    return copy_part(state, PART_X87, AREA_STACK, (size_t)16 * number, 10, into);
}

/* Lanes that take part.  false: the opmask cannot be read. */
static bool read_mask(const struct profile_instruction *instruction, const struct profile_state *state,
                      uint32_t *lanes)
{
    uint8_t mask[4];
    *lanes = UINT32_MAX;
    if (!instruction->mask)
        return true;
    if (!copy_part(state, PART_MASKS, state->masks, (size_t)8 * instruction->mask, sizeof mask, mask))
        return false;
    *lanes = mask[0] | (uint32_t)mask[1] << 8 | (uint32_t)mask[2] << 16 | (uint32_t)mask[3] << 24;
    return true;
}

/* ---- operands ---- */

static unsigned bits_set(uint32_t value)
{
    unsigned count = 0;
    for (; value; value &= value - 1)
        count++;
    return count;
}

/* From the first to the last lane that takes part, in one piece: the pages of both are there, and 64 bytes
   touch no third one. */
static bool read_memory(const struct profile_operand *operand, const struct profile_state *state,
                        const uint64_t *address, uint32_t lanes, uint8_t *into)
{
    unsigned bytes = operand->bits / 8, first = 0, last = operand->lanes - 1;
    if (!address || !state->read)
        return false;
    if (operand->is_broadcast) {
        if (!state->read(state->context, *address, into, bytes))
            return false;
        for (unsigned i = 1; i < operand->lanes; i++)
            memcpy(into + i * bytes, into, bytes);
        return true;
    }
    while (!(lanes >> first & 1))
        first++;
    while (!(lanes >> last & 1))
        last--;
    return state->read(state->context, *address + first * bytes, into + first * bytes,
                       (last - first + 1) * bytes);
}

/* The bytes of all lanes; those that take no part may hold anything.  lanes is not 0. */
static bool read_operand(const struct profile_operand *operand, const struct profile_state *state,
                         const uint64_t *address, uint32_t lanes, uint8_t *into)
{
    switch (operand->where) {
    case profile_where_VECTOR:
        return read_vector(state, operand->number, (size_t)operand->bits / 8 * operand->lanes, into);
    case profile_where_STACK:
        return read_stack(state, operand->number, into);
    case profile_where_MEMORY:
        return read_memory(operand, state, address, lanes, into);
    default:
        return false;
    }
}

static uint32_t lanes_of(const struct profile_operand *operand)
{
    return operand->lanes >= 32 ? UINT32_MAX : (UINT32_C(1) << operand->lanes) - 1;
}

static void set_value(struct profile_value *value, const struct profile_operand *operand, unsigned operand_number,
                      unsigned lane, const uint8_t *bytes, const uint64_t *address)
{
    *value = (struct profile_value){.operand = (uint8_t)operand_number,
                                .lane = (uint8_t)lane,
                                .bits = operand->bits,
                                .where = operand->where,
                                .number = operand->number};
    memcpy(value->bytes, bytes, operand->bits / 8);
    if (operand->where == profile_where_MEMORY && address) {
        value->has_address = true;
        value->address = *address + (operand->is_broadcast ? 0 : lane * (operand->bits / 8));
    }
}

size_t profile_find_denormals(const struct profile_instruction *instruction, const struct profile_state *state,
                          const uint64_t *address, struct profile_value *values, size_t most, size_t *unread)
{
    size_t count = 0, missing = 0;
    uint32_t chosen;
    bool has_mask = read_mask(instruction, state, &chosen);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct profile_operand *operand = &instruction->operands[i];
        uint8_t bytes[MOST_VECTOR_BYTES];
        uint32_t lanes = lanes_of(operand) & instruction->lane_mask & (has_mask ? chosen : UINT32_MAX);
        if (!lanes)
            continue;
        if (!has_mask || !read_operand(operand, state, address, lanes, bytes)) {
            missing += bits_set(lanes);
            continue;
        }
        for (unsigned lane = 0; lane < operand->lanes; lane++) {
            const uint8_t *value = bytes + lane * (operand->bits / 8);
            if (!(lanes >> lane & 1) || !profile_is_denormal(value, operand->bits))
                continue;
            if (count < most)
                set_value(&values[count], operand, i, lane, value, address);
            count++;
        }
    }
    if (unread)
        *unread = missing;
    return count;
}

void profile_find_results(const struct profile_instruction *instruction, const struct profile_state *state,
                      const uint64_t *address, struct profile_results *results)
{
    const struct profile_operand *result = &instruction->result;
    uint8_t bytes[MOST_VECTOR_BYTES];
    uint32_t chosen;
    unsigned chosen_lane = 0;
    *results = (struct profile_results){0};
    if (result->where == profile_where_NOWHERE || !read_mask(instruction, state, &chosen))
        return;
    chosen &= lanes_of(result) & instruction->result_mask;
    if (!chosen || !read_operand(result, state, address, chosen, bytes))
        return;
    for (unsigned lane = 0; lane < result->lanes; lane++) {
        const uint8_t *value = bytes + lane * (result->bits / 8);
        if (!(chosen >> lane & 1))
            continue;
        results->lanes++;
        bool is_denormal = profile_is_denormal(value, result->bits), is_zero = profile_is_zero(value, result->bits);
        if ((is_denormal && !results->denormals) || (is_zero && !results->denormals && !results->zeros))
            chosen_lane = lane;
        results->denormals += is_denormal;
        results->zeros += is_zero;
    }
    results->has_value = results->denormals || results->zeros == 1;
    if (results->has_value)
        set_value(&results->value, result, PROFILE_RESULT, chosen_lane, bytes + chosen_lane * (result->bits / 8),
                  address);
}

/* ---- names ---- */

void profile_name_operand(const struct profile_instruction *instruction, const struct profile_value *value, char name[16])
{
    unsigned number = value->number, length = 0;
    const char *start = "memory";
    if (value->where == profile_where_STACK) {
        start = "st(";
    } else if (value->where == profile_where_VECTOR) {
        const struct profile_operand *operand = value->operand < instruction->operand_count
                                                ? &instruction->operands[value->operand]
                                                : &instruction->result;
        unsigned bits = operand->lanes * operand->bits;
        start = bits > 256 ? "zmm" : bits > 128 ? "ymm" : "xmm";
    } else if (value->where == profile_where_NOWHERE) {
        start = "none";
    }
    while (start[length]) {
        name[length] = start[length];
        length++;
    }
    if (value->where == profile_where_STACK || value->where == profile_where_VECTOR) {
        if (number >= 10)
            name[length++] = (char)('0' + number / 10 % 10);
        name[length++] = (char)('0' + number % 10);
    }
    if (value->where == profile_where_STACK)
        name[length++] = ')';
    name[length] = 0;
}
