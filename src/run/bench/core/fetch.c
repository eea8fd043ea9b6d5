/* The µop cache and the loop buffer, by straight code that grows.

   A loop of N instructions that do not wait for each other runs as fast as its instructions are delivered. Up
   to some size they come decoded, from a loop buffer or a µop cache; beyond it they are decoded anew each
   time, and the loop takes longer for each instruction.  Instructions have four bytes, so that the first
   cache of instructions (32 KB at least) holds more of them than any µop cache does.

   AArch64: additions of both kinds, as many as a cycle takes, which the decoders cannot follow.  x86-64: some
   decoders follow six no-ops a cycle; but each time they find a constant of 16 bits after a prefix that
   changes its length they stop for a few cycles, and what was decoded before is not looked at again.

   A µop cache of x86-64 has lines of µops from one window of code (64 bytes on a Golden Cove, eight µops a
   line), so the step may be that of lines that are half empty, of bytes or of pages: on a Golden Cove server
   sixteen instructions in each 64 bytes had it at 1,300 to 1,600, and the cache has 4,096 µops.  So there are
   two densities, with sixteen and with eight instructions in 64 bytes.  What is limited by anything but µops
   has the step of one at half the number of the other.  The size is written only where both have the same. */
#include "run/bench/core/experiments.h"
#include "run/bench/core/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INSTRUCTIONS = 100000 /* of the shorter run */, MOST_POINTS = 128 };

static const double AS_BEFORE = 1.06, ALIKE = 0.1 /* sizes by two densities */;

/* Units of this many instructions; sizes of the loop in units. */
struct series {
    const char *what;
    unsigned unit, least, most, by_share; /* the next size is so many per cent larger */
    bool is_sparse;                       /* eight bytes for each instruction */
};
static const struct series small = {"code small", 4, 1, 48, 0, false},
                           large = {"code", 16, 16, 480, 3, false},
                           sparse = {"code sparse", 8, 32, 495, 3, true};

static unsigned next_size(const struct series *series, unsigned size)
{
    unsigned by = size * series->by_share / 100;
    return size + (by ? by : 1);
}

/* x86-64: units of sixteen, and of eight that are sparse, have 64 bytes. */
static void put_unit(struct core_unit *unit, const struct series *series)
{
    static const uint8_t cmp[] = {0x66, 0x3d, 0x34, 0x12}, nop[] = {0x0f, 0x1f, 0x40, 0x00},
                         nop8[] = {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
                         nop9[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    for (unsigned i = 0; i < series->unit; i++)
        if (unit->isa == isa_AARCH64)
            core_put_free(unit, i % 2 ? "add 4s,4s,4s" : "add x,x,x");
        else if (!i)
            core_put_bytes(unit, cmp, sizeof cmp);
        else if (!series->is_sparse)
            core_put_bytes(unit, nop, sizeof nop);
        else if (i < 4)
            core_put_bytes(unit, nop8, sizeof nop8);
        else
            core_put_bytes(unit, nop9, sizeof nop9);
}

static void plan_series(struct array *plan, enum isa isa, const struct series *series)
{
    for (unsigned size = series->least; size <= series->most; size = next_size(series, size)) {
        unsigned instructions = size * series->unit, trips = INSTRUCTIONS / instructions;
        struct core_unit unit = core_begin(plan, isa, series->what, instructions);
        core_sizes(&unit, size, size, trips, 3 * trips);
        put_unit(&unit, series);
        core_end(&unit);
    }
}

void core_plan_fetch(struct array *plan, enum isa isa)
{
    plan_series(plan, isa, &small);
    plan_series(plan, isa, &large);
    if (isa == isa_X86_64)
        plan_series(plan, isa, &sparse);
}

/* Where a series of sizes becomes slower: instructions that fit, that do not, and cycles of each. */
struct ramp {
    double fits, does_not, behind; /* after: where all of it is slow; all 0 without a step */
    double low, high;
    double most; /* the largest size that was measured */
};

static struct ramp find_ramp(struct core_evidence *evidence, const struct series *series)
{
    struct core_point points[MOST_POINTS] = {0};
    size_t count = 0;
    for (unsigned size = series->least; size <= series->most; size = next_size(series, size)) {
        double cycles = core_cycles(evidence->results, NULL, series->what, size * series->unit);
        if (isfinite(cycles) && count < MOST_POINTS)
            points[count++] = (struct core_point){size * series->unit, cycles / series->unit};
    }
    struct core_step step;
    struct ramp ramp = {.most = count ? points[count - 1].x : 0};
    if (!core_find_step(points, count, &step))
        return ramp;
    /* A part of what does not fit may still be found: the step is a ramp then, and starts at the size. */
    size_t first = 0;
    while (first < count && points[first].x < step.at)
        first++;
    while (first > 1 && points[first - 1].y > AS_BEFORE * step.low)
        first--;
    ramp.fits = points[first - 1].x;
    ramp.does_not = points[first].x;
    ramp.behind = fmax(step.to, ramp.does_not);
    ramp.low = step.low;
    ramp.high = step.high;
    return ramp;
}

static void tell_ramp(struct core_evidence *evidence, const struct ramp *ramp, const char *word)
{
    char how[128];
    if (ramp->fits <= 0)
        return;
    snprintf(how, sizeof how,
             "straight code that grows: %.2f instructions a cycle up to %.0f, %.2f from %.0f on",
             1 / ramp->low, ramp->fits, 1 / ramp->high, ramp->behind);
    bench_finding_add(evidence->findings, word, (ramp->does_not - ramp->fits) / ramp->fits, how, "%.0f",
                      (ramp->fits + ramp->does_not) / 2);
}

/* Whether eight instructions in 64 bytes have the step of sixteen: at the same number of them, or they have
   none as far as the cache of instructions goes, and the others have theirs after that. */
static bool are_alike(const struct ramp *dense, const struct ramp *few)
{
    return few->fits > 0 ? fabs(few->fits - dense->fits) <= ALIKE * dense->fits
                         : few->most > 0 && dense->does_not >= (1 - ALIKE) * few->most;
}

void core_find_fetch(struct core_evidence *evidence)
{
    struct ramp loop = find_ramp(evidence, &small), cache = find_ramp(evidence, &large);
    tell_ramp(evidence, &loop, "loop-buffer");
    struct ramp few = find_ramp(evidence, &sparse);
    if (evidence->isa == isa_AARCH64 || are_alike(&cache, &few))
        tell_ramp(evidence, &cache, "uop-cache-size");
}
