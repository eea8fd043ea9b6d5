/* Registers that become a register plus a constant, as the tables say it of real instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "code/machine/resolve.h"
#include "code/structure/snippet.h"

struct expected {
    const char *hex;
    const char *to, *from; /* "" for none */
    int64_t constant;
};

static uint16_t resource_named(const struct machine_costs *costs, enum isa isa, const char *name)
{
    for (uint32_t id = 1; *name && id < costs->model->registers.count; id++) {
        const struct register_ *row = model_register(costs->model, id);
        const char *text = model_text(costs->model, row->name);
        if (row->isa == isa && text && !strcmp(text, name))
            return costs->resource_of[id];
    }
    return RESOURCE_NONE;
}

static void check(enum isa isa, const char *machine_text, const struct expected *expected, unsigned count)
{
    struct error error = {0};
    struct machine *machine = machine_parse("test", machine_text, strlen(machine_text), &error);
    struct snippets snippets;
    struct machine_costs costs;
    assert_non_null(machine);
    assert_true(snippets_begin(&snippets, isa, &error));
    machine_costs_begin(&costs, machine, &snippets.model);
    for (unsigned i = 0; i < count; i++) {
        uint8_t bytes[32];
        size_t size;
        assert_true(snippet_bytes(expected[i].hex, strlen(expected[i].hex), bytes, &size, &error));
        assert_true(snippets_read(&snippets, bytes, size, &error));
        assert_int_equal(snippets.rows.count, 1);
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &snippets.rows, 0);
        struct cost_step step = machine_cost(&costs, row->encoding)->step;
        uint16_t to = resource_named(&costs, isa, expected[i].to);
        if (step.to != to || (to && step.constant != expected[i].constant))
            print_error("%s: %u %lld\n", expected[i].hex, step.to, (long long)step.constant);
        assert_int_equal(step.to, to);
        if (!to)
            continue;
        assert_int_equal(step.from, resource_named(&costs, isa, expected[i].from));
        assert_true(step.constant == expected[i].constant);
    }
    machine_costs_end(&costs);
    snippets_end(&snippets);
    machine_free(machine);
}

static void test_x86(void **state)
{
    (void)state;
    static const struct expected steps[] = {
        {"4883c008", "rax", "rax", 8},         /* add rax, 8 */
        {"4883ec20", "rsp", "rsp", -32},       /* sub rsp, 32 */
        {"48ffc1", "rcx", "rcx", 1},           /* inc rcx */
        {"48ffc9", "rcx", "rcx", -1},          /* dec rcx */
        {"488d4804", "rcx", "rax", 4},         /* lea rcx, [rax + 4] */
        {"4889c1", "rcx", "rax", 0},           /* mov rcx, rax */
        {"b9ffffffff", "rcx", "", 0xffffffff}, /* mov ecx, -1: the upper half is cleared */
        {"53", "rsp", "rsp", -8},              /* push rbx */
        {"5b", "rsp", "rsp", 8},               /* pop rbx */
        {"83c001", "", "", 0},                 /* add eax, 1: may wrap */
        {"89c1", "", "", 0},                   /* mov ecx, eax: what was above goes */
        {"4801c8", "", "", 0},                 /* add rax, rcx */
        {"488d0c08", "", "", 0},               /* lea rcx, [rax + rcx] */
        {"488d0d00000000", "", "", 0},         /* lea rcx, [rip] */
        {"488b4008", "", "", 0},               /* mov rax, [rax + 8] */
        {"48f76008", "", "", 0},   /* mul qword [rax + 8]: rax is read and written, but not stepped */
        {"480fb14808", "", "", 0}, /* cmpxchg [rax + 8], rcx */
        {"5c", "", "", 0},         /* pop rsp */
    };
    check(isa_X86_64,
          "name test\ntitle Test\nisa x86-64\nfigures none\nwidth 4\nfloating 2\nmemory 2\nbranches 1\n",
          steps, sizeof steps / sizeof *steps);
}

static void test_aarch64(void **state)
{
    (void)state;
    static const struct expected steps[] = {
        {"21400091", "x1", "x1", 16}, /* add x1, x1, #16 */
        {"e10300aa", "x1", "x0", 0},  /* mov x1, x0 */
        {"208440f8", "x1", "x1", 8},  /* ldr x0, [x1], #8 */
        {"208c40f8", "x1", "x1", 8},  /* ldr x0, [x1, #8]! */
        {"200440f9", "", "", 0},      /* ldr x0, [x1, #8] */
        {"2100008b", "", "", 0},      /* add x1, x1, x0 */
    };
    check(isa_AARCH64,
          "name test\ntitle Test\nisa aarch64\nfigures none\nwidth 4\nfloating 2\nmemory 2\nbranches 1\n",
          steps, sizeof steps / sizeof *steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_x86), cmocka_unit_test(test_aarch64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
