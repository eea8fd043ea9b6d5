/* Forms of x86 instructions: their spelling, the position of the main opcode, length-changing prefixes.
   Bytes come from Intel's manual or from an assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "code/read/isa.h"

struct sample {
    const char *hex;
    const char *form;
    unsigned opcode_offset;
    bool has_length_change;
};

static size_t bytes_of(const char *hex, uint8_t bytes[KEY_BYTES])
{
    size_t size = 0;
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        assert_true(size < KEY_BYTES);
        bytes[size++] = (uint8_t)byte;
    }
    return size;
}

static void describe(const struct isa_reader *reader, const char *hex, struct description *description)
{
    uint8_t bytes[KEY_BYTES];
    size_t size = bytes_of(hex, bytes);
    struct step step;
    assert_true(reader->step(bytes, size, 0x1000, &step));
    assert_int_equal(step.key.size, size);
    reader->describe(reader, &step.key, description);
    assert_false(description->is_undefined);
}

static void check(const struct isa_reader *reader, const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct description description;
        describe(reader, samples[i].hex, &description);
        if (strcmp(description.form, samples[i].form) ||
            description.encoding.opcode_offset != samples[i].opcode_offset ||
            description.encoding.has_length_change != samples[i].has_length_change)
            fail_msg("%s: '%s', opcode at %u, length change %d; wanted '%s', %u, %d", samples[i].hex,
                     description.form, description.encoding.opcode_offset,
                     description.encoding.has_length_change, samples[i].form, samples[i].opcode_offset,
                     samples[i].has_length_change);
    }
}

#define CHECK(reader, samples) check(reader, samples, sizeof(samples) / sizeof(samples)[0])

static void general_registers(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"4801d8", "add r64,r64", 1, false},
        {"01d8", "add r32,r32", 0, false},
        {"6601d8", "add r16,r16", 1, false},
        {"00dc", "add r8h,r8", 0, false},
        {"4000e0", "add r8,r8", 1, false},
        {"0405", "add al,i8", 0, false},
        {"0578563412", "add eax,i32", 0, false},
        {"83c300", "add r32,i8=0", 0, false},
        {"83c301", "add r32,i8", 0, false},
        {"81c300000000", "add r32,i32", 0, false},
        {"f00118", "lock add m32,r32", 1, false},
        {"48d3e0", "shl r64,cl", 1, false},
        {"48d1e0", "shl r64,1", 1, false},
        {"48c1e005", "shl r64,i8", 1, false},
        {"4893", "xchg r64,rax", 1, false},
        {"0fb7c7", "movzx r32,r16", 1, false},
        {"0fb6c7", "movzx r32,r8h", 1, false},
        {"4863c3", "movsxd r64,r32", 1, false},
        {"0f47c3", "cmova r32,r32", 1, false},
        {"0f9fc0", "setg r8", 1, false},
        {"f3480fb8c3", "popcnt r64,r64", 3, false},
        {"48f7e3", "mul r64", 1, false},
        {"69c367452301", "imul r32,r32,i32", 0, false},
        {"8ee0", "mov seg,r16", 0, false},
        {"0f22c0", "mov cr,r64", 1, false},
        {"0fa0", "push fs", 1, false},
        {"50", "push r64", 0, false},
        {"6a00", "push i8=0", 0, false},
        {"0fb0cb", "cmpxchg r8,r8", 1, false},
        {"f0480fc70f", "lock cmpxchg16b m128", 3, false},
    };
    CHECK(&x86_64_reader, samples);
}

static void addresses(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"488d0413", "lea r64,b+i", 1, false},
        {"488d048b", "lea r64,b+i*s", 1, false},
        {"488d448b08", "lea r64,b+i*s+d8", 1, false},
        {"488d840b45230100", "lea r64,b+i+d32", 1, false},
        {"488d0500010000", "lea r64,rip+d32", 1, false},
        {"488d04cd00000000", "lea r64,i*s+d32", 1, false},
        {"488d042500100000", "lea r64,d32", 1, false},
        {"488d4500", "lea r64,b+d8", 1, false},
        {"8d03", "lea r32,b", 0, false},
        {"488b0500000000", "mov r64,m64", 1, false},
        {"a0f0debc9a78563412", "mov al,moffs8", 0, false},
        {"48a3f0debc9a78563412", "mov moffs64,rax", 1, false},
        {"0f1f4000", "nop m32", 1, false},
        {"0f1808", "prefetcht0 m8", 1, false},
        {"0fae38", "clflush m512", 1, false},
    };
    CHECK(&x86_64_reader, samples);
}

static void branches_and_strings(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"7500", "jne rel8", 0, false},
        {"0f8500000000", "jne rel32", 1, false},
        {"eb00", "jmp rel8", 0, false},
        {"e800000000", "call rel32", 0, false},
        {"ffd0", "call r64", 0, false},
        {"ff10", "call m64", 0, false},
        {"c3", "ret", 0, false},
        {"c20800", "ret i16", 0, false},
        {"e300", "jrcxz rel8", 0, false},
        {"f3a4", "rep movsb", 1, false},
        {"f2ae", "repne scasb", 1, false},
        {"f3a7", "rep cmpsd", 1, false},
        {"48ab", "stosq", 1, false},
        {"f30f1efa", "endbr64", 2, false},
        {"c8100000", "enter i16,i8=0", 0, false},
    };
    CHECK(&x86_64_reader, samples);
}

static void vectors(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"f20f10c1", "movsd xmm,xmm", 2, false},
        {"f20f1000", "movsd xmm,m64", 2, false},
        {"660f3814c1", "blendvps xmm,xmm", 3, false},
        {"660f3a61c103", "pcmpestri xmm,xmm,i8", 3, false},
        {"0fefc1", "pxor mm,mm", 1, false},
        {"c5f458c2", "vaddps ymm,ymm,ymm", 2, false},
        {"c5f55800", "vaddpd ymm,ymm,m256", 2, false},
        {"c4e27d1800", "vbroadcastss ymm,m32", 3, false},
        {"c4e2ed9204c8", "vgatherdpd ymm,vx,ymm", 3, false},
        {"c4e3714ac230", "vblendvps xmm,xmm,xmm,xmm", 3, false},
        {"62f1f54858c2", "vaddpd zmm,zmm,zmm", 4, false},
        {"62f1f54958c2", "vaddpd zmm,k,zmm,zmm", 4, false},
        {"62f1f5c958c2", "vaddpd zmm,kz,zmm,zmm", 4, false},
        {"62f1f5585800", "vaddpd zmm,zmm,m64b8", 4, false},
        {"62f1f51858c2", "vaddpd zmm,zmm,zmm", 4, false},
        {"62f1fd195a00", "vcvtpd2ps xmm,k,m64b2", 4, false},
        {"62f17d4a76c8", "vpcmpeqd k,k,zmm,zmm", 4, false},
        {"62f2fd499204c8", "vgatherdpd zmm,k,vy", 4, false},
        {"62f2fd49a204c8", "vscatterdpd vy,k,zmm", 4, false},
        {"c5f892c8", "kmovw k,r32", 2, false},
        {"c5f877", "vzeroupper", 2, false},
    };
    CHECK(&x86_64_reader, samples);
}

static void x87(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"dd00", "fld m64", 0, false},       {"d9c1", "fld st", 0, false},
        {"dec1", "faddp st,st", 0, false},   {"d8c1", "fadd st,st", 0, false},
        {"d9ca", "fxch st", 0, false},       {"df00", "fild m16", 0, false},
        {"dfe9", "fucomip st,st", 0, false}, {"dfe0", "fnstsw ax", 0, false},
    };
    CHECK(&x86_64_reader, samples);
}

/* Intel's optimisation manual, on the predecoder. */
static void length_changes(void **state)
{
    (void)state;
    static const struct sample samples_64[] = {
        {"66053412", "add ax,i16", 1, true},
        {"6681c33412", "add r16,i16", 1, true},
        {"66b83412", "mov r16,i16", 1, true},
        {"6669c33412", "imul r16,r16,i16", 1, true},
        {"66f7c33412", "test r16,i16", 1, true},
        {"66c7003412", "mov m16,i16", 1, true},
        {"6683c305", "add r16,i8", 1, false},
        {"664881c378563412", "add r64,i32", 2, false},
        {"48b8f0debc9a78563412", "mov r64,i64", 1, false},
        {"66c20800", "ret i16", 1, false},
        {"67a078563412", "mov al,moffs8", 1, true},
        {"678b00", "mov r32,m32", 1, false},
        {"660f70c103", "pshufd xmm,xmm,i8", 2, false},
    };
    CHECK(&x86_64_reader, samples_64);
    static const struct sample samples_32[] = {
        {"66053412", "add ax,i16", 1, true},
        {"678b863412", "mov r32,m32", 1, true},
        {"678b00", "mov r32,m32", 1, false},
        {"8b8678563412", "mov r32,m32", 0, false},
    };
    CHECK(&i386_reader, samples_32);
}

static void code_of_32_bits(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"40", "inc r32", 0, false},          {"50", "push r32", 0, false},
        {"06", "push es", 0, false},          {"ff10", "call m32", 0, false},
        {"9c", "pushfd", 0, false},           {"8d03", "lea r32,b", 0, false},
        {"8d4304", "lea r32,b+d8", 0, false}, {"a178563412", "mov eax,moffs32", 0, false},
        {"e300", "jecxz rel8", 0, false},     {"c5f458c2", "vaddps ymm,ymm,ymm", 2, false},
    };
    CHECK(&i386_reader, samples);
}

/* What the predecoder asks is right for every instruction there is: the opcode lies within it, and for those
   with a ModRM byte just before that, whatever stands in front. */
static void every_opcode(void **state)
{
    (void)state;
    static const uint8_t fronts[][4] = {{0}, {0x0f}, {0x0f, 0x38}, {0x66, 0x0f, 0x3a}, {0x48}, {0xf3, 0x0f}};
    static const size_t lengths[] = {0, 1, 2, 3, 1, 2};
    unsigned known = 0;
    for (size_t front = 0; front < sizeof lengths / sizeof *lengths; front++)
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            uint8_t bytes[KEY_BYTES] = {0};
            memcpy(bytes, fronts[front], lengths[front]);
            bytes[lengths[front]] = (uint8_t)opcode;
            bytes[lengths[front] + 1] = 0xc1;
            struct step step;
            if (!x86_64_reader.step(bytes, sizeof bytes, 0, &step))
                continue;
            struct description description;
            x86_64_reader.describe(&x86_64_reader, &step.key, &description);
            assert_false(description.is_undefined);
            assert_true(description.encoding.opcode_offset < step.key.size);
            assert_true(strlen(description.form) >= strlen(description.name));
            assert_null(strchr(description.form, '?'));
            known++;
        }
    assert_true(known > 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(general_registers),
        cmocka_unit_test(addresses),
        cmocka_unit_test(branches_and_strings),
        cmocka_unit_test(vectors),
        cmocka_unit_test(x87),
        cmocka_unit_test(length_changes),
        cmocka_unit_test(code_of_32_bits),
        cmocka_unit_test(every_opcode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
