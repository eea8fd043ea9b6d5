/* What the readers say of an instruction's operation, of the numbers that it takes and of the condition of a
   branch: rows by hand, for every name that a table of some other room once had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "bytes_of.h"
#include "model/isa.h"
#include "model/tables.h"
#include "code/read/ia64/ia64.h"
#include "code/read/isa.h"

struct expected {
    const char *operation, *source_element, *condition;
};

static bool is_word(const char *text, const char *what, const char *found, const char *wanted)
{
    if (!wanted || !strcmp(found, wanted))
        return true;
    print_error("%s: %s is %s and should be %s\n", text, what, found, wanted);
    return false;
}

static bool is_as_expected(const struct encoding *row, const char *text, struct expected expected)
{
    return is_word(text, "operation", operation_word(row->operation), expected.operation) &
           is_word(text, "source_element", element_word(row->source_element), expected.source_element) &
           is_word(text, "condition", condition_word(row->condition), expected.condition);
}

static bool describes(const struct isa_reader *reader, const uint8_t *bytes, size_t size, const char *text,
                      struct expected expected)
{
    static struct description description;
    struct step step;
    assert_true(reader->step(bytes, size, 0x1000, &step));
    assert_int_equal(step.key.size, size);
    reader->describe(reader, &step.key, &description);
    return is_as_expected(&description.encoding, text, expected);
}

static bool describes_x86(const char *hexadecimal, const char *text, struct expected expected)
{
    uint8_t bytes[KEY_BYTES];
    size_t size = bytes_of(hexadecimal, bytes, sizeof bytes);
    return describes(&x86_64_reader, bytes, size, text, expected);
}

static bool describes_aarch64(uint32_t word, const char *text, struct expected expected)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    return describes(&aarch64_reader, bytes, sizeof bytes, text, expected);
}

static bool describes_ia64(const char *text, struct expected expected)
{
    static struct description description;
    ia64_describe(text, &description, NULL);
    return is_as_expected(&description.encoding, text, expected);
}

static void readers_say_what_is_computed(void **state)
{
    (void)state;
    bool is_right = true;
#define X86(bytes, text, ...) is_right &= describes_x86(bytes, text, (struct expected){__VA_ARGS__});
#define AARCH64(word, text, ...) is_right &= describes_aarch64(word, text, (struct expected){__VA_ARGS__});
#define IA64(text, ...) is_right &= describes_ia64(text, (struct expected){__VA_ARGS__});
#include "operations_cases.def"
    assert_true(is_right);
}

static void readers_say_addends_encodings_and_hints(void **state)
{
    (void)state;
    static const struct {
        const struct isa_reader *reader;
        const char *bytes, *text;
        uint8_t addend;
        bool is_avx, is_non_temporal;
    } rows[] = {
        {&x86_64_reader, "c4 e2 f5 b8 c2", "vfmadd231pd ymm0, ymm1, ymm2", 1, true, false},
        {&x86_64_reader, "c4 e2 f1 a9 c2", "vfmadd213sd xmm0, xmm1, xmm2", 3, true, false},
        {&x86_64_reader, "c4 e2 71 9c c2", "vfnmadd132ps xmm0, xmm1, xmm2", 2, true, false},
        {&x86_64_reader, "62 f2 f5 49 a8 c2", "vfmadd213pd zmm0{k1}, zmm1, zmm2", 4, true, false},
        {&x86_64_reader, "62 f2 f5 49 98 c2", "vfmadd132pd zmm0{k1}, zmm1, zmm2", 3, true, false},
        {&x86_64_reader, "62 f2 f5 49 b8 c2", "vfmadd231pd zmm0{k1}, zmm1, zmm2", 1, true, false},
        {&x86_64_reader, "c4 e3 f1 69 c3 20", "vfmaddpd xmm0, xmm1, xmm2, xmm3", 4, true, false},
        {&x86_64_reader, "62 f2 75 48 50 c2", "vpdpbusd zmm0, zmm1, zmm2", 1, true, false},
        {&x86_64_reader, "62 f2 75 49 50 c2", "vpdpbusd zmm0{k1}, zmm1, zmm2", 1, true, false},
        {&x86_64_reader, "66 0f f5 c1", "pmaddwd xmm0, xmm1", 0, false, false},
        {&x86_64_reader, "c5 f5 f5 c2", "vpmaddwd ymm0, ymm1, ymm2", 0, true, false},
        {&x86_64_reader, "66 0f 3a 40 c1 f1", "dpps xmm0, xmm1, 0xf1", 0, false, false},
        {&x86_64_reader, "66 0f 59 c1", "mulpd xmm0, xmm1", 0, false, false},
        {&x86_64_reader, "c4 e2 71 f7 c3", "shlx eax, ebx, ecx", 0, true, false},
        {&x86_64_reader, "0f 2b 08", "movntps xmmword ptr [rax], xmm1", 0, false, true},
        {&x86_64_reader, "c4 e2 7d 2a 08", "vmovntdqa ymm1, ymmword ptr [rax]", 0, true, true},
        {&x86_64_reader, "0f c3 08", "movnti dword ptr [rax], ecx", 0, false, true},
        {&x86_64_reader, "0f 11 08", "movups xmmword ptr [rax], xmm1", 0, false, false},
        {&aarch64_reader, "20 0c 42 1f", "fmadd d0, d1, d2, d3", 4, false, false},
        {&aarch64_reader, "20 8c 22 1f", "fnmsub s0, s1, s2, s3", 4, false, false},
        {&aarch64_reader, "20 0c 02 9b", "madd x0, x1, x2, x3", 4, false, false},
        {&aarch64_reader, "20 0c 22 9b", "smaddl x0, w1, w2, x3", 4, false, false},
        {&aarch64_reader, "20 8c 02 9b", "msub x0, x1, x2, x3", 4, false, false},
        {&aarch64_reader, "20 cc 62 4e", "fmla v0.2d, v1.2d, v2.2d", 1, false, false},
        {&aarch64_reader, "20 00 e2 65", "fmla z0.d, p0/m, z1.d, z2.d", 1, false, false},
        {&aarch64_reader, "20 80 e2 65", "fmad z0.d, p0/m, z1.d, z2.d", 4, false, false},
        {&aarch64_reader, "40 e0 81 04", "msb z0.s, p0/m, z1.s, z2.s", 4, false, false},
        {&aarch64_reader, "20 80 d1 65", "ftmad z0.d, z0.d, z1.d, #1", 0, false, false},
        {&aarch64_reader, "20 08 62 1e", "fmul d0, d1, d2", 0, false, false},
        {&aarch64_reader, "00 04 40 ac", "ldnp q0, q1, [x0]", 0, false, true},
        {&aarch64_reader, "40 04 00 a8", "stnp x0, x1, [x2]", 0, false, true},
        {&aarch64_reader, "00 e0 80 a5", "ldnt1d {z0.d}, p0/z, [x0]", 0, false, true},
        {&aarch64_reader, "00 e0 10 e5", "stnt1w {z0.s}, p0, [x0]", 0, false, true},
        {&aarch64_reader, "40 04 40 a9", "ldp x0, x1, [x2]", 0, false, false},
    };
    static struct description description;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[KEY_BYTES];
        struct step step;
        size_t size = bytes_of(rows[i].bytes, bytes, sizeof bytes);
        assert_true(rows[i].reader->step(bytes, size, 0x1000, &step));
        rows[i].reader->describe(rows[i].reader, &step.key, &description);
        const struct encoding *row = &description.encoding;
        if (row->addend != rows[i].addend || row->is_avx != rows[i].is_avx ||
            row->is_non_temporal != rows[i].is_non_temporal)
            fail_msg("%s: addend %u, is_avx %u, is_non_temporal %u", rows[i].text, row->addend, row->is_avx,
                     row->is_non_temporal);
    }
    ia64_describe("fma.d f2 = f3, f4, f5", &description, NULL);
    assert_int_equal(description.encoding.addend, 4);
    ia64_describe("ld8.nta r2 = [r3]", &description, NULL);
    assert_true(description.encoding.is_non_temporal);
}

static void an_unknown_mnemonic_computes_nothing(void **state)
{
    (void)state;
    static struct description description;
    ia64_describe("addx r2 = r3, r4", &description, NULL);
    assert_true(description.encoding.is_unknown);
    assert_int_equal(description.encoding.operation, operation_NONE);
    assert_int_equal(description.encoding.source_element, element_NONE);
}

/* Whoever follows values looks these names up. */
static void registers_of_values_exist(void **state)
{
    (void)state;
    for (enum isa isa = isa_NONE; isa < isa_COUNT; isa++) {
        const struct isa_reader *reader = isa_reader(isa);
        if (!reader || !reader->values)
            continue;
        const char *const names[] = {reader->values->stack_pointer, reader->values->frame_pointer,
                                     reader->values->call_result};
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            unsigned number = 1;
            while (number < reader->register_count && strcmp(reader->registers[number].name, names[i]) != 0)
                number++;
            assert_true(number < reader->register_count);
            assert_int_equal(reader->registers[number].bits, isa_facts(isa)->address_bytes * 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_say_what_is_computed),
        cmocka_unit_test(readers_say_addends_encodings_and_hints),
        cmocka_unit_test(an_unknown_mnemonic_computes_nothing),
        cmocka_unit_test(registers_of_values_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
