#include "run/bench/ports/uses.h"

#include "base/memory.h"
#include "code/cost/core/port_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a µop costs, in relative error of one mix, and how much more one costs whose ports no probe has: more
   than two others, because one µop on the ports that two probes share looks like one on each.  Fewer µops
   than are issued cost something, too, and more a lot, where they cannot be. */
static const double uop_cost = 0.02, strange_cost = 0.05, missing_cost = 0.03, excess_cost = 0.3;
static const double too_long = USES_TOO_LONG;
/* Something else than ports may make a form slow alone, so that too few µops are a smaller error there. */
static const double slow_alone = 0.5;

static void add_set(struct uses_sets *sets, uint32_t set)
{
    for (unsigned i = 0; i < sets->count; i++)
        if (sets->sets[i] == set)
            return;
    if (set && sets->count < MOST_SETS)
        sets->sets[sets->count++] = set;
}

void uses_find_sets(struct uses_sets *sets, const uint32_t *probes, const unsigned *members, unsigned count)
{
    sets->count = 0;
    for (unsigned i = 0; i < MOST_SETS; i++)
        sets->prices[i] = uop_cost + strange_cost;
    for (unsigned i = 0; i < count; i++) {
        add_set(sets, probes[i]);
        sets->prices[sets->count - 1] = uop_cost * (1 + 1. / members[i]);
    }
    sets->probe_count = sets->count;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (probes[i] & probes[j])
                add_set(sets, probes[i] & probes[j]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (probes[i] & probes[j])
                add_set(sets, probes[i] & ~probes[j]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (probes[i] & probes[j])
                add_set(sets, probes[i] | probes[j]);
}

double uses_cycles(const struct uses_sets *sets, const uint8_t *uops, double forms, uint32_t probe_ports,
                   double probes)
{
    struct port_group groups[MOST_SETS + 1];
    unsigned count = 0;
    uint32_t critical;
    if (probe_ports && probes > 0)
        groups[count++] = (struct port_group){probe_ports, probes};
    for (unsigned i = 0; i < sets->count; i++)
        if (uops[i])
            groups[count++] = (struct port_group){sets->sets[i], uops[i] * forms};
    return count ? ports_balance(groups, count, &critical) : 0;
}

double uses_least_cycles(const struct uses_problem *problem, const struct uses_mix *mix)
{
    double least =
        fmax(mix->forms * problem->chain, (mix->forms * problem->issued + mix->probes) / problem->width);
    return fmax(least, (double)mix->probes / __builtin_popcount(mix->probe));
}

void uses_judge(const struct uses_problem *problem, struct uses_answer *answer)
{
    double sum = 0, weighted = 0, prices = 0;
    for (unsigned i = 0; i < problem->mix_count; i++) {
        const struct uses_mix *mix = &problem->mixes[i];
        double cycles = uses_cycles(problem->sets, answer->uops, mix->forms, mix->probe, mix->probes);
        double error = fmax(cycles, uses_least_cycles(problem, mix)) / mix->cycles - 1;
        sum += fabs(error);
        weighted += error > 0 ? too_long * error : -error;
    }
    double alone = fmax(uses_cycles(problem->sets, answer->uops, 1, 0, 0), problem->issued / problem->width);
    alone = alone / problem->alone - 1;
    sum += alone > 0 ? alone : -alone * slow_alone;
    weighted += alone > 0 ? too_long * alone : -alone * slow_alone;
    double missing = problem->issued, excess = -(double)problem->most_uops;
    for (unsigned i = 0; i < problem->sets->count; i++) {
        prices += answer->uops[i] * problem->sets->prices[i];
        missing -= answer->uops[i];
        excess += answer->uops[i];
    }
    answer->cost = weighted + prices + (missing > 0 ? missing * missing_cost : 0) +
                   (problem->most_uops && excess > 0 ? excess * excess_cost : 0);
    answer->error = sum / (problem->mix_count + 1);
}

/* The answer with a µop less (from) and up to two more, if that is better than the best so far; `count` of
   the sets stands for none. */
static bool try_move(const struct uses_problem *problem, const struct uses_answer *answer, unsigned from,
                     unsigned to, unsigned also, struct uses_answer *best)
{
    unsigned count = problem->sets->count;
    struct uses_answer other = *answer;
    if ((to < count && other.uops[to] >= MOST_UOPS) || (also < count && other.uops[also] >= MOST_UOPS))
        return false;
    if (from < count)
        other.uops[from]--;
    if (to < count)
        other.uops[to]++;
    if (also < count)
        other.uops[also]++;
    uses_judge(problem, &other);
    if (other.cost > best->cost - 1e-9)
        return false;
    *best = other;
    return true;
}

/* One more, one less, one elsewhere; or two on ports of probes for one on others. */
void uses_improve(const struct uses_problem *problem, struct uses_answer *answer)
{
    unsigned count = problem->sets->count, probes = problem->sets->probe_count;
    for (bool moved = true; moved;) {
        struct uses_answer best = *answer;
        moved = false;
        for (unsigned from = 0; from <= count; from++) {
            if (from < count && !answer->uops[from])
                continue;
            for (unsigned to = 0; to <= count; to++)
                moved |= from != to && try_move(problem, answer, from, to, count, &best);
            for (unsigned to = 0; from >= probes && from < count && to < probes; to++)
                for (unsigned also = 0; also <= to; also++)
                    moved |= try_move(problem, answer, from, to, also, &best);
        }
        *answer = best;
    }
}

void uses_solve(const struct uses_problem *problem, struct uses_answer *answer)
{
    struct uses_answer none = {0};
    *answer = none;
    uses_solve_program(problem, answer);
    uses_judge(problem, answer);
    uses_judge(problem, &none);
    if (none.cost < answer->cost)
        *answer = none;
    uses_improve(problem, answer);
}
