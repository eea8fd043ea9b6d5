#include "plan/schedule/pack/pack.h"

#include "base/clock.h"
#include "base/workers.h"
#include "plan/schedule/pack/carry.h"
#include "plan/schedule/pack/islands.h"
#include "plan/schedule/pack/result.h"
#include "plan/schedule/pack/seeds.h"

#include <math.h>
#include <stdlib.h>

/* The makespan comes first. Seconds over deadlines weigh as much. Earlier ends decide where the makespan does
   not. Idle time hardly counts by itself: processors that are given to a task which hardly gains by them are
   not idle either. Estimates are wrong: a long task that is planned to end last, and overruns, leaves all
   others idle, so long work whose estimate is uncertain goes early where that costs little. */
const struct pack_aims pack_usual_aims = {
    .makespan = 1, .idle = 0.001, .late = 1, .waiting = 0.01, .hedge = 0.1};

enum { SEEDS = 16, CARRIED = 9 };

struct packer {
    uint64_t seed;
    unsigned threads;
    struct pack_aims aims;
    struct pack_case the_case;
    struct islands islands;
    bool is_set;
    struct pack_schedule best; /* as it was last asked for */
    struct plan shown;
    uint64_t steps; /* of earlier problems */
};

struct packer *pack_open(uint64_t seed, unsigned threads, const struct pack_aims *aims)
{
    struct packer *packer = memory_get(sizeof *packer);
    packer->seed = seed;
    packer->threads = workers_count(threads);
    packer->aims = aims ? *aims : pack_usual_aims;
    return packer;
}

static void forget(struct packer *packer)
{
    if (!packer->is_set)
        return;
    packer->steps += packer->islands.steps;
    islands_free(&packer->islands);
    case_free(&packer->the_case);
    plan_free(&packer->shown);
    packer->is_set = false;
}

void pack_close(struct packer *packer)
{
    if (!packer)
        return;
    forget(packer);
    pack_schedule_free(&packer->best);
    free(packer);
}

static void sort_plans(struct plan *plans, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k && plans[k].figures.fitness < plans[k - 1].figures.fitness; k--) {
            struct plan other = plans[k];
            plans[k] = plans[k - 1];
            plans[k - 1] = other;
        }
}

/* Plans of the old problem that are worth carrying over: the best of all, and those of each island. */
static uint32_t carry_over(struct packer *packer, const struct pack_case *new_case,
                           struct evaluator *evaluator, struct plan *plans, uint32_t most)
{
    struct carry carry;
    uint32_t count = 0;
    carry_make(&carry, &packer->the_case, new_case);
    const struct plan *best = islands_best(&packer->islands);
    for (unsigned i = 0; i < 1 + 2 * ISLANDS && count < most; i++) {
        const struct island *island = &packer->islands.island[i / 2 % ISLANDS];
        const struct plan *from = !i      ? best
                                  : i % 2 ? population_best(&island->population)
                                          : &island->local.best;
        if (!from || (i && from == best))
            continue;
        plan_make(&plans[count], new_case);
        carry_plan(&carry, from, &plans[count]);
        evaluate(evaluator, &plans[count++]);
    }

    carry_free(&carry);
    return count;
}

/* As many as take some tenths of a second; fewer after a change, where the plans that were known are the
   better beginning. */
static uint32_t seed_tries(const struct pack_case *the_case, bool is_change)
{
    double each = (double)the_case->real_count * (50 + the_case->problem.host_count);
    double tries = (is_change ? 4e6 : 1e8) / (each + 1);
    return tries > 100 ? 100 : tries < 1 ? 1 : (uint32_t)tries;
}

enum pack_fault pack_set(struct packer *packer, const struct pack_problem *problem, uint32_t *bad)
{
    struct pack_case new_case;
    enum pack_fault fault = case_make(&new_case, problem, bad);
    if (fault != pack_FINE)
        return fault;
    struct evaluator evaluator;
    evaluator_make(&evaluator, &new_case, &packer->aims);
    struct plan plans[SEEDS + CARRIED];
    uint32_t tries = seed_tries(&new_case, packer->is_set);
    uint32_t count = seeds_make(&evaluator, plans, SEEDS, tries);
    if (packer->is_set)
        count += carry_over(packer, &new_case, &evaluator, plans + count, tries < CARRIED ? tries : CARRIED);
    sort_plans(plans, count);
    evaluator_free(&evaluator);
    forget(packer);
    packer->the_case = new_case;
    packer->is_set = true;
    islands_make(&packer->islands, &packer->the_case, &packer->aims, packer->seed + packer->steps,
                 packer->threads, plans, count);
    plan_make(&packer->shown, &packer->the_case);
    for (uint32_t i = 0; i < count; i++)
        plan_free(&plans[i]);
    return pack_FINE;
}

void pack_work(struct packer *packer, double seconds, const volatile int *stop)
{
    if (packer->is_set && seconds > 0)
        islands_run(&packer->islands, UINT64_MAX / 2, clock_monotonic_seconds() + seconds, stop);
}

void pack_steps(struct packer *packer, uint64_t steps)
{
    if (packer->is_set)
        islands_run(&packer->islands, steps, INFINITY, NULL);
}

const struct pack_schedule *pack_best(struct packer *packer)
{
    pack_schedule_free(&packer->best);
    if (!packer->is_set)
        return &packer->best;
    plan_copy(&packer->shown, islands_best(&packer->islands));
    result_fill(&packer->the_case, &packer->aims, &packer->shown, &packer->best);
    packer->best.steps = packer->steps + packer->islands.steps;
    return &packer->best;
}
