/* The reader of Knights Corner's code: its own instructions, and those that it leaves to the other x86
   readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/tables.h"
#include "code/read/isa.h"
#include "bytes_of.h"

/* "add fp64 x512 masked r64 w0 | rax:1a zmm1:3": class, element, vector, mask, bytes, registers with access
   and whether they are addresses. */
static void tell(const struct description *description, char *text, size_t size)
{
    const struct encoding *encoding = &description->encoding;
    int at = snprintf(text, size, "%s %s x%u%s r%u w%u |", class_word(encoding->class),
                      element_word(encoding->element), encoding->is_vector ? encoding->vector_bits : 0,
                      encoding->is_masked ? " masked" : "", encoding->load_bytes, encoding->store_bytes);
    for (unsigned i = 0; i < description->use_count; i++) {
        const struct register_use *use = &description->uses[i];
        at += snprintf(text + at, size - (size_t)at, " %s:%u%s", k1om_reader.registers[use->register_].name,
                       use->access, use->is_address ? "a" : "");
    }
}

static void instructions(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *text, *form, *facts;
    } cases[] = {
        {"62 f1 70 08 58 c2", "vaddps zmm0, zmm1, zmm2", "vaddps zmm,zmm,zmm",
         "add fp32 x512 r0 w0 | zmm0:2 zmm1:1 zmm2:1"},
        {"62 f1 e9 09 58 48 01", "vaddpd zmm1 {k1}, zmm2, zmmword ptr [rax+0x40]", "vaddpd zmm,k,zmm,m512",
         "add fp64 x512 masked r64 w0 | rax:1a zmm1:3 zmm2:1 k1:1"},
        {"62 f1 78 08 28 1f", "vmovaps zmm3, zmmword ptr [rdi]", "vmovaps zmm,m512",
         "load fp32 x512 r64 w0 | rdi:1a zmm3:2"},
        {"62 f1 78 08 29 1f", "vmovaps zmmword ptr [rdi], zmm3", "vmovaps m512,zmm",
         "store fp32 x512 r0 w64 | rdi:1a zmm3:1"},
        {"62 f2 f1 08 b8 c2", "vfmadd231pd zmm0, zmm1, zmm2", "vfmadd231pd zmm,zmm,zmm",
         "fma fp64 x512 r0 w0 | zmm0:3 zmm1:1 zmm2:1"},
        {"62 f2 f1 18 b8 06", "vfmadd231pd zmm0, zmm1, qword ptr [rsi] {1to8}", NULL,
         "fma fp64 x512 r8 w0 | rsi:1a zmm0:3 zmm1:1"},
        {"62 f1 70 48 58 06", "vaddps zmm0, zmm1, xmmword ptr [rsi] {uint8}", NULL,
         "add fp32 x512 r16 w0 | rsi:1a zmm0:2 zmm1:1"},
        {"62 f1 70 09 c2 d2 01", "vcmpps k2 {k1}, zmm1, zmm2, 0x1", NULL,
         "compare fp32 x512 masked r0 w0 | zmm1:1 zmm2:1 k1:1 k2:2"},
        {"62 f2 79 09 92 04 08", "vgatherdps zmm0 {k1}, dword ptr [rax+zmm1*1]", NULL,
         "gather fp32 x512 masked r64 w0 | rax:1a zmm0:3 zmm1:1a k1:3"},
        {"62 f2 78 08 d0 07", "vloadunpackld zmm0, zmmword ptr [rdi]", NULL,
         "load int32 x512 r64 w0 | rdi:1a zmm0:3"},
        {"c5 f8 41 ca", "kand k1, k2", "kand k,k", "mask none x0 r0 w0 | k1:3 k2:1"},
        {"c5 f8 44 ca", "knot k1, k2", "knot k,k", "mask none x0 r0 w0 | k1:2 k2:1"},
        {"c5 f8 18 08", "vprefetch0 byte ptr [rax]", NULL, "prefetch none x0 r0 w0 | rax:1a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[16];
        size_t size = bytes_of(cases[i].bytes, bytes, sizeof bytes);
        struct step step;
        struct description description;
        char facts[400];
        if (!k1om_reader.step(bytes, size, 0, &step) || step.key.size != size)
            fail_msg("not an instruction: %s", cases[i].bytes);
        k1om_reader.describe(&k1om_reader, &step.key, &description);
        assert_false(description.is_undefined);
        assert_string_equal(description.text, cases[i].text);
        if (cases[i].form)
            assert_string_equal(description.form, cases[i].form);
        tell(&description, facts, sizeof facts);
        assert_string_equal(facts, cases[i].facts);
        if (bytes[0] == 0x62)
            assert_false(x86_64_reader.step(bytes, size, 0, &step));
    }
}

/* jkzd k1, a jump by mask, and what stays as it is on every x86. */
static void jumps_and_scalars(void **state)
{
    (void)state;
    static const uint8_t jump[] = {0xc5, 0xf0, 0x84, 0x10, 0, 0, 0};
    struct step step;
    struct description description;
    assert_true(k1om_reader.step(jump, sizeof jump, 0x1000, &step));
    assert_int_equal(step.target, 0x1017);
    k1om_reader.describe(&k1om_reader, &step.key, &description);
    assert_int_equal(description.encoding.flow, flow_BRANCH);
    assert_int_equal(description.use_count, 1);
    assert_int_equal(description.uses[0].access, access_READ);
    static const uint8_t add[] = {0x48, 0x83, 0xc0, 0x40};
    assert_true(k1om_reader.step(add, sizeof add, 0, &step));
    k1om_reader.describe(&k1om_reader, &step.key, &description);
    assert_string_equal(description.form, "add r64,i8");
}

static void what_is_no_instruction(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "0f 58 c1",          /* addps: SSE */
        "f2 0f 10 00",       /* movsd: SSE2 */
        "0f 6f c1",          /* movq mm: MMX */
        "c5 f8 58 c1",       /* vaddps xmm: AVX */
        "62 f1 7c 48 58 c0", /* vaddps zmm: AVX-512 */
        "c4 e2 f0 f2 c2",    /* andn: BMI */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t bytes[16];
        struct step step;
        size_t size = bytes_of(bad[i], bytes, sizeof bytes);
        if (k1om_reader.step(bytes, size, 0, &step))
            fail_msg("taken as an instruction: %s", bad[i]);
        assert_true(x86_64_reader.step(bytes, size, 0, &step));
    }
}

/* Random bytes: whatever step takes has a class, a text and no more uses than there are registers. */
static void random_bytes(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252ULL;
    unsigned vectors = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint8_t bytes[16];
        for (unsigned i = 0; i < sizeof bytes; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            bytes[i] = (uint8_t)(seed >> 24);
        }
        if (n & 1) {
            bytes[0] = 0x62;
            bytes[1] = (uint8_t)((bytes[1] & 0xf0) | (1 + n / 2 % 3));
            bytes[2] &= (uint8_t)~4;
        }
        struct step step;
        if (!k1om_reader.step(bytes, sizeof bytes, 0, &step))
            continue;
        struct description description;
        k1om_reader.describe(&k1om_reader, &step.key, &description);
        assert_false(description.is_undefined);
        assert_true(description.text[0] && description.form[0]);
        assert_true(description.encoding.class < class_COUNT && description.encoding.element < element_COUNT);
        vectors += description.encoding.is_vector;
    }
    assert_true(vectors > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),
        cmocka_unit_test(jumps_and_scalars),
        cmocka_unit_test(what_is_no_instruction),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
