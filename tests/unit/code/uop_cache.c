/* The µop cache on random loops, beside a long run of the same rules µop by µop: for every width, also those
   whose states come again after other numbers of iterations than usual. */
#include "code/cost/core/core.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST_ITEMS = 64 };

struct bench {
    struct machine machine;
    struct machine_cost costs[MOST_ITEMS];
    struct cost_item items[MOST_ITEMS];
    struct cost_block block;
};

static void begin(struct bench *bench, unsigned width)
{
    *bench = (struct bench){0};
    bench->machine.core = (struct machine_core){.cache_width = width, .cache_block = 32, .cache_lines = 8};
    bench->block = (struct cost_block){.machine = &bench->machine, .items = bench->items, .mode = cost_LOOP};
}

static void add(struct bench *bench, unsigned size, unsigned uops)
{
    struct cost_block *block = &bench->block;
    struct machine_cost *cost = &bench->costs[block->count];
    *cost = (struct machine_cost){.size = (uint8_t)size, .fused = (uint16_t)uops, .decoded = (uint16_t)uops};
    bench->items[block->count++] = (struct cost_item){.cost = cost, .address = block->size};
    block->size += size;
}

static unsigned random_below(uint32_t *seed, unsigned limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % limit;
}

/* µops of the µop cache one by one, in iteration after iteration: each knows its line. */
struct played {
    unsigned count, uops[MOST_ITEMS], line[MOST_ITEMS];
};

static void play_lines(const struct bench *bench, struct played *played)
{
    const struct machine_core *core = &bench->machine.core;
    unsigned line = 0, room = 0;
    uint64_t stretch = UINT64_MAX;
    *played = (struct played){.count = bench->block.count};
    for (unsigned i = 0; i < played->count; i++) {
        unsigned uops = played->uops[i] = bench->costs[i].decoded;
        if (bench->items[i].address / core->cache_block != stretch || uops > room) {
            stretch = bench->items[i].address / core->cache_block;
            room = core->cache_line_uops;
            line++;
        }
        played->line[i] = line;
        room -= uops;
    }
}

/* A cycle takes so many µops, of two lines at most; where an iteration starts, a line does. */
static double play(const struct bench *bench)
{
    enum { ITERATIONS = 25200, FIRST = 2520 }; /* all widths from 1 to 10 divide them */
    struct played played;
    unsigned free = 0, lines = 0;
    uint64_t cycles = 0, before = 0;
    play_lines(bench, &played);
    for (unsigned n = 0; n < ITERATIONS + FIRST; n++) {
        if (n == FIRST)
            before = cycles;
        for (unsigned i = 0, last = 0; i < played.count; i++) {
            bool is_new = played.line[i] != last;
            last = played.line[i];
            if (is_new && ++lines > 2) {
                cycles++;
                free = bench->machine.core.cache_width;
                lines = 1;
            }
            for (unsigned uop = 0; uop < played.uops[i]; uop++, free--) {
                if (free)
                    continue;
                cycles++;
                free = bench->machine.core.cache_width;
                lines = 1;
            }
        }
    }
    return (double)(cycles - before) / ITERATIONS;
}

/* All widths, not only those that divide a round number of iterations. */
static void cache_repeats(void **state)
{
    (void)state;
    uint32_t seed = 1;
    unsigned compared = 0;
    for (unsigned width = 1; width <= 12; width++) {
        for (unsigned n = 0; n < 40; n++) {
            struct bench bench;
            struct cost_bound bound = {0};
            begin(&bench, width);
            struct machine_core *core = &bench.machine.core;
            core->cache_line_uops = 4 + random_below(&seed, 6);
            unsigned count = 5 + random_below(&seed, 24);
            for (unsigned i = 0; i < count; i++)
                add(&bench, 3 + random_below(&seed, 6), 1 + random_below(&seed, 3));
            cost_uop_cache(&bench.block, NULL, &bound);
            double cycles = bound.cycles;
            if (cost_is_cached(&bench.block) && bench.items[count - 1].address >= core->cache_block) {
                double long_run = play(&bench);
                if (fabs(cycles - long_run) > 2.0 / 2520)
                    fail_msg("width %u, %u instructions: %g, and %g in a long run", width, count, cycles,
                             long_run);
                compared++;
            }
        }
    }
    assert_true(compared > 12 * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cache_repeats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
