/* The µop cache and the loop buffer, by straight code that grows.

   A loop of N instructions that do not wait for each other runs as fast as its instructions are delivered. Up
   to some size they come decoded, from a loop buffer or a µop cache; beyond it they are decoded anew each
   time, and the loop takes longer for each instruction.  Instructions have four bytes, so that the first
   cache of instructions (32 KB at least) holds more of them than any µop cache does.

   AArch64: additions of both kinds, as many as a cycle takes, which the decoders cannot follow.  x86-64: some
   decoders follow six no-ops a cycle; but each time they find a constant of 16 bits behind a prefix that
   changes its length they stop for a few cycles, and what was decoded before is not looked at again.  A
   Golden Cove has a step at 1,280 of these instructions, and a cache of 4,096 µops: on x86-64 the step is
   kept in the results, and is no figure. */
#include "gauge/core/experiments.h"
#include "gauge/core/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INSTRUCTIONS = 100000 /* of the shorter run */, MOST_POINTS = 128 };

static const double AS_BEFORE = 1.06;

/* Units of this many instructions; sizes of the loop in units. */
struct series {
    const char *what;
    unsigned unit, least, most, by_share; /* the next size is so many per cent larger */
};
static const struct series small = {"code small", 4, 1, 48, 0}, large = {"code", 16, 16, 480, 3};

static unsigned next_size(const struct series *series, unsigned size)
{
    unsigned by = size * series->by_share / 100;
    return size + (by ? by : 1);
}

static void put_unit(struct core_unit *unit, unsigned instructions)
{
    static const uint8_t nop[] = {0x0f, 0x1f, 0x40, 0x00}, cmp[] = {0x66, 0x3d, 0x34, 0x12};
    for (unsigned i = 0; i < instructions; i++)
        if (unit->isa == isa_AARCH64)
            core_put_free(unit, i % 2 ? "add 4s,4s,4s" : "add x,x,x");
        else
            core_put_bytes(unit, i ? nop : cmp, sizeof nop);
}

static void plan_series(struct array *plan, enum isa isa, const struct series *series)
{
    for (unsigned size = series->least; size <= series->most; size = next_size(series, size)) {
        unsigned instructions = size * series->unit, trips = INSTRUCTIONS / instructions;
        struct core_unit unit = core_begin(plan, isa, series->what, instructions);
        core_sizes(&unit, size, size, trips, 3 * trips);
        put_unit(&unit, series->unit);
        core_end(&unit);
    }
}

void core_plan_fetch(struct array *plan, enum isa isa)
{
    plan_series(plan, isa, &small);
    plan_series(plan, isa, &large);
}

/* Cycles of an instruction by the size of the code. */
static void find_series(struct core_evidence *evidence, const struct series *series, const char *word)
{
    struct core_point points[MOST_POINTS] = {0};
    size_t count = 0;
    for (unsigned size = series->least; size <= series->most; size = next_size(series, size)) {
        double cycles = core_cycles(evidence->results, NULL, series->what, size * series->unit);
        if (isfinite(cycles) && count < MOST_POINTS)
            points[count++] = (struct core_point){size * series->unit, cycles / series->unit};
    }
    struct core_step step;
    if (!core_find_step(points, count, &step))
        return;
    /* A part of what does not fit may still be found: the step is a ramp then, and starts at the size. */
    size_t first = 0;
    while (first < count && points[first].x < step.at)
        first++;
    while (first > 1 && points[first - 1].y > AS_BEFORE * step.low)
        first--;
    double fits = points[first - 1].x, does_not = points[first].x;
    char how[128];
    snprintf(how, sizeof how,
             "straight code that grows: %.2f instructions a cycle up to %.0f, %.2f from %.0f on",
             1 / step.low, fits, 1 / step.high, fmax(step.to, does_not));
    gauge_finding_add(evidence->findings, word, (does_not - fits) / fits, how, "%.0f", (fits + does_not) / 2);
}

void core_find_fetch(struct core_evidence *evidence)
{
    find_series(evidence, &small, "loop-buffer");
    if (evidence->isa == isa_AARCH64)
        find_series(evidence, &large, "uop-cache-size");
}
