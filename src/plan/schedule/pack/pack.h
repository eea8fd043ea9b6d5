/* The packer: in which order tasks go to which processors.

   A pure part: it knows nothing of files, engines or clocks, but for the seconds that it may use. The
   representation is the thesis's (2.4): an order of tasks and a set of processors for each of them; times
   follow from it (te = ts + p(task, processors), ts = the latest release of its processors and of the tasks
   it needs), so that any change of order or sets is a schedule again, and a changed estimate only moves it.

   pack_open, pack_set (again whenever something changed: what is known about tasks with the same key is
   kept), pack_work as long as one likes, pack_best. The result for one seed and number of steps is the same
   for any number of threads. */
#ifndef PLAN_SCHEDULE_PACK_PACK_H
#define PLAN_SCHEDULE_PACK_PACK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A host: processors that share memory.  Their releases are given one by one. */
struct pack_host {
    uint64_t key;          /* the same from one pack_set to the next */
    uint32_t first, count; /* its processors: first … first+count-1 of `releases` */
    float speed;           /* 1: estimates hold as they are */
    double memory;         /* that tasks which run there together may have; 0: it does not matter */
};

struct pack_task {
    uint64_t key;
    double ready;        /* not before this time */
    double deadline;     /* INFINITY: none */
    float weight;        /* share of its user: how much its delay counts against that of others; 1 is usual */
    float spread;        /* of the estimate: typical error as a part of it; 0: it is exact */
    float priority;      /* tasks of higher priority go first where both could (probes); 0 is usual */
    bool is_speculative; /* never delays a task that is not */
    bool spans;          /* its processors may be on several hosts */
    uint32_t least, most;            /* processors */
    const float *seconds;            /* seconds[n - least]: with n processors of speed 1 */
    uint32_t first_need, need_count; /* in problem.needs */
    double memory;                   /* on each of its hosts; 0: it does not matter */
    const float *fetch;    /* by number of a host: seconds until its data is there, if that is its first
                              one; its processors wait meanwhile.  NULL: none */
    const uint64_t *hosts; /* bitmap by number of a host: where it may run; NULL: anywhere */
};

struct pack_need {
    uint32_t task; /* the one that has to be done before; numbers of tasks in any order, but no cycles */
    float bytes;   /* to be moved if both have no host in common */
};

/* Memory of something that runs already. */
struct pack_hold {
    uint32_t host;
    double until, memory;
};

struct pack_problem {
    double now;
    const struct pack_host *hosts;
    uint32_t host_count;
    const double *releases; /* by processor: when it is free; at least `now` */
    uint32_t processor_count;
    const struct pack_task *tasks; /* those that have not started */
    uint32_t task_count;
    const struct pack_need *needs;
    double bytes_per_second, latency; /* between hosts; 0 bytes_per_second: moving data takes no time */
    bool holds_while_moving; /* data moves when a task has its processors, to its first host; else before */
    double overhead;         /* seconds of each task that do not depend on processors: a queue */
    const struct pack_hold *holds;
    uint32_t hold_count;
};

/* What decides between schedules: the weighted sum, all in seconds. */
struct pack_aims {
    double makespan, idle, late, waiting; /* weights: end of all; idle processor time before it, by processor;
                                             time over deadlines; mean weighted end of tasks */
    double hedge; /* time by which tasks end too close to the end of all for the errors of their estimates */
};
extern const struct pack_aims pack_usual_aims;

struct pack_placed {
    uint32_t task;
    uint32_t first, count; /* in schedule.processors */
    double begins, ends;
};

struct pack_schedule {
    struct pack_placed *placed; /* in the order of the schedule */
    uint32_t *processors;       /* numbers of processors, one list after the other */
    uint32_t count;             /* of tasks */
    double makespan;            /* end of the last task, speculative ones apart, less `now` */
    double idle;                /* share of processor time from now to then that nothing runs */
    double late;                /* seconds over deadlines, added up */
    double fitness;
    uint64_t steps; /* of the search until now */
};

struct packer;
struct packer *pack_open(uint64_t seed, unsigned threads, const struct pack_aims *aims);
void pack_close(struct packer *packer);
/* A problem that cannot be packed (a cycle, a task that fits no host) is refused: *bad gets the number of
   such a task.  The problem is copied. */
enum pack_fault { pack_FINE, pack_CYCLE, pack_FITS_NOWHERE, pack_NO_TIME };
enum pack_fault pack_set(struct packer *packer, const struct pack_problem *problem, uint32_t *bad);
/* Until these seconds are over or *stop is not 0 (may be NULL).  The first schedule is there even after 0
   seconds.  pack_steps: a number of steps instead, for results that can be repeated. */
void pack_work(struct packer *packer, double seconds, const volatile int *stop);
void pack_steps(struct packer *packer, uint64_t steps);
/* Lives until the next call with this packer. */
const struct pack_schedule *pack_best(struct packer *packer);

void pack_schedule_free(struct pack_schedule *schedule);
/* Whether a schedule keeps all rules: NULL, or what is wrong with it, to be freed. */
char *pack_check(const struct pack_problem *problem, const struct pack_schedule *schedule);
#endif
