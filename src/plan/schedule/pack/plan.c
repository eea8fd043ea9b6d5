#include "plan/schedule/pack/plan.h"

#include <stdlib.h>
#include <string.h>

void plan_make(struct plan *plan, const struct pack_case *the_case)
{
    size_t all = the_case->problem.task_count + 1;
    *plan = (struct plan){
        .count = the_case->real_count, .tasks = the_case->problem.task_count, .words = the_case->words};
    plan->order = memory_get(all * sizeof *plan->order);
    plan->place = memory_get(all * sizeof *plan->place);
    plan->size = memory_get(all * sizeof *plan->size);
    plan->seat = memory_get(all * sizeof *plan->seat);
    plan->sets = memory_get(all * (plan->words + 1) * sizeof *plan->sets);
    plan->begins = memory_get(all * sizeof *plan->begins);
    plan->ends = memory_get(all * sizeof *plan->ends);
    for (uint32_t t = 0; t < the_case->problem.task_count; t++) {
        plan->size[t] = the_case->problem.tasks[t].least;
        plan->seat[t] = SEAT_ANY;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->order[i] = the_case->topological[i];
        plan->place[plan->order[i]] = i;
    }
}

void plan_free(struct plan *plan)
{
    free(plan->order);
    free(plan->place);
    free(plan->size);
    free(plan->seat);
    free(plan->sets);
    free(plan->begins);
    free(plan->ends);
    *plan = (struct plan){0};
}

size_t plan_bytes(const struct pack_case *the_case)
{
    return (the_case->problem.task_count + 1) * (32 + (the_case->words + 1) * sizeof(uint64_t));
}

void plan_copy(struct plan *to, const struct plan *from)
{
    size_t all = from->tasks;
    memcpy(to->order, from->order, from->count * sizeof *to->order);
    memcpy(to->place, from->place, all * sizeof *to->place);
    memcpy(to->size, from->size, all * sizeof *to->size);
    memcpy(to->seat, from->seat, all * sizeof *to->seat);
    memcpy(to->sets, from->sets, all * from->words * sizeof *to->sets);
    memcpy(to->begins, from->begins, all * sizeof *to->begins);
    memcpy(to->ends, from->ends, all * sizeof *to->ends);
    to->work = from->work;
    to->figures = from->figures;
}

/* A heap of places of the old order: the least on top.  Tasks of an earlier class are before all others. */
struct heap {
    uint64_t *keys;
    uint32_t count;
};

static void heap_add(struct heap *heap, uint64_t key)
{
    uint32_t i = heap->count++;
    for (; i && heap->keys[(i - 1) / 2] > key; i = (i - 1) / 2)
        heap->keys[i] = heap->keys[(i - 1) / 2];
    heap->keys[i] = key;
}

static uint64_t heap_take(struct heap *heap)
{
    uint64_t top = heap->keys[0], last = heap->keys[--heap->count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->keys[child + 1] < heap->keys[child])
            child++;
        if (heap->keys[child] >= last)
            break;
        heap->keys[i] = heap->keys[child];
        i = child;
    }
    heap->keys[i] = last;
    return top;
}

static bool order_is_valid(const struct pack_case *the_case, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t t = plan->order[i];
        if (i && the_case->class_of[plan->order[i - 1]] > the_case->class_of[t])
            return false;
        for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1]; b++)
            if (plan->place[the_case->before[b].task] > i)
                return false;
    }
    return true;
}

void plan_mend_order(const struct pack_case *the_case, struct plan *plan)
{
    uint32_t count = plan->count;
    for (uint32_t i = 0; i < count; i++)
        plan->place[plan->order[i]] = i;
    if (order_is_valid(the_case, plan))
        return;
    uint32_t *missing = memory_get((the_case->problem.task_count + 1) * sizeof *missing);
    uint32_t *old = memory_get((count + 1) * sizeof *old);
    memcpy(old, plan->order, count * sizeof *old);
    struct heap heap = {memory_get((count + 1) * sizeof *heap.keys), 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = old[i];
        missing[t] = the_case->first_before[t + 1] - the_case->first_before[t];
        if (!missing[t])
            heap_add(&heap, (uint64_t)the_case->class_of[t] << 32 | i);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t t = old[(uint32_t)heap_take(&heap)];
        plan->order[i] = t;
        for (uint32_t n = the_case->first_next[t]; n < the_case->first_next[t + 1]; n++) {
            uint32_t next = the_case->next[n].task;
            if (the_case->is_real[next] && !--missing[next])
                heap_add(&heap, (uint64_t)the_case->class_of[next] << 32 | plan->place[next]);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        plan->place[plan->order[i]] = i;
    free(heap.keys);
    free(old);
    free(missing);
}

static uint32_t largest_host(const struct pack_case *the_case, const struct pack_task *task)
{
    uint32_t best = 0, room = 0;
    for (uint32_t h = 0; h < the_case->problem.host_count; h++)
        if (case_allows(task, h) && the_case->problem.hosts[h].count > room) {
            room = the_case->problem.hosts[h].count;
            best = h;
        }
    return best;
}

/* Topology: an exact set keeps only processors where the task may be, on one host if it does not span (the
   one that has most of them), and grows or shrinks to a size that is possible. */
static void mend_set(const struct pack_case *the_case, struct plan *plan, uint32_t t)
{
    const struct pack_task *task = &the_case->problem.tasks[t];
    uint64_t *set = plan_set(plan, t);
    uint32_t most_on = 0, host = largest_host(the_case, task), kept = 0;
    const struct pack_host *hosts = the_case->problem.hosts;
    for (uint32_t h = 0; h < the_case->problem.host_count && !task->spans; h++) {
        uint32_t on = 0;
        for (uint32_t p = hosts[h].first; p < hosts[h].first + hosts[h].count; p++)
            on += set[p / 64] >> p % 64 & 1;
        if (on > most_on && case_allows(task, h) && hosts[h].count >= task->least) {
            most_on = on;
            host = h;
        }
    }
    for (uint32_t p = 0; p < the_case->problem.processor_count; p++) {
        uint32_t h = the_case->host_of[p];
        bool keep = (set[p / 64] >> p % 64 & 1) && h != UINT32_MAX && case_allows(task, h) &&
                    (task->spans || h == host) && kept < task->most;
        kept += keep;
        if (!keep)
            set[p / 64] &= ~((uint64_t)1 << p % 64);
    }
    for (uint32_t p = 0; p < the_case->problem.processor_count && kept < task->least; p++) {
        uint32_t h = the_case->host_of[p];
        if (!(set[p / 64] >> p % 64 & 1) && h != UINT32_MAX && case_allows(task, h) &&
            (task->spans || h == host)) {
            set[p / 64] |= (uint64_t)1 << p % 64;
            kept++;
        }
    }
    plan->size[t] = kept;
}

void plan_mend_seat(const struct pack_case *the_case, struct plan *plan, uint32_t t)
{
    const struct pack_task *task = &the_case->problem.tasks[t];
    if (plan->seat[t] == SEAT_SET) {
        mend_set(the_case, plan, t);
        return;
    }
    if (plan->size[t] < task->least)
        plan->size[t] = task->least;
    if (plan->size[t] > task->most)
        plan->size[t] = task->most;
    if (plan->seat[t] != SEAT_ANY &&
        (plan->seat[t] >= the_case->problem.host_count || !case_allows(task, plan->seat[t]) ||
         the_case->problem.hosts[plan->seat[t]].count < plan->size[t]))
        plan->seat[t] = SEAT_ANY;
}

void plan_range(const struct pack_case *the_case, const struct plan *plan, uint32_t task, uint32_t *first,
                uint32_t *last)
{
    uint32_t low = 0, high = plan->count - 1, class = the_case->class_of[task];
    for (uint32_t b = the_case->first_before[task]; b < the_case->first_before[task + 1]; b++) {
        uint32_t place = plan->place[the_case->before[b].task] + 1;
        low = place > low ? place : low;
    }
    for (uint32_t n = the_case->first_next[task]; n < the_case->first_next[task + 1]; n++) {
        uint32_t next = the_case->next[n].task;
        if (the_case->is_real[next] && plan->place[next] - 1 < high)
            high = plan->place[next] - 1;
    }
    if (the_case->class_of[plan->order[0]] != class ||
        the_case->class_of[plan->order[plan->count - 1]] != class) {
        uint32_t here = plan->place[task];
        struct bisection search = {low, here};
        while (bisect(&search))
            bisect_past(&search, the_case->class_of[plan->order[search.middle]] < class);
        low = (uint32_t)search.first;
        search = (struct bisection){here, high + 1};
        while (bisect(&search))
            bisect_past(&search, the_case->class_of[plan->order[search.middle]] <= class);
        high = (uint32_t)search.first - 1;
    }
    *first = low;
    *last = high;
}

void plan_move(struct plan *plan, uint32_t from, uint32_t to)
{
    uint32_t task = plan->order[from];
    for (; from < to; from++) {
        plan->order[from] = plan->order[from + 1];
        plan->place[plan->order[from]] = from;
    }
    for (; from > to; from--) {
        plan->order[from] = plan->order[from - 1];
        plan->place[plan->order[from]] = from;
    }
    plan->order[to] = task;
    plan->place[task] = to;
}
