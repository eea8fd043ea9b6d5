#include "plan/schedule/pack/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void local_make(struct local *local, const struct pack_case *the_case, const struct pack_aims *aims,
                struct random *random)
{
    *local = (struct local){.random = random, .memory = 8};
    evaluator_make(&local->evaluator, the_case, aims);
    plan_make(&local->plan, the_case);
    plan_make(&local->best, the_case);
    local->old_set = memory_get((the_case->words + 1) * sizeof *local->old_set);
    local->critical = memory_get((the_case->real_count + 1) * sizeof *local->critical);
}

void local_free(struct local *local)
{
    evaluator_free(&local->evaluator);
    plan_free(&local->plan);
    plan_free(&local->best);
    free(local->critical);
    free(local->old_set);
    *local = (struct local){0};
}

void local_begin(struct local *local)
{
    evaluate(&local->evaluator, &local->plan);
    local_begin_known(local);
    local->is_known_elsewhere = false;
}

void local_begin_known(struct local *local)
{
    local->is_known_elsewhere = true;
    plan_copy(&local->best, &local->plan);
    for (unsigned i = 0; i < LOCAL_HISTORY; i++)
        local->history[i] = local->plan.figures.fitness;
    local->tried = local->improved = 0;
    local->critical_is_old = true;
}

static bool meet(const struct plan *plan, uint32_t a, uint32_t b)
{
    const uint64_t *x = plan_set(plan, a), *y = plan_set(plan, b);
    for (uint32_t word = 0; word < plan->words; word++)
        if (x[word] & y[word])
            return true;
    return false;
}

/* The task that t waited for; UINT32_MAX: none. */
static uint32_t waited_for(const struct pack_case *the_case, const struct plan *plan, uint32_t t)
{
    double begin = plan->begins[t];
    for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1]; b++)
        if (plan->ends[the_case->before[b].task] + the_case->before[b].move >= begin)
            return the_case->before[b].task;
    for (uint32_t i = plan->place[t]; i--;)
        if (plan->ends[plan->order[i]] == begin && meet(plan, plan->order[i], t))
            return plan->order[i];
    return UINT32_MAX;
}

/* The one that ends last; or now and then, where deadlines are missed, one that misses its own. */
static uint32_t last_task(struct local *local)
{
    const struct plan *plan = &local->plan;
    const struct pack_task *tasks = local->evaluator.the_case->problem.tasks;
    uint32_t last = plan->order[0], late = 0;
    bool asks_late = plan->figures.late > 0 && random_below(local->random, 2);
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t t = plan->order[i];
        if (!asks_late && plan->ends[t] > plan->ends[last])
            last = t;
        if (asks_late && plan->ends[t] > tasks[t].deadline && !random_below(local->random, ++late))
            last = t;
    }
    return last;
}

static void find_critical(struct local *local)
{
    const struct plan *plan = &local->plan;
    uint32_t t = last_task(local);
    local->critical_count = 0;
    while (t != UINT32_MAX && local->critical_count < plan->count) {
        local->critical[local->critical_count++] = t;
        t = waited_for(local->evaluator.the_case, plan, t);
    }
    local->critical_is_old = false;
}

static uint32_t some_task(struct local *local)
{
    if (random_below(local->random, 8) < 3)
        return local->plan.order[random_below(local->random, local->plan.count)];
    if (local->critical_is_old)
        find_critical(local);
    return local->critical[random_below(local->random, local->critical_count)];
}

/* What was changed, to take it back. */
struct change {
    uint32_t task, other; /* other: UINT32_MAX, or swapped with it */
    uint32_t from, to;    /* places of the task */
    uint32_t size, seat;  /* as they were */
    uint32_t first;       /* place from which times change */
    bool is_set;          /* local->old_set was its set */
};

static void restore_order(struct plan *plan, const struct change *change)
{
    if (change->other != UINT32_MAX) {
        plan->order[change->from] = change->task;
        plan->order[change->to] = change->other;
        plan->place[change->task] = change->from;
        plan->place[change->other] = change->to;
    } else if (change->from != change->to)
        plan_move(plan, change->to, change->from);
}

static bool change_place(struct local *local, struct change *change)
{
    uint32_t first, last;
    plan_range(local->evaluator.the_case, &local->plan, change->task, &first, &last);
    if (first >= last)
        return false;
    uint32_t span = last - first;
    /* Near places more often than far ones. */
    double share = random_share(local->random);
    uint32_t reach = 1 + (uint32_t)(share * share * share * span);
    bool down = random_below(local->random, 2);
    uint32_t to = down ? (change->from - first < reach ? first : change->from - reach)
                       : (last - change->from < reach ? last : change->from + reach);
    if (to == change->from)
        to = down ? change->from + 1 : change->from - 1;
    if (to < first || to > last || to == change->from)
        return false;
    change->to = to;
    plan_move(&local->plan, change->from, to);
    change->first = to < change->from ? to : change->from;
    return true;
}

static bool change_pair(struct local *local, struct change *change)
{
    struct plan *plan = &local->plan;
    uint32_t other = plan->order[random_below(local->random, plan->count)], first, last;
    uint32_t to = plan->place[other];
    if (other == change->task)
        return false;
    plan_range(local->evaluator.the_case, plan, change->task, &first, &last);
    if (to < first || to > last)
        return false;
    plan_range(local->evaluator.the_case, plan, other, &first, &last);
    if (change->from < first || change->from > last)
        return false;
    change->other = other;
    change->to = to;
    plan->order[to] = change->task;
    plan->order[change->from] = other;
    plan->place[change->task] = to;
    plan->place[other] = change->from;
    change->first = to < change->from ? to : change->from;
    return true;
}

static bool change_size(struct local *local, struct change *change)
{
    const struct pack_case *the_case = local->evaluator.the_case;
    struct plan *plan = &local->plan;
    const struct pack_task *task = &the_case->problem.tasks[change->task];
    uint32_t size = change->size;
    if (task->least == task->most)
        return false;
    switch (random_below(local->random, 6)) {
    case 0:
    case 1:
        size++;
        break;
    case 2:
    case 3:
        size--;
        break;
    case 4:
        size = random_below(local->random, 2) ? size * 2 : size / 2;
        break;
    default:
        size = task->least + random_below(local->random, task->most - task->least + 1);
    }
    size = size < task->least ? task->least : size > task->most ? task->most : size;
    if (size == change->size)
        return false;
    plan->size[change->task] = size;
    if (plan->seat[change->task] == SEAT_SET)
        plan->seat[change->task] = SEAT_ANY;
    plan_mend_seat(the_case, plan, change->task);
    return true;
}

/* Exactly these processors, where it matters on which hosts a task is: one or all of the set are exchanged,
   or the hosts of a task that it needs are taken. */
static bool change_set(struct local *local, struct change *change)
{
    const struct pack_case *the_case = local->evaluator.the_case;
    struct plan *plan = &local->plan;
    uint32_t t = change->task, befores = the_case->first_before[t + 1] - the_case->first_before[t];
    uint64_t *set = plan_set(plan, t);
    memcpy(local->old_set, set, plan->words * sizeof *set);
    change->is_set = true;
    uint32_t kind = random_below(local->random, 4);
    if (kind == 0 && befores) {
        uint32_t b = the_case->first_before[t] + random_below(local->random, befores);
        memcpy(set, plan_set(plan, the_case->before[b].task), plan->words * sizeof *set);
    } else if (kind == 1)
        memset(set, 0, plan->words * sizeof *set);
    else
        for (uint32_t i = 0; i < 1 + random_below(local->random, 2); i++) {
            uint32_t p = the_case->listed[random_below(local->random, the_case->listed_count)];
            set[p / 64] ^= (uint64_t)1 << p % 64;
        }
    if (kind == 1) /* processors from a random one on */
        for (uint32_t i = 0, p = random_below(local->random, the_case->listed_count); i < plan->size[t];
             i++, p++)
            set[the_case->listed[p % the_case->listed_count] / 64] |=
                (uint64_t)1 << the_case->listed[p % the_case->listed_count] % 64;
    plan->seat[t] = SEAT_SET;
    plan_mend_seat(the_case, plan, t);
    return true;
}

static bool change_seat(struct local *local, struct change *change)
{
    const struct pack_case *the_case = local->evaluator.the_case;
    struct plan *plan = &local->plan;
    if (the_case->problem.host_count < 2)
        return false;
    if (the_case->problem.tasks[change->task].spans) {
        if (the_case->is_uniform && !the_case->moves)
            return false;
        if (random_below(local->random, 3))
            return change_set(local, change);
    }
    uint32_t seat = SEAT_ANY;
    if (change->seat == SEAT_ANY || random_below(local->random, 2))
        seat = random_below(local->random, the_case->problem.host_count);
    plan->seat[change->task] = seat;
    plan_mend_seat(the_case, plan, change->task);
    return plan->seat[change->task] != change->seat;
}

static bool make_change(struct local *local, struct change *change)
{
    uint32_t task = some_task(local);
    struct plan *plan = &local->plan;
    *change = (struct change){.task = task,
                              .other = UINT32_MAX,
                              .from = plan->place[task],
                              .to = plan->place[task],
                              .size = plan->size[task],
                              .seat = plan->seat[task],
                              .first = plan->place[task]};
    switch (random_below(local->random, 16)) {
    case 0 ... 4:
        return change_size(local, change);
    case 5 ... 8:
        return change_place(local, change);
    case 9 ... 11:
        return change_pair(local, change);
    case 12 ... 13:
        return change_seat(local, change);
    default: {
        bool sized = change_size(local, change);
        return change_place(local, change) || sized;
    }
    }
}

void local_step(struct local *local)
{
    struct plan *plan = &local->plan;
    struct evaluator *evaluator = &local->evaluator;
    uint64_t number = local->tried++;
    if (!plan->count)
        return;
    if (local->is_known_elsewhere)
        evaluate(evaluator, plan);
    local->is_known_elsewhere = false;
    struct change change;
    double before = plan->figures.fitness;
    double *past = &local->history[number % local->memory];
    bool kept = false;
    struct plan_figures figures = plan->figures;
    double work = plan->work;
    if (make_change(local, &change)) {
        double limit = fmax(before, *past);
        const struct pack_task *task = &evaluator->the_case->problem.tasks[change.task];
        uint32_t size = plan->size[change.task];
        plan->work += case_seconds(task, size) * size - case_seconds(task, change.size) * change.size;
        kept = evaluate_from(evaluator, plan, change.first, limit * (1 + 1e-12));
        if (kept) {
            evaluate_keep(evaluator);
            local->critical_is_old = true;
            if (plan->figures.fitness < local->best.figures.fitness - 1e-9 * local->best.figures.fitness) {
                plan_copy(&local->best, plan);
                local->improved = number;
            }
        } else {
            evaluate_undo(evaluator, plan);
            plan->figures = figures;
        }
    }
    if (!kept) {
        restore_order(plan, &change);
        plan->size[change.task] = change.size;
        plan->work = work;
        plan->seat[change.task] = change.seat;
        if (change.is_set)
            memcpy(plan_set(plan, change.task), local->old_set, plan->words * sizeof *local->old_set);
    }
    if (plan->figures.fitness < *past)
        *past = plan->figures.fitness;
}
