/* Decodes bytes into an instruction (decode.h says what for; decode_values.c reads the values).

   The encodings of SSE, AVX and AVX-512 differ in their prefixes alone, so these are read first into one
   `struct encoding`: the map of opcodes, the mandatory prefix as VEX counts it (none, 66, F3, F2), the bits
   that extend register numbers, length, mask.  A table of forms then says what an opcode is, and one place
   (`use_form`) applies the rules that all share: scalar or packed by the prefix, operands by the shape, which
   fields must be empty.  Undefined instructions count as unknown.

   x87 has its own bytes D8 … DF and its own small tables.

   The table has only forms that can raise a denormal-operand or an underflow exception, and a few related
   ones that compilers use beside them (rounding, conversions to integers). */
#include "decode.h"

#include <string.h>

struct bytes {
    const uint8_t *data;
    size_t size, at;
    bool is_short; /* something after the end was asked for */
};

enum space { space_LEGACY = 1, space_VEX = 2, space_OLD = 3, space_EVEX = 4, space_ANY = 7 };
enum prefix { prefix_NONE = 1, prefix_66 = 2, prefix_F3 = 4, prefix_F2 = 8, prefix_ANY = 15 };

struct encoding {
    bool is_64;
    enum space space;
    uint8_t map;    /* 1: 0F, 2: 0F 38, 3: 0F 3A, 5 and 6: EVEX alone */
    uint8_t prefix; /* enum prefix */
    uint8_t opcode;
    bool wide;         /* W */
    uint8_t reg_high;  /* 0, 8, 16, 24: added to ModRM's reg */
    uint8_t rm_high;   /* added to rm where that is a vector register */
    uint8_t base_high; /* added to a base: 0 or 8 */
    uint8_t index_high;
    uint8_t second;      /* vvvv, as a register */
    bool has_no_second;  /* vvvv has all its bits set, as it must where nothing is named by it */
    uint8_t length_bits; /* L or L'L */
    bool zeroes, bit_b;
    uint8_t mask;
    bool address_prefix;
    uint8_t segment;
    uint8_t modrm;
};

enum shape {
    shape_BINARY,     /* second (or the destination itself) and rm */
    shape_UNARY,      /* rm; where it is scalar the rest of the destination comes from second */
    shape_COMPARE,    /* as binary; the result is a mask */
    shape_FLAGS,      /* reg and rm, scalar; the result is in the flags */
    shape_FMA,        /* destination, second, rm */
    shape_HORIZONTAL, /* as binary, of neighbours */
    shape_DOT,
    shape_CONVERT,    /* rm, to result_bits */
    shape_TO_INTEGER, /* rm, to a general or vector register of integers */
    shape_STORE_HALF  /* reg to rm, 16 bits each */
};

enum element {
    element_BY_PREFIX,     /* none: packed 32, 66: packed 64, F3: scalar 32, F2: scalar 64 */
    element_SINGLE_DOUBLE, /* none: scalar 32, 66: scalar 64 */
    element_F2_SINGLE,     /* F2: packed 32, 66: packed 64 */
    element_PACKED_BY_W,   /* W0: 32, W1: 64 */
    element_SCALAR_BY_W,
    element_PACKED_32,
    element_PACKED_64,
    element_SCALAR_32,
    element_SCALAR_64,
    element_HALF_BY_PREFIX, /* none: packed 16, F3: scalar 16 */
    element_PACKED_16,
    element_SCALAR_16
};

enum { has_BYTE = 1, is_128 = 2 /* there is no longer one */ };

struct form {
    uint8_t map, opcode, prefixes, spaces;
    uint8_t operation, shape, element, flags;
    uint8_t result_bits; /* where it differs from the element's */
};

static const struct form forms[] = {
#include "decode_forms.def"
};

/* ---- bytes ---- */

static uint8_t next_byte(struct bytes *bytes)
{
    if (bytes->at >= bytes->size) {
        bytes->is_short = true;
        return 0;
    }
    return bytes->data[bytes->at++];
}

static uint8_t peek_byte(struct bytes *bytes)
{
    if (bytes->at >= bytes->size) {
        bytes->is_short = true;
        return 0;
    }
    return bytes->data[bytes->at];
}

static int32_t next_displacement(struct bytes *bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)next_byte(bytes) << 8 * i;
    return (int32_t)value;
}

/* ---- prefixes ---- */

struct legacy_prefixes {
    uint8_t rex;
    bool operand_size, lock;
    uint8_t repeat; /* F2 or F3, the last of them */
    unsigned segments;
};

static void read_legacy_prefixes(struct bytes *bytes, struct encoding *encoding,
                                 struct legacy_prefixes *found)
{
    *found = (struct legacy_prefixes){0};
    for (; !bytes->is_short; bytes->at++) {
        uint8_t byte = peek_byte(bytes);
        if (encoding->is_64 && (byte & 0xf0) == 0x40) {
            found->rex = byte;
            continue;
        }
        switch (byte) {
        case 0x66:
            found->operand_size = true;
            break;
        case 0x67:
            encoding->address_prefix = true;
            break;
        case 0xf2:
        case 0xf3:
            found->repeat = byte;
            break;
        case 0xf0:
            found->lock = true;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
            found->segments++;
            break;
        case 0x64:
        case 0x65:
            found->segments++;
            encoding->segment = byte == 0x64 ? 'f' : 'g';
            break;
        default:
            return;
        }
        found->rex = 0; /* it counts only where it stands last */
    }
}

static const uint8_t prefix_of_bits[] = {prefix_NONE, prefix_66, prefix_F3, prefix_F2};

static bool read_legacy_map(struct bytes *bytes, struct encoding *encoding,
                            const struct legacy_prefixes *found)
{
    encoding->space = space_LEGACY;
    encoding->wide = found->rex & 8;
    encoding->reg_high = found->rex & 4 ? 8 : 0;
    encoding->index_high = found->rex & 2 ? 8 : 0;
    encoding->base_high = encoding->rm_high = found->rex & 1 ? 8 : 0;
    encoding->prefix = found->repeat == 0xf3   ? prefix_F3
                       : found->repeat == 0xf2 ? prefix_F2
                       : found->operand_size   ? prefix_66
                                               : prefix_NONE;
    encoding->has_no_second = true;
    encoding->map = 1;
    encoding->opcode = next_byte(bytes);
    if (encoding->opcode == 0x38 || encoding->opcode == 0x3a) {
        encoding->map = encoding->opcode == 0x38 ? 2 : 3;
        encoding->opcode = next_byte(bytes);
    }
    return true;
}

static void use_second(struct encoding *encoding, uint8_t inverted, unsigned bits)
{
    uint8_t all = (uint8_t)((1u << bits) - 1);
    encoding->second = ~inverted & all;
    encoding->has_no_second = (inverted & all) == all;
}

/* After C5 or C4. */
static void read_vex(struct bytes *bytes, struct encoding *encoding, bool is_long)
{
    uint8_t first = next_byte(bytes), last = first;
    encoding->space = space_VEX;
    encoding->map = 1;
    encoding->reg_high = first & 0x80 ? 0 : 8;
    if (is_long) {
        encoding->index_high = first & 0x40 ? 0 : 8;
        encoding->base_high = encoding->rm_high = first & 0x20 ? 0 : 8;
        encoding->map = first & 0x1f;
        last = next_byte(bytes);
        encoding->wide = last & 0x80;
    }
    use_second(encoding, last >> 3 & 15, 4);
    encoding->length_bits = last >> 2 & 1;
    encoding->prefix = prefix_of_bits[last & 3];
    encoding->opcode = next_byte(bytes);
}

/* After 62.  Bits that must have a certain value, and that later extensions use, are minded. */
static bool read_evex(struct bytes *bytes, struct encoding *encoding)
{
    uint8_t first = next_byte(bytes), second = next_byte(bytes), third = next_byte(bytes);
    if (first & 8 || !(second & 4))
        return false;
    encoding->space = space_EVEX;
    encoding->map = first & 7;
    encoding->reg_high = (uint8_t)((first & 0x80 ? 0 : 8) + (first & 0x10 ? 0 : 16));
    encoding->index_high = first & 0x40 ? 0 : 8;
    encoding->base_high = first & 0x20 ? 0 : 8;
    encoding->rm_high = (uint8_t)(encoding->base_high + (first & 0x40 ? 0 : 16));
    encoding->wide = second & 0x80;
    use_second(encoding, (uint8_t)((second >> 3 & 15) | (third & 8 ? 16 : 0)), 5);
    encoding->prefix = prefix_of_bits[second & 3];
    encoding->zeroes = third & 0x80;
    encoding->length_bits = third >> 5 & 3;
    encoding->bit_b = third & 0x10;
    encoding->mask = third & 7;
    encoding->opcode = next_byte(bytes);
    return !(encoding->zeroes && !encoding->mask);
}

/* In 32-bit code the bytes C4, C5 and 62 are older instructions unless a register operand would follow. */
static bool is_vector_prefix(struct bytes *bytes, bool is_64)
{
    size_t next = bytes->at + 1;
    uint8_t byte = peek_byte(bytes);
    if (byte != 0xc4 && byte != 0xc5 && byte != 0x62)
        return false;
    return is_64 || (next < bytes->size && (bytes->data[next] & 0xc0) == 0xc0);
}

/* ---- ModRM ---- */

static bool is_register_form(const struct encoding *encoding)
{
    return encoding->modrm >> 6 == 3;
}

/* The memory operand after ModRM; compressed is what an EVEX displacement of one byte is multiplied by. */
static bool read_memory(struct bytes *bytes, const struct encoding *encoding, int compressed,
                        struct profile_instruction *instruction)
{
    uint8_t mode = encoding->modrm >> 6, rm = encoding->modrm & 7;
    if (encoding->address_prefix && !encoding->is_64)
        return false; /* addresses of 16 bits */
    instruction->has_memory = true;
    instruction->address_bits = encoding->is_64 && !encoding->address_prefix ? 64 : 32;
    instruction->segment = encoding->segment;
    instruction->index = PROFILE_NO_REGISTER;
    instruction->scale = 1;
    instruction->base = (uint8_t)(rm + encoding->base_high);
    bool has_no_base = mode == 0 && rm == 5;
    if (rm == 4) {
        uint8_t sib = next_byte(bytes);
        uint8_t index = (uint8_t)((sib >> 3 & 7) + encoding->index_high);
        instruction->base = (uint8_t)((sib & 7) + encoding->base_high);
        has_no_base = mode == 0 && (sib & 7) == 5;
        if (index != 4) {
            instruction->index = index;
            instruction->scale = (uint8_t)(1 << (sib >> 6));
        }
    }
    if (has_no_base)
        instruction->base = rm == 5 && encoding->is_64 ? PROFILE_INSTRUCTION_POINTER : PROFILE_NO_REGISTER;
    if (mode == 2 || has_no_base)
        instruction->displacement = next_displacement(bytes);
    else if (mode == 1)
        instruction->displacement = (int8_t)next_byte(bytes) * compressed;
    return true;
}

/* ---- forms ---- */

static const struct form *find_form(const struct encoding *encoding)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].map == encoding->map && forms[i].opcode == encoding->opcode &&
            forms[i].prefixes & encoding->prefix && forms[i].spaces & encoding->space)
            return &forms[i];
    return NULL;
}

/* 96 … 9F, A6 … AF, B6 … BF: the order of the operands, and which of product and sum are negated. */
static bool find_fma(const struct encoding *encoding, struct form *form)
{
    uint8_t row = encoding->opcode >> 4, kind = encoding->opcode & 15;
    bool is_half = encoding->map == 6 && encoding->space == space_EVEX;
    if ((encoding->map != 2 && !is_half) || encoding->space == space_LEGACY || encoding->prefix != prefix_66)
        return false;
    if (row < 9 || row > 11 || kind < 6)
        return false;
    bool is_scalar = kind >= 8 && kind & 1;
    *form = (struct form){.operation = profile_operation_FMA, .shape = shape_FMA};
    if (is_half)
        form->element = is_scalar ? element_SCALAR_16 : element_PACKED_16;
    else
        form->element = is_scalar ? element_SCALAR_BY_W : element_PACKED_BY_W;
    return true;
}

struct width {
    uint8_t bits;
    bool is_packed;
};

static struct width width_of(const struct form *form, const struct encoding *encoding)
{
    uint8_t by_w = encoding->wide ? 64 : 32;
    switch (form->element) {
    case element_BY_PREFIX:
        return (struct width){encoding->prefix & (prefix_66 | prefix_F2) ? 64 : 32,
                              encoding->prefix & (prefix_NONE | prefix_66)};
    case element_SINGLE_DOUBLE:
        return (struct width){encoding->prefix == prefix_66 ? 64 : 32, false};
    case element_F2_SINGLE:
        return (struct width){encoding->prefix == prefix_66 ? 64 : 32, true};
    case element_PACKED_BY_W:
        return (struct width){by_w, true};
    case element_SCALAR_BY_W:
        return (struct width){by_w, false};
    case element_PACKED_32:
        return (struct width){32, true};
    case element_PACKED_64:
        return (struct width){64, true};
    case element_SCALAR_32:
        return (struct width){32, false};
    case element_SCALAR_64:
        return (struct width){64, false};
    case element_HALF_BY_PREFIX:
        return (struct width){16, encoding->prefix == prefix_NONE};
    case element_PACKED_16:
        return (struct width){16, true};
    default:
        return (struct width){16, false};
    }
}

/* The rules that all forms share; false: such an instruction is undefined, or not one of these. */
static bool is_defined(const struct form *form, const struct encoding *encoding, struct width width)
{
    bool is_memory = !is_register_form(encoding), is_evex = encoding->space == space_EVEX;
    bool names_second = form->shape == shape_BINARY || form->shape == shape_COMPARE ||
                        form->shape == shape_FMA || form->shape == shape_HORIZONTAL ||
                        form->shape == shape_DOT ||
                        ((form->shape == shape_UNARY || form->shape == shape_CONVERT) && !width.is_packed);
    if (!names_second && !encoding->has_no_second)
        return false;
    if (form->flags & is_128 && encoding->length_bits)
        return false;
    if (form->shape == shape_STORE_HALF && encoding->space == space_VEX && encoding->wide)
        return false;
    if (!is_evex)
        return true;
    if (encoding->wide != (width.bits == 64)) /* W tells the width wherever the prefix or opcode does */
        return false;
    if (encoding->bit_b && is_memory && (!width.is_packed || form->shape == shape_STORE_HALF))
        return false;
    if (encoding->zeroes && (form->shape == shape_COMPARE || (form->shape == shape_STORE_HALF && is_memory)))
        return false;
    if (encoding->mask && form->shape == shape_FLAGS)
        return false;
    if (encoding->reg_high && form->shape == shape_COMPARE) /* there are eight masks */
        return false;
    return (encoding->bit_b && !is_memory) || encoding->length_bits < 3;
}

static uint16_t vector_bits_of(const struct encoding *encoding, bool is_packed)
{
    if (!is_packed)
        return 128;
    if (encoding->space == space_EVEX && encoding->bit_b && is_register_form(encoding))
        return 512; /* the bits of the length say how to round */
    return (uint16_t)(128 << encoding->length_bits);
}

static struct profile_operand vector_operand(uint8_t number, uint8_t bits, unsigned lanes)
{
    return (struct profile_operand){
        .where = profile_where_VECTOR, .number = number, .bits = bits, .lanes = (uint8_t)lanes};
}

static struct profile_operand rm_operand(const struct encoding *encoding, uint8_t bits, unsigned lanes)
{
    if (is_register_form(encoding))
        return vector_operand((uint8_t)((encoding->modrm & 7) + encoding->rm_high), bits, lanes);
    return (struct profile_operand){.where = profile_where_MEMORY,
                                .number = PROFILE_NO_REGISTER,
                                .bits = bits,
                                .lanes = (uint8_t)lanes,
                                .is_broadcast = encoding->bit_b};
}

static void add_operand(struct profile_instruction *instruction, struct profile_operand operand)
{
    instruction->operands[instruction->operand_count++] = operand;
}

static void use_operands(const struct form *form, const struct encoding *encoding, struct width width,
                         struct profile_instruction *instruction)
{
    uint8_t reg = (uint8_t)((encoding->modrm >> 3 & 7) + encoding->reg_high);
    uint8_t second = encoding->space == space_LEGACY ? reg : encoding->second;
    uint8_t result_bits = form->result_bits ? form->result_bits : width.bits;
    uint8_t widest = result_bits > width.bits ? result_bits : width.bits;
    unsigned lanes = width.is_packed ? instruction->vector_bits / widest : 1;
    struct profile_operand rm = rm_operand(encoding, width.bits, lanes);
    instruction->result = vector_operand(reg, result_bits, lanes);
    switch (form->shape) {
    case shape_FMA:
        add_operand(instruction, vector_operand(reg, width.bits, lanes));
        add_operand(instruction, vector_operand(second, width.bits, lanes));
        add_operand(instruction, rm);
        break;
    case shape_UNARY:
    case shape_CONVERT:
        add_operand(instruction, rm);
        break;
    case shape_TO_INTEGER:
        add_operand(instruction, rm);
        instruction->result = (struct profile_operand){0};
        break;
    case shape_FLAGS:
        add_operand(instruction, vector_operand(reg, width.bits, lanes));
        add_operand(instruction, rm);
        instruction->result = (struct profile_operand){0};
        break;
    case shape_STORE_HALF:
        add_operand(instruction, vector_operand(reg, width.bits, lanes));
        instruction->result = rm_operand(encoding, result_bits, lanes);
        instruction->result.is_broadcast = false;
        break;
    default:
        add_operand(instruction, vector_operand(second, width.bits, lanes));
        add_operand(instruction, rm);
        if (form->shape == shape_COMPARE)
            instruction->result = (struct profile_operand){0};
        break;
    }
}

/* The upper half of dpps' byte says which products there are, the lower where their sum goes; both halves of
   a longer vector obey the same byte. */
static void use_dot_byte(struct profile_instruction *instruction, uint8_t byte, uint8_t bits)
{
    unsigned lanes = 128 / bits, all = (1u << lanes) - 1;
    uint32_t products = byte >> 4 & all, sums = byte & all;
    if (instruction->vector_bits == 256) {
        products |= products << lanes;
        sums |= sums << lanes;
    }
    instruction->lane_mask = products;
    instruction->result_mask = sums;
}

static int compressed_by(const struct form *form, const struct encoding *encoding, struct width width,
                         const struct profile_instruction *instruction)
{
    if (encoding->space != space_EVEX)
        return 1;
    const struct profile_operand *memory = form->shape == shape_STORE_HALF
                                           ? &instruction->result
                                           : &instruction->operands[instruction->operand_count - 1];
    if (!width.is_packed || memory->is_broadcast)
        return width.bits / 8;
    return memory->bits * memory->lanes / 8;
}

static bool use_form(struct bytes *bytes, const struct form *form, const struct encoding *encoding,
                     struct profile_instruction *instruction)
{
    struct width width = width_of(form, encoding);
    if (!is_defined(form, encoding, width))
        return false;
    instruction->operation = form->operation;
    instruction->is_packed = width.is_packed;
    instruction->is_vex = encoding->space == space_VEX;
    instruction->is_evex = encoding->space == space_EVEX;
    instruction->vector_bits = vector_bits_of(encoding, width.is_packed);
    instruction->mask = encoding->mask;
    instruction->zeroes = encoding->zeroes;
    use_operands(form, encoding, width, instruction);
    if (!is_register_form(encoding)) {
        int compressed = compressed_by(form, encoding, width, instruction);
        if (!read_memory(bytes, encoding, compressed, instruction))
            return false;
    }
    if (form->flags & has_BYTE) {
        uint8_t byte = next_byte(bytes);
        if (form->shape == shape_DOT)
            use_dot_byte(instruction, byte, width.bits);
    }
    return true;
}

static bool decode_vector(struct bytes *bytes, struct encoding *encoding, struct profile_instruction *instruction)
{
    struct form fma;
    encoding->modrm = next_byte(bytes);
    if (bytes->is_short)
        return false;
    if (!encoding->is_64) { /* there are eight registers; bits that would name others are somebody else's */
        if (encoding->reg_high || encoding->rm_high || encoding->base_high || encoding->index_high)
            return false;
        if (encoding->second > 7 && !encoding->has_no_second)
            return false;
    }
    if (find_fma(encoding, &fma))
        return use_form(bytes, &fma, encoding, instruction);
    const struct form *form = find_form(encoding);
    return form && use_form(bytes, form, encoding, instruction);
}

/* ---- x87 ---- */

static struct profile_operand stack_operand(uint8_t number)
{
    return (struct profile_operand){.where = profile_where_STACK, .number = number, .bits = 80, .lanes = 1};
}

static struct profile_operand x87_memory(uint8_t bits)
{
    return (struct profile_operand){
        .where = profile_where_MEMORY, .number = PROFILE_NO_REGISTER, .bits = bits, .lanes = 1};
}

/* Of ModRM's reg in D8, DA, DC and DE. */
static const uint8_t x87_arithmetic[] = {
    profile_operation_ADD,      profile_operation_MULTIPLY, profile_operation_COMPARE, profile_operation_COMPARE,
    profile_operation_SUBTRACT, profile_operation_SUBTRACT, profile_operation_DIVIDE,  profile_operation_DIVIDE};

static bool decode_x87_memory(uint8_t opcode, uint8_t reg, struct profile_instruction *instruction)
{
    if (!(opcode & 1)) { /* with a float, an int, a double, a short */
        instruction->operation = x87_arithmetic[reg];
        add_operand(instruction, stack_operand(0));
        if (opcode == 0xd8 || opcode == 0xdc)
            add_operand(instruction, x87_memory(opcode == 0xd8 ? 32 : 64));
        if (instruction->operation != profile_operation_COMPARE)
            instruction->result = stack_operand(0);
        return true;
    }
    if (opcode != 0xd9 && opcode != 0xdd)
        return false;
    uint8_t bits = opcode == 0xd9 ? 32 : 64;
    if (reg == 0) {
        instruction->operation = profile_operation_LOAD;
        add_operand(instruction, x87_memory(bits));
        instruction->result = stack_operand(0);
        return true;
    }
    if (reg != 2 && reg != 3)
        return false;
    instruction->operation = profile_operation_STORE;
    add_operand(instruction, stack_operand(0));
    instruction->result = x87_memory(bits);
    return true;
}

/* D9 E4, D9 F0 … FF: on st(0), and st(1) where there are two operands. */
static bool decode_x87_function(uint8_t modrm, struct profile_instruction *instruction)
{
    static const struct {
        uint8_t modrm, operation, operands, result;
    } functions[] = {
        {0xe4, profile_operation_COMPARE, 1, 8},  /* ftst */
        {0xf0, profile_operation_FUNCTION, 1, 0}, /* f2xm1 */
        {0xf1, profile_operation_FUNCTION, 2, 0}, /* fyl2x */
        {0xf2, profile_operation_FUNCTION, 1, 1}, /* fptan: 1.0 is pushed on top of the result */
        {0xf3, profile_operation_FUNCTION, 2, 0}, /* fpatan */
        {0xf4, profile_operation_PARTS, 1, 0},    /* fxtract */
        {0xf5, profile_operation_PARTS, 2, 0},    /* fprem1 */
        {0xf8, profile_operation_PARTS, 2, 0},    /* fprem */
        {0xf9, profile_operation_FUNCTION, 2, 0}, /* fyl2xp1 */
        {0xfa, profile_operation_SQUARE_ROOT, 1, 0},
        {0xfb, profile_operation_FUNCTION, 1, 1}, /* fsincos: the cosine is on top of the sine */
        {0xfc, profile_operation_ROUND, 1, 0},
        {0xfd, profile_operation_SCALE, 2, 0},
        {0xfe, profile_operation_FUNCTION, 1, 0},
        {0xff, profile_operation_FUNCTION, 1, 0},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (functions[i].modrm != modrm)
            continue;
        instruction->operation = functions[i].operation;
        for (uint8_t j = 0; j < functions[i].operands; j++)
            add_operand(instruction, stack_operand(j));
        if (functions[i].result < 8)
            instruction->result = stack_operand(functions[i].result);
        return true;
    }
    return false;
}

static bool is_x87_comparison(uint8_t opcode, uint8_t modrm)
{
    uint8_t row = modrm & 0xf8;
    switch (opcode) {
    case 0xd8:
        return row == 0xd0 || row == 0xd8; /* fcom, fcomp */
    case 0xda:
        return modrm == 0xe9; /* fucompp */
    case 0xdb:
    case 0xdf:
        return row == 0xe8 || row == 0xf0; /* fucomi, fcomi, and those that pop */
    case 0xdd:
        return row == 0xe0 || row == 0xe8; /* fucom, fucomp */
    default:
        return opcode == 0xde && modrm == 0xd9; /* fcompp */
    }
}

static bool decode_x87_registers(uint8_t opcode, uint8_t modrm, struct profile_instruction *instruction)
{
    uint8_t number = modrm & 7, reg = modrm >> 3 & 7;
    if (is_x87_comparison(opcode, modrm)) {
        instruction->operation = profile_operation_COMPARE;
        add_operand(instruction, stack_operand(0));
        add_operand(instruction, stack_operand(number));
        return true;
    }
    if (opcode == 0xd9)
        return decode_x87_function(modrm, instruction);
    if ((opcode != 0xd8 && opcode != 0xdc && opcode != 0xde) || reg == 2 || reg == 3)
        return false;
    instruction->operation = x87_arithmetic[reg];
    add_operand(instruction, stack_operand(opcode == 0xd8 ? 0 : number));
    add_operand(instruction, stack_operand(opcode == 0xd8 ? number : 0));
    if (opcode == 0xd8)
        instruction->result = stack_operand(0);
    else if (opcode == 0xdc)
        instruction->result = stack_operand(number);
    else if (number)
        instruction->result = stack_operand((uint8_t)(number - 1)); /* it was popped */
    return true;
}

static bool decode_x87(struct bytes *bytes, struct encoding *encoding, uint8_t opcode,
                       struct profile_instruction *instruction)
{
    encoding->modrm = next_byte(bytes);
    if (bytes->is_short)
        return false;
    instruction->is_x87 = true;
    if (is_register_form(encoding))
        return decode_x87_registers(opcode, encoding->modrm, instruction);
    return decode_x87_memory(opcode, encoding->modrm >> 3 & 7, instruction) &&
           read_memory(bytes, encoding, 1, instruction);
}

/* ---- all ---- */

static bool decode(struct bytes *bytes, struct encoding *encoding, struct profile_instruction *instruction)
{
    struct legacy_prefixes prefixes;
    read_legacy_prefixes(bytes, encoding, &prefixes);
    if (prefixes.lock || bytes->is_short)
        return false;
    if (prefixes.segments > 1)
        encoding->segment = '?';
    if (is_vector_prefix(bytes, encoding->is_64)) {
        if (prefixes.rex || prefixes.operand_size || prefixes.repeat)
            return false;
        uint8_t first = next_byte(bytes);
        if (first != 0x62)
            read_vex(bytes, encoding, first == 0xc4);
        else if (!read_evex(bytes, encoding))
            return false;
        return decode_vector(bytes, encoding, instruction);
    }
    uint8_t opcode = next_byte(bytes);
    if (opcode == 0x0f)
        return read_legacy_map(bytes, encoding, &prefixes) && decode_vector(bytes, encoding, instruction);
    if (opcode < 0xd8 || opcode > 0xdf || prefixes.operand_size || prefixes.repeat)
        return false;
    encoding->base_high = prefixes.rex & 1 ? 8 : 0;
    encoding->index_high = prefixes.rex & 2 ? 8 : 0;
    return decode_x87(bytes, encoding, opcode, instruction);
}

bool profile_decode(const uint8_t *data, size_t size, bool is_64, struct profile_instruction *instruction)
{
    struct bytes bytes = {.data = data, .size = size < PROFILE_MOST_LENGTH ? size : PROFILE_MOST_LENGTH};
    struct encoding encoding = {.is_64 = is_64};
    *instruction = (struct profile_instruction){.lane_mask = UINT32_MAX, .result_mask = UINT32_MAX};
    if (decode(&bytes, &encoding, instruction) && !bytes.is_short) {
        instruction->length = (uint8_t)bytes.at;
        return true;
    }
    *instruction = (struct profile_instruction){0};
    return false;
}
