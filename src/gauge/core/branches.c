/* Branches: how many are taken in a cycle, and what a wrong guess costs.

   Branches that are taken are measured at several distances, because predictors hold few branches of one
   line; the best distance counts.  Jumps without a condition may be quicker: on a Neoverse V1 two go in a
   cycle, of branches with a condition one (`jumps-pair`).  Loops end in such a branch, so theirs is the
   figure.

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

/* A jump to `distance` bytes from its start, with no-ops between; with a condition that holds. */
static void put_taken(struct core_unit *unit, unsigned distance, bool has_condition)
{
    if (unit->isa == isa_AARCH64) {
        uint32_t zero = core_general(isa_AARCH64, core_INDEX);
        put_word(unit, has_condition ? 0xb4000000 | distance / 4 << 5 | zero /* cbz */
                                     : 0x14000000 | distance / 4 /* b */);
        for (unsigned i = 4; i < distance; i += 4)
            put_word(unit, 0xd503201f);
        return;
    }
    uint8_t jump[64];
    memset(jump, 0x90, sizeof jump);
    jump[0] = has_condition ? 0x74 : 0xeb; /* je */
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

static const char jumps[] = "branches taken", conditions[] = "branches taken if";

static void plan_taken(struct array *plan, enum isa isa, unsigned distance, bool has_condition)
{
    uint8_t zero = core_general(isa, core_INDEX);
    struct core_unit unit = core_begin(plan, isa, has_condition ? conditions : jumps, distance);
    if (has_condition && isa == isa_X86_64)
        core_put(&unit, "test r64,r64", (struct core_registers){.to = zero, .from = zero});
    for (unsigned i = 0; i < BRANCHES; i++)
        put_taken(&unit, distance, has_condition);
    core_sizes(&unit, 1, 3, 0, 0); /* the fastest tables of targets are small */
    core_end(&unit);
}

void core_plan_branches(struct array *plan, enum isa isa)
{
    struct core_unit unit;
    for (unsigned d = 0; d < DISTANCE_COUNT; d++) {
        plan_taken(plan, isa, distances[d], false);
        plan_taken(plan, isa, distances[d], true);
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

/* The best of all distances. */
struct rate {
    double a_cycle, spread;
    unsigned distance;
};

static struct rate best_rate(struct core_evidence *evidence, const char *what)
{
    struct rate best = {0};
    for (unsigned d = 0; d < DISTANCE_COUNT; d++) {
        double spread = 0, taken = BRANCHES / core_cycles(evidence->results, &spread, what, distances[d]);
        if (taken > best.a_cycle)
            best = (struct rate){taken, spread, distances[d]};
    }
    return best;
}

static void find_taken(struct core_evidence *evidence)
{
    static const double TWICE = 1.6;
    char how[128];
    struct rate jump = best_rate(evidence, jumps), condition = best_rate(evidence, conditions);
    struct rate best = condition.a_cycle > 0 ? condition : jump;
    if (!(best.a_cycle > 0))
        return;
    snprintf(how, sizeof how, "%s %u bytes apart: %.2f a cycle",
             condition.a_cycle > 0 ? "branches with a condition" : "jumps", best.distance, best.a_cycle);
    /* No core takes one in a cycle and a half: such a figure is a predictor that loses some of them. */
    double cycles = round(1 / best.a_cycle);
    if (best.a_cycle > 0.85)
        gauge_finding_add(evidence->findings, "taken", best.spread, how, "%.0f", floor(best.a_cycle + 0.15));
    else if (fabs(1 / best.a_cycle - cycles) < 0.1 * cycles)
        gauge_finding_add(evidence->findings, "taken", best.spread, how, "%.2f", 1 / cycles);
    if (!(condition.a_cycle > 0) || !(jump.a_cycle > TWICE * condition.a_cycle))
        return;
    snprintf(how, sizeof how, "jumps %u bytes apart: %.2f a cycle, with a condition %.2f", jump.distance,
             jump.a_cycle, condition.a_cycle);
    gauge_finding_add(evidence->findings, "jumps-pair", jump.spread, how, "%s", "");
}

void core_find_branches(struct core_evidence *evidence)
{
    char how[128];
    find_taken(evidence);
    double spread = 0;
    double constant = core_cycles(evidence->results, &spread, "mispredict", 0);
    double random = core_cycles(evidence->results, &spread, "mispredict", 1);
    if (random > constant + 1) {
        snprintf(how, sizeof how, "a branch on random bits %.1f cycles, on constant ones %.1f: half go wrong",
                 random, constant);
        gauge_finding_add(evidence->findings, "mispredict", spread, how, "%.0f", 2 * (random - constant));
    }
}
