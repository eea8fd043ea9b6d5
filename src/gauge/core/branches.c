/* Branches: how many are taken in a cycle, and what a wrong guess costs.

   Jumps that are taken are measured at several distances, because predictors hold few branches of one line;
   the best distance counts.

   A mispredicted branch: the sign of a number of a random sequence decides (x = x × a + c), which no
   predictor learns; the sequence starts elsewhere each time.  The same with the sign of a constant takes what
   the sequence takes. Half of the branches go wrong, so a wrong guess costs twice the difference: from the
   branch until the instructions behind it do their work. */
#include "gauge/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BRANCHES = 16 };
static const unsigned distances[] = {4, 8, 16, 32, 64};
enum { DISTANCE_COUNT = sizeof distances / sizeof *distances };
static const uint64_t FACTOR = 6364136223846793005, SUMMAND = 1442695040888963407;

static void put_word(struct core_unit *unit, uint32_t word)
{
    core_put_bytes(unit, &word, sizeof word);
}

/* A jump to `distance` bytes from its start, with no-ops between. */
static void put_taken(struct core_unit *unit, unsigned distance)
{
    if (unit->isa == isa_AARCH64) {
        put_word(unit, 0x14000000 | distance / 4); /* b */
        for (unsigned i = 4; i < distance; i += 4)
            put_word(unit, 0xd503201f);
        return;
    }
    uint8_t jump[64];
    memset(jump, 0x90, sizeof jump);
    jump[0] = 0xeb;
    jump[1] = (uint8_t)(distance - 2);
    core_put_bytes(unit, jump, distance);
}

/* The next number of the sequence, in P. */
static void put_random(struct core_unit *unit)
{
    uint8_t p = core_general(unit->isa, core_P), factor = core_general(unit->isa, core_SOURCE);
    uint8_t summand = core_general(unit->isa, core_INDEX);
    core_set(unit, factor, false, FACTOR);
    core_set(unit, summand, false, SUMMAND);
    if (unit->isa == isa_AARCH64) {
        put_word(unit, 0x9b000000 | (uint32_t)factor << 16 | (uint32_t)summand << 10 | (uint32_t)p << 5 |
                           p); /* madd */
        return;
    }
    core_put(unit, "imul r64,r64", (struct core_registers){.to = p, .from = factor});
    core_put(unit, "add r64,r64", (struct core_registers){.to = p, .from = summand});
}

/* Skips one instruction if the number is negative. */
static void put_decision(struct core_unit *unit, uint8_t number)
{
    if (unit->isa == isa_AARCH64) {
        put_word(unit, 0xb7f80040 | number); /* tbnz x, 63, .+8 */
        put_word(unit, 0xd503201f);
        return;
    }
    static const uint8_t skip[] = {0x78, 0x01, 0x90}; /* js over a nop */
    core_put(unit, "test r64,r64", (struct core_registers){.to = number, .from = number});
    core_put_bytes(unit, skip, sizeof skip);
}

void core_plan_branches(struct array *plan, enum isa isa)
{
    struct core_unit unit;
    for (unsigned d = 0; d < DISTANCE_COUNT; d++) {
        unit = core_begin(plan, isa, "branches taken", distances[d]);
        for (unsigned i = 0; i < BRANCHES; i++)
            put_taken(&unit, distances[d]);
        core_sizes(&unit, 1, 3, 0, 0); /* the fastest tables of targets are small */
        core_end(&unit);
    }
    for (unsigned is_random = 0; is_random < 2; is_random++) {
        enum { CHASE = 1 << 16 };
        unit = core_begin(plan, isa, "mispredict", is_random);
        core_chase(&unit, core_general(isa, core_P), CHASE);
        put_random(&unit);
        put_decision(&unit, core_general(isa, is_random ? core_P : core_BASE_TOO));
        core_set(&unit, core_general(isa, core_BASE_TOO), false, 1);
        core_end(&unit);
    }
}

void core_find_branches(struct core_evidence *evidence)
{
    char how[128];
    double best = 0, best_spread = 0;
    unsigned distance = 0;
    for (unsigned d = 0; d < DISTANCE_COUNT; d++) {
        double own = 0,
               taken = BRANCHES / core_cycles(evidence->results, &own, "branches taken", distances[d]);
        if (!(taken > best))
            continue;
        best = taken;
        best_spread = own;
        distance = distances[d];
    }
    /* No core takes one in a cycle and a half: such a figure is a predictor that loses some of them. */
    if (best > 0) {
        snprintf(how, sizeof how, "jumps %u bytes apart: %.2f a cycle", distance, best);
        double cycles = round(1 / best);
        if (best > 0.85)
            gauge_finding_add(evidence->findings, "taken", best_spread, how, "%.0f", floor(best + 0.15));
        else if (fabs(1 / best - cycles) < 0.1 * cycles)
            gauge_finding_add(evidence->findings, "taken", best_spread, how, "%.2f", 1 / cycles);
    }
    double spread = 0;
    double constant = core_cycles(evidence->results, &spread, "mispredict", 0);
    double random = core_cycles(evidence->results, &spread, "mispredict", 1);
    if (random > constant + 1) {
        snprintf(how, sizeof how, "a branch on random bits %.1f cycles, on constant ones %.1f: half go wrong",
                 random, constant);
        gauge_finding_add(evidence->findings, "mispredict", spread, how, "%.0f", 2 * (random - constant));
    }
}
