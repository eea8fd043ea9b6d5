/* A core in order with two pipes: blocks whose cycles can be counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "code/cost/core/core.h"

enum { U = 1, V = 2, EITHER = 3, MOST = 16, FLAGS = 60 };

/* An instruction: where it goes, what it reads and writes (resources from 2 on, 0 for none), how long it
   takes; its address register; both for U and V together. */
struct made {
    uint32_t ports;
    uint16_t reads, writes;
    float latency;
    uint16_t address;
    bool is_alone;
    float throughput;
};

struct sketch {
    struct machine *machine;
    struct machine_cost costs[MOST];
    struct form_ports ports[MOST][2];
    struct cost_flow flows[MOST][2];
    uint16_t writes[MOST];
    struct cost_item items[MOST];
    uint8_t marks[MOST];
};

static struct machine *parse(const char *facts)
{
    char text[1000];
    struct error error = {0};
    snprintf(
        text, sizeof text,
        "name small\ntitle Small\nisa k1om\nfigures invented\nwidth 2\nfloating 1\nmemory 2\nbranches 1\n"
        "ports U V\n%s",
        facts);
    struct machine *machine = machine_parse("small", text, strlen(text), &error);
    if (!machine)
        fail_msg("%s", error.text);
    return machine;
}

static double cycles(const char *facts, enum cost_mode mode, const struct made *made, unsigned count,
                     struct sketch *block)
{
    *block = (struct sketch){.machine = parse(facts)};
    for (unsigned i = 0; i < count; i++) {
        struct machine_cost *cost = &block->costs[i];
        cost->throughput = made[i].throughput ? made[i].throughput : NAN;
        cost->flows = block->flows[i];
        if (made[i].reads)
            block->flows[i][cost->flow_count++] = (struct cost_flow){
                .from = made[i].reads, .to = made[i].writes, .way = way_REGISTER, .latency = made[i].latency};
        if (made[i].address)
            block->flows[i][cost->flow_count++] = (struct cost_flow){
                .from = made[i].address, .to = made[i].writes, .way = way_BASE, .latency = made[i].latency};
        block->writes[i] = made[i].writes;
        cost->writes = &block->writes[i];
        cost->write_count = made[i].writes != 0;
        unsigned ports = made[i].is_alone ? 2 : 1;
        block->ports[i][0] = (struct form_ports){.ports = made[i].is_alone ? U : made[i].ports, .times = 1};
        block->ports[i][1] = (struct form_ports){.ports = V, .times = 1};
        block->items[i] = (struct cost_item){.cost = cost, .ports = block->ports[i], .port_count = ports};
    }
    struct cost_block asked = {
        .machine = block->machine, .items = block->items, .count = count, .mode = mode};
    struct cost_scratch scratch = {0};
    struct cost_bound bound = {.marks = block->marks};
    cost_pairing(&asked, &scratch, &bound);
    cost_scratch_end(&scratch);
    machine_free(block->machine);
    return bound.cycles;
}

static void check(double wanted, const char *facts, enum cost_mode mode, const struct made *made,
                  unsigned count)
{
    struct sketch block;
    double found = cycles(facts, mode, made, count, &block);
    if (fabs(found - wanted) > 1e-9)
        fail_msg("%g cycles, not %g", found, wanted);
}

static void pipes(void **state)
{
    (void)state;
    static const struct made either = {.ports = EITHER}, first = {.ports = U}, second = {.ports = V},
                             alone = {.is_alone = true};
    const struct made fours[] = {either, either, either, either};
    check(2, "in-order\n", cost_UNROLLED, fours, 4);
    check(1.5, "in-order\n", cost_UNROLLED, fours, 3);
    check(2, "in-order\n", cost_LOOP, fours, 3); /* the branch back ends a cycle */
    const struct made vectors[] = {first, either, first, either};
    check(2, "in-order\n", cost_UNROLLED, vectors, 4);
    const struct made late[] = {either, first}; /* the second pipe does not take it */
    check(1, "in-order\n", cost_UNROLLED, late, 2);
    check(2, "in-order\n", cost_LOOP, late, 2);
    const struct made jumps[] = {second, either};
    check(2, "in-order\n", cost_LOOP, jumps, 2);
    const struct made alones[] = {either, alone, either};
    check(2, "in-order\n", cost_UNROLLED, alones, 3);
    check(3, "in-order\n", cost_LOOP, alones, 3);
    /* One thread: every other cycle. */
    check(4, "in-order\nissue-every 2\n", cost_UNROLLED, fours, 4);
}

static void operands(void **state)
{
    (void)state;
    /* x = f(x) in 4 cycles; two chains go side by side. */
    static const struct made chain[] = {{.ports = U, .reads = 2, .writes = 2, .latency = 4},
                                        {.ports = U, .reads = 3, .writes = 3, .latency = 4}};
    check(4, "in-order\n", cost_UNROLLED, chain, 1);
    check(4, "in-order\n", cost_UNROLLED, chain, 2);
    /* What needs a result of its own cycle waits, unless it is there at once (a jump for flags). */
    static const struct made pair[] = {{.ports = EITHER, .reads = 2, .writes = 3, .latency = 1},
                                       {.ports = EITHER, .reads = 3, .writes = 4, .latency = 1}};
    check(2, "in-order\n", cost_LOOP, pair, 2);
    static const struct made flags[] = {{.ports = EITHER, .reads = 2, .writes = FLAGS, .latency = 0},
                                        {.ports = V, .reads = FLAGS, .writes = 5, .latency = 1}};
    check(1, "in-order\n", cost_LOOP, flags, 2);
    /* A load of a register that the block steps: the address waits, a mere addition does not. */
    static const struct made step[] = {{.ports = EITHER, .reads = 2, .writes = 2, .latency = 1},
                                       {.ports = U, .address = 2, .writes = 3, .latency = 1}};
    check(2, "in-order\n", cost_LOOP, step, 2);
    check(4, "in-order\naddress-wait 3\n", cost_LOOP, step, 2);
    /* A division keeps the pipes. */
    static const struct made division[] = {{.is_alone = true, .throughput = 41}, {.ports = EITHER}};
    check(42, "in-order\n", cost_LOOP, division, 2);
}

static void what_is_marked(void **state)
{
    (void)state;
    struct sketch block;
    static const struct made chain[] = {{.ports = U, .reads = 2, .writes = 2, .latency = 4},
                                        {.ports = EITHER}};
    assert_true(cycles("in-order\n", cost_LOOP, chain, 2, &block) == 4);
    assert_true(block.marks[0] && !block.marks[1]);
    static const struct made two[] = {{.ports = U}, {.ports = U}};
    assert_true(cycles("in-order\n", cost_LOOP, two, 2, &block) == 2);
    assert_true(block.marks[0] && block.marks[1]);
}

/* A core that reorders has no pairs. */
static void other_cores(void **state)
{
    (void)state;
    static const struct made either[] = {{.ports = EITHER}};
    check(0, "issue 4\n", cost_UNROLLED, either, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes),
        cmocka_unit_test(operands),
        cmocka_unit_test(what_is_marked),
        cmocka_unit_test(other_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
