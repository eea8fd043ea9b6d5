/* Latency through memory and forwarding that fails: which loads meet which stores. */
#include "back_end.h"

/* a place in memory is counted up: forward + 1. */
static void test_same_place(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    load(&fixture, RA, RB, 16, 8);
    compute(&fixture, RA, RA, 1);
    store(&fixture, RA, RB, 16, 8);
    assert_true(cycles(&fixture, cost_latency) == 6);
    const uint8_t marks[] = {1, 1, 1};
    assert_memory_equal(fixture.marks, marks, sizeof marks);
    assert_true(cycles(&fixture, cost_forwarding) == 0);
    /* Another place. */
    fixture.instructions[0].cost.accesses[0].displacement = 24;
    assert_true(cycles(&fixture, cost_latency) == 0);
    /* Within the store. */
    fixture.instructions[0].cost.accesses[0].displacement = 20;
    fixture.instructions[0].cost.accesses[0].bytes = 4;
    assert_true(cycles(&fixture, cost_latency) == 6);
    /* Vectors take longer. */
    fixture.instructions[0].cost.accesses[0].is_vector = true;
    assert_true(cycles(&fixture, cost_latency) == 7);
    /* A core that renames memory, and one of which nothing is known. */
    fixture.instructions[0].cost.accesses[0].is_vector = false;
    fixture.machine.core.forward = 0;
    assert_true(cycles(&fixture, cost_latency) == 1);
    fixture.machine.core.forward_vector = 0;
    assert_true(cycles(&fixture, cost_latency) == 0);
    end(&fixture);
}

/* A place is counted up and loaded again: both loads wait for the store. With three loads in an iteration,
   which take two ports in turn, they have the same one, and the next iteration's comes second. */
static void test_forward_again(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.load_ports = 0xc;
    fixture.machine.core.forward_again = 1;
    load(&fixture, RA, RB, 16, 8);
    compute(&fixture, RA, RA, 1);
    store(&fixture, RA, RB, 16, 8);
    load(&fixture, RC, RB, 16, 8);
    assert_true(cycles(&fixture, cost_latency) == 6);
    load(&fixture, RC, RD, 0, 8);
    assert_true(cycles(&fixture, cost_latency) == 7);
    /* The second load is of another place; or nothing is known of ports. */
    fixture.instructions[3].cost.accesses[0].displacement = 32;
    assert_true(cycles(&fixture, cost_latency) == 6);
    fixture.instructions[3].cost.accesses[0].displacement = 16;
    fixture.machine.core.load_ports = 0;
    assert_true(cycles(&fixture, cost_latency) == 6);
    end(&fixture);
}

/* One instruction that loads, computes and stores. */
static void test_one_instruction(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct made *count = add(&fixture, "count");
    flows(count, RESOURCE_MEMORY, RESOURCE_MEMORY, way_MEMORY, 1);
    flows(count, RB, RESOURCE_MEMORY, way_BASE, 10);
    accesses(count, (struct cost_access){.base = RB, .bytes = 8, .loads = true, .stores = true});
    assert_true(cycles(&fixture, cost_latency) == 6);
    /* It goes on to another place each time. */
    add_constant(&fixture, RB, 8);
    assert_true(cycles(&fixture, cost_latency) == 1);
    end(&fixture);
}

/* The base changes in between: not provable, unless by a constant. */
static void test_changed_base(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    load(&fixture, RA, RB, 0, 8);
    store(&fixture, RA, RB, 8, 8);
    struct made *step = add_constant(&fixture, RB, 8);
    /* What an iteration stores the next one loads. */
    assert_true(cycles(&fixture, cost_latency) == 5);
    step->cost.step.constant = 4;
    /* The next but one, which the store of the next overwrites by half: that one fails. */
    assert_true(cycles(&fixture, cost_latency) == 13);
    step->cost.step.constant = -8;
    assert_true(cycles(&fixture, cost_latency) == 1);
    step->cost.step = (struct cost_step){0};
    assert_true(cycles(&fixture, cost_latency) == 1);
    end(&fixture);
}

/* A recurrence over three iterations: a[i] = f(a[i - 3]). */
static void test_far_store(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    load(&fixture, RA, RB, -24, 8);
    compute(&fixture, RA, RA, 10);
    store(&fixture, RA, RB, 0, 8);
    add_constant(&fixture, RB, 8);
    assert_true(cycles(&fixture, cost_latency) == 5);
    /* With an index that counts elements. */
    for (unsigned i = 0; i < 3; i += 2) {
        fixture.instructions[i].cost.accesses[0].base = RC;
        fixture.instructions[i].cost.accesses[0].index = RB;
        fixture.instructions[i].cost.accesses[0].scale = 8;
    }
    fixture.instructions[3].cost.step.constant = 1;
    assert_true(cycles(&fixture, cost_latency) == 5);
    fixture.instructions[3].cost.step.constant = 2;
    assert_true(cycles(&fixture, cost_latency) == 1);
    end(&fixture);
}

/* A pointer that is copied, and pushes and pops. */
static void test_copies_and_stack(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    steps(compute(&fixture, RC, RB, 1), RC, RB, 32);
    store(&fixture, RA, RC, -32, 8);
    load(&fixture, RA, RB, 0, 8);
    assert_true(cycles(&fixture, cost_latency) == 5);
    end(&fixture);
    begin(&fixture);
    struct made *push = steps(store(&fixture, RA, RS, -8, 8), RS, RS, -8);
    struct made *pop = steps(load(&fixture, RA, RS, 0, 8), RS, RS, 8);
    push->cost.uses_stack_engine = pop->cost.uses_stack_engine = true;
    flows(push, RS, RS, way_REGISTER, 1);
    flows(pop, RS, RS, way_REGISTER, 1);
    assert_true(cycles(&fixture, cost_latency) == 5);
    end(&fixture);
}

/* The last store before the load counts, whatever others did. */
static void test_last_store(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, RA, RA, 3);
    store(&fixture, RA, RB, 0, 8);
    store(&fixture, RC, RB, 0, 8);
    load(&fixture, RA, RB, 0, 8);
    assert_true(cycles(&fixture, cost_latency) == 0);
    end(&fixture);
}

static void test_failed(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    store(&fixture, RA, RB, 0, 4);
    load(&fixture, RC, RB, 0, 8);
    assert_true(cycles(&fixture, cost_latency) == 0);
    /* No value goes round, but the store waits for the load before it to retire. */
    assert_true(cycles(&fixture, cost_forwarding) == 13);
    const uint8_t marks[] = {1, 1};
    assert_memory_equal(fixture.marks, marks, sizeof marks);
    /* Stores before it go to the cache first. */
    fixture.block.count = fixture.block.issued = 0;
    store(&fixture, RA, RC, 0, 8);
    store(&fixture, RA, RC, 8, 8);
    store(&fixture, RA, RB, 0, 4);
    load(&fixture, RC, RB, 0, 8);
    store(&fixture, RA, RD, 8, 8);
    assert_true(cycles(&fixture, cost_forwarding) == 16);
    /* Two stores, then two loads: both wait at the same time. */
    fixture.block.count = fixture.block.issued = 0;
    store(&fixture, RA, RB, 0, 4);
    store(&fixture, RA, RB, 64, 4);
    load(&fixture, RC, RB, 0, 8);
    load(&fixture, RD, RB, 64, 8);
    assert_true(cycles(&fixture, cost_forwarding) == 14);
    /* Store, load, store, load: one after the other. */
    fixture.block.count = fixture.block.issued = 0;
    store(&fixture, RA, RB, 0, 4);
    load(&fixture, RC, RB, 0, 8);
    store(&fixture, RA, RB, 64, 4);
    load(&fixture, RD, RB, 64, 8);
    assert_true(cycles(&fixture, cost_forwarding) == 26);
    /* The store of the iteration before. */
    fixture.block.count = fixture.block.issued = 0;
    load(&fixture, RC, RB, 0, 8);
    store(&fixture, RA, RB, 4, 8);
    assert_true(cycles(&fixture, cost_forwarding) == 13);
    end(&fixture);
}

/* Neoverse V1: the figures of each line were measured. */
static void test_pieces(void **state)
{
    static const struct {
        unsigned stores[4], at[4], load, from;
        bool is_pair, fails;
    } cases[] = {
        {{4, 4}, {0, 4}, 8, 0, false, true},   /* str w, str w, ldr x */
        {{8, 8}, {0, 8}, 16, 0, false, false}, /* str x, str x, ldr q */
        {{8}, {8}, 16, 0, false, false},       /* half of it comes from the cache */
        {{4, 4, 8}, {0, 4, 8}, 16, 0, false, true},
        {{8}, {0}, 4, 4, false, false}, /* the second half */
        {{8}, {0}, 1, 4, false, false},
        {{8}, {0}, 4, 2, false, true},
        {{8}, {0}, 1, 3, false, true},
        {{16}, {0}, 4, 4, false, true},
        {{16}, {0}, 8, 8, false, false},
        {{32}, {0}, 8, 24, false, false}, /* stp q, q */
        {{16, 16}, {0, 16}, 16, 8, false, false},
        {{4, 4}, {0, 4}, 8, 0, true, false}, /* ldp w, w: a store for each register */
        {{16}, {0}, 8, 8, true, false},      /* or the pair at once */
        {{16}, {0}, 8, 4, true, true},
        {{4, 4, 4, 4}, {0, 4, 8, 12}, 16, 0, true, true}, /* ldp x, x of four stores */
        {{1}, {0}, 1, 0, false, false},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        begin(&fixture);
        fixture.machine.core.forward_piece = 8;
        fixture.machine.core.forward_failed = 11;
        fixture.machine.stores = 1000;
        for (unsigned s = 0; s < 4 && cases[i].stores[s]; s++)
            store(&fixture, RA, RB, cases[i].at[s], cases[i].stores[s]);
        struct made *made = load(&fixture, RC, RB, cases[i].from, cases[i].load);
        made->cost.accesses[0].is_pair = cases[i].is_pair;
        double bound = cycles(&fixture, cost_forwarding);
        if (cases[i].fails ? bound < 11 || bound > 12 : bound > 0)
            fail_msg("case %u: %g", i, bound);
        end(&fixture);
    }
}

/* A place that the code does not give, and wild distances. */
static void test_unknown_places(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    load(&fixture, RA, RESOURCE_NONE, 0, 8)->cost.accesses[0].is_relative = true;
    store(&fixture, RA, RESOURCE_NONE, 0, 8)->cost.accesses[0].is_relative = true;
    assert_true(cycles(&fixture, cost_latency) == 0);
    end(&fixture);
    /* Relative to the instruction: another place in each copy of unrolled code, the same one in a loop. */
    begin(&fixture);
    struct made *count = add(&fixture, "count");
    flows(count, RESOURCE_MEMORY, RESOURCE_MEMORY, way_MEMORY, 1);
    accesses(count, (struct cost_access){.is_relative = true, .bytes = 8, .loads = true, .stores = true});
    assert_true(cycles(&fixture, cost_latency) == 0);
    fixture.block.mode = cost_LOOP;
    assert_true(cycles(&fixture, cost_latency) == 6);
    end(&fixture);
    /* Two instructions with the same target, and with others. */
    for (uint64_t target = 0x1000; target <= 0x1008; target += 8) {
        begin(&fixture);
        load(&fixture, RA, RESOURCE_NONE, 0, 8)->cost.accesses[0].is_relative = true;
        store(&fixture, RA, RESOURCE_NONE, 0, 8)->cost.accesses[0].is_relative = true;
        fixture.items[0].target = 0x1000;
        fixture.items[1].target = target;
        assert_true(cycles(&fixture, cost_latency) == 0);
        fixture.block.mode = cost_LOOP;
        if (target == 0x1000)
            assert_true(cycles(&fixture, cost_latency) >= 5);
        else
            assert_true(cycles(&fixture, cost_latency) == 0);
        end(&fixture);
    }
    begin(&fixture);
    load(&fixture, RA, RB, INT64_MIN, 8);
    store(&fixture, RA, RB, INT64_MAX, 8);
    add_constant(&fixture, RB, INT64_MIN);
    assert_true(cycles(&fixture, cost_latency) == 1);
    end(&fixture);
}

/* Many loads and stores: what is found does not depend on scratch memory being new. */
static void test_scratch_is_reused(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    for (unsigned i = 0; i < 10; i++) {
        store(&fixture, RA, RB, 8 * i, 8);
        load(&fixture, RA, RB, 8 * i, 8);
    }
    assert_true(cycles(&fixture, cost_latency) == 50);
    assert_true(cycles(&fixture, cost_latency) == 50);
    fixture.block.count = 1;
    assert_true(cycles(&fixture, cost_latency) == 0);
    end(&fixture);
}

/* Single-ported banks: two loads 64 bytes apart need the same one. */
static void test_banks(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.load_banks = 8;
    load(&fixture, RA, RB, 8, 8);
    load(&fixture, RC, RB, 8 + 64, 8);
    assert_true(cycles(&fixture, cost_loads) == 2);
    /* Other banks, the same line, the same set, a distance that is not known. */
    struct cost_access *second = &fixture.instructions[1].cost.accesses[0];
    second->displacement = 8 + 64 + 16;
    assert_true(cycles(&fixture, cost_loads) == 1);
    second->displacement = 12;
    assert_true(cycles(&fixture, cost_loads) == 1);
    second->displacement = 8 - 4096;
    assert_true(cycles(&fixture, cost_loads) == 1);
    second->displacement = 8 + 64;
    second->base = RD;
    assert_true(cycles(&fixture, cost_loads) == 1);
    /* A part of the bytes is enough. */
    second->base = RB;
    second->displacement = 8 - 128 - 4;
    assert_true(cycles(&fixture, cost_loads) == 2);
    /* A third load is a partner for each. */
    load(&fixture, RD, RB, 24, 8);
    assert_true(cycles(&fixture, cost_loads) == 1.5);
    end(&fixture);
}

static void vectors(struct fixture *fixture, unsigned bytes, unsigned copies, bool is_aligned)
{
    begin(fixture);
    fixture->machine.core.load_line = fixture->machine.core.store_line = 64;
    fixture->machine.core.store_crossing = 2;
    fixture->machine.loads = 2;
    for (unsigned i = 0; i < copies; i++) {
        struct cost_access *from = &load(fixture, XA, RA, bytes * i, (uint16_t)bytes)->cost.accesses[0];
        struct cost_access *to = &store(fixture, XA, RB, bytes * i, (uint16_t)bytes)->cost.accesses[0];
        from->is_vector = to->is_vector = true;
        to->is_aligned = is_aligned;
    }
    add_constant(fixture, RA, bytes * copies);
    add_constant(fixture, RB, bytes * copies);
}

/* Each line is crossed once: by every vector of 64 bytes, by every second one of 32, whatever the unrolling.
 */
static void test_worst_alignment(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes, copies;
        bool is_aligned;
        double loads, stores;
    } cases[] = {{64, 1, false, 0.5, 2},  {32, 1, false, 0.25, 1}, {32, 4, false, 1, 4},
                 {16, 2, false, 0.25, 1}, {8, 4, false, 0, 0},     {32, 2, true, 0.5, 0}};
    struct fixture fixture;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        double loads, stores;
        vectors(&fixture, cases[i].bytes, cases[i].copies, cases[i].is_aligned);
        cost_unaligned(&fixture.block, &fixture.scratch, &loads, &stores);
        if (fabs(loads - cases[i].loads) > 1e-9 || fabs(stores - cases[i].stores) > 1e-9)
            fail_msg("case %u: %g %g", i, loads, stores);
        end(&fixture);
    }
}

/* Loads and stores that the cache takes together. */
static void test_together(void **state)
{
    (void)state;
    struct fixture fixture;
    vectors(&fixture, 32, 2, false);
    fixture.machine.core.load_bytes = fixture.machine.core.store_bytes = 64;
    fixture.machine.core.load_line = 0;
    assert_true(cycles(&fixture, cost_loads) == 1);
    fixture.machine.core.narrow_together = 8;
    fixture.machine.core.middle_together = 2.5;
    fixture.machine.core.wide_together = 1;
    assert_true(fabs(cycles(&fixture, cost_loads) - 1.6) < 1e-9);
    end(&fixture);
    begin(&fixture);
    load(&fixture, XA, RA, 0, 32);
    fixture.machine.core.load_bytes = 64;
    fixture.machine.core.narrow_together = fixture.machine.core.middle_together =
        fixture.machine.core.wide_together = 0.5;
    assert_true(cycles(&fixture, cost_loads) == 0.5);
    end(&fixture);
}

/* Loads whose address another load of the iteration brings, even through other instructions. */
static void test_late_loads(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.loads = 2;
    load(&fixture, RA, RB, 0, 8);
    load(&fixture, RC, RA, 8, 8);
    load(&fixture, RC, RA, 16, 8);
    assert_true(cycles(&fixture, cost_loads) == 1.5);
    fixture.machine.core.late_loads = 0.875;
    assert_true(cycles(&fixture, cost_loads) == 1.75);
    const uint8_t marks[] = {0, 1, 1};
    assert_memory_equal(fixture.marks, marks, sizeof marks);
    /* One of three: its turn is hidden. */
    fixture.instructions[2].cost.accesses[0].base = RB;
    fixture.instructions[2].flows[0].from = RB;
    assert_true(cycles(&fixture, cost_loads) == 1.5);
    end(&fixture);
    begin(&fixture);
    fixture.machine.loads = 2;
    fixture.machine.core.late_loads = 0.875;
    load(&fixture, RA, RB, 0, 8);
    compute(&fixture, RC, RA, 1);
    load(&fixture, RA, RC, 0, 8);
    load(&fixture, RA, RC, 8, 8);
    assert_true(cycles(&fixture, cost_loads) == 1.75);
    /* Stores are no loads, and an address from the iteration before is there in time. */
    fixture.instructions[3].cost.accesses[0].loads = false;
    fixture.instructions[3].cost.accesses[0].stores = true;
    assert_true(cycles(&fixture, cost_loads) == 1);
    end(&fixture);
    begin(&fixture);
    fixture.machine.loads = 2;
    fixture.machine.core.late_loads = 0.875;
    load(&fixture, RC, RA, 8, 8);
    load(&fixture, RC, RA, 16, 8);
    load(&fixture, RA, RB, 0, 8);
    assert_true(cycles(&fixture, cost_loads) == 1.5);
    end(&fixture);
    /* A pop moves the stack pointer, but does not load it. */
    begin(&fixture);
    fixture.machine.loads = 2;
    fixture.machine.core.late_loads = 0.875;
    for (unsigned i = 0; i < 3; i++)
        flows(load(&fixture, RA, RS, 0, 8), RS, RS, way_REGISTER, 1);
    assert_true(cycles(&fixture, cost_loads) == 1.5);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_place),
        cmocka_unit_test(test_forward_again),
        cmocka_unit_test(test_late_loads),
        cmocka_unit_test(test_one_instruction),
        cmocka_unit_test(test_changed_base),
        cmocka_unit_test(test_far_store),
        cmocka_unit_test(test_copies_and_stack),
        cmocka_unit_test(test_last_store),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_unknown_places),
        cmocka_unit_test(test_scratch_is_reused),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_worst_alignment),
        cmocka_unit_test(test_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
