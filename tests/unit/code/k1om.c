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
#include <Zydis/Zydis.h>
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

static char *assembled(const char *statement)
{
    size_t name = strcspn(statement, " ");
    const uint8_t *text = (const uint8_t *)statement;
    return k1om_reader.assemble((struct span){text, name},
                                (struct span){text + name, strlen(statement + name)});
}

/* The way back, with the bytes of Intel's manual and of the tests above. */
static void statements_of_listings(void **state)
{
    (void)state;
    static const struct {
        const char *statement, *directives;
    } cases[] = {
        {"vaddps %zmm2, %zmm1, %zmm0", ".byte 0x62,0xf1,0x70,0x08,0x58,0xc2"},
        {"vaddpd 64(%rax), %zmm2, %zmm1{%k1}", ".byte 0x62,0xf1,0xe9,0x09,0x58,0x48,0x01"},
        {"vmovaps %zmm3, (%rdi)", ".byte 0x62,0xf1,0x78,0x08,0x29,0x1f"},
        {"vfmadd231pd (%rsi){1to8}, %zmm1, %zmm0", ".byte 0x62,0xf2,0xf1,0x18,0xb8,0x06"},
        {"vaddps (%rsi) {uint8}, %zmm1, %zmm0", ".byte 0x62,0xf1,0x70,0x48,0x58,0x06"},
        {"vcmpltps %zmm2, %zmm1, %k2{%k1}", ".byte 0x62,0xf1,0x70,0x09,0xc2,0xd2,0x01"},
        {"vcmpps $1, %zmm2, %zmm1, %k2{%k1}", ".byte 0x62,0xf1,0x70,0x09,0xc2,0xd2,0x01"},
        {"vgatherdps (%rax,%zmm1), %zmm0{%k1}", ".byte 0x62,0xf2,0x79,0x09,0x92,0x04,0x08"},
        {"vloadunpackld (%rdi), %zmm0", ".byte 0x62,0xf2,0x78,0x08,0xd0,0x07"},
        {"kand %k2, %k1", ".byte 0xc5,0xf8,0x41,0xca"},
        {"vprefetch0 (%rax)", ".byte 0xc5,0xf8,0x18,0x08"},
        {"popcntq %rcx, %rax", ".byte 0xc4,0xe1,0xfa,0xb8,0xc1"},
        {"jkzd ..L7, %k1", ".byte 0xc5,0xf0,0x84;.long (..L7)-.-4"},
        {"vaddpd table+8(%rip), %zmm2, %zmm1", ".byte 0x62,0xf1,0xe9,0x08,0x58,0x0d;.long (table+8)-.-4"},
        {"vcmppd $2, table(%rip), %zmm2, %k1",
         ".byte 0x62,0xf1,0xe9,0x08,0xc2,0x0d;.long (table)-.-5;.byte 0x02"},
        {"vaddpd table(,%rax,8), %zmm2, %zmm1", ".byte 0x62,0xf1,0xe9,0x08,0x58,0x0c,0xc5;.long (table)"},
        {"addq $64, %rsi", NULL},
        {"jne ..L7", NULL},
        {"call vector", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *directives = assembled(cases[i].statement);
        if (cases[i].directives ? !directives || strcmp(directives, cases[i].directives) : directives != NULL)
            fail_msg("%s: %s", cases[i].statement, directives ? directives : "the assembler's");
        free(directives);
    }
}

static void no_statements(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "vaddps %xmm2, %xmm1, %xmm0",
        "vaddps %zmm2, %zmm1",
        "vaddps %zmm2, %zmm1, %zmm0, ",
        "vaddps %zmm2, %zmm1, %zmm0{%k1}{%k2}",
        "vaddps %zmm2, %zmm1, %zmm0{%rax}",
        "vaddps %zmm2{1to16}, %zmm1, %zmm0",
        "vaddps (%rax){cdab}, %zmm1, %zmm0",
        "vaddps (%rax){more}, %zmm1, %zmm0",
        "vaddps %fs:8(%rax), %zmm1, %zmm0",
        "vaddps 8(%rax,%rbx,3), %zmm1, %zmm0",
        "vaddps 8(, %zmm1, %zmm0",
        "vaddps %zmm32, %zmm1, %zmm0",
        "vaddps }{, %zmm1, %zmm0",
        "vaddps",
        "vnothing %zmm0",
        "vpshufd $name, %zmm1, %zmm0",
        "kmov",
        "jkzd %k1",
        "vaddps a(b(%rax), %zmm1, %zmm0",
        "vaddps a$\"b(%rax), %zmm1, %zmm0",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *directives = assembled(bad[i]);
        if (!directives || strncmp(directives, ".error \"", 8))
            fail_msg("%s: %s", bad[i], directives ? directives : "the assembler's");
        assert_ptr_equal(strchr(directives + 8, '"'), directives + strlen(directives) - 1);
        free(directives);
    }
}

/* Whatever stands there has an answer, and one that cannot leave its line. */
static void any_text(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "%zmm1", "%k1",  "%rax",  "{",    "}", "(", ")",  ",",  " ",    "$",      "-", "8",
        "0x",    "name", "{%k2}", "1to8", ":", "*", "\"", "\\", "\xff", "(%rip)", "%", "(%rax,%rbx,8)"};
    uint64_t seed = 88172645463325252ULL;
    for (unsigned n = 0; n < 20000; n++) {
        char text[200] = "vaddps ";
        if (n % 4 == 1)
            strcpy(text, "jkzd ");
        for (unsigned i = 0; i < 12; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            strcat(text, pieces[(seed >> 20) % (sizeof pieces / sizeof *pieces)]);
        }
        char *directives = assembled(text);
        assert_non_null(directives);
        if (strncmp(directives, ".byte ", 6) && strncmp(directives, ".error \"", 8))
            fail_msg("%s: %s", text, directives);
        assert_null(strpbrk(directives, "\n#"));
        free(directives);
    }
}

static bool written(const ZydisDecoder *decoder, const uint8_t *bytes, size_t size, char *text, size_t room)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisFormatter formatter;
    char words[256];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, size, &decoded, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)) ||
        (decoded.attributes & ZYDIS_ATTRIB_IS_RELATIVE) ||
        (decoded.attributes & (ZYDIS_ATTRIB_HAS_SEGMENT | ZYDIS_ATTRIB_HAS_ADDRESSSIZE)))
        return false;
    ZydisFormatterFormatInstruction(&formatter, &decoded, operands, decoded.operand_count_visible, words,
                                    sizeof words, 0, NULL);
    /* The formatter's names have suffixes for the size of memory. */
    snprintf(text, room, "%s%s", ZydisMnemonicGetString(decoded.mnemonic), words + strcspn(words, " "));
    return true;
}

/* Random vectors and masks, as text, assembled: the same text again. */
static void there_and_back(void **state)
{
    (void)state;
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_KNC, ZYAN_TRUE);
    uint64_t seed = 88172645463325252ULL;
    unsigned same = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint8_t bytes[16], again[16];
        for (unsigned i = 0; i < sizeof bytes; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            bytes[i] = (uint8_t)(seed >> 24);
        }
        bytes[0] = n & 1 ? 0x62 : 0xc5;
        if (n & 1) {
            bytes[1] = (uint8_t)((bytes[1] & 0xf0) | (1 + n / 2 % 3));
            bytes[2] &= (uint8_t)~4;
        }
        struct step step;
        char text[300], other[300];
        if (!k1om_reader.step(bytes, sizeof bytes, 0, &step) ||
            !written(&decoder, bytes, step.key.size, text, sizeof text))
            continue;
        char *directives = assembled(text);
        if (!directives || strncmp(directives, ".byte ", 6))
            fail_msg("%s: %s", text, directives ? directives : "the assembler's");
        size_t size = 0;
        for (char *at = directives + 5; *at && size < sizeof again; size++)
            again[size] = (uint8_t)strtoul(at + 1, &at, 16);
        free(directives);
        assert_true(written(&decoder, again, size, other, sizeof other));
        assert_string_equal(text, other);
        same++;
    }
    assert_true(same > 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions),
        cmocka_unit_test(jumps_and_scalars),
        cmocka_unit_test(what_is_no_instruction),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(statements_of_listings),
        cmocka_unit_test(no_statements),
        cmocka_unit_test(any_text),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
