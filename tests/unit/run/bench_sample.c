/* Samples of forms, and the same instruction with other registers: decoded again, exactly these come out. */
#include "run/bench/instruction.h"
#include "code/machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void check_text(enum isa isa, const char *form, const uint8_t *numbers, const char *text)
{
    struct bench_instruction sample, made;
    assert_true(bench_sample(&sample, isa, form));
    assert_string_equal(sample.description.form, form);
    assert_true(bench_instruction_renumber(&sample, numbers, &made));
    assert_string_equal(made.description.text, text);
}

static void test_aarch64_registers(void **state)
{
    (void)state;
    check_text(isa_AARCH64, "add x,x,x", (const uint8_t[]){9, 20, 3}, "add x9, x20, x3");
    check_text(isa_AARCH64, "fmla 4s,4s,4s", (const uint8_t[]){31, 0, 17}, "fmla v31.4s, v0.4s, v17.4s");
    check_text(isa_AARCH64, "madd x,x,x,x", (const uint8_t[]){1, 2, 3, 4}, "madd x1, x2, x3, x4");
    /* One register in two fields. */
    check_text(isa_AARCH64, "mov 16b,16b", (const uint8_t[]){5, 6}, "mov v5.16b, v6.16b");
    /* The second register of a list follows the first. */
    check_text(isa_AARCH64, "tbl 16b,{16b,16b},16b", (const uint8_t[]){8, 20, 0, 3},
               "tbl v8.16b, {v20.16b, v21.16b}, v3.16b");
}

static void test_x86_registers(void **state)
{
    (void)state;
    check_text(isa_X86_64, "add r64,r64", (const uint8_t[]){9, 2}, "add r9, rdx");
    check_text(isa_X86_64, "add r8,r8", (const uint8_t[]){6, 13}, "add sil, r13b");
    check_text(isa_X86_64, "vaddpd ymm,ymm,ymm", (const uint8_t[]){15, 1, 12}, "vaddpd ymm15, ymm1, ymm12");
    check_text(isa_X86_64, "mulsd xmm,xmm", (const uint8_t[]){4, 11}, "mulsd xmm4, xmm11");
}

static void test_slots(void **state)
{
    (void)state;
    struct bench_instruction made;
    assert_true(bench_sample(&made, isa_AARCH64, "adcs x,x,x"));
    unsigned flags = bench_slot_named(&made, "f");
    assert_true(flags != NO_SLOT && made.slots[flags].reads && made.slots[flags].writes);
    assert_true(bench_sample(&made, isa_AARCH64, "ldr x,[x],i"));
    unsigned base = bench_slot_named(&made, "addr");
    assert_true(base != NO_SLOT && made.slots[base].reads && made.slots[base].writes);
    assert_true(bench_sample(&made, isa_X86_64, "mul r64"));
    unsigned rax = bench_slot_named(&made, "rax"), rdx = bench_slot_named(&made, "rdx");
    assert_true(rax != NO_SLOT && made.slots[rax].reads && made.slots[rax].writes &&
                made.slots[rax].is_fixed);
    assert_true(rdx != NO_SLOT && !made.slots[rdx].reads && made.slots[rdx].writes);
    /* The low half of a register keeps the rest. */
    assert_true(bench_sample(&made, isa_X86_64, "mov r8,r8"));
    assert_true(made.slots[0].keeps && slot_takes(&made.slots[0]));
    assert_false(bench_sample(&made, isa_AARCH64, "frobnicate x,x"));
    assert_false(bench_sample(&made, isa_X86_64, "add ymm,r64"));
}

static bool is_wanted(const char *form)
{
    static const char *const others[] = {"z.",  "p/",  "{z",  "za",  " rel", ",rel", "[z", " z,",
                                         ",z,", " p,", ",p,", " p.", ",p.",  ",p",   " p"};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(form, others[i]))
            return false;
    return !strchr(form, '*');
}

/* Most forms of a machine have a sample whose registers can be chosen. */
static void check_share(const char *name, enum isa isa, double least)
{
    const char *const folders[] = {MACHINES};
    struct error error = {0};
    struct machine *machine = machine_load(name, folders, 1, &error);
    assert_non_null(machine);
    size_t all = 0, found = 0;
    for (size_t i = 0; i < machine->forms.count; i++) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        struct bench_instruction made;
        if (form->is_missing || !is_wanted(form->text))
            continue;
        all++;
        bool is_found = bench_sample(&made, isa, form->text);
        found += is_found;
        if (!is_found && getenv("GAUGE_MISSING"))
            printf("%s\n", form->text);
    }
    printf("%s: %zu of %zu forms have a sample\n", name, found, all);
    assert_true((double)found >= least * (double)all);
    machine_free(machine);
}

static void test_share(void **state)
{
    (void)state;
    check_share("neoverse-v1", isa_AARCH64, 0.9);
    check_share("skylake", isa_X86_64, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_aarch64_registers),
                                       cmocka_unit_test(test_x86_registers), cmocka_unit_test(test_slots),
                                       cmocka_unit_test(test_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
