/* Rules that newer cores switch on: sums that reach the next adder sooner, renamed memory, lines of loads and
   of stores, µops that renaming splits, jumps across borders. */
#include "back_end.h"

/* Of a chain of instructions that have the figure, only the links between two of them are short. */
static void test_chained(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, XA, XA, 3)->cost.chained = 2;
    assert_true(cycles(&fixture, cost_latency) == 2);
    struct made *multiply = compute(&fixture, XA, XA, 4);
    assert_true(cycles(&fixture, cost_latency) == 7);
    multiply->cost.chained = 2;
    assert_true(cycles(&fixture, cost_latency) == 4);
    /* What is short already stays. */
    multiply->flows[0].latency = 1;
    assert_true(cycles(&fixture, cost_latency) == 3);
    /* Another instruction between them. */
    multiply->flows[0].latency = 4;
    compute(&fixture, XA, XA, 1);
    assert_true(cycles(&fixture, cost_latency) == 3 + 2 + 1);
    end(&fixture);
}

/* A move that renaming does hands on the sum itself; a load is no sum. */
static void test_chained_through_moves(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, XA, XB, 3)->cost.chained = 2;
    compute(&fixture, XB, XA, 1);
    fixture.items[1].is_eliminated = true;
    assert_true(cycles(&fixture, cost_latency) == 2);
    fixture.items[1].is_eliminated = false;
    assert_true(cycles(&fixture, cost_latency) == 4);
    end(&fixture);
    begin(&fixture);
    struct made *sum = load(&fixture, XA, RB, 0, 8);
    sum->flows[1].latency = 3;
    sum->cost.chained = 2;
    store(&fixture, XA, RB, 0, 8);
    assert_true(cycles(&fixture, cost_latency) == 5 + 3);
    end(&fixture);
}

static void test_renamed_memory(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.renames_memory = true;
    load(&fixture, RA, RB, 16, 8);
    compute(&fixture, RA, RA, 1);
    store(&fixture, RA, RB, 16, 8);
    struct cost_access *loads = fixture.instructions[0].cost.accesses,
                       *stores = fixture.instructions[2].cost.accesses;
    assert_true(cycles(&fixture, cost_latency) == 1);
    /* An index on either side, short values, vectors. */
    loads->index = RC;
    stores->index = RC;
    loads->scale = stores->scale = 1;
    assert_true(cycles(&fixture, cost_latency) == 6);
    loads->index = stores->index = 0;
    assert_true(cycles(&fixture, cost_latency) == 1);
    loads->bytes = stores->bytes = 2;
    assert_true(cycles(&fixture, cost_latency) == 6);
    loads->bytes = stores->bytes = 8;
    stores->is_vector = true;
    assert_true(cycles(&fixture, cost_latency) == 7);
    end(&fixture);
}

/* An instruction that computes on memory is renamed if nothing but a constant goes in. */
static void test_renamed_counter(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.renames_memory = true;
    struct made *count = add(&fixture, "count");
    flows(count, RESOURCE_MEMORY, RESOURCE_MEMORY, way_MEMORY, 1);
    accesses(count, (struct cost_access){.base = RB, .bytes = 8, .loads = true, .stores = true});
    assert_true(cycles(&fixture, cost_latency) == 1);
    flows(count, RA, RESOURCE_MEMORY, way_REGISTER, 1);
    assert_true(cycles(&fixture, cost_latency) == 6);
    end(&fixture);
}

static void begin_stores(struct fixture *fixture)
{
    begin(fixture);
    fixture->machine.stores = 2;
    fixture->machine.core.store_bytes = 32;
    fixture->machine.core.store_line = 64;
}

/* Two stores of a cycle are neighbours and in one line. */
static void test_lines_of_stores(void **state)
{
    (void)state;
    struct fixture fixture;
    begin_stores(&fixture);
    store(&fixture, RA, RB, 0, 8);
    store(&fixture, RA, RC, 0, 8);
    assert_true(cycles(&fixture, cost_stores) == 2);
    store(&fixture, RA, RB, 8, 8);
    store(&fixture, RA, RC, 8, 8);
    assert_true(cycles(&fixture, cost_stores) == 4);
    end(&fixture);
    begin_stores(&fixture);
    store(&fixture, RA, RB, 0, 8);
    store(&fixture, RA, RB, 8, 8);
    store(&fixture, RA, RC, 0, 8);
    store(&fixture, RA, RC, 56, 8);
    assert_true(cycles(&fixture, cost_stores) == 2);
    /* Too far for one line, either way. */
    fixture.instructions[3].cost.accesses[0].displacement = 60;
    assert_true(cycles(&fixture, cost_stores) == 3);
    fixture.instructions[3].cost.accesses[0].displacement = -60;
    assert_true(cycles(&fixture, cost_stores) == 3);
    fixture.machine.core.store_line = 0;
    assert_true(cycles(&fixture, cost_stores) == 2);
    end(&fixture);
}

/* A pair that takes the place of several loads. */
static void test_load_turns(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.loads = 3;
    struct made *pair = load(&fixture, RA, RB, 0, 16);
    load(&fixture, RC, RB, 16, 8);
    assert_true(fabs(cycles(&fixture, cost_loads) - 2. / 3) < 1e-9);
    pair->cost.load_turns = 3;
    assert_true(fabs(cycles(&fixture, cost_loads) - 4. / 3) < 1e-9);
    pair->cost.load_turns = 1;
    pair->cost.accesses[0].bytes = 32;
    assert_true(fabs(cycles(&fixture, cost_loads) - 1) < 1e-9);
    end(&fixture);
}

/* Stores through different registers that move together and leave holes are pieces of one array. */
static void test_gaps(void **state)
{
    (void)state;
    struct fixture fixture;
    begin_stores(&fixture);
    fixture.machine.core.store_ports = 3;
    uses(&fixture, store(&fixture, RA, RB, 0, 16), 3, 1);
    uses(&fixture, store(&fixture, RA, RC, 0, 16), 3, 1);
    add_constant(&fixture, RB, 32);
    add_constant(&fixture, RC, 32);
    assert_true(cycles(&fixture, cost_stores) == 1);
    /* No holes; different steps; steps beyond a line. */
    fixture.instructions[2].cost.step.constant = fixture.instructions[3].cost.step.constant = 16;
    assert_true(cycles(&fixture, cost_stores) == 2);
    fixture.instructions[2].cost.step.constant = 32;
    assert_true(cycles(&fixture, cost_stores) == 2);
    fixture.instructions[2].cost.step.constant = fixture.instructions[3].cost.step.constant = 128;
    assert_true(cycles(&fixture, cost_stores) == 2);
    fixture.instructions[2].cost.step.constant = fixture.instructions[3].cost.step.constant = -32;
    assert_true(cycles(&fixture, cost_stores) == 1);
    /* Others need the pipes of the data. */
    uses(&fixture, add(&fixture, "fadd"), 6, 1);
    assert_true(cycles(&fixture, cost_stores) == 2);
    end(&fixture);
}

/* A store whose address is loaded, or that moves by lines, beside loads. */
static void test_own_lines(void **state)
{
    (void)state;
    struct fixture fixture;
    begin_stores(&fixture);
    fixture.block.mode = cost_LOOP;
    fixture.machine.core.store_own_line = 1.5;
    struct made *index = add(&fixture, "ldr");
    index->writes[index->cost.write_count++] = RC;
    flows(index, RESOURCE_MEMORY, RC, way_MEMORY, 0);
    flows(index, RD, RC, way_BASE, 4);
    accesses(index, (struct cost_access){.base = RD, .bytes = 8, .loads = true});
    struct made *scaled = add(&fixture, "lsl");
    scaled->writes[scaled->cost.write_count++] = RC;
    flows(scaled, RC, RC, way_REGISTER, 1);
    store(&fixture, RA, RC, 0, 8);
    /* A pointer that is loaded again from one place. */
    assert_true(cycles(&fixture, cost_stores) == 0.5);
    add_constant(&fixture, RD, 8);
    assert_true(cycles(&fixture, cost_stores) == 1.5);
    /* A second one beside it in the line costs nothing. */
    store(&fixture, RA, RC, 8, 8);
    assert_true(cycles(&fixture, cost_stores) == 1.5);
    /* The address no longer comes from the load. */
    scaled->flows[0].from = RB;
    assert_true(cycles(&fixture, cost_stores) == 1);
    end(&fixture);
    begin_stores(&fixture);
    fixture.block.mode = cost_LOOP;
    fixture.machine.core.store_own_line = 1.5;
    store(&fixture, RA, RB, 0, 8);
    add_constant(&fixture, RB, 64);
    assert_true(cycles(&fixture, cost_stores) == 0.5);
    accesses(add(&fixture, "ldr"), (struct cost_access){.base = RD, .bytes = 8, .loads = true});
    assert_true(cycles(&fixture, cost_stores) == 1.5);
    fixture.instructions[1].cost.step.constant = 56;
    assert_true(cycles(&fixture, cost_stores) == 0.5);
    end(&fixture);
}

/* Across iterations: the next store follows the last one, or is elsewhere; wide ones take a cycle each. */
static void test_lines_of_later_stores(void **state)
{
    (void)state;
    struct fixture fixture;
    begin_stores(&fixture);
    store(&fixture, RA, RB, 0, 8);
    store(&fixture, RA, RB, 8, 8);
    store(&fixture, RA, RB, 16, 8);
    add_constant(&fixture, RB, 24);
    assert_true(cycles(&fixture, cost_stores) == 1.5);
    fixture.instructions[3].cost.step.constant = 640;
    assert_true(cycles(&fixture, cost_stores) == 2);
    /* Nobody knows where it goes on. */
    fixture.instructions[3].cost.step.to = RESOURCE_NONE;
    assert_true(cycles(&fixture, cost_stores) == 2);
    for (unsigned i = 0; i < 3; i++)
        fixture.instructions[i].cost.accesses[0].bytes = 64;
    assert_true(cycles(&fixture, cost_stores) == 3);
    end(&fixture);
}

static void begin_loads(struct fixture *fixture)
{
    begin(fixture);
    fixture->machine.loads = 3;
    fixture->machine.core.load_bytes = 64;
    fixture->machine.core.wide_load = 32;
    fixture->machine.core.wide_loads = 2;
    fixture->machine.core.load_line = 64;
}

static bool is_near(double one, double other)
{
    return fabs(one - other) < 1e-9;
}

static void test_wide_loads(void **state)
{
    (void)state;
    struct fixture fixture;
    begin_loads(&fixture);
    load(&fixture, XA, RA, 0, 64);
    load(&fixture, XA, RA, 64, 64);
    assert_true(is_near(cycles(&fixture, cost_loads), 1));
    load(&fixture, XA, RB, 0, 8);
    assert_true(is_near(cycles(&fixture, cost_loads), 1 + 1 / 3.0));
    fixture.machine.core.wide_loads = 0;
    assert_true(is_near(cycles(&fixture, cost_loads), 1));
    end(&fixture);
}

/* However the data lies, some of these cross a line. */
static void test_lines_of_loads(void **state)
{
    (void)state;
    struct fixture fixture;
    begin_loads(&fixture);
    load(&fixture, XA, RA, 0, 64);
    load(&fixture, XA, RA, 8, 64);
    load(&fixture, XA, RA, 16, 64);
    assert_true(is_near(cycles(&fixture, cost_loads), 2.5));
    /* Of another array nothing is known. */
    load(&fixture, XB, RB, 8, 64);
    assert_true(is_near(cycles(&fixture, cost_loads), 3));
    /* Distances of whole lines. */
    fixture.instructions[1].cost.accesses[0].displacement = -64;
    fixture.instructions[2].cost.accesses[0].displacement = 640;
    assert_true(is_near(cycles(&fixture, cost_loads), 2));
    end(&fixture);
    /* Halves of a line, and such that are off by 4 bytes: of 0, 32, 4 and 36 the last crosses. */
    begin_loads(&fixture);
    for (int i = 0; i < 4; i++)
        load(&fixture, XA, RA, i % 2 * 32 + i / 2 * 4, 32);
    assert_true(is_near(cycles(&fixture, cost_loads), 5 / 3.0));
    /* Short loads keep to their elements. */
    for (int i = 0; i < 4; i++)
        fixture.instructions[i].cost.accesses[0].bytes = 16;
    assert_true(is_near(cycles(&fixture, cost_loads), 4 / 3.0));
    end(&fixture);
}

/* One µop, of which renaming makes two with an index. */
static void add_pattern(struct fixture *fixture, const char *pattern, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        for (const char *letter = pattern; *letter; letter++) {
            struct made *instruction = add(fixture, "one");
            instruction->cost.decoded = 1;
            instruction->cost.fused = *letter == 's' ? 2 : 1;
        }
    fixture->block.issued = 0;
    for (unsigned i = 0; i < fixture->block.count; i++)
        fixture->block.issued += fixture->instructions[i].cost.fused;
}

static double issue_of(const char *pattern, unsigned splits, unsigned reach)
{
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.issue = 6;
    fixture.machine.core.splits = splits;
    fixture.machine.core.split_reach = reach;
    add_pattern(&fixture, pattern, 1);
    double found = cycles(&fixture, cost_issue);
    end(&fixture);
    return found;
}

/* As measured on Golden Cove. */
static void test_splits(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        double cycles;
    } measured[] = {{"s", 0.5},          {"s.", 0.5},      {"s..", 1},    {"s...", 1},    {"s....", 1},
                    {"s.....", 4 / 3.0}, {"s......", 1.5}, {"ss.", 1},    {"ss..", 1},    {"ss...", 4 / 3.0},
                    {"ss.....", 2},      {"sss.", 1.5},    {"sss..", 2},  {"sss....", 2}, {".s", 0.5},
                    {"..s", 1},          {"s.s..", 1.5},   {"s..s.", 1.5}};
    for (unsigned i = 0; i < sizeof measured / sizeof measured[0]; i++)
        assert_true(is_near(issue_of(measured[i].pattern, 2, 3), measured[i].cycles));
    /* Cores that split wherever there is room. */
    assert_true(is_near(issue_of("s", 0, 0), 1 / 3.0));
    assert_true(is_near(issue_of("s..", 0, 0), 2 / 3.0));
    assert_true(is_near(issue_of("s...", 0, 0), 1));
}

/* A comparison with an index and its branch, and five others. */
static void test_kept_pairs(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.issue = 6;
    add_pattern(&fixture, "s......", 1);
    fixture.items[0].is_fused = true;
    fixture.items[1].is_absorbed = true;
    assert_true(cycles(&fixture, cost_issue) > 1);
    fixture.machine.core.keeps_pairs = true;
    fixture.block.issued = 6;
    assert_int_equal(cost_slots(&fixture.block, &fixture.items[0]), 1);
    assert_int_equal(cost_slots(&fixture.block, &fixture.items[1]), 0);
    assert_true(is_near(cycles(&fixture, cost_issue), 1));
    end(&fixture);
}

/* A comparison and a jump back at the end of a loop of three instructions. */
static double loop_at(uint64_t address, unsigned first_size, bool is_fused, uint64_t second_part)
{
    static const uint8_t sizes[] = {4, 3, 2};
    struct fixture fixture;
    begin(&fixture);
    fixture.block.mode = cost_LOOP;
    fixture.machine.branches = 2;
    fixture.machine.taken = 1;
    fixture.machine.core.branch_border = 64;
    for (unsigned i = 0; i < 3; i++) {
        struct made *instruction = add(&fixture, "part");
        instruction->cost.size = i ? sizes[i] : (uint8_t)first_size;
        instruction->cost.is_branch = i == 2;
        fixture.items[i].address = address;
        address += instruction->cost.size;
        if (!i && second_part)
            address = second_part;
    }
    fixture.items[1].is_fused = is_fused;
    fixture.items[2].is_absorbed = is_fused;
    double found = cycles(&fixture, cost_branches);
    end(&fixture);
    return found;
}

static void test_borders(void **state)
{
    (void)state;
    assert_true(loop_at(0, 4, true, 0) == 1);
    for (unsigned place = 50; place < 64; place++) {
        uint64_t compare = place + 4, jump = place + 7;
        bool crosses = (compare < 64 && compare + 3 > 64) || (jump < 64 && jump + 2 > 64);
        assert_true(loop_at(place, 4, true, 0) == (crosses ? 2 : 1));
        assert_true(loop_at(place, 4, false, 0) == 1);
    }
}

/* Jumps over an instruction, b without a condition and c with one, and the branch back. */
static double jumps(const char *kinds, bool pair)
{
    struct fixture fixture;
    uint64_t address = 64;
    begin(&fixture);
    fixture.block.mode = cost_LOOP;
    fixture.machine.branches = 8;
    fixture.machine.taken = 1;
    fixture.machine.core.jumps_pair = pair;
    for (const char *kind = kinds;; kind++) {
        struct made *instruction = add(&fixture, "part");
        instruction->cost.size = 4;
        instruction->cost.is_branch = true;
        instruction->cost.is_conditional = *kind != 'b';
        fixture.items[kind - kinds].address = address;
        address += 8;
        if (!*kind)
            break;
    }
    double found = cycles(&fixture, cost_branches);
    end(&fixture);
    return found;
}

/* As measured on Neoverse V1. */
static void test_pairs_of_jumps(void **state)
{
    static const struct {
        const char *kinds;
        double cycles;
    } measured[] = {{"", 1},     {"c", 2},    {"b", 1},    {"bc", 2},  {"cb", 2},  {"bb", 2},
                    {"bbc", 3},  {"bcb", 2},  {"cbb", 3},  {"ccb", 3}, {"bcc", 3}, {"bcbc", 3},
                    {"cbcb", 3}, {"bbbb", 3}, {"bbcc", 4}, {"ccbb", 4}};
    (void)state;
    for (unsigned i = 0; i < sizeof measured / sizeof *measured; i++) {
        assert_true(jumps(measured[i].kinds, true) == measured[i].cycles);
        assert_true(jumps(measured[i].kinds, false) == (double)strlen(measured[i].kinds) + 1);
    }
}

/* A path that starts in the middle of its loop and falls through to there: its last branch is not taken. */
static void test_falls_through(void **state)
{
    (void)state;
    assert_true(loop_at(105, 4, true, 100) == 0.5);
    struct fixture fixture;
    begin(&fixture);
    fixture.block.mode = cost_LOOP;
    fixture.machine.branches = 2;
    fixture.machine.taken = 1;
    for (unsigned i = 0; i < 2; i++) {
        struct made *instruction = add(&fixture, "part");
        instruction->cost.size = 2;
        instruction->cost.is_branch = true;
    }
    fixture.items[0].address = 10;
    fixture.items[1].address = 8;
    assert_true(cycles(&fixture, cost_branches) == 1);
    fixture.items[1].address = 20;
    assert_true(cycles(&fixture, cost_branches) == 2);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chained),
        cmocka_unit_test(test_chained_through_moves),
        cmocka_unit_test(test_renamed_memory),
        cmocka_unit_test(test_renamed_counter),
        cmocka_unit_test(test_lines_of_stores),
        cmocka_unit_test(test_load_turns),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_own_lines),
        cmocka_unit_test(test_lines_of_later_stores),
        cmocka_unit_test(test_wide_loads),
        cmocka_unit_test(test_lines_of_loads),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_kept_pairs),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_falls_through),
        cmocka_unit_test(test_pairs_of_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
