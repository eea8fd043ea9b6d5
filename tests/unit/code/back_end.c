/* Ports, divider, loads, stores, latency, forwarding and the window, on blocks whose answer can be counted by
   hand; ports and latency also against every possibility tried one by one, on graphs and port sets drawn at
   random. */
#include "back_end.h"

#include "code/cost/core/port_balance.h"

static double dense(const struct port_group *groups, unsigned count, uint32_t set)
{
    double uops = 0;
    for (unsigned i = 0; i < count; i++)
        uops += groups[i].ports & ~set ? 0 : groups[i].uops;
    return uops / __builtin_popcount(set);
}

static void test_ports_against_all_sets(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (unsigned run = 0; run < 3000; run++) {
        struct port_group groups[12];
        unsigned ports = 1 + draw(&seed, 8), count = 1 + draw(&seed, 12);
        for (unsigned i = 0; i < count; i++)
            groups[i] = (struct port_group){.ports = 1 + draw(&seed, (1u << ports) - 1),
                                            .uops = (1 + draw(&seed, 8)) * 0.5};
        double best = 0;
        uint32_t critical;
        for (uint32_t set = 1; set < 1u << ports; set++)
            best = fmax(best, dense(groups, count, set));
        assert_true(fabs(ports_balance(groups, count, &critical) - best) < 1e-6);
        assert_true(fabs(dense(groups, count, critical) - best) < 1e-6);
    }
}

static void test_shares_are_balanced(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (unsigned run = 0; run < 1000; run++) {
        struct port_group groups[10];
        unsigned ports = 1 + draw(&seed, 7), count = 1 + draw(&seed, 10);
        for (unsigned i = 0; i < count; i++)
            groups[i] =
                (struct port_group){.ports = 1 + draw(&seed, (1u << ports) - 1), .uops = 1 + draw(&seed, 5)};
        double shares[10][32], loads[32] = {0};
        uint32_t critical;
        double best = ports_balance(groups, count, &critical);
        ports_share(groups, count, shares);
        for (unsigned i = 0; i < count; i++) {
            double sum = 0;
            for (unsigned port = 0; port < 32; port++) {
                assert_true(shares[i][port] >= -1e-9);
                assert_true(groups[i].ports >> port & 1 || shares[i][port] == 0);
                sum += shares[i][port];
                loads[port] += shares[i][port];
            }
            assert_true(fabs(sum - groups[i].uops) < 1e-6);
        }
        for (unsigned port = 0; port < 32; port++)
            assert_true(loads[port] < best + 1e-6);
        /* Fair: nothing sits on a port while another of its ports has less. */
        for (unsigned i = 0; i < count; i++)
            for (unsigned port = 0; port < ports; port++)
                for (unsigned other = 0; other < ports; other++)
                    if (shares[i][port] > 1e-6 && groups[i].ports >> other & 1)
                        assert_true(loads[port] < loads[other] + 1e-5);
    }
}

static void test_ports(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    uses(&fixture, add(&fixture, "any"), 0x63, 1);   /* p0156 */
    uses(&fixture, add(&fixture, "shift"), 0x41, 1); /* p06 */
    uses(&fixture, add(&fixture, "branch"), 0x40, 1);
    uses(&fixture, add(&fixture, "shift"), 0x41, 1);
    uses(&fixture, uses(&fixture, add(&fixture, "load"), 0x0c, 1), 0x02, 1);
    /* Three µops for p06. */
    assert_true(cycles(&fixture, cost_ports) == 1.5);
    const uint8_t marks[] = {0, 1, 1, 1, 0};
    assert_memory_equal(fixture.marks, marks, sizeof marks);
    double pressure[5 * 8];
    cost_port_pressure(&fixture.block, &fixture.scratch, pressure);
    assert_true(fabs(pressure[2 * 8 + 6] - 1) < 1e-9);
    assert_true(fabs(pressure[1 * 8 + 0] + pressure[3 * 8 + 0] - 1.5) < 1e-9);
    assert_true(fabs(pressure[4 * 8 + 2] - 0.5) < 1e-9 && fabs(pressure[4 * 8 + 3] - 0.5) < 1e-9);
    assert_true(fabs(pressure[5] - 1) < 1e-9 || fabs(pressure[5] + pressure[1] - 1) < 1e-9);
    end(&fixture);
}

static void test_no_ports(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    add(&fixture, "nop");
    assert_true(cycles(&fixture, cost_ports) == 0);
    end(&fixture);
}

/* A loop with one divide is bound by the divider. */
static void test_divider(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, RA, RA, 1);
    compute(&fixture, RB, RC, 14)->cost.divider = 4;
    assert_true(cycles(&fixture, cost_divider) == 4);
    assert_true(fixture.marks[1] && !fixture.marks[0]);
    struct made *slow = compute(&fixture, RD, RC, 42);
    slow->cost.divider = 12;
    slow->cost.throughput = 21;
    assert_true(cycles(&fixture, cost_divider) == 25);
    end(&fixture);
}

/* Integers and floats divide in units of their own where the machine says so. */
static void test_dividers_apart(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct made *whole = compute(&fixture, RA, RC, 7), *real = compute(&fixture, RB, RC, 12);
    struct made *root = compute(&fixture, RD, RC, 17);
    whole->cost.divider = 5;
    real->cost.divider = 2.5F;
    root->cost.divider = 3;
    uses(&fixture, whole, 1 << 4, 1);
    uses(&fixture, real, 1 << 0 | 1 << 2, 1);
    uses(&fixture, root, 1 << 0, 1);
    assert_true(cycles(&fixture, cost_divider) == 10.5);
    fixture.machine.core.dividers_apart = true;
    assert_true(cycles(&fixture, cost_divider) == 5.5);
    assert_true(!fixture.marks[0] && fixture.marks[1] && fixture.marks[2]);
    whole->cost.divider = 7;
    assert_true(cycles(&fixture, cost_divider) == 7);
    assert_true(fixture.marks[0] && !fixture.marks[1] && !fixture.marks[2]);
    end(&fixture);
}

/* Schedulers that take two new µops a cycle: bursts for one and then for the other take longer than by turns.
   As measured on Neoverse V1, where 8 and 8 take 6 cycles and 12 and 12 take 10. */
static void test_dispatch(void **state)
{
    (void)state;
    enum { EVEN = 1 << 0 | 1 << 2, ODD = 1 << 1 | 1 << 3 };
    static const double bursts[] = {[4] = 2, [8] = 6, [12] = 10}, mixed[] = {[4] = 2, [8] = 5, [12] = 8};
    for (unsigned count = 4; count <= 12; count += 4) {
        struct fixture fixture;
        begin(&fixture);
        fixture.machine.core.issue = 8;
        fixture.machine.core.dispatches[0] = (struct machine_queue){.ports = EVEN, .size = 2};
        fixture.machine.core.dispatches[1] = (struct machine_queue){.ports = ODD, .size = 2};
        fixture.machine.core.dispatches[2] = (struct machine_queue){.ports = EVEN | ODD, .size = 4};
        fixture.machine.core.dispatch_count = 3;
        for (unsigned i = 0; i < 2 * count; i++)
            uses(&fixture, add(&fixture, "pipe"), i < count ? EVEN : ODD, 1);
        assert_true(cycles(&fixture, cost_issue) == bursts[count]);
        for (unsigned i = count; i < 2 * count; i++)
            fixture.instructions[i].ports[0].ports = EVEN | ODD;
        assert_true(cycles(&fixture, cost_issue) == mixed[count]);
        for (unsigned i = 0; i < 2 * count; i++)
            fixture.instructions[i].ports[0].ports = i % 2 ? ODD : EVEN;
        assert_true(cycles(&fixture, cost_issue) == count / 2.0);
        /* The data of stores wait elsewhere. */
        for (unsigned i = 0; i < count; i++)
            accesses(&fixture.instructions[2 * i], (struct cost_access){.bytes = 8, .stores = true});
        fixture.machine.core.dispatches[1].size = 4;
        assert_true(cycles(&fixture, cost_issue) == count / 4.0);
        end(&fixture);
    }
}

static void test_loads_and_stores(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    load(&fixture, RA, RB, 0, 8);
    load(&fixture, XA, RB, 64, 16);
    assert_true(cycles(&fixture, cost_loads) == 1);
    assert_true(cycles(&fixture, cost_stores) == 0);
    load(&fixture, XB, RB, 128, 32);
    store(&fixture, XB, RC, 0, 32);
    /* 32 bytes hold a way of 16 for two cycles. */
    assert_true(cycles(&fixture, cost_loads) == 2);
    assert_true(cycles(&fixture, cost_stores) == 2);
    fixture.machine.core.load_bytes = fixture.machine.core.store_bytes = 32;
    assert_true(cycles(&fixture, cost_loads) == 1.5);
    assert_true(cycles(&fixture, cost_stores) == 1);
    end(&fixture);
}

/* Whether a cycle of edges with a higher ratio starts at this node, tried path by path. */
static void try_paths(const struct ratio_edge *edges, unsigned count, uint32_t start, uint32_t node,
                      uint32_t seen, double latency, uint32_t distance, double *best)
{
    for (unsigned i = 0; i < count; i++) {
        if (edges[i].from != node)
            continue;
        double latencies = latency + (double)edges[i].latency;
        uint32_t distances = distance + edges[i].distance;
        if (edges[i].to == start)
            *best = fmax(*best, latencies / distances);
        else if (!(seen >> edges[i].to & 1))
            try_paths(edges, count, start, edges[i].to, seen | 1u << edges[i].to, latencies, distances, best);
    }
}

static void test_ratio_against_all_cycles(void **state)
{
    (void)state;
    uint32_t seed = 3;
    struct ratio_work work = {0};
    for (unsigned run = 0; run < 3000; run++) {
        struct ratio_edge edges[14], copy[14];
        unsigned nodes = 1 + draw(&seed, 7), count = draw(&seed, 15);
        for (unsigned i = 0; i < count; i++) {
            edges[i] = (struct ratio_edge){.from = draw(&seed, nodes),
                                           .to = draw(&seed, nodes),
                                           .distance = draw(&seed, 3),
                                           .latency = (float)draw(&seed, 12)};
            if (edges[i].from >= edges[i].to && !edges[i].distance)
                edges[i].distance = 1;
        }
        double best = 0;
        for (uint32_t start = 0; start < nodes; start++)
            try_paths(edges, count, start, start, 1u << start, 0, 0, &best);
        memcpy(copy, edges, sizeof edges);
        assert_true(fabs(cost_cycle_ratio(&work, copy, count, nodes) - best) < 1e-5);
        assert_true(best == 0 || work.cycle.count > 0);
    }
    cost_ratio_free(&work);
}

static void test_latency(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, RA, RA, 1);
    compute(&fixture, RB, RA, 3);
    compute(&fixture, RC, RB, 4);
    compute(&fixture, RA, RC, 2);
    compute(&fixture, RD, RD, 6);
    /* a → b → c → a is 10; d is 6. */
    assert_true(cycles(&fixture, cost_latency) == 10);
    const uint8_t marks[] = {1, 1, 1, 1, 0};
    assert_memory_equal(fixture.marks, marks, sizeof marks);
    end(&fixture);
}

/* Two multiply units with 5 cycles of latency need ten independent streams: with nine the chains set the
   pace, with ten the units do too, with eleven the units alone. */
static void test_ten_streams(void **state)
{
    (void)state;
    for (unsigned streams = 8; streams <= 11; streams++) {
        struct fixture fixture;
        begin(&fixture);
        for (unsigned i = 0; i < streams; i++)
            uses(&fixture, compute(&fixture, (uint16_t)(RA + i), (uint16_t)(RA + i), 5), 3, 1);
        double latency = cycles(&fixture, cost_latency), ports = cycles(&fixture, cost_ports);
        assert_true(latency == 5 && ports == streams / 2.0);
        assert_int_equal(streams >= 10, ports >= latency);
        end(&fixture);
    }
}

/* What goes over two iterations counts half; what no iteration writes counts nothing. */
static void test_distance(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, RC, RB, 6);
    compute(&fixture, RB, RA, 0);
    compute(&fixture, RA, RC, 0);
    compute(&fixture, XA, XB, 100);
    /* c of this iteration from b of the last, which is a of the one before that. */
    assert_true(cycles(&fixture, cost_latency) == 3);
    end(&fixture);
}

static void test_eliminated(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    compute(&fixture, RA, RB, 1);
    compute(&fixture, RB, RA, 1);
    assert_true(cycles(&fixture, cost_latency) == 2);
    fixture.items[0].is_eliminated = true;
    assert_true(cycles(&fixture, cost_latency) == 1);
    end(&fixture);
}

static void test_pointer_chasing(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.pointer_bonus = 1;
    fixture.machine.core.pointer_reach = 2048;
    load(&fixture, RA, RB, 8, 8);
    compute(&fixture, RB, RA, 1);
    assert_true(cycles(&fixture, cost_latency) == 6);
    fixture.items[1].is_eliminated = true;
    assert_true(cycles(&fixture, cost_latency) == 4);
    fixture.instructions[0].cost.accesses[0].displacement = 2048;
    assert_true(cycles(&fixture, cost_latency) == 5);
    fixture.instructions[0].cost.accesses[0].displacement = 0;
    fixture.instructions[0].cost.accesses[0].index = RC;
    assert_true(cycles(&fixture, cost_latency) == 5);
    end(&fixture);
}

/* The stack pointer of pushes and pops costs nothing until something else reads it. */
static void test_stack_engine(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    struct made *push = steps(store(&fixture, RA, RS, -8, 8), RS, RS, -8);
    flows(push, RS, RS, way_REGISTER, 1);
    push->cost.uses_stack_engine = true;
    assert_true(cycles(&fixture, cost_latency) == 0);
    load(&fixture, RB, RS, 64, 8);
    fixture.items[1].synchronises = 1;
    assert_true(cycles(&fixture, cost_latency) == 1);
    fixture.machine.core.has_stack_engine = false;
    fixture.items[1].synchronises = 0;
    assert_true(cycles(&fixture, cost_latency) == 1);
    end(&fixture);
}

static void test_window(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture);
    fixture.machine.core.queues[0] = (struct machine_queue){.ports = 3, .size = 40};
    fixture.machine.core.queue_count = 1;
    /* Ten chains of ten cycles fit a queue of 40; a chain of sixteen, each four cycles, does not. */
    for (unsigned i = 0; i < 10; i++)
        uses(&fixture, compute(&fixture, XA, i ? XA : XB, 1), 3, 1);
    double ten = cycles(&fixture, cost_window);
    assert_true(ten > 0 && ten < 5);
    fixture.block.count = fixture.block.issued = 0;
    memset(fixture.items, 0, sizeof fixture.items);
    for (unsigned i = 0; i < 16; i++)
        uses(&fixture, compute(&fixture, XA, i ? XA : XB, 4), 3, 1);
    /* Waiting: 4 + 8 + … + 60 = 480; entering: (1 + … + 15) / 16 = 7.5: 480 = (40 + 7.5) × C. */
    assert_true(fabs(cycles(&fixture, cost_window) - 480 / 47.5) < 1e-9);
    fixture.machine.core.queues[0].size = 4000;
    assert_true(cycles(&fixture, cost_window) < 0.2);
    /* The reorder buffer: done after 4 … 64, in order. */
    fixture.machine.core.queue_count = 0;
    fixture.machine.core.reorder_buffer = 60;
    assert_true(fabs(cycles(&fixture, cost_window) - 544 / 67.5) < 1e-9);
    assert_true(fixture.marks[0] && fixture.marks[15]);
    /* Two stores, done after 32 and 64, in a queue of two: 96 = (2 + 7 / 16 + 15 / 16) × C; loads have no
     * queue. */
    fixture.machine.core.reorder_buffer = 0;
    fixture.machine.core.store_queue = 2;
    assert_true(cycles(&fixture, cost_window) == 0);
    accesses(&fixture.instructions[7], (struct cost_access){.bytes = 8, .stores = true});
    accesses(&fixture.instructions[15], (struct cost_access){.bytes = 8, .stores = true});
    assert_true(fabs(cycles(&fixture, cost_window) - 96 / 3.375) < 1e-9);
    fixture.machine.core.store_queue = 0;
    fixture.machine.core.load_queue = 1;
    assert_true(cycles(&fixture, cost_window) == 0);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports_against_all_sets),
        cmocka_unit_test(test_shares_are_balanced),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_no_ports),
        cmocka_unit_test(test_divider),
        cmocka_unit_test(test_dividers_apart),
        cmocka_unit_test(test_dispatch),
        cmocka_unit_test(test_loads_and_stores),
        cmocka_unit_test(test_ratio_against_all_cycles),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_ten_streams),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_eliminated),
        cmocka_unit_test(test_pointer_chasing),
        cmocka_unit_test(test_stack_engine),
        cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
