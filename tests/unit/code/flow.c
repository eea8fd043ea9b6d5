/* Reaching definitions and liveness against a naive fixpoint on random graphs: sets of definitions at every
   instruction, repeated until nothing changes.  It shares nothing with the code but the rules. */
#include "flow_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

enum { MOST_CODE = 62, MOST_UNITS = 260, ENTRY = 63 };

/* What happens to each register at each instruction; in the order reads, writes. */
struct effect {
    bool reads, writes, keeps, is_hidden, has_no_row;
};

struct sketch {
    uint32_t units, code, blocks;
    uint32_t start[16], registers[MOST_UNITS];
    bool turns[16], is_open[16], is_call[MOST_CODE];
    bool is_returned[MOST_UNITS], is_touched[MOST_UNITS];
    struct effect effects[MOST_CODE][MOST_UNITS];
    bool edges[16][16];
    uint32_t turning[3][2]; /* ranges of units that turn together */
};

static uint64_t sets[MOST_UNITS], at_use[MOST_CODE][MOST_UNITS], at_start[16][MOST_UNITS];
static bool live[16][MOST_UNITS];

/* The register that a value is in after a branch that rotates; none (the number of units) for the last
   general and floating-point ones. */
static uint32_t turned(const struct sketch *sketch, uint32_t unit)
{
    for (unsigned i = 0; i < 3; i++) {
        uint32_t from = sketch->turning[i][0], to = sketch->turning[i][1];
        if (unit >= from && unit < to)
            return unit + 1 < to ? unit + 1 : i == 2 ? from : sketch->units;
    }
    return unit;
}

static void run_block(const struct sketch *sketch, uint32_t block)
{
    memcpy(sets, at_start[block], sizeof sets);
    for (uint32_t i = sketch->start[block]; i < sketch->start[block + 1]; i++) {
        for (uint32_t u = 0; u < sketch->units; u++) {
            const struct effect *effect = &sketch->effects[i][u];
            at_use[i][u] = effect->reads ? sets[u] : 0;
            if (effect->writes)
                sets[u] = (effect->keeps ? sets[u] : 0) | UINT64_C(1) << i;
        }
    }
}

static void reach(const struct sketch *sketch)
{
    memset(at_start, 0, sizeof at_start);
    for (uint32_t b = 0; b < sketch->blocks; b++) {
        bool is_entry = b == 0, has_one = false;
        for (uint32_t p = 0; p < sketch->blocks; p++)
            has_one |= sketch->edges[p][b];
        for (uint32_t u = 0; u < sketch->units; u++)
            at_start[b][u] = is_entry || !has_one ? UINT64_C(1) << ENTRY : 0;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = 0; b < sketch->blocks; b++) {
            run_block(sketch, b);
            for (uint32_t s = 0; s < sketch->blocks; s++) {
                for (uint32_t u = 0; sketch->edges[b][s] && u < sketch->units; u++) {
                    uint32_t to = sketch->turns[b] ? turned(sketch, u) : u;
                    if (to == sketch->units)
                        continue;
                    uint64_t more = at_start[s][to] | sets[u];
                    has_changed |= more != at_start[s][to];
                    at_start[s][to] = more;
                }
            }
        }
    }
}

static void find_live(const struct sketch *sketch)
{
    memset(live, 0, sizeof live);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = 0; b < sketch->blocks; b++) {
            for (uint32_t u = 0; u < sketch->units; u++) {
                bool is_live = sketch->is_open[b] && sketch->is_touched[u];
                for (uint32_t s = 0; s < sketch->blocks; s++)
                    is_live |= sketch->edges[b][s] && live[s][sketch->turns[b] ? turned(sketch, u) : u];
                for (uint32_t i = sketch->start[b + 1]; i-- > sketch->start[b];) {
                    const struct effect *effect = &sketch->effects[i][u];
                    is_live = effect->reads || (is_live && !(effect->writes && !effect->keeps));
                }
                has_changed |= is_live != live[b][u];
                live[b][u] = is_live;
            }
        }
    }
}

static void check_def_use(const struct sketch *sketch, const struct model *model)
{
    size_t row = 0;
    for (uint32_t i = 0; i < sketch->code; i++) {
        for (uint32_t u = 0; u < sketch->units; u++) {
            const struct effect *effect = &sketch->effects[i][u];
            for (uint32_t d = 0; d < sketch->code; d++) {
                bool is_noise = effect->is_hidden && sketch->is_call[d] && !sketch->is_returned[u];
                if (!effect->reads || effect->has_no_row || is_noise || !(at_use[i][u] >> d & 1))
                    continue;
                assert_true(row < model->def_use.count);
                const struct def_use *found = model_def_use(model, (uint32_t)row++);
                assert_int_equal(found->use, i + 1);
                assert_int_equal(found->register_, sketch->registers[u]);
                assert_int_equal(found->definition, d + 1);
                assert_int_equal(found->is_entry_too, at_use[i][u] >> ENTRY & 1);
            }
        }
    }
    assert_int_equal(row, model->def_use.count);
}

static void check_live(const struct sketch *sketch, const struct model *model)
{
    size_t row = 0;
    for (uint32_t u = 0; u < sketch->units; u++) {
        for (uint32_t b = 0; b < sketch->blocks;) {
            uint32_t end = b;
            while (end < sketch->blocks && live[end][u])
                end++;
            if (end == b) {
                b++;
                continue;
            }
            assert_true(row < model->live_ranges.count);
            const struct live_range *range = model_live_range(model, (uint32_t)row++);
            assert_int_equal(range->function, 1);
            assert_int_equal(range->register_, sketch->registers[u]);
            assert_int_equal(range->first_block, b + 1);
            assert_int_equal(range->last_block, end);
            b = end;
        }
    }
    assert_int_equal(row, model->live_ranges.count);
}

static void check(const struct sketch *sketch, struct model *model)
{
    struct flow_options options = {.threads = 1};
    flow_build(model, &options);
    assert_int_equal(model_program(model, 1)->has_flow, 1);
    reach(sketch);
    find_live(sketch);
    check_def_use(sketch, model);
    check_live(sketch, model);
}

static void random_edges(struct sketch *sketch, struct fixture *fixture)
{
    for (uint32_t b = 0; b < sketch->blocks; b++) {
        for (uint32_t s = 0; s < sketch->blocks; s++) {
            if (random_below(sketch->blocks) >= 2)
                continue;
            sketch->edges[b][s] = true;
            fixture_edge(fixture, b + 1, s + 1);
        }
    }
}

/* i386, because its ABI is small: eax, ecx and edx are clobbered, eax and edx returned, the others preserved.
 */
static const struct {
    const char *name;
    bool is_clobbered, is_returned, is_preserved;
} integers[] = {{"eax", true, true, false},
                {"ecx", true, false, false},
                {"edx", true, true, false},
                {"ebx", false, false, true},
                {"esi", false, false, true}};

enum { CALL_CHANCE = 6 };

static void random_instruction(struct sketch *sketch, struct fixture *fixture, uint32_t i, bool is_last)
{
    bool is_call = random_below(CALL_CHANCE) == 0, is_return = is_last && random_below(3) == 0;
    enum flow flow = is_return ? flow_RETURN : is_call ? flow_CALL : flow_NEXT;
    uint32_t encoding = fixture_encoding(fixture, isa_I386, "test", class_OTHER, flow);
    sketch->is_call[i] = flow == flow_CALL;
    for (uint32_t u = 0; u < sketch->units; u++) {
        enum access access = random_below(3) ? access_NONE : 1 + random_below(3);
        bool keeps = random_below(4) == 0;
        if (flow == flow_CALL)
            access &= access_READ;
        struct effect *effect = &sketch->effects[i][u];
        *effect = (struct effect){.reads = access & access_READ, .writes = access & access_WRITE};
        effect->keeps = effect->writes && keeps;
        if (access)
            fixture_use(fixture, sketch->registers[u], access, keeps);
        sketch->is_touched[u] |= access != access_NONE;
        if (flow == flow_CALL && integers[u].is_clobbered)
            effect->writes = true, effect->keeps = false;
    }
    fixture_instruction(fixture, encoding);
}

/* Returns use results, and preserved registers that the function writes. */
static void add_returns(struct sketch *sketch, const struct model *model)
{
    bool is_written[MOST_UNITS] = {false};
    for (uint32_t i = 0; i < sketch->code; i++)
        for (uint32_t u = 0; u < sketch->units; u++)
            is_written[u] |= sketch->effects[i][u].writes && !sketch->is_call[i];
    for (uint32_t i = 0; i < sketch->code; i++) {
        uint32_t encoding = model_instruction(model, i + 1)->encoding;
        for (uint32_t u = 0; u < sketch->units && model_encoding(model, encoding)->flow == flow_RETURN; u++) {
            struct effect *effect = &sketch->effects[i][u];
            bool is_used = (integers[u].is_returned && sketch->is_touched[u]) ||
                           (integers[u].is_preserved && is_written[u]);
            if (!is_used || effect->reads)
                continue;
            effect->reads = effect->is_hidden = true;
            effect->has_no_row = !integers[u].is_returned;
        }
    }
}

static void random_programs_agree_with_a_naive_fixpoint(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 3000; round++) {
        struct fixture fixture;
        static struct sketch sketch;
        memset(&sketch, 0, sizeof sketch);
        fixture_init(&fixture, isa_I386);
        sketch.units = sizeof integers / sizeof *integers;
        for (uint32_t u = 0; u < sketch.units; u++) {
            sketch.registers[u] =
                fixture_register(&fixture, isa_I386, integers[u].name, 32, register_kind_GENERAL);
            sketch.is_returned[u] = integers[u].is_returned;
        }
        sketch.blocks = 1 + random_below(9);
        for (uint32_t b = 0; b < sketch.blocks; b++) {
            sketch.is_open[b] = random_below(20) == 0;
            fixture_block(&fixture, sketch.is_open[b] ? block_end_INDIRECT : block_end_FALL);
            sketch.start[b] = sketch.code;
            uint32_t count = 1 + random_below(6);
            for (uint32_t k = 0; k < count; k++)
                random_instruction(&sketch, &fixture, sketch.code++, k + 1 == count);
        }
        sketch.start[sketch.blocks] = sketch.code;
        random_edges(&sketch, &fixture);
        add_returns(&sketch, &fixture.model);
        check(&sketch, &fixture.model);
        model_free(&fixture.model);
    }
}

/* IA-64 with rotating registers.  Units are r32 … r127, f32 … f127, p16 … p63 and r4; few of them are used.
 */
enum { GENERALS = 96, FLOATS = 96, PREDICATES = 48, TURNING_GENERALS = 16, PLAIN = 240 };

static void make_registers(struct sketch *sketch, struct fixture *fixture)
{
    char name[16];
    for (uint32_t u = 0; u < sketch->units; u++) {
        bool is_float = u >= GENERALS, is_predicate = u >= GENERALS + FLOATS;
        if (u == PLAIN)
            strcpy(name, "f4");
        else
            snprintf(name, sizeof name, "%c%u",
                     is_predicate ? 'p'
                     : is_float   ? 'f'
                                  : 'r',
                     is_predicate ? u - GENERALS - FLOATS + 16
                     : is_float   ? u - GENERALS + 32
                                  : u + 32);
        sketch->registers[u] = fixture_register(fixture, isa_IA64, name, is_predicate ? 1 : 64,
                                                is_predicate && u != PLAIN ? register_kind_MASK
                                                : is_float                 ? register_kind_VECTOR
                                                                           : register_kind_GENERAL);
    }
    sketch->turning[0][1] = TURNING_GENERALS;
    sketch->turning[1][0] = GENERALS;
    sketch->turning[1][1] = sketch->turning[2][0] = GENERALS + FLOATS;
    sketch->turning[2][1] = PLAIN;
}

/* One of the first or last registers of each kind, so that rotation goes around. */
static uint32_t some_unit(void)
{
    static const uint32_t first[] = {
        0,     TURNING_GENERALS - 2, GENERALS, GENERALS + FLOATS - 2, GENERALS + FLOATS, PLAIN - 2,
        PLAIN, TURNING_GENERALS};
    uint32_t chosen = random_below(sizeof first / sizeof *first);
    return first[chosen] + (first[chosen] == PLAIN ? 0 : random_below(2));
}

static void add_use_of(struct sketch *sketch, uint32_t i, uint32_t unit, bool reads, bool writes, bool keeps)
{
    struct effect *effect = &sketch->effects[i][unit];
    effect->reads |= reads;
    effect->writes |= writes;
    effect->keeps |= keeps;
    sketch->is_touched[unit] = true;
}

static void finish_uses(struct sketch *sketch, struct fixture *fixture, uint32_t i)
{
    for (uint32_t u = 0; u < sketch->units; u++) {
        const struct effect *effect = &sketch->effects[i][u];
        if (effect->reads || effect->writes)
            fixture_use(fixture, sketch->registers[u],
                        (effect->reads ? access_READ : 0) | (effect->writes ? access_WRITE : 0),
                        effect->keeps);
    }
}

static void rotating_block(struct sketch *sketch, struct fixture *fixture, uint32_t b)
{
    fixture_block(fixture, block_end_FALL);
    sketch->start[b] = sketch->code;
    uint32_t count = 1 + random_below(4);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = sketch->code++;
        uint32_t encoding = fixture_encoding(fixture, isa_IA64, "test", class_OTHER, flow_NEXT);
        for (unsigned n = 1 + random_below(3); n-- > 0;) {
            bool writes = random_below(2);
            add_use_of(sketch, i, some_unit(), !writes, writes, writes && random_below(3) == 0);
        }
        finish_uses(sketch, fixture, i);
        fixture_instruction(fixture, encoding);
    }
    if (random_below(2))
        return;
    sketch->turns[b] = true;
    uint32_t branch = fixture_encoding(fixture, isa_IA64, "br", class_BRANCH, flow_BRANCH);
    model_encoding(&fixture->model, branch)->operation = operation_COUNTED_TOP;
    fixture_instruction(fixture, branch);
    sketch->effects[sketch->code++][PLAIN - 1].writes = true; /* p63 */
}

static void random_rotating_programs_agree_too(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 300; round++) {
        struct fixture fixture;
        static struct sketch sketch;
        memset(&sketch, 0, sizeof sketch);
        fixture_init(&fixture, isa_IA64);
        sketch.units = PLAIN + 1;
        make_registers(&sketch, &fixture);
        fixture_block(&fixture, block_end_FALL);
        uint32_t alloc = fixture_encoding(&fixture, isa_IA64, "alloc", class_OTHER, flow_NEXT);
        model_encoding(&fixture.model, alloc)->operation = operation_ALLOCATE;
        for (unsigned n = 0; n < 4; n++)
            fixture_operand(&fixture, operand_kind_IMMEDIATE, access_READ, 0, n == 3 ? TURNING_GENERALS : 8);
        fixture_instruction(&fixture, alloc);
        sketch.code = 1;
        sketch.blocks = 2 + random_below(6);
        for (uint32_t b = 1; b < sketch.blocks; b++)
            rotating_block(&sketch, &fixture, b);
        sketch.start[sketch.blocks] = sketch.code;
        random_edges(&sketch, &fixture);
        check(&sketch, &fixture.model);
        model_free(&fixture.model);
    }
}

/* The loop of a pipelined kernel: what f32 gets is read as f38 six rotations later. */
static void value_is_followed_through_six_rotations(void **unused)
{
    (void)unused;
    struct fixture fixture;
    static struct sketch sketch;
    memset(&sketch, 0, sizeof sketch);
    fixture_init(&fixture, isa_IA64);
    sketch.units = PLAIN + 1;
    make_registers(&sketch, &fixture);
    fixture_block(&fixture, block_end_BRANCH);
    fixture_instruction(&fixture, fixture_encoding(&fixture, isa_IA64, "ldfd", class_LOAD, flow_NEXT));
    fixture_use(&fixture, sketch.registers[GENERALS], access_WRITE, true); /* (p16) */
    fixture_instruction(&fixture, fixture_encoding(&fixture, isa_IA64, "fma", class_FMA, flow_NEXT));
    fixture_use(&fixture, sketch.registers[GENERALS + 6], access_READ, false);
    uint32_t branch = fixture_encoding(&fixture, isa_IA64, "br", class_BRANCH, flow_BRANCH);
    model_encoding(&fixture.model, branch)->operation = operation_COUNTED_TOP;
    fixture_instruction(&fixture, branch);
    fixture_edge(&fixture, 1, 1);
    flow_build(&fixture.model, &(struct flow_options){.threads = 1});
    assert_int_equal(fixture.model.def_use.count, 1);
    assert_int_equal(model_def_use(&fixture.model, 0)->use, 2);
    assert_int_equal(model_def_use(&fixture.model, 0)->register_, sketch.registers[GENERALS + 6]);
    assert_int_equal(model_def_use(&fixture.model, 0)->definition, 1);
    assert_int_equal(model_def_use(&fixture.model, 0)->is_entry_too, 1);
    model_free(&fixture.model);
}

/* Shapes on which recursion or a bitset of definitions for each block would break. */
static void long_chains_and_many_definitions(void **unused)
{
    (void)unused;
    enum { BLOCKS = 200000 };
    struct fixture fixture;
    fixture_init(&fixture, isa_I386);
    uint32_t eax = fixture_register(&fixture, isa_I386, "eax", 32, register_kind_GENERAL);
    uint32_t ebx = fixture_register(&fixture, isa_I386, "ebx", 32, register_kind_GENERAL);
    uint32_t writes = fixture_encoding(&fixture, isa_I386, "test", class_OTHER, flow_NEXT);
    fixture_use(&fixture, eax, access_WRITE, true);
    uint32_t reads = fixture_encoding(&fixture, isa_I386, "test", class_OTHER, flow_NEXT);
    fixture_use(&fixture, eax, access_READ, false);
    fixture_use(&fixture, ebx, access_READ, false);
    for (uint32_t b = 1; b <= BLOCKS; b++) {
        fixture_block(&fixture, block_end_BRANCH);
        fixture_instruction(&fixture, b % 2 ? writes : reads);
        if (b > 2)
            fixture_edge(&fixture, b, b - 2);
        if (b < BLOCKS)
            fixture_edge(&fixture, b, b + 1);
    }
    flow_build(&fixture.model, &(struct flow_options){.threads = 2});
    assert_int_equal(fixture.model.live_ranges.count, 2);
    assert_int_equal(model_live_range(&fixture.model, 1)->last_block, BLOCKS);
    assert_true(fixture.model.def_use.count >= 64);
    bool is_told = false;
    for (uint32_t id = 1; id < fixture.model.problems.count; id++)
        is_told |= model_problem(&fixture.model, id)->kind == problem_kind_LIMIT;
    assert_true(is_told);
    model_free(&fixture.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_agree_with_a_naive_fixpoint),
        cmocka_unit_test(random_rotating_programs_agree_too),
        cmocka_unit_test(value_is_followed_through_six_rotations),
        cmocka_unit_test(long_chains_and_many_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
