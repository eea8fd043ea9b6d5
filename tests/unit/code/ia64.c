/* IA-64: hand-checked instructions, wrong texts, libopcodes' output for random slots, bundles. */
#include "able.h"
#include "code/read/opcodes.h"
#include "code/read/ia64/ia64.h"
#include "model/tables.h"
#include "code/read/ia64/text.h"
#include "code/read/isa_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct text {
    char text[2000];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text->text + text->used, sizeof text->text - text->used, format, values);
    va_end(values);
    assert_in_range(length, 0, sizeof text->text - text->used - 1);
    text->used += (size_t)length;
}

static const char *name_of(uint32_t number)
{
    assert_in_range(number, 1, ia64_register_count - 1);
    return ia64_registers[number].name;
}

static struct text render_summary(const struct description *description, const struct ia64_facts *facts)
{
    const struct encoding *encoding = &description->encoding;
    struct text text = {0};
    put(&text, "%s %s %s %s", slot_kind_word(encoding->slot), class_word(encoding->class),
        flow_word(encoding->flow), element_word(encoding->element));
    if (encoding->load_bytes)
        put(&text, " load%u", encoding->load_bytes);
    if (encoding->store_bytes)
        put(&text, " store%u", encoding->store_bytes);
    if (encoding->vector_bits)
        put(&text, " vector%u", encoding->vector_bits);
    if (encoding->predicate)
        put(&text, " (%s)", name_of(encoding->predicate));
    if (facts->is_long)
        put(&text, " long");
    assert_int_equal(encoding->is_masked, encoding->predicate != 0);
    assert_int_equal(encoding->is_vector, encoding->vector_bits != 0);
    assert_int_equal(encoding->slot, facts->slot);
    assert_int_equal(encoding->flow, facts->flow);
    return text;
}

static struct text render_operands(const struct description *description)
{
    struct text text = {0};
    for (unsigned i = 0; i < description->operand_count; i++) {
        const struct operand *operand = &description->operands[i];
        const char *condition = operand->is_conditional ? "?" : "";
        assert_int_equal(operand->position, i + 1);
        put(&text, "%s", i ? " " : "");
        switch (operand->kind) {
        case operand_kind_REGISTER:
            put(&text, "%s", name_of(operand->register_));
            if (operand->index_register)
                put(&text, "[%s]", name_of(operand->index_register));
            break;
        case operand_kind_MEMORY:
        case operand_kind_ADDRESS:
            assert_int_equal(operand->kind == operand_kind_ADDRESS, operand->access == access_NONE);
            put(&text, "[%s]", name_of(operand->base_register));
            break;
        case operand_kind_IMMEDIATE:
            assert_int_equal(operand->access, access_READ);
            put(&text, "#%lld", (long long)operand->value);
            continue;
        default:
            assert_int_equal(operand->kind, operand_kind_TARGET);
            assert_true(operand->is_relative);
            put(&text, "~");
            continue;
        }
        put(&text, ":%c%s", "nrwb"[operand->access], condition);
    }
    return text;
}

static struct text render_uses(const struct description *description)
{
    struct text text = {0};
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        assert_true(i == 0 || use[-1].register_ < use->register_);
        put(&text, "%s%s:%c%s%s%s", i ? " " : "", name_of(use->register_), "nrwb"[use->access],
            use -> is_conditional ? "?" : "", use->keeps_rest ? "+" : "", use->is_address ? "@" : "");
    }
    return text;
}

struct example {
    const char *text, *mnemonic, *summary, *operands, *uses;
};

static const struct example examples[] = {
#define CASE(text, mnemonic, summary, operands, uses) {text, mnemonic, summary, operands, uses},
#include "ia64_cases.def"
#undef CASE
};

static void need_ia64(void)
{
    struct error ignored;
    if (!opcodes_know(isa_IA64, &ignored))
        unable("this system's binutils has no IA-64");
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        struct description description;
        struct ia64_facts facts;
        char mnemonic[80];
        ia64_describe(example->text, &description, &facts);
        if (facts.complaint[0])
            fail_msg("%s: %s", example->text, facts.complaint);
        snprintf(mnemonic, sizeof mnemonic, "%s%s", description.name, description.completers);
        assert_string_equal(mnemonic, example->mnemonic);
        assert_string_equal(render_summary(&description, &facts).text, example->summary);
        assert_string_equal(render_operands(&description).text, example->operands);
        assert_string_equal(render_uses(&description).text, example->uses);
        assert_string_equal(description.text, example->text);
        assert_null(description.long_text);
    }
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *target;
    } cases[] = {
        {"br.call.sptk.many b0 = foo# ", "foo#"},
        {"(p6)br.cond.sptk\t.L5+16", ".L5+16"},
        {"brp.sptk.imp a, b", "a"},
        {"chk.s.m r8, .Lr", ".Lr"},
        {"br.ret.sptk b0", ""},
        {"mov b6=r2,.L2", ""},
        {"br.cond.sptk 1b", "1b"},
        {"br b8", "b8"},
        {"fchkf .L1", ".L1"},
        {"br \"a b\"#", "\"a b\"#"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description description;
        struct ia64_facts facts;
        ia64_describe(cases[i].text, &description, &facts);
        assert_string_equal(facts.complaint, "");
        assert_int_equal(facts.target_length, strlen(cases[i].target));
        assert_memory_equal(cases[i].text + facts.target_start, cases[i].target, facts.target_length);
    }
}

/* What is wrong, where, and a part of what is said of it. */
static void test_complaints(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word, *complaint;
        bool is_unknown;
    } cases[] = {
        {"foo.bar r3=r4", "foo.bar", "no such instruction", true},
        {"(p6) ldq r3=r4", "ldq", "no such instruction", true},
        {"", "", "instruction is missing", true},
        {"(p6)", "", "instruction is missing", true},
        {"add r128=r1,r2", "r128", "no such register", false},
        {"fadd.d f4=f200,f5", "f200", "no such register", false},
        {"br.ret.sptk b8", "b8", "no such register", false},
        {"cmp.eq p6,p64=r1,r2", "p64", "no such register", false},
        {"mov r8=r128", "r128", "no such register", false},
        {"mov ar.lc=r200", "r200", "no such register", false},
        {"(p64) nop.i 0", "p64", "not a predicate register", false},
        {"(r6) nop.i 0", "r6", "not a predicate register", false},
        {"(p6 nop.i 0", "n", "closing parenthesis", false},
        {"(p6) br.ctop.sptk .L1", "p6", "takes no predicate", false},
        {"ld8.xx r3=[r4]", ".xx", "no such completer", false},
        {"ld8.nta.acq r3=[r4]", ".acq", "no such completer", false},
        {"cmp p6,p7=r1,r2", "cmp", "completer is missing", false},
        {"ld8 r3=[f4]", "f4", "not a general register", false},
        {"ld8 r3=[r4", "[r4", "not closed", false},
        {"ld8 r3=[]", "]", "not a general register", false},
        {"ld8 r3=r4", "r4", "address such as", false},
        {"add r1=99999999,r2", "99999999", "-2097152 to 2097151", false},
        {"addl r1=5,r9", "r9", "r0 to r3", false},
        {"shladd r1=r2,5,r3", "5", "from 1 to 4", false},
        {"ld8 r3=[r4],256", "256", "-256 to 255", false},
        {"fetchadd4.acq r3=[r4],2", "2", "one of -16", false},
        {"fma.d f3=f4,f5", "fma.d", "wrong operands", false},
        {"add r3=r4", "add", "wrong operands", false},
        {"add r1=r2,", "", "missing", false},
        {"add r1==r2", "", "missing", false},
        {"add r1=r2=r3", "=", "second =", false},
        {"add r1=(3,r2", ",", "not closed", false},
        {"add r1=3),r2", ")", "no open parenthesis", false},
        {"add r1=3 4,r2", "4", "operator is missing", false},
        {"add r1=0x,r2", "0x", "not a number", false},
        {"add r1=12ab,r2", "12ab", "not a number", false},
        {"movl r1=99999999999999999999", "99999999999999999999", "64 bits", false},
        {"mov r1=foo[r2]", "foo", "not a register file", false},
        {"cmp.lt.and p6,p7=r1,r2", "r2", "r0", false},
        {"nop.i 0 }", "}", "operator is missing", false},
        {"ld8{ r1=[r2]", "{", "part of a mnemonic", false},
        {"alloc r32=ar.pfs,0,97,0,0", "97", "0 to 96", false},
        {"add r1=r2,r3,r4,r5,r6,r7,r8,r9,r10,r11,r12,r13,r14,r15,r16,r17,r18", "r17", "this many", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct description description;
        struct ia64_facts facts;
        ia64_describe(cases[i].text, &description, &facts);
        if (!facts.complaint[0] || !strstr(facts.complaint, cases[i].complaint))
            fail_msg("%s: \"%s\"", cases[i].text, facts.complaint);
        assert_int_equal(facts.is_unknown, cases[i].is_unknown);
        assert_int_equal(description.encoding.is_unknown, cases[i].is_unknown);
        assert_in_range(facts.complaint_start + facts.complaint_length, 0, strlen(cases[i].text) + 1);
        if (cases[i].word[0]) {
            assert_int_equal(facts.complaint_length, strlen(cases[i].word));
            assert_memory_equal(cases[i].text + facts.complaint_start, cases[i].word, facts.complaint_length);
        }
    }
}

static void test_long_texts(void **state)
{
    (void)state;
    static char text[1 << 20];
    struct description description;
    struct ia64_facts facts;
    snprintf(text, sizeof text, "movl r2=%0300d", 7);
    ia64_describe(text, &description, &facts);
    assert_string_equal(facts.complaint, "");
    assert_ptr_equal(description.long_text, text);
    assert_int_equal(description.operands[1].value, 7);
    memset(text, '(', sizeof text - 1);
    memcpy(text, "mov r1=", 7);
    text[50000] = '\0';
    ia64_describe(text, &description, &facts);
    assert_non_null(strstr(facts.complaint, "too deep"));
    text[50000] = '(';
    ia64_describe(text, &description, &facts);
    assert_non_null(strstr(facts.complaint, "too long"));
    ia64_describe("nop.i 0", &description, NULL);
    assert_string_equal(description.name, "nop");
}

static void test_registers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *full;
    } cases[] = {
        {"r0", "r0"},       {"r127", "r127"},     {"f127", "f127"},   {"p63", "p63"},   {"b7", "b7"},
        {"sp", "r12"},      {"gp", "r1"},         {"tp", "r13"},      {"rp", "b0"},     {"ret3", "r11"},
        {"farg7", "f15"},   {"ar65", "ar.lc"},    {"ar.k7", "ar.k7"}, {"ar0", "ar.k0"}, {"cr65", "cr.ivr"},
        {"pr", "pr"},       {"pr.rot", "pr.rot"}, {"ip", "ip"},       {"psr", "psr"},   {"um", "psr.um"},
        {"ar127", "ar127"}, {"cr.iha", "cr.iha"},
    };
    static const char *const none[] = {"r128", "f128", "p64",  "b8",  "ar128", "cr128", "r",      "r01",
                                       "x1",   "",     "ret4", "in0", "1",     "r1x",   "ar.foo", "rr1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned number = ia64_register_number(cases[i].name, strlen(cases[i].name));
        assert_string_equal(name_of(number), cases[i].full);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(ia64_register_number(none[i], strlen(none[i])), 0);
    for (unsigned i = 1; i < ia64_register_count; i++) {
        assert_int_equal(ia64_registers[i].full, i);
        assert_int_equal(ia64_register_number(ia64_registers[i].name, strlen(ia64_registers[i].name)), i);
    }
}

/* Random slots, as libopcodes prints them.  Nobody here wrote that list of instructions. */

static uint64_t random_word(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d >> 23;
}

static void note_name(bool *seen, const char *name)
{
    for (unsigned i = 0; i < ia64_table.name_count; i++)
        if (!strcmp(ia64_table.names[i].text, name))
            seen[i] = true;
}

static void test_random_slots(void **state)
{
    need_ia64();
    (void)state;
    enum { ROUNDS = 120000, LEAST = 20000 };
    bool *seen = calloc(ia64_table.name_count, sizeof *seen);
    unsigned described = 0, missing = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        char text[160];
        struct description description;
        struct ia64_facts facts;
        char unit = "MMIFB"[round % 5];
        if (round % 50 == 0)
            unit = 'X';
        uint64_t word = random_word();
        if (round % 3 == 0) /* most instructions stand where the opcode is small */
            word &= ~(UINT64_C(14) << 37);
        if (!ia64_write_text(unit, word, random_word(), text, sizeof text))
            continue;
        ia64_describe(text, &description, &facts);
        if (facts.complaint[0])
            fail_msg("%s: %s", text, facts.complaint);
        bool fits = facts.slot == (unit == 'X'   ? slot_kind_LX
                                   : unit == 'M' ? slot_kind_M
                                   : unit == 'I' ? slot_kind_I
                                   : unit == 'F' ? slot_kind_F
                                                 : slot_kind_B);
        if (!fits && !(facts.slot == slot_kind_A && (unit == 'M' || unit == 'I')))
            fail_msg("%s: printed for unit %c", text, unit);
        assert_int_equal(facts.is_long, unit == 'X');
        note_name(seen, description.name);
        described++;
    }
    assert_in_range(described, LEAST, ROUNDS);
    for (unsigned i = 0; i < ia64_table.name_count; i++)
        missing += !seen[i];
    assert_in_range(missing, 0, 12); /* rare encodings that this many slots may leave out */
    free(seen);
}

/* Every completer of the table is accepted where the table has it, and a mnemonic of the table has a slot. */
static void test_table(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ia64_table.name_count; i++) {
        const struct table_name *name = &ia64_table.names[i];
        assert_true(i == 0 || strcmp(name[-1].text, name->text) < 0);
        for (unsigned j = 0; j < name->variant_count; j++) {
            const struct table_variant *variant = &ia64_table.variants[name->first_variant + j];
            assert_int_not_equal(variant->slot, slot_kind_NONE);
            assert_int_equal(variant->slot == slot_kind_LX, (variant->flags & VARIANT_LONG) != 0);
        }
    }
}

/* Bundles that GNU as made, and what objdump says of them. */

static const uint8_t code[][16] = {
#include "ia64_bundles.def"
};

static void test_bundles(void **state)
{
    need_ia64();
    (void)state;
    static const struct {
        unsigned address, size;
        const char *text;
        uint64_t target;
    } expected[] = {
#include "ia64_bundles_text.def"
    };
    size_t at = 0;
    for (size_t bundle = 0; bundle < sizeof code / sizeof *code; bundle++)
        for (unsigned slot = 0; slot < 3; slot++) {
            uint64_t address = 0x1000 + 16 * bundle + 6 * slot;
            struct step step;
            struct description description;
            if (!ia64_reader.step(code[bundle] + 6 * slot, 16 - 6 * slot, address, &step)) {
                assert_int_equal(slot, 2);
                continue;
            }
            assert_in_range(at, 0, sizeof expected / sizeof *expected - 1);
            ia64_reader.describe(&ia64_reader, &step.key, &description);
            assert_false(description.is_undefined);
            assert_string_equal(description.text, expected[at].text);
            assert_int_equal(address, expected[at].address);
            assert_int_equal(step.key.size, expected[at].size);
            assert_int_equal(description.encoding.size, expected[at].size);
            assert_int_equal(step.target, expected[at].target);
            at++;
        }
    assert_int_equal(at, sizeof expected / sizeof *expected);
}

static void test_templates(void **state)
{
    (void)state;
    static const char *const letters[32] = {"mii", "mii", "mii", "mii", "mlx", "mlx", "",    "",
                                            "mmi", "mmi", "mmi", "mmi", "mfi", "mfi", "mmf", "mmf",
                                            "mib", "mib", "mbb", "mbb", "",    "",    "bbb", "bbb",
                                            "mmb", "mmb", "",    "",    "mfb", "mfb", "",    ""};
    for (unsigned i = 0; i < 32; i++) {
        uint8_t bytes[16] = {(uint8_t)i}, stops;
        char template[4];
        struct step step;
        ia64_reader.bundle(bytes, template, &stops);
        assert_string_equal(template, letters[i]);
        assert_int_equal(stops, (i & 1) * 4 + ((i & 30) == 2 ? 2 : (i & 30) == 10 ? 1 : 0));
        assert_int_equal(ia64_reader.step(bytes, 16, 0x40, &step), letters[i][0] != '\0');
        assert_false(ia64_reader.step(bytes, 15, 0x40, &step));
        assert_false(ia64_reader.step(bytes + 6, 10, 0x44, &step));
        assert_int_equal(ia64_reader.step(bytes + 12, 4, 0x4c, &step),
                         letters[i][0] != '\0' && strcmp(letters[i], "mlx") != 0);
    }
}

static void test_undefined(void **state)
{
    (void)state;
    uint8_t bytes[16];
    struct step step;
    struct description description;
    memset(bytes, 0xff, sizeof bytes);
    bytes[0] = 0xe0; /* mii */
    assert_true(ia64_reader.step(bytes, 16, 0, &step));
    ia64_reader.describe(&ia64_reader, &step.key, &description);
    assert_true(description.is_undefined);
    assert_int_equal(description.encoding.flow, flow_STOP);
    assert_int_equal(description.encoding.size, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),      cmocka_unit_test(test_targets),
        cmocka_unit_test(test_complaints), cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_registers),  cmocka_unit_test(test_random_slots),
        cmocka_unit_test(test_table),      cmocka_unit_test(test_bundles),
        cmocka_unit_test(test_templates),  cmocka_unit_test(test_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
