#include "plan/schedule/pack/carry.h"

#include "plan/schedule/pack/allot.h"

#include <stdlib.h>
#include <string.h>

struct known {
    uint64_t key;
    uint32_t number;
};

static int by_key(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t find(const struct known *known, uint32_t count, uint64_t key)
{
    struct bisection search = {0, count};
    while (bisect(&search))
        bisect_past(&search, known[search.middle].key < key);
    return search.first < count && known[search.first].key == key ? known[search.first].number : UINT32_MAX;
}

void carry_make(struct carry *carry, const struct pack_case *old_case, const struct pack_case *new_case)
{
    const struct pack_problem *old = &old_case->problem, *new = &new_case->problem;
    *carry = (struct carry){.old_case = old_case, .new_case = new_case};
    uint32_t most = new->task_count > new->host_count ? new->task_count : new->host_count;
    struct known *known = memory_get((most + 1) * sizeof *known);
    carry->task = memory_get((old->task_count + 1) * sizeof *carry->task);
    carry->host = memory_get((old->host_count + 1) * sizeof *carry->host);
    for (uint32_t t = 0; t < new->task_count; t++)
        known[t] = (struct known){new->tasks[t].key, t};
    qsort(known, new->task_count, sizeof *known, by_key);
    for (uint32_t t = 0; t < old->task_count; t++)
        carry->task[t] = find(known, new->task_count, old->tasks[t].key);
    for (uint32_t h = 0; h < new->host_count; h++)
        known[h] = (struct known){new->hosts[h].key, h};
    qsort(known, new->host_count, sizeof *known, by_key);
    for (uint32_t h = 0; h < old->host_count; h++)
        carry->host[h] = find(known, new->host_count, old->hosts[h].key);
    free(known);
    carry->size = memory_get((new->task_count + 1) * sizeof *carry->size);
    carry->ranks = memory_get((new->task_count + 1) * sizeof *carry->ranks);
    allot_balanced(new_case, carry->size);
    allot_ranks(new_case, carry->size, carry->ranks);
}

void carry_free(struct carry *carry)
{
    free(carry->task);
    free(carry->host);
    free(carry->ranks);
    free(carry->size);
    *carry = (struct carry){0};
}

/* The same places on the hosts that are still there. */
static void carry_set(const struct carry *carry, const uint64_t *from, uint64_t *to)
{
    const struct pack_problem *old = &carry->old_case->problem, *new = &carry->new_case->problem;
    for (uint32_t word = 0; word < carry->old_case->words; word++)
        for (uint64_t bits = from[word]; bits; bits &= bits - 1) {
            uint32_t p = word * 64 + (uint32_t)__builtin_ctzll(bits), h = carry->old_case->host_of[p];
            uint32_t host = carry->host[h], place = p - old->hosts[h].first;
            if (host != UINT32_MAX && place < new->hosts[host].count) {
                p = new->hosts[host].first + place;
                to[p / 64] |= (uint64_t)1 << p % 64;
            }
        }
}

struct arrival {
    double rank;
    uint32_t task, after;
};

static int by_place(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

void carry_plan(const struct carry *carry, const struct plan *old_plan, struct plan *plan)
{
    const struct pack_case *new_case = carry->new_case;
    uint32_t all = new_case->problem.task_count, kept = 0, came = 0, used = 0;
    bool *is_known = memory_get(all + 1);
    uint32_t *order = memory_get((all + 1) * sizeof *order);
    double *ranks = memory_get((all + 1) * sizeof *ranks);
    struct arrival *arrivals = memory_get((all + 1) * sizeof *arrivals);
    memset(plan->sets, 0, (size_t)all * plan->words * sizeof *plan->sets);
    for (uint32_t i = 0; i < old_plan->count; i++) {
        uint32_t old = old_plan->order[i], t = carry->task[old], seat = old_plan->seat[old];
        if (t == UINT32_MAX || !new_case->is_real[t] || is_known[t])
            continue;
        is_known[t] = true;
        ranks[kept] = carry->ranks[t];
        order[kept++] = t;
        plan->size[t] = old_plan->size[old];
        plan->seat[t] = seat == SEAT_ANY || seat == SEAT_SET ? seat : carry->host[seat];
        carry_set(carry, plan_set(old_plan, old), plan_set(plan, t));
        plan_mend_seat(new_case, plan, t);
    }
    qsort(ranks, kept, sizeof *ranks, falling);
    for (uint32_t i = 0; i < new_case->real_count; i++) {
        uint32_t t = new_case->topological[i];
        if (is_known[t])
            continue;
        struct bisection search = {0, kept};
        while (bisect(&search))
            bisect_past(&search, ranks[search.middle] > carry->ranks[t]);
        arrivals[came++] = (struct arrival){carry->ranks[t], t, (uint32_t)search.first};
        plan->size[t] = carry->size[t];
        plan->seat[t] = SEAT_ANY;
    }
    qsort(arrivals, came, sizeof *arrivals, by_place);
    for (uint32_t i = 0, next = 0; i <= kept; i++) {
        for (; next < came && arrivals[next].after <= i; next++)
            plan->order[used++] = arrivals[next].task;
        if (i < kept)
            plan->order[used++] = order[i];
    }
    plan_mend_order(new_case, plan);
    free(arrivals);
    free(ranks);
    free(order);
    free(is_known);
}
