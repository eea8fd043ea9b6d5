/* Tests of forms, proved by data flow: the code of each test becomes a loop of a model, and reaching
   definitions say who waits for whom.  A chain really goes from each instance to the next by the flow that it
   is named after; copies for throughput do not wait for each other.  All forms that compilers use most, and a
   part of all forms of two machines (GAUGE_STRIDE=1: all of them). */
#include "code/flow/flow.h"
#include "run/bench/bench.h"
#include "code/structure/snippet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_CODE = 160, MOST_LINKS = 10 /* partners between two instances */ };

/* The unit of a test as a loop, with def_use. */
struct unit_loop {
    struct snippets snippets;
    struct bench_instruction instructions[MOST_CODE];
    bool is_instance[MOST_CODE];
    unsigned count;
};

static void loop_make(struct unit_loop *loop, enum isa isa, const char *form,
                      const struct bench_planned *planned)
{
    struct error error = {0};
    memset(loop, 0, sizeof *loop);
    assert_true(snippets_begin(&loop->snippets, isa, &error));
    assert_true(snippets_read(&loop->snippets, planned->code.data, planned->code.count, &error));
    struct model *model = &loop->snippets.model;
    struct program *program = model_add(&model->programs);
    program->isa = isa;
    struct function *function = model_add(&model->functions);
    *function = (struct function){.program = 1, .first_block = 1, .block_count = 1};
    function->name = model_string(model, "tested");
    struct block *block = model_add(&model->blocks);
    *block = (struct block){.function = 1, .position = 1, .first_instruction = 1, .ends = block_end_JUMP};
    *(struct edge *)model_add(&model->edges) = (struct edge){.source = 1, .target = 1};
    loop->count = (unsigned)loop->snippets.rows.count;
    assert_true(loop->count <= MOST_CODE);
    for (unsigned i = 0; i < loop->count; i++) {
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &loop->snippets.rows, i);
        size_t end = i + 1 < loop->count ? row[1].offset : planned->code.count;
        *(struct instruction *)model_add(&model->code) =
            (struct instruction){.block = 1, .encoding = row->encoding, .target = NO_ADDRESS};
        assert_true(bench_instruction_read(&loop->instructions[i], isa,
                                           (const uint8_t *)planned->code.data + row->offset,
                                           end - row->offset));
        loop->is_instance[i] = !strcmp(loop->instructions[i].description.form, form);
    }
    model_block(model, 1)->instruction_count = loop->count;
    model_function(model, 1)->instruction_count = loop->count;
    flow_build(model, &(struct flow_options){.threads = 1});
}

/* Whether the register of a row is the one in a slot. */
static bool is_in_slot(const struct unit_loop *loop, uint32_t row, const struct bench_slot *slot)
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    const struct model *model = &loop->snippets.model;
    const struct register_ *register_ = model_register(model, row);
    char name[8];
    bool is_x86 = loop->instructions[0].isa == isa_X86_64;
    if (slot->domain == domain_FLAGS)
        return register_->kind == register_kind_FLAGS;
    if (slot->domain == domain_VECTOR)
        snprintf(name, sizeof name, "%s%u", is_x86 ? "zmm" : "z", slot->number);
    else if (slot->domain == domain_MASK)
        snprintf(name, sizeof name, "%s%u", is_x86 ? "k" : "p", slot->number);
    else if (slot->domain == domain_MMX)
        snprintf(name, sizeof name, "st%u", slot->number);
    else if (is_x86 && slot->number < 8)
        strcpy(name, names[slot->number]);
    else
        snprintf(name, sizeof name, "%s%u", is_x86 ? "r" : "x", slot->number);
    return !strcmp(model_text(model, register_->name), name);
}

/* code/flow/ leaves x87's registers out, and with them the mm registers: who wrote a slot of these last,
   round the loop. */
static unsigned writer_of(const struct unit_loop *loop, unsigned use, const struct bench_slot *slot)
{
    for (unsigned back = 1; back <= loop->count; back++) {
        unsigned at = (use + loop->count - back) % loop->count;
        const struct bench_instruction *instruction = &loop->instructions[at];
        for (unsigned i = 0; i < instruction->slot_count; i++)
            if (instruction->slots[i].domain == slot->domain && instruction->slots[i].writes &&
                instruction->slots[i].number == slot->number)
                return at;
    }
    return use;
}

/* Whether one instruction waits for another one by a register or by flags, straight or through others that
   are not instances. */
static bool leads_to(const struct unit_loop *loop, unsigned from, unsigned to, unsigned depth)
{
    const struct bench_instruction *instruction = &loop->instructions[to];
    for (unsigned i = 0; i < instruction->slot_count; i++) {
        const struct bench_slot *slot = &instruction->slots[i];
        if (slot->domain == domain_MMX && slot->reads && writer_of(loop, to, slot) == from)
            return true;
    }
    for (uint32_t i = 0; i < loop->snippets.model.def_use.count; i++) {
        const struct def_use *row = model_def_use(&loop->snippets.model, i);
        if (row->use != to + 1 || !row->definition)
            continue;
        unsigned definition = row->definition - 1;
        if (definition == from)
            return true;
        if (depth && !loop->is_instance[definition] && leads_to(loop, from, definition, depth - 1))
            return true;
    }
    return false;
}

/* Whether an instruction waits, by one of its slots, for another one: straight, or through others that are
   not instances.  A register of which a part is written has several definitions: one of them must do. */
static bool waits_for(const struct unit_loop *loop, unsigned use, const char *slot, unsigned before)
{
    unsigned place = bench_slot_named(&loop->instructions[use], slot);
    assert_true(place != NO_SLOT);
    const struct bench_slot *from = &loop->instructions[use].slots[place];
    if (!from->reads) /* merged: def_use does not call that a use */
        return true;
    if (from->domain == domain_MMX) {
        unsigned writer = writer_of(loop, use, from);
        return writer == before || (!loop->is_instance[writer] && leads_to(loop, before, writer, MOST_LINKS));
    }
    for (uint32_t i = 0; i < loop->snippets.model.def_use.count; i++) {
        const struct def_use *row = model_def_use(&loop->snippets.model, i);
        if (row->use != use + 1 || !row->definition ||
            !is_in_slot(loop, row->register_, &loop->instructions[use].slots[place]))
            continue;
        unsigned definition = row->definition - 1;
        if (definition == before ||
            (!loop->is_instance[definition] && leads_to(loop, before, definition, MOST_LINKS)))
            return true;
    }
    return false;
}

static unsigned wrong_plans;

static void fail_plan(const struct unit_loop *loop, const struct bench_planned *planned, const char *why)
{
    printf("%s: %s\n", planned->name, why);
    for (unsigned i = 0; i < loop->count; i++)
        printf("    %s\n", loop->instructions[i].description.text);
    wrong_plans++;
}

/* Each instance waits, by the slot `from`, for the instance before it. */
static void check_chain(const struct unit_loop *loop, const struct bench_planned *planned)
{
    int instances[MOST_CODE];
    unsigned count = 0;
    for (unsigned i = 0; i < loop->count; i++)
        if (loop->is_instance[i])
            instances[count++] = (int)i;
    /* A partner may have the form itself. */
    if (count != planned->instances) {
        bool is_partner = false;
        for (unsigned p = 0; p < partner_COUNT; p++)
            is_partner |= planned->partners[p] > 0;
        if (!is_partner || count < planned->instances)
            fail_plan(loop, planned, "number of instances");
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (unsigned)instances[i], before = (unsigned)instances[(i + count - 1) % count];
        if (!waits_for(loop, at, planned->from, before)) {
            fail_plan(loop, planned, "an instance does not wait for the one before");
            return;
        }
    }
}

static void check_independent(const struct unit_loop *loop, const struct bench_planned *planned)
{
    for (uint32_t i = 0; i < loop->snippets.model.def_use.count; i++) {
        const struct def_use *row = model_def_use(&loop->snippets.model, i);
        if (row->definition && row->definition != row->use && loop->is_instance[row->definition - 1] &&
            loop->is_instance[row->use - 1]) {
            fail_plan(loop, planned, "copies wait for each other");
            return;
        }
    }
}

/* x87: how much higher the stack is after an instruction, by its name. */
static int stack_change(const char *text)
{
    char name[16] = {0};
    static const char *const pushes[] = {"fptan", "fsincos", "fxtract"}, *const pops[] = {"fyl2x", "fyl2xp1",
                                                                                          "fpatan"};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    size_t length = strlen(name);
    for (unsigned i = 0; i < 3; i++) {
        if (!strcmp(name, pushes[i]))
            return 1;
        if (!strcmp(name, pops[i]))
            return -1;
    }
    if (!strncmp(name, "fld", 3) || !strcmp(name, "fild") || !strcmp(name, "fbld"))
        return 1;
    if (!strcmp(name + length - 3, "stp") && name[1] != 's' && name[1] != 'i' && name[1] != 'b')
        return 0; /* fdecstp */
    if (!strcmp(name, "fincstp"))
        return 0;
    return name[length - 1] != 'p' ? 0 : !strcmp(name, "fnop") ? 0 : name[length - 2] == 'p' ? -2 : -1;
}

/* The unit leaves the stack of x87 as it was, and never holds more than eight numbers. */
static void check_stack(const struct unit_loop *loop, const struct bench_planned *planned)
{
    int height = 6;
    for (unsigned i = 0; i < loop->count; i++) {
        height += stack_change(loop->instructions[i].description.text);
        if (height > 8 || height < 2)
            fail_plan(loop, planned, "the stack of x87 is too high or too low");
    }
    if (height != 6)
        fail_plan(loop, planned, "the stack of x87 moves");
}

static bool is_x87(enum isa isa, const char *form)
{
    return isa == isa_X86_64 && form[0] == 'f';
}

static bool has_fixed_chain(enum isa isa, const char *form)
{
    struct bench_instruction sample;
    assert_true(bench_sample(&sample, isa, form));
    bool is_stack = false, is_stepped = false;
    for (unsigned i = 0; i < sample.slot_count; i++) {
        is_stack |=
            sample.isa == isa_X86_64 && sample.slots[i].role == role_HIDDEN && sample.slots[i].number == 4;
        is_stepped |= sample.slots[i].role == role_BASE && sample.slots[i].writes;
    }
    return bench_has_fixed_chain(&sample) || is_stack || is_stepped;
}

/* Plans a form and proves its tests. */
static enum bench_refusal check_form(struct array *planned, enum isa isa, const char *form)
{
    static struct unit_loop loop;
    size_t first = planned->count;
    enum bench_refusal refusal = bench_plan_form(planned, isa, form);
    for (size_t i = first; i < planned->count; i++) {
        const struct bench_planned *next = ARRAY_AT(struct bench_planned, planned, i);
        loop_make(&loop, isa, form, next);
        if (is_x87(isa, form))
            check_stack(&loop, next);
        else if (next->kind == bench_LATENCY)
            check_chain(&loop, next);
        else if (next->kind == bench_THROUGHPUT && !has_fixed_chain(isa, form))
            check_independent(&loop, next);
        snippets_end(&loop.snippets);
    }
    return refusal;
}

static void check_forms(enum isa isa, size_t least_tests, double least_share)
{
    struct array planned = ARRAY_OF(struct bench_planned);
    size_t forms = 0, refused = 0, untested = 0;
    char form[96];
    for (; bench_common_form(isa, forms, form); forms++) {
        size_t first = planned.count;
        refused += check_form(&planned, isa, form) != refusal_NONE;
        untested += planned.count == first;
    }
    printf("%zu forms, %zu tests, %zu refused, %zu without a test\n", forms, planned.count, refused,
           untested);
    assert_true(planned.count >= least_tests);
    assert_true((double)untested <= (1 - least_share) * (double)forms);
    assert_int_equal(wrong_plans, 0);
    bench_plan_free(&planned);
}

/* Every form of a machine has a test, or a reason why not. */
static void check_machine(const char *name, enum isa isa, unsigned stride, double least_share)
{
    const char *const folders[] = {MACHINES};
    struct error error = {0};
    struct machine *machine = machine_load(name, folders, 1, &error);
    assert_non_null(machine);
    size_t forms = 0, tests = 0, refused[refusal_COUNT] = {0};
    if (getenv("GAUGE_STRIDE"))
        stride = (unsigned)atoi(getenv("GAUGE_STRIDE"));
    for (size_t i = 0; i < machine->forms.count; i += stride ? stride : 1) {
        const struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        struct array planned = ARRAY_OF(struct bench_planned);
        if (form->is_missing || strchr(form->text, '*'))
            continue;
        forms++;
        enum bench_refusal refusal = check_form(&planned, isa, form->text);
        refused[refusal]++;
        tests += planned.count;
        if ((refusal == refusal_NONE) != (planned.count > 0)) {
            printf("%s: neither a test nor a reason\n", form->text);
            wrong_plans++;
        }
        bench_plan_free(&planned);
    }
    printf("%s: %zu forms, %zu tests\n", name, forms, tests);
    for (unsigned i = 1; i < refusal_COUNT; i++)
        printf("    %zu: %s\n", refused[i], bench_refusal_words[i]);
    assert_true((double)refused[refusal_NONE] >= least_share * (double)forms);
    assert_int_equal(wrong_plans, 0);
    machine_free(machine);
}

static void test_aarch64(void **state)
{
    (void)state;
    check_forms(isa_AARCH64, 600, 0.9);
}

static void test_x86(void **state)
{
    (void)state;
    check_forms(isa_X86_64, 600, 0.9);
}

static void test_machines(void **state)
{
    (void)state;
    check_machine("sapphire-rapids", isa_X86_64, 23, 0.95);
    check_machine("neoverse-v1", isa_AARCH64, 23, 0.5);
}

/* Flows that must be there, and what closes them. */
static void test_flows(void **state)
{
    (void)state;
    struct array planned = ARRAY_OF(struct bench_planned);
    assert_int_equal(bench_plan_form(&planned, isa_AARCH64, "fmadd d,d,d,d"), refusal_NONE);
    assert_int_equal(bench_plan_form(&planned, isa_AARCH64, "scvtf d,x"), refusal_NONE);
    assert_int_equal(bench_plan_form(&planned, isa_AARCH64, "b.cond rel"), refusal_CONTROL);
    assert_int_equal(bench_plan_form(&planned, isa_AARCH64, "svc i"), refusal_CONTROL);
    assert_int_equal(bench_plan_form(&planned, isa_X86_64, "frobnicate"), refusal_NO_SAMPLE);
    static const char *const names[] = {"fmadd d,d,d,d|2>1", "fmadd d,d,d,d|3>1",
                                        "fmadd d,d,d,d|4>1", "fmadd d,d,d,d|throughput",
                                        "scvtf d,x|2>1",     "scvtf d,x|throughput"};
    const struct bench_planned *crossing = NULL;
    size_t count = 0;
    for (size_t i = 0; i < planned.count; i++) {
        const struct bench_planned *next = ARRAY_AT(struct bench_planned, &planned, i);
        assert_true(next->is_spaced || count < sizeof names / sizeof *names);
        if (!next->is_spaced)
            assert_string_equal(next->name, names[count++]);
        if (!strcmp(next->name, "scvtf d,x|2>1"))
            crossing = next;
    }
    assert_int_equal(count, sizeof names / sizeof *names);
    assert_non_null(crossing);
    assert_int_equal(crossing->partners[partner_V_TO_G], 1);
    assert_int_equal(crossing->instances, 1);
    bench_plan_free(&planned);
}

/* Spaced chains: which links they have, and how many. */
static void test_spaced(void **state)
{
    (void)state;
    static const struct {
        enum isa isa;
        const char *form, *name;
        enum bench_partner link;
        unsigned links; /* of an instance; 0: there is no such test */
    } cases[] = {{isa_X86_64, "cmpxchg r64,r64", "cmpxchg r64,r64|2>rax spaced", partner_SPACE, 5},
                 {isa_X86_64, "cmpxchg r64,r64", "cmpxchg r64,r64|rax>f spaced", partner_SPACE, 5},
                 {isa_X86_64, "phaddd xmm,xmm", "phaddd xmm,xmm|2>1 spaced", partner_V_SPACE, 3},
                 {isa_X86_64, "vphaddd ymm,ymm,ymm", "vphaddd ymm,ymm,ymm|3>1 spaced", partner_V_SPACE, 3},
                 {isa_X86_64, "vaddps ymm,ymm,ymm", "vaddps ymm,ymm,ymm|2>1 spaced", partner_MUL32, 3},
                 {isa_X86_64, "addsd xmm,xmm", "addsd xmm,xmm|1>1 spaced", partner_MUL64, 3},
                 {isa_X86_64, "cvtsi2sd xmm,r64", "cvtsi2sd xmm,r64|2>1 spaced", partner_SPACE, 5},
                 {isa_X86_64, "adc r64,r64", "adc r64,r64|f>f spaced", partner_SPACE, 5},
                 {isa_X86_64, "kaddb k,k,k", "kaddb k,k,k|2>1 spaced", partner_SPACE, 0},
                 {isa_AARCH64, "adcs x,x,x", "adcs x,x,x|f>f spaced", partner_SPACE, 5},
                 {isa_X86_64, "push r64", "push r64|rsp>rsp spaced", partner_SPACE, 0},
                 {isa_X86_64, "div r64", "div r64|rax>rax spaced", partner_SPACE, 0},
                 {isa_AARCH64, "madd x,x,x,x", "madd x,x,x,x|2>1 spaced", partner_SPACE, 5},
                 {isa_AARCH64, "tbl 16b,{16b},16b", "tbl 16b,{16b},16b|3>1 spaced", partner_V_SPACE, 3}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct array planned = ARRAY_OF(struct bench_planned);
        const struct bench_planned *found = NULL, *before = NULL;
        bench_plan_form(&planned, cases[i].isa, cases[i].form);
        for (size_t k = 1; k < planned.count; k++)
            if (!strcmp(ARRAY_AT(struct bench_planned, &planned, k)->name, cases[i].name)) {
                found = ARRAY_AT(struct bench_planned, &planned, k);
                before = found - 1;
            }
        if (!cases[i].links)
            assert_null(found);
        else {
            assert_non_null(found);
            assert_true(found->is_variant && found->is_spaced);
            assert_false(before->is_variant);
            assert_string_equal(found->from, before->from);
            assert_string_equal(found->to, before->to);
            assert_int_equal(found->partners[cases[i].link], cases[i].links * found->instances);
            assert_int_equal(before->partners[cases[i].link], 0);
        }
        bench_plan_free(&planned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flows), cmocka_unit_test(test_spaced),
                                       cmocka_unit_test(test_aarch64), cmocka_unit_test(test_x86),
                                       cmocka_unit_test(test_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
