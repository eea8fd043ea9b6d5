/* Branches: how many are taken in a cycle, and what a wrong guess costs.

   Taken branches: a loop has one besides the branch back, with a condition or without, at several distances,
   because predictors hold few branches of one line; the best counts.  The condition is a bit of the loop's
   counter: it holds for 256 iterations and then not for as many, because predictors take a branch that always
   jumps for a jump (a Neoverse V1 does in some runs).  Rows of jumps do not tell: two of them may go in a
   cycle where a jump and a condition do, and two conditions do not (`jumps-pair`).

   A mispredicted branch: the sign of a number of a random sequence decides (x = x × a + c), which no
   predictor learns; the sequence starts elsewhere each time.  The same with the sign of a constant takes what
   the sequence takes. Half of the branches go wrong, so a wrong guess costs twice the difference: from the
   branch until the instructions after it do their work. */
#include "run/bench/core/experiments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BRANCHES = 16, LEAST_DISTANCE = 8, FEW_TRIPS = 2048, MANY_TRIPS = 8192, CONDITION_BIT = 8 };
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
        put_word(unit, has_condition ? 0x36000000 | CONDITION_BIT << 19 | distance / 4 << 5 | 30 /* tbz x30 */
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

static const char jumps[] = "branches taken", loop_jump[] = "loop jump", loop_condition[] = "loop condition";

static void plan_taken(struct array *plan, enum isa isa, unsigned distance)
{
    struct core_unit unit = core_begin(plan, isa, jumps, distance);
    for (unsigned i = 0; i < BRANCHES; i++)
        put_taken(&unit, distance, false);
    core_sizes(&unit, 1, 3, 0, 0); /* the fastest tables of targets are small */
    core_end(&unit);
}

/* A loop with one jump in it, besides the branch back. */
static void plan_loop(struct array *plan, enum isa isa, unsigned distance, bool has_condition)
{
    static const uint8_t test[] = {0x41, 0xf7, 0xc7, 0, 1 << (CONDITION_BIT - 8), 0, 0}; /* test r15d, 256 */
    struct core_unit unit = core_begin(plan, isa, has_condition ? loop_condition : loop_jump, distance);
    if (has_condition && isa == isa_X86_64)
        core_put_bytes(&unit, test, sizeof test);
    put_taken(&unit, distance, has_condition);
    core_sizes(&unit, 1, 1, FEW_TRIPS, MANY_TRIPS);
    core_end(&unit);
}

void core_plan_branches(struct array *plan, enum isa isa)
{
    struct core_unit unit;
    for (unsigned d = 0; d < DISTANCE_COUNT; d++) {
        plan_taken(plan, isa, distances[d]);
        if (distances[d] >= LEAST_DISTANCE) {
            plan_loop(plan, isa, distances[d], false);
            plan_loop(plan, isa, distances[d], true);
        }
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

/* Cycles of a loop with a jump in it, the quickest of all distances. */
static double loop_cycles(struct core_evidence *evidence, double *spread, const char *what)
{
    double best = NAN;
    for (unsigned d = 0; d < DISTANCE_COUNT; d++) {
        double own = 0, cycles = core_cycles(evidence->results, &own, what, distances[d]);
        if (cycles > best || isnan(cycles))
            continue;
        best = cycles;
        *spread = own;
    }
    return best;
}

/* While the condition holds, a loop with it takes a cycle for each of both branches, or for both together;
   else one, as a loop without. */
static bool find_in_loops(struct core_evidence *evidence)
{
    static const double TOGETHER = 1.25, APART = 1.4, MOST = 1.8;
    char how[128];
    double spread = 0, condition = loop_cycles(evidence, &spread, loop_condition), other = 0;
    double jump = loop_cycles(evidence, &other, loop_jump);
    bool are_apart = condition > APART && condition < MOST;
    if (!(condition < TOGETHER) && !are_apart)
        return false;
    snprintf(how, sizeof how, "a loop with a branch that is taken half the time: %.2f cycles", condition);
    bench_finding_add(evidence->findings, "taken", spread, how, "%d", are_apart ? 1 : 2);
    if (are_apart && jump < TOGETHER) {
        snprintf(how, sizeof how,
                 "a loop with a jump: %.2f cycles; with a branch that is taken half the time %.2f", jump,
                 condition);
        bench_finding_add(evidence->findings, "jumps-pair", other, how, "%s", "");
    }
    return true;
}

static void find_taken(struct core_evidence *evidence)
{
    char how[128];
    struct rate best = best_rate(evidence, jumps);
    if (find_in_loops(evidence) || !(best.a_cycle > 0))
        return;
    snprintf(how, sizeof how, "jumps %u bytes apart: %.2f a cycle", best.distance, best.a_cycle);
    /* No core takes one in a cycle and a half: such a figure is a predictor that loses some of them. */
    double cycles = round(1 / best.a_cycle);
    if (best.a_cycle > 0.85)
        bench_finding_add(evidence->findings, "taken", best.spread, how, "%.0f", floor(best.a_cycle + 0.15));
    else if (fabs(1 / best.a_cycle - cycles) < 0.1 * cycles)
        bench_finding_add(evidence->findings, "taken", best.spread, how, "%.2f", 1 / cycles);
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
        bench_finding_add(evidence->findings, "mispredict", spread, how, "%.0f", 2 * (random - constant));
    }
}
