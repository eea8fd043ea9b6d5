/* Mixes of the forms that compilers use most, in random pairs: their code is decoded again.  It has as many
   instances of each form as its name says, in the order that was asked for, and no instance waits for one of
   the other form, but arithmetic for what a vector load loaded; results that are added to have enough
   registers for their latency; and all stores go to the same few lines. */
#include "run/bench/bench.h"
#include "run/bench/ports/mix.h"
#include "code/structure/snippet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_CODE = 64, MOST_COMMON = 400, PAIRS = 400 };

struct mix_code {
    struct bench_instruction instructions[MOST_CODE];
    unsigned count;
};

static uint64_t state;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % below;
}

static void decode(struct mix_code *unit, enum isa isa, const struct bench_planned *planned)
{
    struct snippets snippets;
    struct error error = {0};
    assert_true(snippets_begin(&snippets, isa, &error));
    assert_true(snippets_read(&snippets, planned->code.data, planned->code.count, &error));
    unit->count = (unsigned)snippets.rows.count;
    assert_true(unit->count <= MOST_CODE);
    for (unsigned i = 0; i < unit->count; i++) {
        const struct snippet_row *row = ARRAY_AT(struct snippet_row, &snippets.rows, i);
        size_t end = i + 1 < unit->count ? row[1].offset : planned->code.count;
        assert_true(bench_instruction_read(&unit->instructions[i], isa,
                                           (const uint8_t *)planned->code.data + row->offset,
                                           end - row->offset));
    }
    snippets_end(&snippets);
}

static bool has_form(const struct bench_instruction *instruction, const char *form)
{
    return !strcmp(instruction->description.form, form);
}

/* Who wrote the register of a slot last, round the loop, and how many instructions before; false: nobody. */
static bool find_writer(const struct mix_code *unit, unsigned use, const struct bench_slot *slot,
                        unsigned *writer, unsigned *distance)
{
    for (*distance = 1; *distance <= unit->count; ++*distance) {
        *writer = (use + unit->count - *distance) % unit->count;
        const struct bench_instruction *other = &unit->instructions[*writer];
        for (unsigned i = 0; i < other->slot_count; i++)
            if (other->slots[i].domain == slot->domain && other->slots[i].writes &&
                other->slots[i].number == slot->number)
                return true;
    }
    return false;
}

static unsigned times_written(const struct mix_code *unit, const struct bench_slot *slot)
{
    unsigned times = 0;
    for (unsigned i = 0; i < unit->count; i++)
        for (unsigned s = 0; s < unit->instructions[i].slot_count; s++) {
            const struct bench_slot *other = &unit->instructions[i].slots[s];
            times += other->domain == slot->domain && other->writes && other->number == slot->number;
        }
    return times;
}

static void complain(const struct mix_code *unit, const char *name, const char *why)
{
    printf("%s: %s\n", name, why);
    for (unsigned i = 0; i < unit->count; i++)
        printf("    %s\n", unit->instructions[i].description.text);
    fail();
}

static void check_counts(const struct mix_code *unit, const char *name, const struct mix_part *parts,
                         enum mix_order order)
{
    double most = order == order_TURNS ? 1.5 : 2.5;
    unsigned changes = 0;
    for (unsigned p = 0; p < 2; p++) {
        unsigned found = 0;
        for (unsigned i = 0; i < unit->count; i++)
            if (has_form(&unit->instructions[i], parts[p].form)) {
                found++;
                double share = (double)parts[p].instances * (i + 1) / unit->count;
                if (order != order_BLOCKS && fabs(found - share) > most)
                    complain(unit, name, "instances are not spread evenly");
            }
        if (found != parts[p].instances)
            complain(unit, name, "number of instances");
    }
    for (unsigned i = 1; i < unit->count; i++)
        changes += has_form(&unit->instructions[i - 1], parts[0].form) !=
                   has_form(&unit->instructions[i], parts[0].form);
    if (order == order_BLOCKS && changes != 1)
        complain(unit, name, "one form is not before the other");
    if (order == order_ROWS && changes > unit->count / 2)
        complain(unit, name, "forms are not in rows of two");
}

/* AArch64: as far as bases do not move. */
static void check_lines(const struct bench_planned *planned, const struct mix_code *unit, const char *name)
{
    enum { STORES = 0x5000, LINE = 64, LINES = 3 };
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < planned->values.count; i++) {
        const struct bench_value *value = ARRAY_AT(struct bench_value, &planned->values, i);
        if (!value->is_pointer || value->value < STORES)
            continue;
        first = value->value < first ? value->value : first;
        last = value->value > last ? value->value : last;
    }
    if (last && (last - first >= LINES * LINE || first % LINE))
        complain(unit, name, "stores go to too many lines");
}

static void check_waits(const struct mix_code *unit, const char *name, double cycles, double latency)
{
    for (unsigned i = 0; i < unit->count; i++) {
        const struct bench_instruction *reader = &unit->instructions[i];
        for (unsigned s = 0; s < reader->slot_count; s++) {
            const struct bench_slot *slot = &reader->slots[s];
            unsigned writer, distance;
            if (slot->is_fixed || slot->domain >= domain_BANKS || !slot_takes(slot) ||
                !find_writer(unit, i, slot, &writer, &distance))
                continue;
            const struct bench_instruction *other = &unit->instructions[writer];
            bool is_own = has_form(other, reader->description.form);
            bool is_loaded = other->description.encoding.class == class_LOAD && slot->domain == domain_VECTOR;
            if (!is_own && !is_loaded)
                complain(unit, name, "one form waits for the other");
            if (is_own && slot->writes && slot->role == role_OPERAND &&
                times_written(unit, slot) * latency > 1.05 * cycles)
                complain(unit, name, "a register is added to so often that the chain is the limit");
        }
    }
}

static void check_pairs(enum isa isa)
{
    static char forms[MOST_COMMON][96];
    static struct mix_code unit;
    unsigned count = 0, made = 0;
    while (count < MOST_COMMON && bench_common_form(isa, count, forms[count]))
        count++;
    state = 88172645463325252u;
    for (unsigned turn = 0; turn < PAIRS; turn++) {
        struct array planned = ARRAY_OF(struct bench_planned);
        struct array alone = ARRAY_OF(struct bench_planned);
        struct mix_part parts[2] = {{forms[draw(count)], 3 * (1 + draw(4)), 2},
                                    {forms[draw(count)], 3 * (1 + draw(4)), 2}};
        double cycles = 4;
        enum mix_order order = turn % MIX_ORDERS;
        bool is_tested = strcmp(parts[0].form, parts[1].form) &&
                         !bench_plan_form(&alone, isa, parts[0].form) &&
                         !bench_plan_form(&alone, isa, parts[1].form);
        if (is_tested && mix_plan(&planned, isa, parts, 2, order, cycles)) {
            const struct bench_planned *mix = ARRAY_AT(struct bench_planned, &planned, 0);
            char name[BENCH_NAME];
            made++;
            decode(&unit, isa, mix);
            assert_true(mix_name(parts, 2, order, name));
            assert_string_equal(mix->name, name);
            assert_int_equal(mix->kind, bench_MIX);
            check_counts(&unit, name, parts, order);
            check_lines(mix, &unit, name);
            check_waits(&unit, name, cycles, parts[0].latency);
        }
        bench_plan_free(&planned);
        bench_plan_free(&alone);
    }
    printf("%u of %u pairs\n", made, PAIRS);
    assert_true(made > PAIRS / 2);
}

static void pairs_of_aarch64_are_independent(void **unused)
{
    (void)unused;
    check_pairs(isa_AARCH64);
}

static void pairs_of_x86_are_independent(void **unused)
{
    (void)unused;
    check_pairs(isa_X86_64);
}

static bool is_made(enum isa isa, const char *a, const char *b)
{
    struct array planned = ARRAY_OF(struct bench_planned);
    struct mix_part parts[2] = {{a, 4, 1}, {b, 4, 1}};
    bool made = mix_plan(&planned, isa, parts, 2, order_TURNS, 4);
    assert_int_equal(planned.count, made);
    bench_plan_free(&planned);
    return made;
}

/* What would be slow for other reasons than ports. */
static void forms_that_disturb_each_other_are_refused(void **unused)
{
    (void)unused;
    assert_true(is_made(isa_X86_64, "addps xmm,xmm", "vaddps xmm,xmm,xmm"));
    assert_false(is_made(isa_X86_64, "addps xmm,xmm", "vaddps ymm,ymm,ymm"));
    assert_false(is_made(isa_X86_64, "adc r64,r64", "sbb r64,r64"));
    assert_true(is_made(isa_X86_64, "adc r64,r64", "add r64,r64"));
    assert_false(is_made(isa_X86_64, "mul r64", "imul r64"));
    assert_false(is_made(isa_AARCH64, "adcs x,x,x", "sbcs x,x,x"));
    assert_true(is_made(isa_AARCH64, "ldr x,[x]", "str x,[x]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_aarch64_are_independent),
        cmocka_unit_test(pairs_of_x86_are_independent),
        cmocka_unit_test(forms_that_disturb_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
