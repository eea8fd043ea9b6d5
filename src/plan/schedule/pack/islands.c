#include "plan/schedule/pack/islands.h"

#include "base/clock.h"
#include "base/workers.h"

#include <math.h>

enum { POPULATION = 12, MOST_BYTES = 64 << 20 };

void islands_make(struct islands *islands, const struct pack_case *the_case, const struct pack_aims *aims,
                  uint64_t seed, unsigned threads, const struct plan *seeds, uint32_t seed_count)
{
    static const uint32_t memories[4] = {4, 2, 8, 16};
    uint32_t count = the_case->real_count;
    *islands = (struct islands){.the_case = the_case, .threads = threads};
    islands->round_steps = count ? 100000 / count : 16;
    islands->round_steps = islands->round_steps < 16     ? 16
                           : islands->round_steps > 4000 ? 4000
                                                         : islands->round_steps;
    size_t room = MOST_BYTES / ISLANDS / plan_bytes(the_case);
    uint32_t most = room < 2 ? 2 : room > POPULATION ? POPULATION : (uint32_t)room;
    for (unsigned i = 0; i < ISLANDS; i++) {
        struct island *island = &islands->island[i];
        island->random.state = seed + i * UINT64_C(0xd1342543de82ef95);
        population_make(&island->population, most);
        local_make(&island->local, the_case, aims, &island->random);
        /* The best seed is everywhere; the others are dealt. */
        for (uint32_t s = 0; s < seed_count && island->population.count < most; s++)
            if (s == 0 || s % ISLANDS == i)
                population_offer(&island->population, the_case, &seeds[s]);
        uint32_t begin = i < seed_count ? i : 0;
        plan_copy(&island->local.plan, &seeds[begin]);
        island->local.memory = memories[i % 4];
        local_begin_known(&island->local);
    }
}

void islands_free(struct islands *islands)
{
    for (unsigned i = 0; i < ISLANDS; i++) {
        local_free(&islands->island[i].local);
        population_free(&islands->island[i].population);
    }
    *islands = (struct islands){0};
}

/* A search that stands still gives its best to the population, and a child of that is the next beginning. */
static void begin_again(struct island *island, const struct pack_case *the_case)
{
    struct population *population = &island->population;
    struct random *random = &island->random;
    population_offer(population, the_case, &island->local.best);
    const struct plan *first = population_draw(population, random),
                      *second = population_draw(population, random);
    struct plan *child = &island->local.plan;
    if (first != second)
        genetic_cross(the_case, first, second, child, random);
    else
        plan_copy(child, first);
    if (first == second || random_below(random, 2))
        genetic_mutate(the_case, child, 1 + random_below(random, 2 + the_case->real_count / 32), random);
    local_begin(&island->local);
}

struct round {
    struct islands *islands;
    uint32_t steps;
    double until;
    const volatile int *stop;
};

static void run_island(void *context, size_t item, unsigned worker)
{
    (void)worker;
    struct round *round = context;
    struct island *island = &round->islands->island[item];
    const struct pack_case *the_case = round->islands->the_case;
    uint64_t patience = 400 + 4 * (uint64_t)the_case->real_count;
    for (uint32_t i = 0; i < round->steps; i++) {
        if (i % 16 == 0 && ((round->stop && *round->stop) ||
                            (round->until != INFINITY && clock_monotonic_seconds() >= round->until)))
            break;
        local_step(&island->local);
        if (island->local.tried - island->local.improved > patience)
            begin_again(island, the_case);
    }
}

static void migrate(struct islands *islands)
{
    for (unsigned i = 0; i < ISLANDS; i++) {
        struct island *from = &islands->island[i], *to = &islands->island[(i + 1) % ISLANDS];
        population_offer(&from->population, islands->the_case, &from->local.best);
        population_offer(&to->population, islands->the_case, population_best(&from->population));
    }
}

void islands_run(struct islands *islands, uint64_t steps, double until, const volatile int *stop)
{
    uint64_t left = (steps + ISLANDS - 1) / ISLANDS;
    if (!islands->the_case->real_count)
        return;
    while (left && !(stop && *stop) && !(until != INFINITY && clock_monotonic_seconds() >= until)) {
        uint32_t part = islands->round_steps - (uint32_t)(islands->steps / ISLANDS % islands->round_steps);
        part = left < part ? (uint32_t)left : part;
        struct round round = {islands, part, until, stop};
        workers_run(islands->threads, ISLANDS, run_island, &round);
        left -= part;
        islands->steps += (uint64_t)part * ISLANDS;
        if (islands->steps / ISLANDS % islands->round_steps == 0 && ++islands->rounds % 8 == 0)
            migrate(islands);
    }
}

const struct plan *islands_best(const struct islands *islands)
{
    const struct plan *best = NULL;
    for (unsigned i = 0; i < ISLANDS; i++) {
        const struct plan *found[] = {&islands->island[i].local.best,
                                      population_best(&islands->island[i].population)};
        for (unsigned k = 0; k < 2; k++)
            if (found[k] && (!best || found[k]->figures.fitness < best->figures.fitness))
                best = found[k];
    }
    return best;
}
