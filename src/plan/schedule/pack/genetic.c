#include "plan/schedule/pack/genetic.h"

#include <stdlib.h>
#include <string.h>

/* Tasks that come twice after the splice keep their place in the second part; the first part gets, in the
   first parent's order, those that are missing. */
static void cross_orders(const struct plan *first, const struct plan *second, struct plan *child,
                         uint32_t cut)
{
    uint32_t count = first->count, next = 0;
    bool *is_late = memory_get(first->tasks + 1);
    for (uint32_t i = cut; i < count; i++) {
        child->order[i] = second->order[i];
        is_late[second->order[i]] = true;
    }
    for (uint32_t i = 0; i < count && next < cut; i++)
        if (!is_late[first->order[i]])
            child->order[next++] = first->order[i];
    free(is_late);
}

static void copy_seat(const struct plan *from, struct plan *to, uint32_t task)
{
    to->size[task] = from->size[task];
    to->seat[task] = from->seat[task];
    memcpy(plan_set(to, task), plan_set(from, task), from->words * sizeof *from->sets);
}

void genetic_cross(const struct pack_case *the_case, const struct plan *first, const struct plan *second,
                   struct plan *child, struct random *random)
{
    if (!first->count)
        return;
    cross_orders(first, second, child, random_below(random, first->count + 1));
    uint32_t cut = random_below(random, first->count + 1);
    for (uint32_t i = 0; i < first->count; i++)
        copy_seat(i < cut ? first : second, child, child->order[i]);
    plan_mend_order(the_case, child);
    for (uint32_t i = 0; i < child->count; i++)
        plan_mend_seat(the_case, child, child->order[i]);
}

static void mutate_order(struct plan *plan, struct random *random)
{
    uint32_t a = random_below(random, plan->count), b = random_below(random, plan->count);
    uint32_t task = plan->order[a];
    plan->order[a] = plan->order[b];
    plan->order[b] = task;
}

/* Flips some bits of a set.  The set binds from now on, or only its size does. */
static void mutate_set(const struct pack_case *the_case, struct plan *plan, struct random *random)
{
    uint32_t task = plan->order[random_below(random, plan->count)];
    uint32_t flips = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < flips; i++) {
        uint32_t p = random_below(random, the_case->problem.processor_count);
        plan_set(plan, task)[p / 64] ^= (uint64_t)1 << p % 64;
    }
    uint32_t seat = plan->seat[task];
    plan->seat[task] = SEAT_SET;
    plan_mend_seat(the_case, plan, task);
    if (random_below(random, 4))
        plan->seat[task] = seat == SEAT_SET ? SEAT_ANY : seat;
    plan_mend_seat(the_case, plan, task);
}

void genetic_mutate(const struct pack_case *the_case, struct plan *plan, uint32_t changes,
                    struct random *random)
{
    if (!plan->count)
        return;
    for (uint32_t i = 0; i < changes; i++)
        if (random_below(random, 2))
            mutate_order(plan, random);
        else
            mutate_set(the_case, plan, random);
    plan_mend_order(the_case, plan);
}

void population_make(struct population *population, uint32_t most)
{
    *population = (struct population){memory_get((most + 1) * sizeof *population->plans), 0, most};
}

void population_free(struct population *population)
{
    for (uint32_t i = 0; i < population->count; i++)
        plan_free(&population->plans[i]);
    free(population->plans);
    *population = (struct population){0};
}

void population_offer(struct population *population, const struct pack_case *the_case,
                      const struct plan *plan)
{
    uint32_t worst = 0;
    for (uint32_t i = 0; i < population->count; i++) {
        if (population->plans[i].figures.fitness == plan->figures.fitness)
            return;
        if (population->plans[i].figures.fitness > population->plans[worst].figures.fitness)
            worst = i;
    }
    if (population->count < population->most) {
        worst = population->count++;
        plan_make(&population->plans[worst], the_case);
    } else if (population->plans[worst].figures.fitness < plan->figures.fitness)
        return;
    plan_copy(&population->plans[worst], plan);
}

const struct plan *population_draw(const struct population *population, struct random *random)
{
    const struct plan *a = &population->plans[random_below(random, population->count)],
                      *b = &population->plans[random_below(random, population->count)];
    return a->figures.fitness <= b->figures.fitness ? a : b;
}

const struct plan *population_best(const struct population *population)
{
    const struct plan *best = NULL;
    for (uint32_t i = 0; i < population->count; i++)
        if (!best || population->plans[i].figures.fitness < best->figures.fitness)
            best = &population->plans[i];
    return best;
}
