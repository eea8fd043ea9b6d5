/* Random problems for the packer, as its tests and experiments use them. */
#ifndef TESTS_UNIT_PACK_PROBLEMS_H
#define TESTS_UNIT_PACK_PROBLEMS_H
#include "base/memory.h"
#include "plan/schedule/pack/pack.h"
#include "plan/schedule/pack/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct made_problem {
    struct pack_problem problem;
    struct pack_task *tasks;
    struct pack_host *hosts;
    double *releases;
    struct pack_need *needs;
    struct arena arena;
};

/* What a random problem may have. */
struct kinds {
    uint32_t hosts, processors_each, tasks, most;
    bool spans, needs, moves, speeds, releases, deadlines, bound, priorities, speculative;
    bool memory, fetches; /* not by random_kinds */
};

/* Speed-up of the thesis's program (its table 3.3, second column), straight lines between its points. */
static inline double speed_up(double n)
{
    static const double at[][2] = {{1, 1}, {2, 1.9}, {4, 3.7}, {8, 6.2}, {16, 10.8}, {24, 13.9}, {128, 30}};
    for (unsigned i = 1; i < sizeof at / sizeof *at; i++)
        if (n <= at[i][0])
            return at[i - 1][1] + (n - at[i - 1][0]) / (at[i][0] - at[i - 1][0]) * (at[i][1] - at[i - 1][1]);
    return 30;
}

static inline float *scaled(struct arena *arena, double seconds, uint32_t least, uint32_t most)
{
    float *all = arena_get(arena, (most - least + 1) * sizeof *all);
    for (uint32_t n = least; n <= most; n++)
        all[n - least] = (float)(seconds / speed_up(n));
    return all;
}

static inline void problem_hosts(struct made_problem *made, uint32_t hosts, uint32_t each)
{
    made->hosts = arena_get(&made->arena, (hosts + 1) * sizeof *made->hosts);
    made->releases = arena_get(&made->arena, (hosts * each + 1) * sizeof *made->releases);
    for (uint32_t h = 0; h < hosts; h++)
        made->hosts[h] = (struct pack_host){.key = 1000 + h, .first = h * each, .count = each, .speed = 1};
    made->problem = (struct pack_problem){.hosts = made->hosts,
                                          .host_count = hosts,
                                          .releases = made->releases,
                                          .processor_count = hosts * each};
}

/* Hosts for about two of the larger tasks each, on some of which something runs already. */
static inline void problem_add_memory(struct made_problem *made, struct random *random)
{
    struct pack_hold *holds = arena_get(&made->arena, (made->problem.host_count + 1) * sizeof *holds);
    for (uint32_t t = 0; t < made->problem.task_count; t++)
        made->tasks[t].memory = random_below(random, 4) ? 10 + random_below(random, 50) : 0;
    for (uint32_t h = 0; h < made->problem.host_count; h++) {
        made->hosts[h].memory = random_below(random, 4) ? 70 + random_below(random, 60) : 0;
        holds[h] = (struct pack_hold){h, 100 + random_below(random, 60), random_below(random, 60)};
    }
    made->problem.holds = holds;
    made->problem.hold_count = made->problem.host_count;
}

/* Data moves while tasks have their processors. */
static inline void problem_add_fetches(struct made_problem *made, struct random *random)
{
    made->problem.holds_while_moving = true;
    made->problem.bytes_per_second = 20;
    made->problem.latency = 1;
    made->problem.overhead = random_below(random, 3);
    for (uint32_t t = 0; t < made->problem.task_count; t++) {
        float *fetch = arena_get(&made->arena, (made->problem.host_count + 1) * sizeof *fetch);
        for (uint32_t h = 0; h < made->problem.host_count; h++)
            fetch[h] = (float)random_below(random, 50);
        made->tasks[t].fetch = random_below(random, 2) ? fetch : NULL;
    }
}

static inline void problem_random(struct made_problem *made, const struct kinds *kinds, struct random *random)
{
    *made = (struct made_problem){0};
    problem_hosts(made, kinds->hosts, kinds->processors_each);
    struct arena *arena = &made->arena;
    made->problem.now = 100;
    for (uint32_t h = 0; h < kinds->hosts && kinds->speeds; h++)
        made->hosts[h].speed = (float)(0.5 + 0.5 * random_below(random, 4));
    for (uint32_t p = 0; p < made->problem.processor_count; p++)
        made->releases[p] = 100 + (kinds->releases ? random_below(random, 3) * 40.0 : 0);
    made->tasks = arena_get(arena, (kinds->tasks + 1) * sizeof *made->tasks);
    made->needs = arena_get(arena, (4 * kinds->tasks + 1) * sizeof *made->needs);
    uint32_t used = 0;
    for (uint32_t t = 0; t < kinds->tasks; t++) {
        bool spans = kinds->spans && random_below(random, 3);
        uint32_t room = spans ? made->problem.processor_count : kinds->processors_each;
        room = room < kinds->most ? room : kinds->most;
        uint32_t least = random_below(random, 4) ? 1 : 1 + random_below(random, room);
        uint32_t most = least + random_below(random, room - least + 1);
        double seconds = 10 + 200 * random_share(random) * random_share(random);
        made->tasks[t] = (struct pack_task){.key = 5000 + t,
                                            .deadline = INFINITY,
                                            .weight = 1,
                                            .spans = spans,
                                            .least = least,
                                            .most = most,
                                            .first_need = used};
        struct pack_task *task = &made->tasks[t];
        task->seconds = scaled(arena, seconds, least, most);
        task->ready = kinds->releases && !random_below(random, 4) ? 100 + random_below(random, 100) : 0;
        if (kinds->deadlines && random_below(random, 2))
            task->deadline = 150 + random_below(random, 300);
        if (kinds->priorities && !random_below(random, 4))
            task->priority = (float)random_below(random, 3);
        task->is_speculative = kinds->speculative && !random_below(random, 3);
        for (uint32_t i = 0; i < 3 && t && kinds->needs && !random_below(random, 2); i++) {
            made->needs[used++] =
                (struct pack_need){random_below(random, t), (float)random_below(random, 1000)};
            task->need_count++;
        }
        if (kinds->bound && kinds->hosts > 1 && !random_below(random, 3)) {
            uint64_t *hosts = arena_get(arena, (kinds->hosts + 63) / 64 * sizeof *hosts);
            for (uint32_t h = 0; h < kinds->hosts; h++)
                hosts[h / 64] |= (uint64_t)random_below(random, 2) << h % 64;
            hosts[0] |= 1;
            task->hosts = hosts;
            if (task->least > kinds->processors_each) /* host 0 alone may be all it has */
                task->hosts = NULL;
        }
    }
    made->problem.tasks = made->tasks;
    made->problem.task_count = kinds->tasks;
    made->problem.needs = made->needs;
    if (kinds->moves) {
        made->problem.bytes_per_second = 20;
        made->problem.latency = 1;
    }
    if (kinds->memory)
        problem_add_memory(made, random);
    if (kinds->fetches)
        problem_add_fetches(made, random);
}

static inline struct kinds random_kinds(struct random *random, uint32_t tasks)
{
    uint32_t bits = (uint32_t)random_next(random);
    struct kinds kinds = {.hosts = 1 + random_below(random, 5),
                          .processors_each = 1 + random_below(random, 6)};
    kinds.tasks = 1 + random_below(random, tasks);
    kinds.most = 1 + random_below(random, 16);
    kinds.spans = bits & 1;
    kinds.needs = bits & 2;
    kinds.moves = bits & 4;
    kinds.speeds = bits & 8;
    kinds.releases = bits & 16;
    kinds.deadlines = bits & 32;
    kinds.bound = bits & 64;
    kinds.priorities = bits & 128;
    kinds.speculative = bits & 256;
    return kinds;
}

static inline void problem_free(struct made_problem *made)
{
    arena_free(&made->arena);
}
#endif
