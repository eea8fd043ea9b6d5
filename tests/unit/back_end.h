/* Blocks made by hand for the parts of the back end: instructions that no machine has, with costs that are
   easy to count. */
#ifndef TESTS_UNIT_BACK_END_H
#define TESTS_UNIT_BACK_END_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "code/cost/core/core.h"

enum { MOST_ITEMS = 40, RA = 16, RB, RC, RD, RS, XA, XB, FLAGS };

struct made {
    struct machine_cost cost;
    struct cost_flow flows[8];
    uint16_t writes[8];
    struct form_ports ports[4];
};

struct fixture {
    struct machine machine;
    struct made instructions[MOST_ITEMS];
    struct cost_item items[MOST_ITEMS];
    uint8_t marks[MOST_ITEMS];
    struct cost_block block;
    struct cost_scratch scratch;
};

static inline void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    fixture->machine.loads = 2;
    fixture->machine.stores = 1;
    fixture->machine.port_count = 8;
    fixture->machine.core = (struct machine_core){.forward = 5,
                                                  .forward_vector = 6,
                                                  .forward_failed = 13,
                                                  .has_stack_engine = true,
                                                  .issue = 4,
                                                  .load_bytes = 16,
                                                  .store_bytes = 16};
    fixture->block.machine = &fixture->machine;
    fixture->block.items = fixture->items;
}

static inline void end(struct fixture *fixture)
{
    cost_scratch_end(&fixture->scratch);
}

static inline struct made *add(struct fixture *fixture, const char *name)
{
    assert_true(fixture->block.count < MOST_ITEMS);
    struct made *instruction = &fixture->instructions[fixture->block.count];
    *instruction = (struct made){.cost = {.name = name, .fused = 1, .throughput = NAN}};
    instruction->cost.flows = instruction->flows;
    instruction->cost.writes = instruction->writes;
    instruction->cost.ports = instruction->ports;
    fixture->items[fixture->block.count++].cost = &instruction->cost;
    fixture->block.issued++;
    return instruction;
}

static inline struct made *uses(struct fixture *fixture, struct made *instruction, uint32_t ports,
                                float times)
{
    struct cost_item *item = &fixture->items[instruction - fixture->instructions];
    instruction->ports[instruction->cost.port_count++] = (struct form_ports){.ports = ports, .times = times};
    item->ports = instruction->ports;
    item->port_count = instruction->cost.port_count;
    return instruction;
}

static inline struct made *flows(struct made *instruction, uint16_t from, uint16_t to, uint8_t way,
                                 float latency)
{
    unsigned i;
    instruction->flows[instruction->cost.flow_count++] =
        (struct cost_flow){.from = from, .to = to, .way = way, .latency = latency};
    for (i = 0; i < instruction->cost.write_count && instruction->writes[i] != to; i++)
        ;
    if (to != RESOURCE_MEMORY && i == instruction->cost.write_count)
        instruction->writes[instruction->cost.write_count++] = to;
    return instruction;
}

static inline struct made *steps(struct made *instruction, uint16_t to, uint16_t from, int64_t constant)
{
    instruction->cost.step = (struct cost_step){.to = to, .from = from, .constant = constant};
    return instruction;
}

static inline void accesses(struct made *instruction, struct cost_access access)
{
    instruction->cost.accesses[instruction->cost.access_count++] = access;
}

/* to = from + other, in so many cycles. */
static inline struct made *compute(struct fixture *fixture, uint16_t to, uint16_t from, float latency)
{
    return flows(add(fixture, "compute"), from, to, way_REGISTER, latency);
}

static inline struct made *load(struct fixture *fixture, uint16_t to, uint16_t base, int64_t displacement,
                                uint16_t bytes)
{
    struct made *instruction = add(fixture, "load");
    flows(instruction, base, to, way_BASE, 5);
    flows(instruction, RESOURCE_MEMORY, to, way_MEMORY, 0);
    accesses(instruction,
             (struct cost_access){.base = base, .displacement = displacement, .bytes = bytes, .loads = true});
    return instruction;
}

static inline struct made *store(struct fixture *fixture, uint16_t from, uint16_t base, int64_t displacement,
                                 uint16_t bytes)
{
    struct made *instruction = add(fixture, "store");
    flows(instruction, base, RESOURCE_MEMORY, way_BASE, 10);
    flows(instruction, from, RESOURCE_MEMORY, way_REGISTER, 0);
    accesses(instruction, (struct cost_access){
                              .base = base, .displacement = displacement, .bytes = bytes, .stores = true});
    return instruction;
}

static inline struct made *add_constant(struct fixture *fixture, uint16_t to, int64_t constant)
{
    return steps(compute(fixture, to, to, 1), to, to, constant);
}

typedef void part_bound(const struct cost_block *block, struct cost_scratch *scratch,
                        struct cost_bound *bound);

static inline double cycles(struct fixture *fixture, part_bound *part)
{
    memset(fixture->marks, 0, sizeof fixture->marks);
    struct cost_bound bound = {.marks = fixture->marks};
    part(&fixture->block, &fixture->scratch, &bound);
    return bound.cycles;
}

/* Small numbers that are the same in every run. */
static inline uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}
#endif
