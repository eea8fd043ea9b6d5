/* Forms of AArch64 instructions: how they are spelled, and that machine files know them. */
#include "code/machine/machine.h"
#include "code/read/aarch64/form.h"
#include "code/read/isa.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers that it needs */
#include <cmocka.h>

static const struct {
    const char *text, *form;
} cases[] = {
    {"add x0, x1, x2", "add x,x,x"},
    {"add x0, x1, x2, lsl #4", "add x,x,x,lsl"},
    {"add x0, x1, x2, lsl #5", "add x,x,x,shift"},
    {"add x0, x1, x2, asr #1", "add x,x,x,shift"},
    {"add x0, sp, w2, sxtw #2", "add x,x,w,ext"},
    {"add x0, x1, w2, uxtb", "add x,x,w,ext"},
    {"add sp, sp, #0x10, lsl #12", "add x,x,i"},
    {"movk x0, #0x1, lsl #16", "movk x,i"},
    {"mov x0, x1", "mov x,x"},
    {"mov x0, sp", "mov x,sp"},
    {"mov w0, #0x0", "mov w,i=0"},
    {"mov w0, #0x10", "mov w,i"},
    {"mov x0, #0xffffffffffffffff", "mov x,i"},
    {"mov x0, xzr", "mov x,xzr"},
    {"fmov d0, xzr", "fmov d,xzr"},
    {"fmov d0, #5.000000000000000000e-01", "fmov d,i"},
    {"movi v0.2d, #0x0", "movi 2d,i=0"},
    {"movi v1.4s, #0x1, msl #8", "movi 4s,i"},
    {"cmp x0, #0x0", "cmp x,i"},
    {"csel x0, x1, xzr, ne", "csel x,x,x"},
    {"ccmp x0, #0x1, #0x4, ne", "ccmp x,i,i"},
    {"b.ne @", "b.cond rel"},
    {"bl @", "bl rel"},
    {"tbz w0, #3, @", "tbz w,i,rel"},
    {"adrp x0, @", "adrp x,rel"},
    {"ret", "ret"},
    {"nop", "nop"},
    {"dmb ish", "dmb"},
    {"prfm pldl1keep, [x1, #1024]", "prfm [x]"},
    {"mrs x0, tpidr_el0", "mrs x"},
    {"ldr x0, [x1]", "ldr x,[x]"},
    {"ldr x0, [sp, #8]", "ldr x,[x]"},
    {"ldr x0, [x1, #8]!", "ldr x,[x]!"},
    {"ldr x0, [x1], #-8", "ldr x,[x],i"},
    {"ldr x0, @", "ldr x,rel"},
    {"ldr q0, [x1, x2]", "ldr q,[x,x]"},
    {"ldr q0, [x1, x2, lsl #4]", "ldr q,[x,x,lsl]"},
    {"ldrb w0, [x1, x2, lsl #0]", "ldrb w,[x,x]"},
    {"ldr x0, [x1, w2, sxtw]", "ldr x,[x,w,ext]"},
    {"ldr x0, [x1, w2, uxtw #3]", "ldr x,[x,w,ext,lsl]"},
    {"ldp d0, d1, [x0, #16]", "ldp d,d,[x]"},
    {"stp xzr, xzr, [sp, #-16]!", "stp x,x,[x]!"},
    {"ldadd x0, x1, [x2]", "ldadd x,x,[x]"},
    {"fmla v0.4s, v1.4s, v2.4s", "fmla 4s,4s,4s"},
    {"fmla v0.4s, v1.4s, v2.s[1]", "fmla 4s,4s,s[]"},
    {"mov v0.s[1], w2", "mov s[],w"},
    {"umov w0, v1.b[3]", "umov w,b[]"},
    {"ld1 {v0.4s, v1.4s}, [x0]", "ld1 {4s,4s},[x]"},
    {"ld4 {v30.16b, v31.16b, v0.16b, v1.16b}, [x0], x2", "ld4 {16b,16b,16b,16b},[x],x"},
    {"ld4 {v4.16b-v7.16b}, [x0], #64", "ld4 {16b,16b,16b,16b},[x],i"},
    {"st2 {v0.s, v1.s}[2], [x0]", "st2 {s,s}[],[x]"},
    {"tbl v0.8b, {v1.16b-v3.16b}, v4.8b", "tbl 8b,{16b,16b,16b},8b"},
    {"fmla z0.d, p0/m, z1.d, z2.d", "fmla z.d,p/m,z.d,z.d"},
    {"fmla z0.s, z1.s, z2.s[1]", "fmla z.s,z.s,z.s[]"},
    {"ld1d {z0.d}, p0/z, [x0, x1, lsl #3]", "ld1d {z.d},p/z,[x,x,lsl]"},
    {"ld1d {z0.d}, p0/z, [x0, #2, mul vl]", "ld1d {z.d},p/z,[x]"},
    {"ld1d {z0.d}, p0/z, [x0, z1.d, lsl #3]", "ld1d {z.d},p/z,[x,z.d,lsl]"},
    {"ld1w {z0.s}, p0/z, [x0, z1.s, uxtw #2]", "ld1w {z.s},p/z,[x,z.s,ext,lsl]"},
    {"whilelo p0.d, x1, x2", "whilelo p.d,x,x"},
    {"ptrue p0.s, vl8", "ptrue p.s"},
    {"incd x0, all, mul #2", "incd x"},
    {"movprfx z0, z1", "movprfx z,z"},
    {"mova za0h.b[w12, 0], p0/m, z1.b", "mova za.b[],p/m,z.b"},
    {"fmla za.s[w9, 6, vgx4], {z0.s-z3.s}, z4.s", "fmla za.s[],{z.s,z.s,z.s,z.s},z.s"},
    {"movaz z21.s, za2h.s [w15, 0]", "movaz z.s,za.s[]"},
    {"luti2 {z1.h, z9.h}, zt0, z0[0]", "luti2 {z.h,z.h},zt0,z[]"},
    {"whilege pn8.b, x18, x1, vlx2", "whilege pn.b,x,x"},
    {"ld1h {z6.h, z7.h}, pn10/z, [x0]", "ld1h {z.h,z.h},pn/z,[x]"},
    {"chkfeat x16", "chkfeat x"},
};

static void test_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char form[96];
        aarch64_write_form(cases[i].text, form, sizeof form);
        assert_string_equal(form, cases[i].form);
    }
}

static void test_description_has_form(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x20, 0xcc, 0x22, 0x4e}; /* fmla v0.4s, v1.4s, v2.4s */
    struct step step;
    struct description description;
    assert_true(aarch64_reader.step(bytes, sizeof bytes, 0, &step));
    aarch64_reader.describe(&aarch64_reader, &step.key, &description);
    assert_string_equal(description.form, "fmla 4s,4s,4s");
}

/* Nonsense of every kind, into little room: the form ends in time and with a zero. */
static void test_any_text(void **state)
{
    (void)state;
    static const char pieces[][12] = {"x0",       "v1.4s", "{",   "}",   "[",  "]",   ",",   "#",  "#-",
                                      "0x",       "mul",   "vl",  "@",   "!",  "-",   ".",   "/m", "za0h",
                                      "#1.e9999", " ",     "sp",  "p0",  "/q", "z9",  "[w1", "{}", "lsl",
                                      "sxtw",     "#3",    "v31", "-v9", "b.", "mov", "#0x0"};
    uint32_t random = 12345;
    for (unsigned i = 0; i < 200000; i++) {
        char text[200] = "", form[40];
        memset(form, 'x', sizeof form);
        random = random * 1664525 + 1013904223;
        for (unsigned k = random >> 28; k > 0; k--) {
            random = random * 1664525 + 1013904223;
            strcat(text, pieces[(random >> 8) % (sizeof pieces / sizeof *pieces)]);
        }
        size_t room = 2 + i % 30;
        aarch64_write_form(text, form, room);
        assert_non_null(memchr(form, 0, room));
        assert_int_equal(form[room], 'x');
    }
}

/* The list that machine files are made from is spelled as forms are. */
static void test_examples(void **state)
{
    (void)state;
    FILE *file = fopen(PROJECT "/tools/aarch64-examples", "r");
    char line[400], form[96];
    unsigned count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        char *tab = strchr(line, '\t');
        assert_non_null(tab);
        *tab = 0;
        tab[strcspn(tab + 1, "\n") + 1] = 0;
        aarch64_write_form(tab + 1, form, sizeof form);
        assert_string_equal(form, line);
        count++;
    }
    fclose(file);
    assert_in_range(count, 5000, 20000);
}

static struct machine *load(const char *name)
{
    const char *directories[] = {MACHINES};
    struct error error = {0};
    struct machine *machine = machine_load(name, directories, 1, &error);
    assert_non_null(machine);
    return machine;
}

/* The issue slots, the ports and the latency of a form, as a machine file has it. */
static const struct machine_form *form_of(const struct machine *machine, const char *text)
{
    const struct machine_form *form = machine_form(machine, text);
    if (!form)
        fail_msg("%s has no form %s", machine->name, text);
    return form;
}

static void test_machines(void **state)
{
    (void)state;
    static const struct {
        const char *name, *missing; /* a form that the processor does not have, "" for none */
        double fma, accumulator;
    } machines[] = {
        {"neoverse-n1", "fmla z.d,p/m,z.d,z.d", 4, 3},
        {"neoverse-n2", "", 4, 3},
        {"neoverse-v1", "whilewr p.d,x,x", 4, 3}, /* 2 from another product: chained */
        {"neoverse-v2", "", 4, 3},
        {"a64fx", "whilewr p.d,x,x", 9, 9},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *machine = load(machines[i].name);
        assert_int_equal(machine->isa, isa_AARCH64);
        assert_true(machine->forms.count > 3000 && machine->core.issue > 0);
        const struct machine_form *fmla = form_of(machine, "fmla 4s,4s,4s");
        assert_float_equal(form_latency(machine, fmla, 2, 1), machines[i].fma, 0);
        assert_float_equal(form_latency(machine, fmla, 1, 1), machines[i].accumulator, 0);
        assert_true(form_of(machine, "fdiv d,d,d")->divider > 1);
        assert_int_equal(form_of(machine, "str x,[x]")->fused, 1);
        assert_true(form_of(machine, "ldr x,[x]")->latency >= 4);
        if (*machines[i].missing)
            assert_null(machine_form(machine, machines[i].missing));
        machine_free(machine);
    }
}

/* What was measured on Neoverse V1 holds for its relatives as far as their guides say the same, in all forms
   of a kind alike; their files say that it is assumed. */
static void test_neoverse_family(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double addv, long_product, lane; /* lane: from the factor that is one lane */
    } machines[] = {{"neoverse-n1", 6, 4, 4},
                    {"neoverse-n2", 6, 4, 4},
                    {"neoverse-v1", 6, 4, 5},
                    {"neoverse-v2", 6, 4, 5}};
    static const char *const sums[] = {"fmla 4s,4s,4s", "fmla 2d,2d,d[]", "fmls 2s,2s,s[]", "fmla s,s,s[]"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct machine *machine = load(machines[i].name);
        for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
            const struct machine_form *sum = form_of(machine, sums[k]);
            assert_float_equal(form_latency(machine, sum, 1, 1), 3, 0);
            assert_float_equal(sum->chained, 2, 0);
        }
        assert_float_equal(form_of(machine, "fmul d,d,d")->chained, 3, 0);
        assert_float_equal(form_of(machine, "fmulx d,d,d")->latency, 3, 0);
        assert_float_equal(form_latency(machine, form_of(machine, "fmla 2d,2d,d[]"), 3, 1), machines[i].lane,
                           0);
        assert_float_equal(form_of(machine, "addv b,16b")->latency, machines[i].addv, 0);
        assert_float_equal(form_of(machine, "umull 4s,4h,4h")->latency, machines[i].long_product, 0);
        bool is_measured = !strcmp(machines[i].name, "neoverse-v1");
        const char *source = machine_source_text(machine, form_of(machine, "fmla 4s,4s,4s")->source);
        assert_true(is_measured || (source && !strcmp(source, "assumed, as measured on neoverse-v1")));
        source = machine_source_text(machine, form_of(machine, "add x,x,x")->source);
        assert_true(!source || !*source);
        const struct machine_form *multiply = machine_form(machine, "fmad z.d,p/m,z.d,z.d");
        assert_true(!multiply == !strcmp(machines[i].name, "neoverse-n1"));
        assert_true(!multiply || (form_latency(machine, multiply, 4, 1) == 3 &&
                                  form_latency(machine, multiply, 1, 1) == 4));
        machine_free(machine);
    }
}

static void test_fusion(void **state)
{
    (void)state;
    struct machine *machine = load("neoverse-v1");
    const struct machine_form *cmp = form_of(machine, "cmp x,x");
    assert_true(form_fuses(machine, cmp, "b.ne"));
    assert_false(form_fuses(machine, cmp, "cbz"));
    assert_false(form_fuses(machine, form_of(machine, "subs x,x,x"), "b.ne"));
    assert_false(form_of(machine, "mov x,x")->is_eliminated); /* measured: it takes an integer pipe */
    machine_free(machine);
    machine = load("neoverse-v2");
    assert_true(form_of(machine, "mov x,x")->is_eliminated);
    machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spelling),        cmocka_unit_test(test_description_has_form),
        cmocka_unit_test(test_any_text),        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_machines),        cmocka_unit_test(test_fusion),
        cmocka_unit_test(test_neoverse_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
