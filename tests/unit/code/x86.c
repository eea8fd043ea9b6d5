/* The x86 readers: instructions as bytes with their full description, then properties that hold for all
   opcodes, for random bytes, and compared with objdump on programs of this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <elf.h>
#include <unistd.h>
#include <cmocka.h>
#include "model/tables.h"
#include "code/read/isa.h"
#include "bytes_of.h"
#include "code/read/x86/x86.h"

/* ---- descriptions as short texts ---- */

struct text {
    char text[1200];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int written = vsnprintf(to->text + to->length, sizeof to->text - to->length, format, values);
    va_end(values);
    assert_true(written >= 0 && to->length + (size_t)written < sizeof to->text);
    to->length += (size_t)written;
}

static const char *access_letters(unsigned access)
{
    static const char *const letters[] = {"", "R", "W", "RW"};
    return letters[access];
}

/* "load int64 x128 masked r16 w16": class, flow where it is not next, element, vector, mask, memory. */
static void put_facts(struct text *to, const struct encoding *encoding)
{
    put(to, "%s", class_word(encoding->class));
    if (encoding->flow != flow_NEXT)
        put(to, " >%s", flow_word(encoding->flow));
    if (encoding->element != element_NONE)
        put(to, " %s", element_word(encoding->element));
    if (encoding->is_vector)
        put(to, " x%u", encoding->vector_bits);
    if (encoding->is_masked)
        put(to, " masked");
    if (encoding->load_bytes)
        put(to, " r%u", encoding->load_bytes);
    if (encoding->store_bytes)
        put(to, " w%u", encoding->store_bytes);
}

static void put_operand(struct text *to, const struct isa_reader *reader, const struct operand *operand)
{
    const struct register_fact *registers = reader->registers;
    switch (operand->kind) {
    case operand_kind_REGISTER:
        put(to, "%s:%s", registers[operand->register_].name, access_letters(operand->access));
        assert_int_equal(operand->bits, registers[operand->register_].bits);
        break;
    case operand_kind_MEMORY:
    case operand_kind_ADDRESS:
        put(to, "%c%u:%s[", operand->kind == operand_kind_MEMORY ? 'm' : 'a', operand->bits,
            access_letters(operand->access));
        if (operand->base_register)
            put(to, "%s", registers[operand->base_register].name);
        if (operand->index_register)
            put(to, "+%s*%u", registers[operand->index_register].name, operand->scale);
        if (operand->displacement)
            put(to, "%+lld", (long long)operand->displacement);
        put(to, operand->is_relative ? "+@]" : "]");
        break;
    case operand_kind_IMMEDIATE:
        put(to, "#%lld", (long long)operand->value);
        break;
    case operand_kind_TARGET:
        assert_true(operand->is_relative);
        put(to, "@");
        break;
    default:
        put(to, "other %llx", (long long)operand->value);
        break;
    }
    put(to, operand->is_conditional ? "?" : "");
}

static void put_operands(struct text *to, const struct isa_reader *reader,
                         const struct description *description)
{
    for (unsigned i = 0; i < description->operand_count; i++) {
        put(to, i ? ", " : "");
        assert_int_equal(description->operands[i].position, i + 1);
        put_operand(to, reader, &description->operands[i]);
    }
}

/* "al:Wk eax:RW? rdi:Ra": k keeps the rest, ? conditional, a for an address. */
static void put_uses(struct text *to, const struct isa_reader *reader, const struct description *description)
{
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        put(to, "%s%s:%s%s%s%s", i ? " " : "", reader->registers[use->register_].name,
            access_letters(use->access), use->keeps_rest ? "k" : "", use->is_conditional ? "?" : "",
            use->is_address ? "a" : "");
    }
}

/* ---- instructions by hand ---- */

struct expected {
    const char *bytes, *text, *facts, *operands, *uses;
};

/* What arithmetic does to the flags. */
#define STATUS "cf:Wk pf:Wk af:Wk zf:Wk sf:Wk of:Wk"

static const struct expected instructions_64[] = {
#include "x86_instructions_64.def"
};

static const struct expected instructions_32[] = {
#include "x86_instructions_32.def"
};

static void describe_bytes(const struct isa_reader *reader, const char *text, struct description *description)
{
    uint8_t bytes[KEY_BYTES];
    size_t size = bytes_of(text, bytes, sizeof bytes);
    struct step step;
    if (!reader->step(bytes, size, 0x1000, &step))
        fail_msg("not an instruction: %s", text);
    assert_int_equal(step.key.size, size);
    reader->describe(reader, &step.key, description);
    assert_false(description->is_undefined);
    assert_int_equal(description->encoding.size, size);
}

static bool check_text(const char *bytes, const char *what, const char *found, const char *wanted)
{
    if (!strcmp(found, wanted))
        return true;
    print_error("%s: %s is\n  %s\nand should be\n  %s\n", bytes, what, found, wanted);
    return false;
}

static void check_instructions(const struct isa_reader *reader, const struct expected *list, size_t count)
{
    bool is_right = true;
    for (size_t i = 0; i < count; i++) {
        struct description description;
        struct text facts = {0}, operands = {0}, uses = {0};
        describe_bytes(reader, list[i].bytes, &description);
        put_facts(&facts, &description.encoding);
        put_operands(&operands, reader, &description);
        put_uses(&uses, reader, &description);
        is_right &= check_text(list[i].bytes, "text", description.text, list[i].text);
        is_right &= check_text(list[i].bytes, "meaning", facts.text, list[i].facts);
        is_right &= check_text(list[i].bytes, "operands", operands.text, list[i].operands);
        is_right &= check_text(list[i].bytes, "uses", uses.text, list[i].uses);
    }
    assert_true(is_right);
}

static void instructions_of_64_bit_mode(void **state)
{
    (void)state;
    check_instructions(&x86_64_reader, instructions_64, sizeof instructions_64 / sizeof *instructions_64);
}

static void instructions_of_32_bit_mode(void **state)
{
    (void)state;
    check_instructions(&i386_reader, instructions_32, sizeof instructions_32 / sizeof *instructions_32);
}

static void every_class_is_among_them(void **state)
{
    (void)state;
    for (unsigned class_number = 0; class_number < class_COUNT; class_number++) {
        bool is_there = false;
        for (size_t i = 0; i < sizeof instructions_64 / sizeof *instructions_64 && !is_there; i++) {
            struct description description;
            describe_bytes(&x86_64_reader, instructions_64[i].bytes, &description);
            is_there = description.encoding.class == class_number;
        }
        if (!is_there)
            fail_msg("no instruction of class %s", class_word(class_number));
    }
}

/* ---- steps ---- */

struct expected_step {
    const struct isa_reader *reader;
    uint64_t address;
    const char *bytes, *key;
    uint64_t target;
};

static void keys_and_targets(void **state)
{
    (void)state;
    static const struct expected_step steps[] = {
        {&x86_64_reader, 0x1000, "e8 10 00 00 00", "e8 00 00 00 00", 0x1015},
        {&x86_64_reader, 0x1000, "e8 fb ff ff ff", "e8 00 00 00 00", 0x1000},
        {&x86_64_reader, 0x1000, "66 66 48 e8 01 00 00 00", "66 66 48 e8 00 00 00 00", 0x1009},
        {&x86_64_reader, 0x1000, "66 e8 01 00 00 00", "66 e8 00 00 00 00", 0x1007},
        {&x86_64_reader, 0x1000, "f2 e9 01 00 00 00", "f2 e9 00 00 00 00", 0x1007},
        {&x86_64_reader, 0x1000, "eb fe", "eb 00", 0x1000},
        {&x86_64_reader, 0x1000, "0f 84 00 01 00 00", "0f 84 00 00 00 00", 0x1106},
        {&x86_64_reader, 0x1000, "e2 f0", "e2 00", 0xff2},
        {&x86_64_reader, 0x1000, "e3 10", "e3 00", 0x1012},
        {&x86_64_reader, 0x1000, "c7 f8 04 00 00 00", "c7 f8 00 00 00 00", 0x100a},
        {&x86_64_reader, 0x1000, "48 8b 05 f0 ff ff ff", "48 8b 05 00 00 00 00", 0xff7},
        {&x86_64_reader, 0x1000, "c7 05 10 00 00 00 78 56 34 12", "c7 05 00 00 00 00 78 56 34 12", 0x101a},
        {&x86_64_reader, 0x1000, "67 8b 05 00 00 00 f0", "67 8b 05 00 00 00 00", 0xf0001007},
        {&x86_64_reader, 0x100001000, "67 8b 05 00 00 00 f0", "67 8b 05 00 00 00 00", 0xf0001007},
        {&x86_64_reader, 0x1000, "62 f1 7c 48 58 05 40 00 00 00", "62 f1 7c 48 58 05 00 00 00 00", 0x104a},
        {&x86_64_reader, 0x1000, "c5 f8 58 05 40 00 00 00", "c5 f8 58 05 00 00 00 00", 0x1048},
        {&x86_64_reader, 0x1000, "ff 25 08 00 00 00", "ff 25 00 00 00 00", 0x100e},
        {&x86_64_reader, UINT64_MAX - 4, "e8 10 00 00 00", "e8 00 00 00 00", 0x10},
        {&x86_64_reader, 0x1000, "8b 04 25 10 00 00 00", "8b 04 25 10 00 00 00", NO_ADDRESS},
        {&x86_64_reader, 0x1000, "8b 85 10 00 00 00", "8b 85 10 00 00 00", NO_ADDRESS},
        {&x86_64_reader, 0x1000, "ff d0", "ff d0", NO_ADDRESS},
        {&i386_reader, 0x8048000, "e8 00 00 00 f0", "e8 00 00 00 00", 0xf8048005},
        {&i386_reader, 0xfffffff0, "e9 20 00 00 00", "e9 00 00 00 00", 0x15},
        {&i386_reader, 0x12345, "66 e9 00 00", "66 e9 00 00", 0x2349},
        {&i386_reader, 0x1000, "8b 05 10 00 00 00", "8b 05 10 00 00 00", NO_ADDRESS},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        uint8_t bytes[KEY_BYTES], key[KEY_BYTES] = {0};
        size_t size = bytes_of(steps[i].bytes, bytes, sizeof bytes);
        struct step step;
        bytes_of(steps[i].key, key, sizeof key);
        if (!steps[i].reader->step(bytes, size, steps[i].address, &step))
            fail_msg("not an instruction: %s", steps[i].bytes);
        assert_int_equal(step.key.size, size);
        assert_memory_equal(step.key.bytes, key, sizeof key);
        if (step.target != steps[i].target)
            fail_msg("%s: target %llx, not %llx", steps[i].bytes, (unsigned long long)step.target,
                     (unsigned long long)steps[i].target);
        for (size_t left = 0; left < size; left++)
            assert_false(steps[i].reader->step(bytes, left, steps[i].address, &step));
    }
}

static void what_is_no_instruction(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "06",                                              /* push es, not in 64-bit mode */
        "f0 89 c8",                                        /* lock of a register */
        "c5 f8",                                           /* cut off */
        "62 f1 78 08 58 c0",                               /* Knights Corner */
        "c4 e1 78 41 c0",                                  /* Knights Corner's kand */
        "c4 e1 7a b8 c0",                                  /* Knights Corner's popcnt */
        "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", /* longer than 15 bytes */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t bytes[32];
        struct step step;
        size_t size = bytes_of(bad[i], bytes, sizeof bytes);
        if (x86_64_reader.step(bytes, size, 0, &step))
            fail_msg("taken as an instruction: %s", bad[i]);
    }
}

static void relocations(void **state)
{
    (void)state;
    struct relocation call = {.address = 0x101, .type = R_X86_64_PLT32, .value = 0x500, .addend = -4};
    uint64_t target = 0;
    assert_true(x86_64_reader.relocated(&call, 0x105, &target));
    assert_int_equal(target, 0x500);
    /* movl $1, x(%rip): an immediate of four bytes follows the field */
    struct relocation store = {.address = 0x102, .type = R_X86_64_PC32, .value = 0x800, .addend = -8};
    assert_true(x86_64_reader.relocated(&store, 0x10a, &target));
    assert_int_equal(target, 0x800);
    static const uint32_t of_slots[] = {R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX,
                                        R_X86_64_64, R_X86_64_TPOFF32};
    for (size_t i = 0; i < sizeof of_slots / sizeof *of_slots; i++) {
        call.type = of_slots[i];
        assert_false(x86_64_reader.relocated(&call, 0x105, &target));
    }
    call.type = R_X86_64_PC32;
    call.value = NO_ADDRESS;
    assert_false(x86_64_reader.relocated(&call, 0x105, &target));
    struct relocation call_32 = {.address = 0x101, .type = R_386_PC32, .value = 0x500, .addend = -4};
    assert_true(i386_reader.relocated(&call_32, 0x105, &target));
    assert_int_equal(target, 0x500);
    call_32.type = R_386_PLT32;
    call_32.value = 0;
    call_32.addend = -8;
    assert_true(i386_reader.relocated(&call_32, 0x105, &target));
    assert_int_equal(target, 0xfffffffc);
    call_32.type = R_386_32;
    assert_false(i386_reader.relocated(&call_32, 0x105, &target));
}

/* ---- registers ---- */

static void check_registers(const struct isa_reader *reader, const struct x86_registers *registers,
                            ZydisMachineMode mode)
{
    bool is_seen[X86_COUNT_64] = {false};
    assert_null(reader->registers[0].name);
    for (int which = 1; which <= ZYDIS_REGISTER_MAX_VALUE; which++) {
        unsigned number = registers->of_zydis[which];
        if (!number)
            continue;
        assert_true(number < reader->register_count);
        assert_false(is_seen[number]);
        is_seen[number] = true;
        const struct register_fact *fact = &reader->registers[number];
        assert_string_equal(fact->name, ZydisRegisterGetString(which));
        unsigned width = ZydisRegisterGetWidth(mode, which);
        if (width && fact->kind != register_kind_CONTROL)
            assert_int_equal(fact->bits, width);
        ZydisRegister enclosing = ZydisRegisterGetLargestEnclosing(mode, which);
        if (enclosing != ZYDIS_REGISTER_NONE && fact->kind != register_kind_X87)
            assert_int_equal(fact->full, registers->of_zydis[enclosing]);
    }
    for (unsigned i = 1; i < reader->register_count; i++) {
        const struct register_fact *fact = &reader->registers[i], *full = &reader->registers[fact->full];
        assert_non_null(fact->name);
        assert_true(fact->full && fact->full < reader->register_count);
        assert_int_equal(full->full, fact->full);
        assert_true(fact->bit_offset + fact->bits <= full->bits);
        assert_true(is_seen[i] || fact->kind == register_kind_FLAGS);
    }
}

static unsigned register_named(const struct isa_reader *reader, const char *name)
{
    for (unsigned i = 1; i < reader->register_count; i++)
        if (!strcmp(reader->registers[i].name, name))
            return i;
    return 0;
}

static void registers(void **state)
{
    (void)state;
    check_registers(&x86_64_reader, &x86_registers_64, ZYDIS_MACHINE_MODE_LONG_64);
    check_registers(&i386_reader, &x86_registers_32, ZYDIS_MACHINE_MODE_LEGACY_32);
    const struct register_fact *ah = &x86_64_reader.registers[register_named(&x86_64_reader, "ah")];
    assert_int_equal(ah->bit_offset, 8);
    assert_int_equal(ah->full, register_named(&x86_64_reader, "rax"));
    const struct register_fact *eax = &i386_reader.registers[register_named(&i386_reader, "eax")];
    assert_int_equal(eax->full, register_named(&i386_reader, "eax"));
    assert_int_equal(register_named(&i386_reader, "rax"), 0);
    assert_int_equal(register_named(&i386_reader, "xmm8"), 0);
    assert_int_not_equal(register_named(&i386_reader, "zmm7"), 0);
    const struct register_fact *carry = &x86_64_reader.registers[register_named(&x86_64_reader, "cf")];
    assert_int_equal(carry->full, register_named(&x86_64_reader, "rflags"));
    const struct register_fact *mm3 = &x86_64_reader.registers[register_named(&x86_64_reader, "mm3")];
    assert_int_equal(mm3->full, register_named(&x86_64_reader, "st3"));
}

/* ---- every opcode ---- */

struct opcodes {
    const struct isa_reader *reader;
    uint8_t *mnemonics; /* 1 where an instruction with it was met */
    unsigned met;
};

/* What must hold for whatever step accepts. */
static void check_any(const struct isa_reader *reader, const uint8_t *bytes, size_t left,
                      struct description *into)
{
    struct step step, again;
    if (!reader->step(bytes, left, 0x401000, &step)) {
        into->is_undefined = true;
        return;
    }
    assert_true(step.key.size > 0 && step.key.size <= KEY_BYTES && step.key.size <= left);
    reader->describe(reader, &step.key, into);
    assert_false(into->is_undefined);
    assert_int_equal(into->encoding.size, step.key.size);
    assert_true(into->encoding.class < class_COUNT && into->encoding.element < element_COUNT);
    assert_true(into->name[0] && into->text[0]);
    assert_true((step.target != NO_ADDRESS) == (strchr(into->text, '@') != NULL));
    assert_true(into->encoding.is_vector == (into->encoding.vector_bits != 0));
    for (unsigned i = 0; i < into->use_count; i++) {
        const struct register_use *use = &into->uses[i];
        assert_true(use->register_ && use->register_ < reader->register_count && use->access);
        assert_true(!i || into->uses[i - 1].register_ < use->register_);
        assert_true((use->access & access_WRITE) || (!use->keeps_rest && !use->is_conditional));
    }
    for (unsigned i = 0; i < into->operand_count; i++)
        assert_true(into->operands[i].kind != operand_kind_REGISTER || into->operands[i].register_);
    /* a key is its own key */
    assert_true(reader->step(step.key.bytes, step.key.size, 0x401000, &again));
    assert_memory_equal(&step.key, &again.key, sizeof step.key);
}

static void visit(struct opcodes *opcodes, const uint8_t *bytes)
{
    struct description description;
    check_any(opcodes->reader, bytes, 24, &description);
    if (description.is_undefined)
        return;
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    bool is_long = opcodes->reader == &x86_64_reader;
    ZydisDecoderInit(&decoder, is_long ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                     is_long ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, 24, &decoded)));
    assert_int_equal(decoded.length, description.encoding.size);
    if (!x86_mnemonic(decoded.mnemonic)->is_known)
        fail_msg("%s has no class", description.name);
    opcodes->met += !opcodes->mnemonics[decoded.mnemonic];
    opcodes->mnemonics[decoded.mnemonic] = 1;
}

/* All register fields of the ModRM byte with two registers and memory; other kinds of memory once. */
static void visit_modrm(struct opcodes *opcodes, uint8_t *bytes, size_t at, bool all_registers)
{
    static const uint8_t kinds[] = {0xc0, 0xc1, 0x44, 0x01, 0x05};
    for (unsigned field = 0; field < 8; field++)
        for (size_t i = 0; i < (field ? 3 : sizeof kinds); i++) {
            memset(bytes + at, 0, 24 - at);
            bytes[at] = (uint8_t)(kinds[i] | field << 3);
            bytes[at + 1] = kinds[i] == 0x44 ? 0x05 : 0;
            visit(opcodes, bytes);
        }
    for (unsigned modrm = 0xc0; all_registers && modrm <= 0xff; modrm++) {
        memset(bytes + at, 0, 24 - at);
        bytes[at] = (uint8_t)modrm;
        visit(opcodes, bytes);
    }
}

static void visit_legacy(struct opcodes *opcodes)
{
    static const uint8_t prefixes[] = {0, 0x66, 0xf2, 0xf3, 0x67}, rex[] = {0, 0x48};
    for (size_t p = 0; p < sizeof prefixes; p++)
        for (size_t r = 0; r < sizeof rex; r++)
            for (unsigned map = 0; map < 4; map++)
                for (unsigned opcode = 0; opcode < 256; opcode++) {
                    uint8_t bytes[24] = {0};
                    size_t at = 0;
                    if (prefixes[p])
                        bytes[at++] = prefixes[p];
                    if (rex[r])
                        bytes[at++] = rex[r];
                    if (map)
                        bytes[at++] = 0x0f;
                    if (map > 1)
                        bytes[at++] = map == 2 ? 0x38 : 0x3a;
                    bytes[at++] = (uint8_t)opcode;
                    visit_modrm(opcodes, bytes, at, map < 2);
                }
    for (unsigned suffix = 0; suffix < 256; suffix++) {
        uint8_t bytes[24] = {0x0f, 0x0f, 0xc1, (uint8_t)suffix};
        visit(opcodes, bytes);
    }
}

static void visit_vector(struct opcodes *opcodes, uint8_t first, unsigned first_map, unsigned last_map)
{
    for (unsigned map = first_map; map <= last_map; map++)
        for (unsigned variant = 0; variant < 64; variant++)
            for (unsigned opcode = 0; opcode < 256; opcode++) {
                unsigned prefix = variant & 3, wide = variant >> 2 & 1, length = variant >> 3 & 3;
                if (length == 3)
                    break;
                unsigned third = wide << 7 | (variant >> 5 ? 13u : 15u) << 3 | prefix;
                uint8_t bytes[24] = {first, (uint8_t)(0xe0 | map)};
                if (first == 0x62) {
                    bytes[1] = (uint8_t)(0xf0 | map);
                    bytes[2] = (uint8_t)(third | 4);
                    bytes[3] = (uint8_t)(length << 5 | 8 | (opcode & 1));
                    bytes[4] = (uint8_t)opcode;
                    visit_modrm(opcodes, bytes, 5, false);
                    bytes[3] ^= 1;
                    visit_modrm(opcodes, bytes, 5, false);
                } else if (length < 2) {
                    bytes[2] = (uint8_t)(third | length << 2);
                    bytes[3] = (uint8_t)opcode;
                    visit_modrm(opcodes, bytes, 4, false);
                }
            }
}

static void every_opcode_has_a_class(void **state)
{
    (void)state;
    uint8_t mnemonics[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {0};
    struct opcodes opcodes = {&x86_64_reader, mnemonics, 0};
    visit_legacy(&opcodes);
    visit_vector(&opcodes, 0xc4, 1, 3);
    visit_vector(&opcodes, 0x8f, 8, 10);
    visit_vector(&opcodes, 0x62, 1, 6);
    opcodes.reader = &i386_reader;
    visit_legacy(&opcodes);
    /* and nothing in the table that no opcode leads to */
    for (int mnemonic = 1; mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE; mnemonic++)
        if (x86_mnemonic(mnemonic)->is_known && !x86_mnemonic(mnemonic)->is_of_knights_corner &&
            !mnemonics[mnemonic])
            fail_msg("no opcode gives %s", ZydisMnemonicGetString(mnemonic));
    assert_true(opcodes.met > 1600);
}

/* ---- random bytes ---- */

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    return *random ^= *random << 17;
}

static void random_bytes(void **state)
{
    (void)state;
    enum { ROUNDS = 500000 };
    uint64_t random = 0x9e3779b97f4a7c15;
    struct description description;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t words[2] = {next_random(&random), next_random(&random)};
        size_t size = words[0] % 16 + 1;
        uint8_t *bytes = malloc(size); /* exactly as long, so that a sanitizer sees a byte too many */
        assert_non_null(bytes);
        memcpy(bytes, words, size);
        if (size > 3 && i % 4 == 0)
            bytes[0] = (i / 4) % 3 == 0 ? 0x62 : (i / 4) % 3 == 1 ? 0xc4 : 0x0f;
        check_any(&x86_64_reader, bytes, size, &description);
        check_any(&i386_reader, bytes, size, &description);
        free(bytes);
    }
}

/* Openings that come again and again, with all kinds of bytes after them. */
static void lengths_are_those_of_a_fresh_decoder(void **state)
{
    (void)state;
    enum { OPENINGS = 2000, TIMES = 100 };
    uint64_t random = 0x2545f4914f6cdd1d;
    unsigned met = 0;
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned i = 0; i < OPENINGS * TIMES; i++) {
        uint64_t opening = (i % OPENINGS + 1) * 0x9e3779b97f4a7c15, words[2];
        opening ^= opening >> 29;
        words[0] = next_random(&random) << 24 | (opening & 0xffffff);
        words[1] = next_random(&random);
        size_t size = 1 + next_random(&random) % 15;
        uint8_t *bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, words, size);
        if (i % 3 == 0)
            bytes[0] = (uint8_t)(0x48 | (bytes[0] & 7));
        struct step step = {0};
        ZydisDecodedInstruction decoded;
        if (x86_64_reader.step(bytes, size, 0x7fff00000000, &step)) {
            assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &decoded)));
            assert_int_equal(step.key.size, decoded.length);
            assert_int_equal(step.target != NO_ADDRESS, (decoded.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0);
            met++;
        }
        free(bytes);
    }
    assert_true(met > OPENINGS * TIMES / 4);
}

#include "x86_objdump.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_64_bit_mode),
        cmocka_unit_test(instructions_of_32_bit_mode),
        cmocka_unit_test(every_class_is_among_them),
        cmocka_unit_test(keys_and_targets),
        cmocka_unit_test(what_is_no_instruction),
        cmocka_unit_test(relocations),
        cmocka_unit_test(registers),
        cmocka_unit_test(every_opcode_has_a_class),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(lengths_are_those_of_a_fresh_decoder),
        cmocka_unit_test(boundaries_as_objdump_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
