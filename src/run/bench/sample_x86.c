/* An x86-64 instruction of a form: the mnemonic and one operand for each kind, by Zydis' encoder.

   A form leaves open which opcode it is (constants of 8 or 32 bits, addresses with short displacements), so
   a few ways are tried, and the first whose decoded form is the wanted one counts.  Registers are ones that
   no instruction uses by itself: rbx, rbp and up. */
#include "run/bench/encode_x86.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_FORM = 96 };

/* Ways to make an instruction of a form.  EVEX has a mask where the text shows none: k0. */
struct trial {
    ZyanI64 byte; /* a constant of 8 bits */
    ZydisEncodableEncoding encodings;
    bool has_hidden_mask;
};
static const struct trial trials[] = {
    {2, ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX, false},
    {1, ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX, false},
    {2, ZYDIS_ENCODABLE_ENCODING_EVEX, false},
    {2, ZYDIS_ENCODABLE_ENCODING_EVEX, true},
};

/* Conditions that Zydis spells otherwise. */
static const char *const conditions[][2] = {{"e", "z"},   {"ne", "nz"}, {"ae", "nb"},
                                            {"a", "nbe"}, {"ge", "nl"}, {"g", "nle"}};

static ZydisMnemonic exact_mnemonic(const char *name, size_t length)
{
    for (unsigned i = 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
        const char *text = ZydisMnemonicGetString((ZydisMnemonic)i);
        if (text && strlen(text) == length && !memcmp(text, name, length))
            return (ZydisMnemonic)i;
    }
    return ZYDIS_MNEMONIC_INVALID;
}

/* Mnemonics by name, as Zydis spells them or as Assay does (cmove for cmovz). */
static ZydisMnemonic mnemonic_named(const char *name, size_t length)
{
    static const char *const stems[] = {"cmov", "set"};
    ZydisMnemonic exact = exact_mnemonic(name, length);
    for (unsigned s = 0; s < 2 && exact == ZYDIS_MNEMONIC_INVALID; s++) {
        size_t stem = strlen(stems[s]);
        if (length < stem || memcmp(name, stems[s], stem))
            continue;
        for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++) {
            char other[16];
            if (length - stem != strlen(conditions[i][0]) ||
                memcmp(name + stem, conditions[i][0], length - stem))
                continue;
            int size = snprintf(other, sizeof other, "%s%s", stems[s], conditions[i][1]);
            return exact_mnemonic(other, (size_t)size);
        }
    }
    return exact;
}

static bool is_kind(const char *kind, size_t length, const char *wanted)
{
    return strlen(wanted) == length && !memcmp(kind, wanted, length);
}

static ZydisRegister register_named(const char *name, size_t length)
{
    for (unsigned i = 1; i <= ZYDIS_REGISTER_MAX_VALUE; i++) {
        const char *text = ZydisRegisterGetString((ZydisRegister)i);
        if (text && is_kind(name, length, text))
            return (ZydisRegister)i;
    }
    return ZYDIS_REGISTER_NONE;
}

/* The registers of operands in turn: rbx, rbp, r8, r9; vectors from 3 on; bl, cl and dl for bytes, because
   others do not go with ah, bh, ch and dh. */
static bool put_register(ZydisEncoderOperand *operand, const char *kind, size_t length, unsigned turn)
{
    static const struct {
        const char *kind;
        ZydisRegisterClass class;
    } classes[] = {{"r8", ZYDIS_REGCLASS_GPR8},   {"r16", ZYDIS_REGCLASS_GPR16},
                   {"r32", ZYDIS_REGCLASS_GPR32}, {"r64", ZYDIS_REGCLASS_GPR64},
                   {"mm", ZYDIS_REGCLASS_MMX},    {"xmm", ZYDIS_REGCLASS_XMM},
                   {"ymm", ZYDIS_REGCLASS_YMM},   {"zmm", ZYDIS_REGCLASS_ZMM},
                   {"k", ZYDIS_REGCLASS_MASK},    {"kz", ZYDIS_REGCLASS_MASK}};
    static const ZyanU8 numbers[] = {3, 5, 8, 9, 10}, bytes[] = {3, 1, 2, 0, 3};
    if (is_kind(kind, length, "r8h")) {
        operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
        operand->reg.value = (ZydisRegister)(ZYDIS_REGISTER_AH + bytes[turn % 5]);
        return true;
    }
    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (!is_kind(kind, length, classes[i].kind))
            continue;
        ZyanU8 number = numbers[turn % 5];
        if (classes[i].class == ZYDIS_REGCLASS_GPR8)
            operand->reg.value = (ZydisRegister)(ZYDIS_REGISTER_AL + bytes[turn % 5]);
        else
            operand->reg.value = ZydisRegisterEncode(
                classes[i].class,
                (ZyanU8)(classes[i].class >= ZYDIS_REGCLASS_MMX && classes[i].class != ZYDIS_REGCLASS_MASK
                             ? turn + 3
                         : classes[i].class == ZYDIS_REGCLASS_MASK ? turn + 1
                                                                   : number));
        operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
        return true;
    }
    return false;
}

/* m64, m128; m32b16 for 32 bits that are broadcast to 16 elements. */
static bool put_plain_memory(ZydisEncoderRequest *request, ZydisEncoderOperand *operand, const char *kind,
                             size_t length)
{
    static const struct {
        unsigned long count;
        ZydisBroadcastMode mode;
    } modes[] = {{2, ZYDIS_BROADCAST_MODE_1_TO_2},   {4, ZYDIS_BROADCAST_MODE_1_TO_4},
                 {8, ZYDIS_BROADCAST_MODE_1_TO_8},   {16, ZYDIS_BROADCAST_MODE_1_TO_16},
                 {32, ZYDIS_BROADCAST_MODE_1_TO_32}, {64, ZYDIS_BROADCAST_MODE_1_TO_64}};
    char *end;
    unsigned long bits = strtoul(kind + 1, &end, 10);
    operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
    operand->mem.base = ZYDIS_REGISTER_RSI;
    operand->mem.size = (ZyanU16)(bits / 8);
    if (*end == 'b') {
        unsigned long count = strtoul(end + 1, &end, 10);
        for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
            if (modes[i].count == count)
                request->evex.broadcast = modes[i].mode;
    }
    return kind[0] == 'm' && end == kind + length && bits;
}

/* vx, vy, vz: indices in a vector.  The size of an element is the last letter's of the mnemonic. */
static bool put_indices(ZydisEncoderRequest *request, ZydisEncoderOperand *operand, const char *kind,
                        size_t length)
{
    static const ZydisRegister registers[] = {ZYDIS_REGISTER_XMM8, ZYDIS_REGISTER_YMM8, ZYDIS_REGISTER_ZMM8};
    if (length != 2 || kind[0] != 'v' || kind[1] < 'x' || kind[1] > 'z')
        return false;
    const char *name = ZydisMnemonicGetString(request->mnemonic);
    char last = name[strlen(name) - 1];
    operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
    operand->mem.base = ZYDIS_REGISTER_RSI;
    operand->mem.index = registers[kind[1] - 'x'];
    operand->mem.scale = 1;
    operand->mem.size = last == 'd' && name[strlen(name) - 2] == 'p' ? 8 : last == 'q' ? 8 : 4;
    return true;
}

/* The address of lea: b+i*s+d8. */
static bool put_address(ZydisEncoderOperand *operand, const char *kind, size_t length)
{
    operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
    operand->mem.base = ZYDIS_REGISTER_RSI;
    char text[16];
    if (length >= sizeof text)
        return false;
    memcpy(text, kind, length);
    text[length] = '\0';
    operand->mem.size = 8;
    if (!strstr(text, "b"))
        operand->mem.base = ZYDIS_REGISTER_NONE;
    if (strchr(text, 'i')) {
        operand->mem.index = ZYDIS_REGISTER_RDI;
        operand->mem.scale = strstr(text, "i*s") ? 4 : 1;
    }
    operand->mem.displacement = strstr(text, "d8") ? 0x10 : strstr(text, "d32") ? 0x1000 : 0;
    return strncmp(text, "rip", 3) != 0;
}

static bool put_immediate(ZydisEncoderOperand *operand, const char *kind, size_t length,
                          const struct trial *trial)
{
    operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
    if (is_kind(kind, length, "1"))
        operand->imm.s = 1;
    else if (is_kind(kind, length, "i8"))
        operand->imm.s = trial->byte;
    else if (is_kind(kind, length, "i8=0"))
        operand->imm.s = 0;
    else if (is_kind(kind, length, "i16"))
        operand->imm.s = 0x1234;
    else if (is_kind(kind, length, "i32"))
        operand->imm.s = 0x12345678;
    else if (is_kind(kind, length, "i64"))
        operand->imm.s = 0x123456789abcdef0;
    else
        return false;
    return true;
}

static bool put_operands(ZydisEncoderRequest *request, const char *text, const struct trial *trial,
                         bool is_lea)
{
    for (unsigned turn = 0; *text;) {
        size_t length = strcspn(text, ",");
        if (request->operand_count == ZYDIS_ENCODER_MAX_OPERANDS)
            return false;
        ZydisEncoderOperand *operand = &request->operands[request->operand_count++];
        request->evex.zeroing_mask |= is_kind(text, length, "kz");
        if (put_register(operand, text, length, turn)) {
            operand->reg.is4 =
                request->operand_count == 4 && !(request->allowed_encodings & ZYDIS_ENCODABLE_ENCODING_EVEX);
            turn++;
        } else if ((operand->reg.value = register_named(text, length)) != ZYDIS_REGISTER_NONE)
            operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
        else if (!put_immediate(operand, text, length, trial) &&
                 !(is_lea ? put_address(operand, text, length)
                          : put_indices(request, operand, text, length) ||
                                put_plain_memory(request, operand, text, length)))
            return false;
        if (trial->has_hidden_mask && request->operand_count == 1) {
            ZydisEncoderOperand *mask = &request->operands[request->operand_count++];
            mask->type = ZYDIS_OPERAND_TYPE_REGISTER;
            mask->reg.value = ZYDIS_REGISTER_K0;
        }
        text += length;
        text += *text == ',';
    }
    return true;
}

static bool try_form(struct bench_instruction *instruction, const char *form, const struct trial *trial)
{
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .allowed_encodings = trial->encodings};
    const char *text = form;
    if (!strncmp(text, "lock ", 5)) {
        request.prefixes |= ZYDIS_ATTRIB_HAS_LOCK;
        text += 5;
    }
    size_t length = strcspn(text, " ");
    request.mnemonic = mnemonic_named(text, length);
    bool is_lea = is_kind(text, length, "lea");
    text += length;
    text += *text == ' ';
    if (request.mnemonic == ZYDIS_MNEMONIC_INVALID || !put_operands(&request, text, trial, is_lea))
        return false;
    uint8_t bytes[INSTRUCTION_BYTES], size;
    return bench_encode_x86(&request, bytes, &size) &&
           bench_instruction_read(instruction, isa_X86_64, bytes, size) &&
           !strcmp(instruction->description.form, form);
}

bool bench_sample_x86(struct bench_instruction *instruction, const char *form)
{
    for (unsigned i = 0; i < sizeof trials / sizeof *trials && strlen(form) < LONGEST_FORM; i++)
        if (try_form(instruction, form, &trials[i]))
            return true;
    return false;
}
