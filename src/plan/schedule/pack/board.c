#include "plan/schedule/pack/board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void board_make(struct board *board, const struct pack_case *the_case)
{
    size_t processors = the_case->problem.processor_count + 1;
    *board = (struct board){0};
    bool one = the_case->problem.host_count <= 1;
    board->by_host = !one && !the_case->all_span;
    board->over_all = one || the_case->any_spans;
    board->release = memory_get(processors * sizeof(double));
    board->host_times = memory_get(processors * sizeof(double));
    board->host_ids = memory_get(processors * sizeof(uint32_t));
    board->all_times = memory_get(processors * sizeof(double));
    board->all_ids = memory_get(processors * sizeof(uint32_t));
    board->chosen = memory_get(processors * sizeof(uint32_t));
    board->candidates = memory_get(processors * sizeof(uint32_t));
    board->ready_at = memory_get((the_case->problem.host_count + 1) * sizeof(double));
    board->first_hold = memory_get((the_case->problem.host_count + 1) * sizeof(uint32_t));
}

void board_free(struct board *board)
{
    free(board->release);
    free(board->host_times);
    free(board->host_ids);
    free(board->all_times);
    free(board->all_ids);
    free(board->chosen);
    free(board->candidates);
    free(board->ready_at);
    free(board->first_hold);
    free(board->holds);
    *board = (struct board){0};
}

/* ids are those of some processors, in any order. */
static void sort_list(const double *release, double *times, uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = ids[i];
        double time = release[id];
        uint32_t place = i;
        for (; place && times[place - 1] > time; place--) {
            times[place] = times[place - 1];
            ids[place] = ids[place - 1];
        }
        times[place] = time;
        ids[place] = id;
    }
}

/* --- memory --- */

static void make_room(struct board *board, uint32_t count)
{
    if (count <= board->hold_room)
        return;
    uint32_t room = count > 2 * board->hold_room ? count : 2 * board->hold_room;
    struct board_hold *holds = memory_get(room * sizeof *holds);
    if (board->hold_count)
        if (board->hold_count)
            memcpy(holds, board->holds, board->hold_count * sizeof *holds);
    free(board->holds);
    board->holds = holds;
    board->hold_room = room;
}

static void add_hold(struct board *board, uint32_t host, double until, double memory)
{
    make_room(board, board->hold_count + 1);
    board->holds[board->hold_count++] = (struct board_hold){until, memory, board->first_hold[host]};
    board->first_hold[host] = board->hold_count;
}

/* When there is room for so much more on a host: at `begin` or later. */
static double memory_from(const struct board *board, const struct pack_case *the_case, uint32_t host,
                          double memory, double begin)
{
    double all = the_case->problem.hosts[host].memory * (1 + 1e-9);
    if (!the_case->has_memory || !(all > 0) || !(memory > 0))
        return begin;
    for (;;) {
        double sum = memory, next = INFINITY;
        for (uint32_t i = board->first_hold[host]; i; i = board->holds[i - 1].next) {
            const struct board_hold *hold = &board->holds[i - 1];
            if (hold->until > begin) {
                sum += hold->memory;
                next = fmin(next, hold->until);
            }
        }
        if (sum <= all || isinf(next))
            return begin;
        begin = next;
    }
}

static void hold_memory(struct board *board, const struct pack_case *the_case, const struct plan *plan,
                        uint32_t t)
{
    double memory = the_case->problem.tasks[t].memory;
    const uint64_t *set = plan_set(plan, t);
    uint32_t last = UINT32_MAX;
    for (uint32_t word = 0; word < plan->words && the_case->has_memory && memory > 0; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
            uint32_t host = the_case->host_of[word * 64 + (uint32_t)__builtin_ctzll(bits)];
            if (host != last)
                add_hold(board, host, plan->ends[t], memory);
            last = host;
        }
}

void board_clear(struct board *board, const struct pack_case *the_case)
{
    const struct pack_problem *problem = &the_case->problem;
    memcpy(board->release, problem->releases, problem->processor_count * sizeof(double));
    for (uint32_t h = 0; h < problem->host_count && board->by_host; h++) {
        uint32_t first = problem->hosts[h].first;
        for (uint32_t p = 0; p < problem->hosts[h].count; p++)
            board->host_ids[first + p] = first + p;
        sort_list(board->release, board->host_times + first, board->host_ids + first,
                  problem->hosts[h].count);
    }
    if (board->over_all) {
        memcpy(board->all_ids, the_case->listed, the_case->listed_count * sizeof *board->all_ids);
        sort_list(board->release, board->all_times, board->all_ids, the_case->listed_count);
    }
    board->hold_count = 0;
    memset(board->first_hold, 0, (problem->host_count + 1) * sizeof *board->first_hold);
    for (uint32_t i = 0; i < problem->hold_count && the_case->has_memory; i++)
        add_hold(board, problem->holds[i].host, problem->holds[i].until, problem->holds[i].memory);
    board->end = problem->now;
    board->late = board->waiting = board->risk = board->busy = board->free_sum = 0;
    for (uint32_t i = 0; i < the_case->listed_count; i++)
        board->free_sum += board->release[the_case->listed[i]];
}

void board_copy(struct board *to, const struct board *from, const struct pack_case *the_case)
{
    size_t processors = the_case->problem.processor_count;
    memcpy(to->release, from->release, processors * sizeof(double));
    if (from->by_host) {
        memcpy(to->host_times, from->host_times, processors * sizeof(double));
        memcpy(to->host_ids, from->host_ids, processors * sizeof(uint32_t));
    }
    if (from->over_all) {
        memcpy(to->all_times, from->all_times, processors * sizeof(double));
        memcpy(to->all_ids, from->all_ids, processors * sizeof(uint32_t));
    }
    if (the_case->has_memory) {
        to->hold_count = 0;
        make_room(to, from->hold_count);
        if (from->hold_count)
            memcpy(to->holds, from->holds, from->hold_count * sizeof *to->holds);
        memcpy(to->first_hold, from->first_hold, the_case->problem.host_count * sizeof *to->first_hold);
        to->hold_count = from->hold_count;
    }
    to->end = from->end;
    to->late = from->late;
    to->waiting = from->waiting;
    to->risk = from->risk;
    to->busy = from->busy;
    to->free_sum = from->free_sum;
}

/* The first entry from `first` on that is not before a time: without branches that depend on times. */
static uint32_t first_not_before(const double *times, uint32_t first, uint32_t count, double time)
{
    uint32_t left = count - first;
    while (left) {
        uint32_t half = (left + 1) / 2;
        first += times[first + half - 1] < time ? half : 0;
        left -= half;
    }
    return first;
}

/* A block of n entries of a sorted list gets the time `end`, which is not before any of theirs. */
static void list_take(double *times, uint32_t *ids, uint32_t count, uint32_t block, uint32_t n, double end,
                      uint32_t *taken)
{
    memcpy(taken, ids + block, n * sizeof *ids);
    uint32_t after = first_not_before(times, block + n, count, end);
    uint32_t moved = after - block - n;
    memmove(times + block, times + block + n, moved * sizeof *times);
    memmove(ids + block, ids + block + n, moved * sizeof *ids);
    for (uint32_t i = after - n; i < after; i++)
        times[i] = end;
    memcpy(ids + after - n, taken, n * sizeof *ids);
}

/* The same for entries that lie scattered: those in the set, at most n of this list. */
static void list_replace(double *times, uint32_t *ids, uint32_t count, const uint64_t *set, uint32_t n,
                         double end, uint32_t *held)
{
    uint32_t limit = first_not_before(times, 0, count, end), taken = 0, i = 0;
    for (; i < limit && taken < n; i++) {
        uint32_t id = ids[i];
        if (set[id / 64] >> id % 64 & 1)
            held[taken++] = id;
        else {
            times[i - taken] = times[i];
            ids[i - taken] = id;
        }
    }
    memmove(times + i - taken, times + i, (limit - i) * sizeof *times);
    memmove(ids + i - taken, ids + i, (limit - i) * sizeof *ids);
    memcpy(ids + limit - taken, held, taken * sizeof *ids);
    for (i = limit - taken; i < limit; i++)
        times[i] = end;
}

/* --- when a task's data is there --- */

static bool is_on(const struct pack_case *the_case, const struct plan *plan, uint32_t task, uint32_t host)
{
    const uint64_t *set = plan_set(plan, task);
    const struct pack_host *where = &the_case->problem.hosts[host];
    for (uint32_t p = where->first; p < where->first + where->count;) {
        uint64_t bits = set[p / 64] >> p % 64;
        uint32_t left = where->first + where->count - p, wide = 64 - p % 64;
        if (left < 64)
            bits &= ((uint64_t)1 << left) - 1;
        if (bits)
            return true;
        p += wide;
    }
    return false;
}

/* With data moved wherever it has to be moved at all. */
static double ready_anywhere(const struct pack_case *the_case, const struct plan *plan, uint32_t task)
{
    double ready = the_case->problem.tasks[task].ready;
    for (uint32_t b = the_case->first_before[task]; b < the_case->first_before[task + 1]; b++)
        ready = fmax(ready, plan->ends[the_case->before[b].task] + the_case->before[b].move);
    return ready;
}

static double ready_on(const struct pack_case *the_case, const struct plan *plan, uint32_t task,
                       uint32_t host)
{
    double ready = the_case->problem.tasks[task].ready;
    for (uint32_t b = the_case->first_before[task]; b < the_case->first_before[task + 1]; b++) {
        const struct pack_link *link = &the_case->before[b];
        double end = plan->ends[link->task];
        if (link->move > 0 && end + link->move > ready && !is_on(the_case, plan, link->task, host))
            end += link->move;
        ready = fmax(ready, end);
    }
    return ready;
}

static bool share_a_host(const struct pack_case *the_case, const struct plan *plan, uint32_t a, uint32_t b)
{
    for (uint32_t h = 0; h < the_case->problem.host_count; h++)
        if (is_on(the_case, plan, a, h) && is_on(the_case, plan, b, h))
            return true;
    return false;
}

static double ready_for_set(const struct pack_case *the_case, const struct plan *plan, uint32_t task)
{
    double ready = the_case->problem.tasks[task].ready;
    for (uint32_t b = the_case->first_before[task]; b < the_case->first_before[task + 1]; b++) {
        const struct pack_link *link = &the_case->before[b];
        double end = plan->ends[link->task];
        if (link->move > 0 && !share_a_host(the_case, plan, task, link->task))
            end += link->move;
        ready = fmax(ready, end);
    }
    return ready;
}

/* Until its data is there, if this is its first host: its processors wait meanwhile. */
static double fetch_on(const struct pack_case *the_case, const struct plan *plan, uint32_t task,
                       uint32_t host)
{
    const float *told = the_case->problem.tasks[task].fetch;
    double seconds = told ? told[host] : 0;
    for (uint32_t b = the_case->first_before[task]; b < the_case->first_before[task + 1] && the_case->fetches;
         b++)
        if (the_case->before[b].fetch > 0 && !is_on(the_case, plan, the_case->before[b].task, host))
            seconds += the_case->before[b].fetch;
    return seconds;
}

static double seconds_on(const struct pack_case *the_case, const struct plan *plan, uint32_t t, uint32_t n,
                         uint32_t host, double speed)
{
    double seconds = case_seconds(&the_case->problem.tasks[t], n) / speed + the_case->problem.overhead;
    return the_case->fetches ? seconds + fetch_on(the_case, plan, t, host) : seconds;
}

/* --- choosing processors --- */

/* The n entries of a sorted list that are free by then and were released last. */
static uint32_t last_released(const double *times, uint32_t count, uint32_t n, double begin)
{
    uint32_t last = n;
    while (last < count && times[last] <= begin)
        last++;
    return last - n;
}

static void note(struct board *board, const struct pack_case *the_case, const struct plan *plan, uint32_t t)
{
    const struct pack_task *task = &the_case->problem.tasks[t];
    double end = plan->ends[t];
    board->end = fmax(board->end, end);
    board->late += fmax(0, end - task->deadline);
    board->waiting += task->weight * (end - the_case->problem.now);
    board->risk += case_risk(the_case, t, plan->begins[t], end);
    board->busy += plan->size[t] * (end - plan->begins[t]);
}

static void write_set(struct board *board, struct plan *plan, uint32_t t, uint32_t n)
{
    uint64_t *set = plan_set(plan, t);
    memset(set, 0, plan->words * sizeof *set);
    double end = plan->ends[t];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = board->chosen[i];
        set[id / 64] |= (uint64_t)1 << id % 64;
        board->free_sum += end - board->release[id];
        board->release[id] = end;
    }
}

static void put_on_host(struct board *board, const struct pack_case *the_case, struct plan *plan, uint32_t t,
                        uint32_t host, double ready)
{
    const struct pack_host *where = &the_case->problem.hosts[host];
    double *times = board->by_host ? board->host_times + where->first : board->all_times;
    uint32_t *ids = board->by_host ? board->host_ids + where->first : board->all_ids;
    uint32_t n = plan->size[t];
    double memory = the_case->problem.tasks[t].memory;
    double begin = memory_from(board, the_case, host, memory, fmax(ready, times[n - 1]));
    double end = begin + seconds_on(the_case, plan, t, n, host, where->speed);
    plan->begins[t] = begin;
    plan->ends[t] = end;
    list_take(times, ids, where->count, last_released(times, where->count, n, begin), n, end, board->chosen);
    write_set(board, plan, t, n);
    if (board->by_host && board->over_all)
        list_replace(board->all_times, board->all_ids, the_case->listed_count, plan_set(plan, t),
                     plan->size[t], end, board->candidates);
}

/* The same where hosts are alike: the one that is free last by then, or else first. */
static uint32_t best_of_equals(const struct board *board, const struct pack_case *the_case, uint32_t n,
                               double ready)
{
    const struct pack_problem *problem = &the_case->problem;
    uint32_t best = 0;
    double best_free = -INFINITY, best_late = INFINITY;
    for (uint32_t h = 0; h < problem->host_count; h++) {
        if (problem->hosts[h].count < n)
            continue;
        double free = board->host_times[problem->hosts[h].first + n - 1];
        if (free <= ready ? free > best_free : best_free == -INFINITY && free < best_late) {
            best = h;
            if (free <= ready)
                best_free = free;
            else
                best_late = free;
        }
    }
    return best;
}

/* The host where it ends first; of equals the one where the processors were free last. */
static uint32_t best_host(struct board *board, const struct pack_case *the_case, const struct plan *plan,
                          uint32_t t, double *ready)
{
    const struct pack_problem *problem = &the_case->problem;
    const struct pack_task *task = &problem->tasks[t];
    uint32_t n = plan->size[t], best = UINT32_MAX;
    double best_end = INFINITY, best_free = -INFINITY;
    bool moves = false;
    for (uint32_t b = the_case->first_before[t]; b < the_case->first_before[t + 1] && the_case->moves; b++)
        moves = moves || the_case->before[b].move > 0;
    double common = ready_anywhere(the_case, plan, t);
    *ready = common;
    if (the_case->is_uniform && !moves)
        return best_of_equals(board, the_case, n, common);
    for (uint32_t h = 0; h < problem->host_count; h++) {
        const struct pack_host *host = &problem->hosts[h];
        if (host->count < n || !case_allows(task, h))
            continue;
        double free = board->host_times[host->first + n - 1];
        double here = moves && free < common ? ready_on(the_case, plan, t, h) : common;
        double begin = memory_from(board, the_case, h, task->memory, fmax(here, free));
        double end = begin + seconds_on(the_case, plan, t, n, h, host->speed);
        if (end < best_end || (end == best_end && free > best_free)) {
            best = h;
            best_end = end;
            best_free = free;
            *ready = here;
        }
    }
    return best;
}

/* Processors are already in board->chosen and the plan's set: the lists follow. */
static void replace_in_lists(struct board *board, const struct pack_case *the_case, const uint64_t *set,
                             uint32_t n, double end)
{
    const struct pack_problem *problem = &the_case->problem;
    if (board->over_all)
        list_replace(board->all_times, board->all_ids, the_case->listed_count, set, n, end,
                     board->candidates);
    for (uint32_t h = 0; h < problem->host_count && board->by_host; h++) {
        const struct pack_host *host = &problem->hosts[h];
        bool touched = false;
        for (uint32_t p = host->first; p < host->first + host->count && !touched; p++)
            touched = set[p / 64] >> p % 64 & 1;
        if (touched)
            list_replace(board->host_times + host->first, board->host_ids + host->first, host->count, set, n,
                         end, board->candidates);
    }
}

/* Over hosts of several speeds, or only some of them: for each speed, the earliest end on hosts of at least
   that speed. */
static void choose_among(struct board *board, const struct pack_case *the_case, struct plan *plan, uint32_t t,
                         double ready)
{
    const struct pack_problem *problem = &the_case->problem;
    const struct pack_task *task = &problem->tasks[t];
    uint32_t n = plan->size[t];
    double best = INFINITY, seconds = case_seconds(task, n);
    double slowest = 0, tried = INFINITY;
    for (;;) { /* speeds from the fastest to the slowest */
        slowest = 0;
        for (uint32_t h = 0; h < problem->host_count; h++)
            if (case_allows(task, h) && problem->hosts[h].speed < tried)
                slowest = fmax(slowest, problem->hosts[h].speed);
        if (slowest == 0)
            break;
        tried = slowest;
        uint32_t found = 0;
        for (uint32_t i = 0; i < the_case->listed_count; i++) {
            uint32_t id = board->all_ids[i], h = the_case->host_of[id];
            if (!case_allows(task, h) || problem->hosts[h].speed < slowest)
                continue;
            if (found >= n && board->all_times[i] > fmax(ready, board->release[board->candidates[n - 1]]))
                break;
            board->candidates[found++] = id;
        }
        if (found < n)
            continue;
        double end = fmax(ready, board->release[board->candidates[n - 1]]) + seconds / slowest +
                     the_case->problem.overhead;
        if (end < best) {
            best = end;
            memcpy(board->chosen, board->candidates + found - n, n * sizeof *board->chosen);
        }
    }
}

static void put_on_set(struct board *board, const struct pack_case *the_case, struct plan *plan, uint32_t t)
{
    const struct pack_problem *problem = &the_case->problem;
    const uint64_t *set = plan_set(plan, t);
    uint32_t n = 0;
    double begin = the_case->moves ? ready_for_set(the_case, plan, t) : ready_anywhere(the_case, plan, t);
    double speed = INFINITY;
    uint32_t first = UINT32_MAX;
    for (uint32_t word = 0; word < plan->words; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
            uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(bits);
            first = first == UINT32_MAX ? the_case->host_of[id] : first;
            board->chosen[n++] = id;
            begin = fmax(begin, board->release[id]);
            speed = fmin(speed, problem->hosts[the_case->host_of[id]].speed);
        }
    for (uint32_t i = 0; i < n && the_case->has_memory; i++)
        begin = memory_from(board, the_case, the_case->host_of[board->chosen[i]], problem->tasks[t].memory,
                            begin);
    plan->begins[t] = begin;
    plan->ends[t] = begin + seconds_on(the_case, plan, t, n, first, speed);
    write_set(board, plan, t, n);
    replace_in_lists(board, the_case, set, plan->size[t], plan->ends[t]);
}

static void put_over_all(struct board *board, const struct pack_case *the_case, struct plan *plan, uint32_t t)
{
    double ready = ready_anywhere(the_case, plan, t);
    uint32_t n = plan->size[t], count = the_case->listed_count;
    if (the_case->is_uniform && !board->by_host && !the_case->moves) {
        double begin = fmax(ready, board->all_times[n - 1]);
        plan->begins[t] = begin;
        plan->ends[t] = begin + seconds_on(the_case, plan, t, n, 0, the_case->fastest);
        list_take(board->all_times, board->all_ids, count, last_released(board->all_times, count, n, begin),
                  n, plan->ends[t], board->chosen);
        write_set(board, plan, t, n);
        return;
    }
    choose_among(board, the_case, plan, t, ready);
    uint64_t *set = plan_set(plan, t);
    memset(set, 0, plan->words * sizeof *set);
    for (uint32_t i = 0; i < n; i++)
        set[board->chosen[i] / 64] |= (uint64_t)1 << board->chosen[i] % 64;
    put_on_set(board, the_case, plan, t);
}

void board_put(struct board *board, const struct pack_case *the_case, struct plan *plan, uint32_t t)
{
    uint32_t seat = plan->seat[t];
    bool one = the_case->problem.host_count == 1;
    if (seat == SEAT_SET)
        put_on_set(board, the_case, plan, t);
    else if (one && case_allows(&the_case->problem.tasks[t], 0))
        put_on_host(board, the_case, plan, t, 0, ready_anywhere(the_case, plan, t));
    else if (seat == SEAT_ANY && the_case->problem.tasks[t].spans)
        put_over_all(board, the_case, plan, t);
    else if (board->by_host) {
        double ready = 0;
        uint32_t host = seat;
        if (seat == SEAT_ANY)
            host = best_host(board, the_case, plan, t, &ready);
        else
            ready = the_case->moves ? ready_on(the_case, plan, t, host) : ready_anywhere(the_case, plan, t);
        put_on_host(board, the_case, plan, t, host, ready);
    } else /* tasks that all span, one of them bound to a host */
        put_over_all(board, the_case, plan, t);
    hold_memory(board, the_case, plan, t);
    note(board, the_case, plan, t);
}

void board_repeat(struct board *board, const struct pack_case *the_case, const struct plan *plan, uint32_t t)
{
    const struct pack_problem *problem = &the_case->problem;
    const uint64_t *set = plan_set(plan, t);
    double end = plan->ends[t];
    uint32_t first = UINT32_MAX;
    for (uint32_t word = 0; word < plan->words; word++)
        for (uint64_t bits = set[word]; bits; bits &= bits - 1) {
            uint32_t id = word * 64 + (uint32_t)__builtin_ctzll(bits);
            board->free_sum += end - board->release[id];
            board->release[id] = end;
            first = first == UINT32_MAX ? id : first;
        }
    if (!problem->tasks[t].spans && board->by_host) {
        const struct pack_host *host = &problem->hosts[the_case->host_of[first]];
        list_replace(board->host_times + host->first, board->host_ids + host->first, host->count, set,
                     plan->size[t], end, board->candidates);
        if (board->over_all)
            list_replace(board->all_times, board->all_ids, the_case->listed_count, set, plan->size[t], end,
                         board->candidates);
    } else
        replace_in_lists(board, the_case, set, plan->size[t], end);
    hold_memory(board, the_case, plan, t);
    note(board, the_case, plan, t);
}
