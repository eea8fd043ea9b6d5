/* The profiler's decoder (runtime/denormal-profile/decode.h).

   Against Zydis: on every instruction that the tests of the readers list, and on many made by chance from the
   opcodes of floating-point instructions and their prefixes.  Whatever the decoder claims to know must agree
   in length, operands, lanes, mask and address; and instructions that it rejects must not be ones that it
   should know.

   By hand: states of a processor with known values in known lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <Zydis/Zydis.h>
#include "bytes_of.h"
#include "runtime/denormal-profile/decode.h"

/* ---- against Zydis ---- */

static uint64_t random_state = 1;

static uint32_t random_number(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}

static uint8_t one_of(const uint8_t *list, size_t count)
{
    return list[random_number() % count];
}

static const ZydisRegister general_64[] = {
    ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RBX,
    ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
    ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
    ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};
static const ZydisRegister general_32[] = {
    ZYDIS_REGISTER_EAX,  ZYDIS_REGISTER_ECX,  ZYDIS_REGISTER_EDX,  ZYDIS_REGISTER_EBX,
    ZYDIS_REGISTER_ESP,  ZYDIS_REGISTER_EBP,  ZYDIS_REGISTER_ESI,  ZYDIS_REGISTER_EDI,
    ZYDIS_REGISTER_R8D,  ZYDIS_REGISTER_R9D,  ZYDIS_REGISTER_R10D, ZYDIS_REGISTER_R11D,
    ZYDIS_REGISTER_R12D, ZYDIS_REGISTER_R13D, ZYDIS_REGISTER_R14D, ZYDIS_REGISTER_R15D};

struct bench {
    ZydisDecoder decoder;
    ZydisRegisterContext context;
    struct profile_state state;
    bool is_64;
    unsigned known, unknown;
    const uint8_t *bytes; /* of the instruction at hand */
    size_t size;
};

static void prepare(struct bench *bench, bool is_64)
{
    *bench = (struct bench){.is_64 = is_64, .state = {.is_64 = is_64, .instruction = 0x12345678}};
    if (is_64)
        ZydisDecoderInit(&bench->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    else
        ZydisDecoderInit(&bench->decoder, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
    for (unsigned i = 0; i < 16; i++) {
        uint64_t value =
            ((uint64_t)random_number() << 32 | random_number()) & (is_64 ? UINT64_MAX : UINT32_MAX);
        bench->state.general[i] = value;
        bench->context.values[general_64[i]] = value;
        bench->context.values[general_32[i]] = value & UINT32_MAX;
    }
}

static _Noreturn void wrong(const struct bench *bench, const char *what)
{
    char text[64] = "";
    for (size_t i = 0; i < bench->size && i < 15; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%02x ", bench->bytes[i]);
    fail_msg("%s(%u bits): %s", text, bench->is_64 ? 64 : 32, what);
    abort();
}

#define CHECK(bench, condition)                                                                              \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            wrong(bench, #condition);                                                                        \
    } while (0)

static void check_address(struct bench *bench, const struct profile_instruction *ours,
                          const ZydisDecodedInstruction *theirs, const ZydisDecodedOperand *memory)
{
    uint64_t address = 0, wanted = 0;
    bool is_relative_segment =
        memory->mem.segment == ZYDIS_REGISTER_FS || memory->mem.segment == ZYDIS_REGISTER_GS;
    bool has_address = profile_address(ours, &bench->state, &address);
    if (is_relative_segment) {
        CHECK(bench, !has_address);
        return;
    }
    if (!has_address) {
        CHECK(bench, ours->segment == '?');
        return;
    }
    /* Zydis 4.0 computes some sums of 32 bits without cutting them off, and takes a base that is not there
       for r13d where addresses have 32 bits. */
    if (theirs->raw.modrm.mod == 0 && memory->mem.base == ZYDIS_REGISTER_R13D)
        return;
    ZydisCalcAbsoluteAddressEx(theirs, memory, bench->state.instruction, &bench->context, &wanted);
    if (theirs->address_width == 32)
        wanted &= UINT32_MAX;
    CHECK(bench, address == wanted);
}

static bool is_float(const ZydisDecodedInstruction *theirs, const ZydisDecodedOperand *operand)
{
    /* It takes the number that these round for an integer. */
    if (theirs->mnemonic == ZYDIS_MNEMONIC_ROUNDSS || theirs->mnemonic == ZYDIS_MNEMONIC_ROUNDSD)
        return true;
    switch (operand->element_type) {
    case ZYDIS_ELEMENT_TYPE_FLOAT16:
    case ZYDIS_ELEMENT_TYPE_FLOAT32:
    case ZYDIS_ELEMENT_TYPE_FLOAT64:
    case ZYDIS_ELEMENT_TYPE_FLOAT80:
        return true;
    default:
        return false;
    }
}

static bool is_vector_register(const ZydisDecodedOperand *operand, unsigned number)
{
    return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetId(operand->reg.value) == (ZyanI8)number &&
           (ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_XMM ||
            ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_YMM ||
            ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_ZMM);
}

/* Whether one of theirs is our operand: the same register or memory, with the same elements. */
static bool has_operand(const struct bench *bench, const ZydisDecodedInstruction *theirs,
                        const ZydisDecodedOperand *operands, const struct profile_operand *ours,
                        bool is_packed, bool is_written)
{
    for (unsigned i = 0; i < theirs->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        bool is_right_way = operand->actions &
                            (is_written ? ZYDIS_OPERAND_ACTION_MASK_WRITE : ZYDIS_OPERAND_ACTION_MASK_READ);
        if (!is_right_way)
            continue;
        if (ours->where == profile_where_VECTOR && !is_vector_register(operand, ours->number))
            continue;
        if (ours->where == profile_where_MEMORY && operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        if (ours->where == profile_where_STACK &&
            (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
             operand->reg.value != (ZydisRegister)(ZYDIS_REGISTER_ST0 + ours->number)))
            continue;
        if (ours->where == profile_where_STACK)
            return true;
        if (!is_float(theirs, operand) || operand->element_size != ours->bits)
            continue;
        if (ours->where == profile_where_MEMORY && !ours->is_broadcast)
            CHECK(bench, operand->size == ours->bits * ours->lanes);
        if (ours->is_broadcast)
            CHECK(bench, operand->size == ours->bits);
        if (ours->where == profile_where_VECTOR && is_packed)
            CHECK(bench,
                  ours->lanes * ours->bits <= operand->size && ours->lanes * ours->bits * 4 >= operand->size);
        return true;
    }
    return false;
}

static void check_known(struct bench *bench, const struct profile_instruction *ours,
                        const ZydisDecodedInstruction *theirs, const ZydisDecodedOperand *operands)
{
    CHECK(bench, ours->length == theirs->length);
    CHECK(bench, ours->is_x87 == (theirs->meta.isa_ext == ZYDIS_ISA_EXT_X87));
    CHECK(bench, ours->is_vex == (theirs->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX));
    CHECK(bench, ours->is_evex == (theirs->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX));
    const ZydisDecodedOperand *memory = NULL;
    for (unsigned i = 0; i < theirs->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            memory = &operands[i];
    CHECK(bench, ours->has_memory == !!memory);
    if (memory)
        check_address(bench, ours, theirs, memory);
    for (unsigned i = 0; i < ours->operand_count; i++)
        CHECK(bench, has_operand(bench, theirs, operands, &ours->operands[i], ours->is_packed, false));
    if (!ours->is_x87 && ours->result.where != profile_where_NOWHERE)
        CHECK(bench, has_operand(bench, theirs, operands, &ours->result, ours->is_packed, true));
    if (ours->is_packed && !ours->is_x87)
        CHECK(bench, theirs->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
                         ours->vector_bits == theirs->avx.vector_length);
    if (ours->is_evex) {
        unsigned mask = theirs->avx.mask.reg == ZYDIS_REGISTER_NONE
                            ? 0
                            : (unsigned)(theirs->avx.mask.reg - ZYDIS_REGISTER_K0);
        CHECK(bench, ours->mask == mask);
        bool is_broadcast = ours->operands[ours->operand_count - 1].is_broadcast;
        CHECK(bench, is_broadcast == (theirs->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID));
    }
}

/* The family of an instruction: what its name says without the letter of VEX and the width. */
static bool is_ours(const ZydisDecodedInstruction *theirs)
{
    static const char *const names[] = {"add",   "sub",      "mul",    "div",    "min",     "max",   "sqrt",
                                        "hadd",  "hsub",     "addsub", "cmp",    "comi",    "ucomi", "dp",
                                        "round", "rndscale", "scalef", "getexp", "getmant", "range"};
    static const char *const widths[] = {"ps", "pd", "ss", "sd"};
    static const char *const x87[] = {
        "fadd",    "faddp",  "fiadd",  "fsub",   "fsubp",   "fsubr",   "fsubrp", "fisub",   "fisubr",
        "fmul",    "fmulp",  "fimul",  "fdiv",   "fdivp",   "fdivr",   "fdivrp", "fidiv",   "fidivr",
        "fsqrt",   "fcomi",  "fcomip", "fucomi", "fucomip", "fucom",   "fucomp", "fucompp", "fcompp",
        "ficom",   "ficomp", "fsin",   "fcos",   "fptan",   "fpatan",  "f2xm1",  "fyl2x",   "fyl2xp1",
        "fsincos", "fscale", "fprem",  "fprem1", "ftst",    "frndint", "fxtract"};
    const char *name = ZydisMnemonicGetString(theirs->mnemonic);
    if (theirs->meta.isa_ext == ZYDIS_ISA_EXT_X87) {
        for (size_t i = 0; i < sizeof x87 / sizeof *x87; i++)
            if (!strcmp(name, x87[i]))
                return true;
        return false;
    }
    name += *name == 'v';
    if (!strncmp(name, "fm", 2) || !strncmp(name, "fnm", 3))
        return strpbrk(name, "123") && (strstr(name, "132") || strstr(name, "213") || strstr(name, "231")) &&
               strchr("sd", name[strlen(name) - 1]);
    if (!strcmp(name, "cvtss2sd") || !strcmp(name, "cvtsd2ss") || !strcmp(name, "cvtps2pd") ||
        !strcmp(name, "cvtpd2ps") || !strcmp(name, "cvtps2ph"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < 4; j++) {
            size_t length = strlen(names[i]);
            if (!strncmp(name, names[i], length) && !strcmp(name + length, widths[j]))
                return true;
        }
    return false;
}

/* Why the decoder may decline an instruction of its own. */
static bool may_decline(const struct bench *bench, const ZydisDecodedInstruction *theirs)
{
    bool is_prefixed = theirs->attributes & (ZYDIS_ATTRIB_HAS_OPERANDSIZE | ZYDIS_ATTRIB_HAS_REP |
                                             ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_REPE);
    for (unsigned i = 0; i < theirs->raw.prefix_count; i++)
        is_prefixed |=
            theirs->raw.prefixes[i].value == 0x66 || (theirs->raw.prefixes[i].value & 0xfe) == 0xf2;
    if (theirs->meta.isa_ext == ZYDIS_ISA_EXT_X87)
        return is_prefixed || theirs->address_width == 16 ||
               (theirs->raw.modrm.mod == 3 && (theirs->opcode == 0xdc || theirs->opcode == 0xde) &&
                (theirs->raw.modrm.reg == 2 || theirs->raw.modrm.reg == 3)); /* names of their own, unused */
    /* Bits that name registers that 32-bit code does not have, and that are ignored there. */
    return theirs->address_width == 16 ||
           (!bench->is_64 && theirs->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY);
}

static void check(struct bench *bench, const uint8_t *bytes, size_t size)
{
    ZydisDecodedInstruction theirs;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct profile_instruction ours;
    bench->bytes = bytes;
    bench->size = size;
    bool is_known = profile_decode(bytes, size, bench->is_64, &ours);
    bool is_valid = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&bench->decoder, bytes, size, &theirs, operands));
    if (is_known) {
        bench->known++;
        CHECK(bench, is_valid);
        CHECK(bench, ours.operation != profile_operation_UNKNOWN && ours.operation < profile_operation_COUNT);
        check_known(bench, &ours, &theirs, operands);
        for (size_t less = 0; less < ours.length; less++)
            CHECK(bench, !profile_decode(bytes, less, bench->is_64, &(struct profile_instruction){0}));
    } else {
        bench->unknown++;
        CHECK(bench, !is_valid || !is_ours(&theirs) || may_decline(bench, &theirs));
    }
}

static const uint8_t opcodes[] = {0x51, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0xc2, 0x2c, 0x2d,
                                  0x2e, 0x2f, 0x7c, 0x7d, 0xd0, 0xe6, 0x08, 0x09, 0x0a, 0x0b, 0x13, 0x1d,
                                  0x26, 0x27, 0x40, 0x41, 0x42, 0x43, 0x50, 0x51, 0x54, 0x56, 0x66, 0x96,
                                  0x98, 0x99, 0xa7, 0xa8, 0xad, 0xb6, 0xbc, 0xbf, 0xbb, 0x52, 0x53, 0x78};

static uint8_t chance_opcode(void)
{
    return random_number() % 8 ? one_of(opcodes, sizeof opcodes) : (uint8_t)random_number();
}

/* The bytes of an instruction after its prefixes are left to chance, and so is what follows them. */
static void make_instruction(uint8_t bytes[16], bool is_64)
{
    static const uint8_t before[] = {0x66, 0x67, 0xf2, 0xf3, 0x64, 0x65, 0x2e, 0x3e, 0x40, 0x48, 0x44, 0xf0};
    size_t at = 0;
    uint8_t any[4];
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)random_number();
    memcpy(any, bytes + 8, sizeof any);
    while (random_number() % 4 == 0 && at < 4)
        bytes[at++] = one_of(before, sizeof before);
    switch (random_number() % 6) {
    case 0:
        bytes[at++] = (uint8_t)(0xd8 + random_number() % 8);
        break;
    case 1:
        bytes[at++] = 0xc5;
        at++;
        bytes[at++] = chance_opcode();
        break;
    case 2:
        bytes[at++] = 0xc4;
        bytes[at] = (uint8_t)((any[0] & 0xe0) | (1 + random_number() % 3));
        at += 2;
        bytes[at++] = chance_opcode();
        break;
    case 3:
    case 4:
        bytes[at++] = 0x62;
        bytes[at++] = (uint8_t)((any[0] & 0xf0) | random_number() % 8);
        bytes[at++] = any[1] | 4;
        at++;
        bytes[at++] = chance_opcode();
        break;
    default:
        if (random_number() % 2)
            bytes[at++] = (uint8_t) "\x66\xf2\xf3\x2e"[random_number() % 4];
        if (is_64 && random_number() % 3 == 0)
            bytes[at++] = (uint8_t)(0x40 + random_number() % 16);
        bytes[at++] = 0x0f;
        if (random_number() % 2)
            bytes[at++] = random_number() % 2 ? 0x38 : 0x3a;
        bytes[at++] = chance_opcode();
        break;
    }
    if (!is_64 && random_number() % 8) /* most of them as VEX in 32-bit code, not as what it replaced */
        for (size_t i = 0; i < 5; i++)
            if (bytes[i] == 0xc4 || bytes[i] == 0xc5 || bytes[i] == 0x62) {
                bytes[i + 1] |= 0xc0;
                break;
            }
}

static void by_chance(void **state)
{
    (void)state;
    enum { COUNT = 600000 };
    for (unsigned mode = 0; mode < 2; mode++) {
        static struct bench bench;
        prepare(&bench, mode);
        for (unsigned i = 0; i < COUNT; i++) {
            uint8_t bytes[16];
            make_instruction(bytes, mode);
            check(&bench, bytes, sizeof bytes - 1);
        }
        assert_in_range(bench.known, COUNT / 10, COUNT);
    }
}

struct listed {
    const char *bytes, *text, *facts, *operands, *uses;
};
#define STATUS ""
static const struct listed listed_64[] = {
#include "x86_instructions_64.def"
};
static const struct listed listed_32[] = {
#include "x86_instructions_32.def"
};

static void check_listed(const struct listed *list, size_t count, bool is_64, unsigned at_least)
{
    static struct bench bench;
    prepare(&bench, is_64);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[16] = {0};
        size_t size = bytes_of(list[i].bytes, bytes, sizeof bytes);
        check(&bench, bytes, size);
    }
    assert_in_range(bench.known, at_least, count);
}

static void as_the_readers_list_them(void **state)
{
    (void)state;
    check_listed(listed_64, sizeof listed_64 / sizeof *listed_64, true, 20);
    check_listed(listed_32, sizeof listed_32 / sizeof *listed_32, false, 1);
}

/* ---- states by hand ---- */

enum { HALVES = 576, MASKS = 1088, UPPER_256 = 1152, UPPER_16 = 1664, AREA = 2688, BASE = 0x500000 };

struct processor {
    struct profile_state state;
    uint8_t area[AREA];
    uint8_t memory[256];    /* at BASE */
    uint64_t first, behind; /* what was read of it */
    unsigned reads;
};

static bool read_memory(void *context, uint64_t address, void *into, size_t size)
{
    struct processor *processor = context;
    if (address < BASE || address + size > BASE + sizeof processor->memory)
        return false;
    memcpy(into, processor->memory + (address - BASE), size);
    processor->first = address;
    processor->behind = address + size;
    processor->reads++;
    return true;
}

static void start(struct processor *processor)
{
    *processor = (struct processor){.state = {.is_64 = true,
                                              .instruction = 0x400000,
                                              .area_size = AREA,
                                              .upper_halves = HALVES,
                                              .masks = MASKS,
                                              .upper_256 = UPPER_256,
                                              .upper_16 = UPPER_16,
                                              .read = read_memory}};
    processor->state.area = processor->area;
    processor->state.context = processor;
    processor->state.general[7] = BASE; /* rdi */
    uint64_t all = 0xff;
    memcpy(processor->area + 512, &all, sizeof all);
}

static uint8_t *lane(struct processor *processor, unsigned number, unsigned byte)
{
    if (number >= 16)
        return processor->area + UPPER_16 + 64 * (number - 16) + byte;
    if (byte < 16)
        return processor->area + 160 + 16 * number + byte;
    if (byte < 32)
        return processor->area + HALVES + 16 * number + byte - 16;
    return processor->area + UPPER_256 + 32 * number + byte - 32;
}

static void put_float(struct processor *processor, unsigned number, unsigned index, float value)
{
    memcpy(lane(processor, number, 4 * index), &value, sizeof value);
}

static void put_double(struct processor *processor, unsigned number, unsigned index, double value)
{
    memcpy(lane(processor, number, 8 * index), &value, sizeof value);
}

/* st(number), with the top of the stack at physical register 3. */
static void put_stack(struct processor *processor, unsigned number, uint64_t mantissa, uint16_t exponent)
{
    processor->area[3] = 3 << 3;
    processor->area[4] |= (uint8_t)(1 << ((3 + number) & 7));
    memcpy(processor->area + 32 + 16 * number, &mantissa, 8);
    memcpy(processor->area + 40 + 16 * number, &exponent, 2);
}

struct answer {
    struct profile_instruction instruction;
    struct profile_value values[4];
    size_t count, unread;
    uint64_t address;
    bool has_address;
    char name[16];
};

static void ask(struct processor *processor, const char *text, struct answer *answer)
{
    uint8_t bytes[16] = {0};
    size_t size = bytes_of(text, bytes, sizeof bytes);
    *answer = (struct answer){0};
    assert_true(profile_decode(bytes, size, processor->state.is_64, &answer->instruction));
    assert_int_equal(answer->instruction.length, size);
    answer->has_address = profile_address(&answer->instruction, &processor->state, &answer->address);
    answer->count = profile_find_denormals(&answer->instruction, &processor->state,
                                           answer->has_address ? &answer->address : NULL, answer->values, 4,
                                           &answer->unread);
    if (answer->count)
        profile_name_operand(&answer->instruction, &answer->values[0], answer->name);
}

static const float tiny = 1e-40f;
static const double tiny_double = -5e-324;

static void scalars(void **state)
{
    (void)state;
    struct processor processor;
    struct answer answer;
    start(&processor);
    put_float(&processor, 0, 0, 1);
    put_float(&processor, 1, 0, tiny);
    put_float(&processor, 1, 1, tiny);       /* no lane of a scalar */
    ask(&processor, "f3 0f 59 c1", &answer); /* mulss xmm0, xmm1 */
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.unread, 0);
    assert_int_equal(answer.values[0].operand, 1);
    assert_int_equal(answer.values[0].lane, 0);
    assert_int_equal(answer.values[0].bits, 32);
    assert_memory_equal(answer.values[0].bytes, &tiny, sizeof tiny);
    assert_string_equal(answer.name, "xmm1");
    assert_int_equal(answer.instruction.operation, profile_operation_MULTIPLY);
    ask(&processor, "f3 0f 59 c9", &answer); /* mulss xmm1, xmm1: both operands */
    assert_int_equal(answer.count, 2);

    put_double(&processor, 9, 0, tiny_double);
    ask(&processor, "66 45 0f 2e c1", &answer); /* ucomisd xmm8, xmm9 */
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.name, "xmm9");
    assert_int_equal(answer.instruction.result.where, profile_where_NOWHERE);
    ask(&processor, "c5 b3 58 c1", &answer); /* vaddsd xmm0, xmm9, xmm1 */
    assert_int_equal(answer.values[0].operand, 0);
    assert_string_equal(answer.name, "xmm9");
    assert_memory_equal(answer.values[0].bytes, &tiny_double, 8);
}

static void vectors_and_memory(void **state)
{
    (void)state;
    struct processor processor;
    struct answer answer;
    start(&processor);
    memcpy(processor.memory + 0x10 + 12, &tiny, 4);
    ask(&processor, "0f 58 47 10", &answer); /* addps xmm0, [rdi+16] */
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.name, "memory");
    assert_int_equal(answer.values[0].lane, 3);
    assert_true(answer.values[0].has_address);
    assert_int_equal(answer.values[0].address, BASE + 0x10 + 12);
    assert_int_equal(processor.reads, 1);

    put_double(&processor, 3, 2, tiny_double);
    put_double(&processor, 3, 1, 2.0);
    put_double(&processor, 1, 3, tiny_double);
    ask(&processor, "c4 e2 e5 b8 c1", &answer); /* vfmadd231pd ymm0, ymm3, ymm1 */
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.values[0].operand, 1);
    assert_int_equal(answer.values[0].lane, 2);
    assert_string_equal(answer.name, "ymm3");
    assert_int_equal(answer.values[1].operand, 2);
    assert_int_equal(answer.values[1].lane, 3);

    /* What the header calls untouched is zero, whatever lies there. */
    processor.area[512] = 0x3;
    ask(&processor, "c4 e2 e5 b8 c1", &answer);
    assert_int_equal(answer.count, 0);
    assert_int_equal(answer.unread, 0);
    processor.state.area_size = 512; /* no upper halves at all */
    ask(&processor, "c4 e2 e5 b8 c1", &answer);
    assert_int_equal(answer.count, 0);
    assert_int_equal(answer.unread, 12);

    /* More denormals than there is room for are counted all the same. */
    start(&processor);
    for (unsigned i = 0; i < 4; i++) {
        put_float(&processor, 0, i, tiny);
        put_float(&processor, 1, i, -tiny);
    }
    ask(&processor, "f2 0f 7c c1", &answer); /* haddps xmm0, xmm1 */
    assert_int_equal(answer.count, 8);
    assert_int_equal(answer.values[3].lane, 3);
    ask(&processor, "66 0f 3a 40 c1 31", &answer); /* dpps with two products */
    assert_int_equal(answer.count, 4);
    assert_int_equal(answer.values[1].lane, 1);
}

static void masks_and_broadcasts(void **state)
{
    (void)state;
    struct processor processor;
    struct answer answer;
    start(&processor);
    processor.state.general[7] = BASE + 256 - 16; /* lanes from 4 on lie after the end */
    processor.area[MASKS + 8 * 2] = 0x0a;
    memcpy(processor.memory + 256 - 16 + 12, &tiny, 4);
    memcpy(processor.memory + 256 - 16 + 8, &tiny, 4);
    ask(&processor, "62 f1 74 4a 58 07", &answer); /* vaddps zmm0{k2}, zmm1, [rdi] */
    assert_int_equal(answer.unread, 0);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.values[0].lane, 3);
    assert_int_equal(processor.first, BASE + 256 - 12);
    assert_int_equal(processor.behind, BASE + 256);
    ask(&processor, "62 f1 74 48 58 07", &answer); /* without the mask it cannot be read */
    assert_int_equal(answer.count, 0);
    assert_int_equal(answer.unread, 16);
    assert_true(answer.has_address);

    ask(&processor, "62 f1 74 5a 58 47 03", &answer); /* vaddps zmm0{k2}, zmm1, [rdi+12]{1to16} */
    assert_int_equal(answer.address, BASE + 256 - 4);
    assert_int_equal(answer.count, 2); /* each lane that takes part */
    assert_int_equal(answer.values[0].lane, 1);
    assert_int_equal(answer.values[1].lane, 3);
    assert_int_equal(answer.values[1].address, BASE + 256 - 4);

    put_double(&processor, 31, 7, tiny_double);
    ask(&processor, "62 01 85 40 59 ff", &answer); /* vmulpd zmm31, zmm31, zmm31 */
    assert_int_equal(answer.count, 2);
    assert_string_equal(answer.name, "zmm31");
    assert_int_equal(answer.values[0].lane, 7);
    processor.state.masks = 0;
    ask(&processor, "62 f1 74 4a 58 c1", &answer);
    assert_int_equal(answer.unread, 32);
}

static void x87(void **state)
{
    (void)state;
    struct processor processor;
    struct answer answer;
    uint8_t wanted[10] = {5};
    start(&processor);
    put_stack(&processor, 0, UINT64_C(1) << 63, 0x3fff);
    put_stack(&processor, 2, 5, 0);
    memcpy(processor.memory + 8, &tiny_double, 8);
    ask(&processor, "d8 c2", &answer); /* fadd st, st(2) */
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.name, "st(2)");
    assert_int_equal(answer.values[0].bits, 80);
    assert_memory_equal(answer.values[0].bytes, wanted, 10);
    ask(&processor, "d8 c1", &answer); /* st(1) is empty */
    assert_int_equal(answer.count, 0);
    assert_int_equal(answer.unread, 1);
    ask(&processor, "dc 47 08", &answer); /* fadd qword [rdi+8] */
    assert_string_equal(answer.name, "memory");
    assert_int_equal(answer.values[0].address, BASE + 8);
    ask(&processor, "dd 47 08", &answer); /* fld qword [rdi+8] */
    assert_int_equal(answer.instruction.operation, profile_operation_LOAD);
    assert_int_equal(answer.count, 1);
    ask(&processor, "de c2", &answer); /* faddp st(2), st */
    assert_int_equal(answer.instruction.result.number, 1);

    processor.state.is_64 = false;
    ask(&processor, "d9 5f 10", &answer); /* fstp dword [edi+16] */
    assert_int_equal(answer.instruction.operation, profile_operation_STORE);
    assert_int_equal(answer.instruction.result.where, profile_where_MEMORY);
    assert_int_equal(answer.instruction.result.bits, 32);
    memcpy(processor.memory + 16, &tiny, 4);
    struct profile_results results;
    profile_find_results(&answer.instruction, &processor.state, &answer.address, &results);
    assert_int_equal(results.denormals, 1);
    assert_int_equal(results.value.address, BASE + 16);
    assert_memory_equal(results.value.bytes, &tiny, 4);
}

static void results(void **state)
{
    (void)state;
    struct processor processor;
    struct answer answer;
    struct profile_results found;
    start(&processor);
    for (unsigned i = 0; i < 8; i++)
        put_float(&processor, 0, i, 1);
    put_float(&processor, 0, 6, -0.0f);
    ask(&processor, "c5 ec 59 c1", &answer); /* vmulps ymm0, ymm2, ymm1 */
    profile_find_results(&answer.instruction, &processor.state, NULL, &found);
    assert_int_equal(found.lanes, 8);
    assert_int_equal(found.zeros, 1);
    assert_true(found.has_value);
    assert_int_equal(found.value.lane, 6);
    assert_int_equal(found.value.operand, PROFILE_RESULT);
    put_float(&processor, 0, 1, 0);
    profile_find_results(&answer.instruction, &processor.state, NULL, &found);
    assert_int_equal(found.zeros, 2);
    assert_false(found.has_value); /* which of them it was is not known */
    put_float(&processor, 0, 5, tiny);
    profile_find_results(&answer.instruction, &processor.state, NULL, &found);
    assert_int_equal(found.denormals, 1);
    assert_int_equal(found.value.lane, 5);
    profile_name_operand(&answer.instruction, &found.value, answer.name);
    assert_string_equal(answer.name, "ymm0");

    put_float(&processor, 4, 1, tiny);
    ask(&processor, "c5 fd 5a e1", &answer); /* vcvtpd2ps xmm4, ymm1: four results */
    profile_find_results(&answer.instruction, &processor.state, NULL, &found);
    assert_int_equal(found.lanes, 4);
    assert_int_equal(found.denormals, 1);
    assert_int_equal(found.value.lane, 1);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned bits;
        uint64_t low;
        uint16_t high;
        bool is_denormal, is_zero;
    } cases[] = {
        {16, 0x03ff, 0, true, false},
        {16, 0x0400, 0, false, false},
        {16, 0x8000, 0, false, true},
        {32, 0x007fffff, 0, true, false},
        {32, 0x80000001, 0, true, false},
        {32, 0x00800000, 0, false, false},
        {32, 0x80000000, 0, false, true},
        {32, 0x7f800001, 0, false, false},
        {64, UINT64_C(0x000fffffffffffff), 0, true, false},
        {64, UINT64_C(0x0010000000000000), 0, false, false},
        {64, UINT64_C(0x8000000000000000), 0, false, true},
        {80, 1, 0, true, false},
        {80, UINT64_C(1) << 63, 0, true, false}, /* called pseudo-denormal: it traps as well */
        {80, UINT64_C(1) << 63, 1, false, false},
        {80, 0, 0x8000, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[10];
        for (unsigned j = 0; j < 8; j++)
            bytes[j] = (uint8_t)(cases[i].low >> 8 * j);
        bytes[8] = (uint8_t)cases[i].high;
        bytes[9] = (uint8_t)(cases[i].high >> 8);
        assert_int_equal(profile_is_denormal(bytes, cases[i].bits), cases[i].is_denormal);
        assert_int_equal(profile_is_zero(bytes, cases[i].bits), cases[i].is_zero);
    }
}

static void segments(void **state)
{
    (void)state;
    struct processor processor;
    struct answer answer;
    start(&processor);
    ask(&processor, "64 f3 0f 58 07", &answer);
    assert_false(answer.has_address);
    assert_int_equal(answer.unread, 1);
    processor.state.has_fs = true;
    processor.state.fs = 0x20;
    memcpy(processor.memory + 0x20, &tiny, 4);
    ask(&processor, "64 f3 0f 58 07", &answer);
    assert_int_equal(answer.values[0].address, BASE + 0x20);
    processor.state.instruction = BASE - 8;
    ask(&processor, "f3 0f 58 05 20 00 00 00", &answer); /* addss xmm0, [rip+32] */
    assert_int_equal(answer.values[0].address, BASE + 0x20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_readers_list_them),
        cmocka_unit_test(by_chance),
        cmocka_unit_test(scalars),
        cmocka_unit_test(vectors_and_memory),
        cmocka_unit_test(masks_and_broadcasts),
        cmocka_unit_test(x87),
        cmocka_unit_test(results),
        cmocka_unit_test(numbers),
        cmocka_unit_test(segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
