/* Reads the operands of an instruction from the text that the disassembler gave.

   The grammar is small: operands are separated by commas; { } holds a list or a range of registers, each of
   which becomes an operand; [ ] an address; # a number; @ the PC-relative address; a register may carry an
   arrangement (.4s), a predication (/m), a lane ([1]) or slices ([w12, 3], [w8, 0:1, vgx4]).  lsl, sxtw, mul
   and similar words are not operands: they change the one before them.  Every other word is an operand of
   kind other. */
#include "code/read/aarch64/parse.h"
#include "code/read/aarch64/registers.h"
#include <string.h>

struct operand_text {
    const char *at;
    struct aarch64_parsed *parsed;
};

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(struct operand_text *cursor)
{
    while (*cursor->at == ' ')
        cursor->at++;
}

static bool take(struct operand_text *cursor, char wanted)
{
    if (*cursor->at != wanted)
        return false;
    cursor->at++;
    return true;
}

static size_t word_length(const struct operand_text *cursor)
{
    size_t length = 0;
    while (is_word_character(cursor->at[length]))
        length++;
    return length;
}

/* A new operand; if there is no room, its text counts as not understood. */
static struct aarch64_operand *add_operand(struct operand_text *cursor)
{
    struct aarch64_parsed *parsed = cursor->parsed;
    if (parsed->count == MOST_OPERANDS) {
        parsed->leftovers++;
        parsed->count--;
    }
    struct aarch64_operand *operand = &parsed->operands[parsed->count++];
    *operand = (struct aarch64_operand){.row.position = (uint8_t)parsed->count};
    return operand;
}

/* digits.digits e±digits, exact for the constants that instructions can hold. */
static int64_t read_fraction(struct operand_text *cursor, bool negative)
{
    double value = 0, divisor = 1;
    uint64_t mantissa = 0;
    int power = 0, exponent = 0;
    for (bool after_point = false; (*cursor->at >= '0' && *cursor->at <= '9') || *cursor->at == '.';
         cursor->at++)
        if (*cursor->at == '.') {
            after_point = true;
        } else if (mantissa < UINT64_MAX / 10 - 1) {
            mantissa = mantissa * 10 + (uint64_t)(*cursor->at - '0');
            power += after_point;
        }
    if (take(cursor, 'e')) {
        bool is_small = take(cursor, '-');
        if (!is_small)
            take(cursor, '+');
        for (; *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
            exponent = exponent < 1000 ? exponent * 10 + (*cursor->at - '0') : exponent;
        power += is_small ? exponent : -exponent;
    }
    value = (double)mantissa;
    for (; power > 0 && power < 400; power--)
        divisor *= 10;
    for (; power < 0 && power > -400; power++)
        value *= 10;
    value = (negative ? -value : value) / divisor;
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A number after #, or a bare one. */
static int64_t read_number(struct operand_text *cursor)
{
    bool negative = take(cursor, '-');
    uint64_t value = 0;
    if (cursor->at[0] == '0' && cursor->at[1] == 'x') {
        cursor->at += 2;
        for (;; cursor->at++) {
            char c = *cursor->at;
            if (c >= '0' && c <= '9')
                value = value << 4 | (uint64_t)(c - '0');
            else if (c >= 'a' && c <= 'f')
                value = value << 4 | (uint64_t)(c - 'a' + 10);
            else
                break;
        }
    } else {
        size_t digits = strspn(cursor->at, "0123456789");
        if (digits == 0)
            cursor->parsed->leftovers++;
        if (cursor->at[digits] == '.')
            return read_fraction(cursor, negative);
        for (; digits > 0; digits--)
            value = value * 10 + (uint64_t)(*cursor->at++ - '0');
    }
    return (int64_t)(negative ? 0 - value : value);
}

static const struct {
    char name[4];
    uint8_t bits, count;
} arrangements[] = {
    {"16b", 8, 16}, {"8b", 8, 8},  {"4b", 8, 4},  {"2b", 8, 2},  {"8h", 16, 8}, {"4h", 16, 4},
    {"2h", 16, 2},  {"4s", 32, 4}, {"2s", 32, 2}, {"2d", 64, 2}, {"1d", 64, 1}, {"1q", 128, 1},
    {"b", 8, 0},    {"h", 16, 0},  {"s", 32, 0},  {"d", 64, 0},  {"q", 128, 0},
};

static void read_arrangement(struct operand_text *cursor, struct aarch64_operand *operand)
{
    if (!take(cursor, '.'))
        return;
    size_t length = word_length(cursor);
    for (size_t i = 0; i < sizeof arrangements / sizeof *arrangements; i++)
        if (strlen(arrangements[i].name) == length && memcmp(arrangements[i].name, cursor->at, length) == 0) {
            operand->lane_bits = arrangements[i].bits;
            operand->lane_count = arrangements[i].count;
            cursor->at += length;
            return;
        }
    cursor->parsed->leftovers++;
    cursor->at += length;
}

/* The rest of [w8, 0:1, vgx4]: as many slices one after another, in as many groups.  In zt0[3, mul vl], which
   is not a slice, the word says what is counted. */
static void read_slices(struct operand_text *cursor, struct aarch64_operand *operand)
{
    unsigned in_group = 1, groups = 1;
    if (take(cursor, ':')) {
        uint64_t more = (uint64_t)read_number(cursor) - (uint64_t)operand->row.value;
        if (more == 1 || more == 3)
            in_group = (unsigned)more + 1;
        else
            cursor->parsed->leftovers++;
    }
    if (take(cursor, ',')) {
        skip_blanks(cursor);
        if (strncmp(cursor->at, "vgx", 3) == 0 && (cursor->at[3] == '2' || cursor->at[3] == '4')) {
            groups = (unsigned)(cursor->at[3] - '0');
            cursor->at += 4;
        } else if (strncmp(cursor->at, "mul vl", 6) == 0) {
            cursor->at += 6;
        } else {
            cursor->parsed->leftovers++;
        }
    }
    operand->slice_count = (uint8_t)(in_group * groups);
}

/* [1] of a lane or of a list, [w12, 3] of a slice. */
static void read_lane(struct operand_text *cursor, struct aarch64_operand *operand)
{
    if (operand->file == 'a' && cursor->at[0] == ' ' && cursor->at[1] == '[')
        cursor->at++; /* binutils 2.44 writes a blank in movaz z0.b, za0h.b [w12, 0] */
    if (!take(cursor, '['))
        return;
    size_t length = word_length(cursor);
    unsigned slice = aarch64_find_register(cursor->at, length);
    if (slice) {
        cursor->at += length;
        operand->slice_register = (uint16_t)slice;
        if (take(cursor, ','))
            skip_blanks(cursor);
    } else {
        operand->is_lane = true;
    }
    operand->row.value = read_number(cursor);
    read_slices(cursor, operand);
    if (!take(cursor, ']'))
        cursor->parsed->leftovers++;
}

static char file_of(unsigned number)
{
    if (number == REGISTER_SP)
        return 'x';
    if (number == REGISTER_ZA)
        return 'a';
    if (number >= REGISTER_FFR)
        return 0;
    return aarch64_registers[number].name[0];
}

/* The width of a register as an operand: of the lane, of the arrangement, of the register. */
static uint16_t operand_bits(const struct aarch64_operand *operand)
{
    if (operand->file == 'a' && operand->slice_register)
        return (uint16_t)(128 * operand->slice_count);
    if (operand->file == 'a' && operand->lane_bits)
        return (uint16_t)(2048 / (operand->lane_bits / 8));
    if (operand->file == 'v' && operand->lane_bits)
        return operand->is_lane || operand->lane_count == 0
                   ? operand->lane_bits
                   : (uint16_t)(operand->lane_bits * operand->lane_count);
    if (operand->file == 'z' && operand->is_lane && operand->lane_bits)
        return operand->lane_bits;
    return aarch64_registers[operand->row.register_].bits;
}

/* za, za0.s, za0h.s: all are parts of the one matrix. */
static unsigned find_tile(const char *name, size_t length)
{
    if (length < 3 || name[0] != 'z' || name[1] != 'a')
        return 0;
    size_t digits = strspn(name + 2, "0123456789");
    size_t rest = 2 + digits;
    if (digits == 0 || rest > length)
        return 0;
    if (rest < length && (name[rest] == 'h' || name[rest] == 'v'))
        rest++;
    return rest == length ? REGISTER_ZA : 0;
}

/* A register with its suffixes; NULL, without reading anything, if there is none here. */
static struct aarch64_operand *read_register(struct operand_text *cursor)
{
    size_t length = word_length(cursor);
    unsigned number = aarch64_find_register(cursor->at, length);
    if (!number)
        number = find_tile(cursor->at, length);
    if (!number)
        return NULL;
    struct aarch64_operand *operand = add_operand(cursor);
    cursor->at += length;
    operand->row.kind = operand_kind_REGISTER;
    operand->row.register_ = number;
    operand->file = file_of(number);
    read_arrangement(cursor, operand);
    if (take(cursor, '/')) {
        operand->predication = *cursor->at;
        if (*cursor->at == 'm' || *cursor->at == 'z')
            cursor->at++;
        else
            cursor->parsed->leftovers++;
    }
    read_lane(cursor, operand);
    operand->writes_back = take(cursor, '!');
    operand->row.bits = operand_bits(operand);
    return operand;
}

static bool is_shift(const char *word, size_t length)
{
    static const char names[][5] = {"lsl",  "lsr",  "asr",  "ror",  "msl",  "uxtb", "uxth",
                                    "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx", "mul"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return true;
    return false;
}

/* lsl #3, sxtw, mul #2, mul vl: changes the operand before it. */
static void read_modifier(struct operand_text *cursor, struct aarch64_operand *operand)
{
    bool is_ones = cursor->at[0] == 'm' && cursor->at[1] == 's';
    bool is_factor = cursor->at[0] == 'm' && cursor->at[1] == 'u';
    int64_t amount = 0;
    cursor->at += word_length(cursor);
    skip_blanks(cursor);
    if (take(cursor, '#')) {
        amount = read_number(cursor);
    } else if (is_factor && word_length(cursor) == 2 && memcmp(cursor->at, "vl", 2) == 0) {
        cursor->at += 2;
        operand->row.value = operand->row.displacement;
        operand->row.displacement = 0;
        return;
    }
    if (operand->row.kind == operand_kind_MEMORY) {
        operand->row.scale = (uint8_t)(amount >= 0 && amount < 8 ? 1 << amount : 0);
    } else if (operand->row.kind == operand_kind_IMMEDIATE && !is_factor) {
        uint64_t shifted = amount >= 0 && amount < 64 ? (uint64_t)operand->row.value << amount : 0;
        if (is_ones && amount > 0 && amount < 64)
            shifted |= (UINT64_C(1) << amount) - 1;
        operand->row.value = (int64_t)shifted;
    } else {
        operand->row.value = amount;
    }
}

/* The text between [ and ]. */
static void read_address(struct operand_text *cursor)
{
    struct aarch64_operand *operand = add_operand(cursor);
    operand->row.kind = operand_kind_MEMORY;
    for (;;) {
        skip_blanks(cursor);
        size_t length = word_length(cursor);
        unsigned number = aarch64_find_register(cursor->at, length);
        if (take(cursor, '#')) {
            operand->row.displacement = read_number(cursor);
        } else if (number && !operand->row.index_register) {
            struct aarch64_operand suffix = {0};
            cursor->at += length;
            read_arrangement(cursor, &suffix);
            if (suffix.lane_bits)
                operand->lane_bits = suffix.lane_bits;
            if (operand->row.base_register) {
                operand->row.index_register = number;
                operand->row.scale = 1;
            } else {
                operand->row.base_register = number;
            }
        } else if (is_shift(cursor->at, length)) {
            read_modifier(cursor, operand);
        } else {
            break;
        }
        if (!take(cursor, ','))
            break;
    }
    if (!take(cursor, ']'))
        cursor->parsed->leftovers++;
    operand->writes_back = take(cursor, '!');
}

/* {v0.4s-v3.4s}, {v0.s, v1.s}[2], {za0h.b[w12, 0]}, {} */
static void read_list(struct operand_text *cursor)
{
    struct aarch64_parsed *parsed = cursor->parsed;
    unsigned first = parsed->count;
    for (;;) {
        skip_blanks(cursor);
        if (!read_register(cursor))
            break;
        if (take(cursor, '-') && parsed->count > first) {
            struct aarch64_operand from = parsed->operands[parsed->count - 1];
            struct aarch64_operand *last = read_register(cursor);
            unsigned steps = last && last->row.register_ > from.row.register_
                                 ? last->row.register_ - from.row.register_
                                 : 0;
            if (last)
                parsed->count--;
            if (steps == 0 || steps > 3)
                parsed->leftovers++;
            for (unsigned i = 1; i <= steps && i <= 3; i++) {
                uint8_t position;
                struct aarch64_operand *next = add_operand(cursor);
                position = next->row.position;
                *next = from;
                next->row.position = position;
                next->row.register_ += i;
            }
        }
        if (!take(cursor, ','))
            break;
    }
    if (!take(cursor, '}'))
        parsed->leftovers++;
    struct aarch64_operand lane = {0};
    read_lane(cursor, &lane);
    for (unsigned i = first; i < parsed->count; i++) {
        struct aarch64_operand *operand = &parsed->operands[i];
        if (lane.is_lane) {
            operand->is_lane = true;
            operand->row.value = lane.row.value;
            operand->row.bits = operand_bits(operand);
        }
        operand->is_followed = i + 1 < parsed->count;
    }
}

static void read_operand(struct operand_text *cursor)
{
    struct aarch64_parsed *parsed = cursor->parsed;
    if (take(cursor, '{')) {
        read_list(cursor);
    } else if (take(cursor, '[')) {
        read_address(cursor);
    } else if (take(cursor, '#')) {
        struct aarch64_operand *operand = add_operand(cursor);
        operand->row.kind = operand_kind_IMMEDIATE;
        operand->row.value = read_number(cursor);
    } else if (take(cursor, '@')) {
        struct aarch64_operand *operand = add_operand(cursor);
        operand->row.kind = operand_kind_TARGET;
        operand->row.is_relative = 1;
    } else {
        size_t length = word_length(cursor);
        if (length == 0) {
            parsed->leftovers++;
        } else if (parsed->count > 0 && is_shift(cursor->at, length)) {
            read_modifier(cursor, &parsed->operands[parsed->count - 1]);
        } else if (!read_register(cursor)) {
            add_operand(cursor)->row.kind = operand_kind_OTHER;
            cursor->at += length;
        }
    }
}

void aarch64_parse_operands(const char *text, struct aarch64_parsed *parsed)
{
    struct operand_text cursor = {text, parsed};
    parsed->count = parsed->leftovers = 0;
    for (;;) {
        skip_blanks(&cursor);
        if (!*cursor.at)
            break;
        read_operand(&cursor);
        skip_blanks(&cursor);
        if (!take(&cursor, ','))
            break;
    }
    if (*cursor.at)
        parsed->leftovers++;
    for (unsigned i = 0; i + 1 < parsed->count; i++)
        if (parsed->operands[i].row.kind == operand_kind_MEMORY &&
            parsed->operands[i + 1].row.kind != operand_kind_MEMORY)
            parsed->operands[i].writes_back = true;
}
