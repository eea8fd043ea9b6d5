/* A problem as the packer works on it: checked, copied, and with what follows from it.

   Everything here is constant while schedules are searched for, so threads share it. Numbers of tasks and
   hosts are those of the problem. A task's `most` is cut to what its hosts can give. A real task may need a
   speculative one; that one then counts as real, and a task that one of higher priority needs has that
   priority, too: so along needs the class never grows, and an order by class is possible. */
#ifndef PLAN_SCHEDULE_PACK_CASE_H
#define PLAN_SCHEDULE_PACK_CASE_H
#include "base/memory.h"
#include "plan/schedule/pack/pack.h"

struct pack_link {
    uint32_t task;
    double move;  /* seconds until its data is on another host, before the task has its processors */
    double fetch; /* the same, while it has them */
};

struct pack_case {
    struct arena arena;
    struct pack_problem problem; /* tasks, hosts, … are copies */
    uint32_t words;              /* of a set of processors */
    uint32_t host_words;
    uint32_t real_count;            /* tasks that are not speculative */
    uint32_t *host_of;              /* by processor; UINT32_MAX: of no host that can be used */
    uint32_t *listed, listed_count; /* processors of hosts */
    uint32_t *first_next;           /* by task, and one more: links to the tasks that need it */
    struct pack_link *next;
    uint32_t *first_before; /* the same for those that it needs; each once, without itself */
    struct pack_link *before;
    uint32_t *topological; /* real tasks first, by class, each after what it needs */
    uint32_t *class_of;    /* by task: 0 goes first; speculative ones have the last */
    bool *is_real;
    double *least_seconds; /* by task: on its best processors */
    double *least_work;    /* processor seconds, scaled by speed: least that it can take */
    double *head,
        *tail; /* by task: earliest beginning; least time from its beginning to the end of all that follow */
    double fastest;
    bool moves;      /* moving data takes time */
    bool is_uniform; /* all hosts have one speed, no task is bound to some, none has memory or data to care
                        for */
    bool has_memory; /* tasks that run together may need more than a host has */
    bool fetches;    /* tasks wait for data while they have processors */
    bool any_spans, all_span;
    double target;    /* when all might end; NaN: estimates are exact */
    double weights;   /* of real tasks, added up */
    double late_from; /* no deadline is before this; INFINITY: there are none */
};

enum pack_fault case_make(struct pack_case *the_case, const struct pack_problem *problem, uint32_t *bad);
void case_free(struct pack_case *the_case);

static inline bool case_allows(const struct pack_task *task, uint32_t host)
{
    return !task->hosts || (task->hosts[host / 64] >> host % 64 & 1);
}
/* How far a task may end after all others, if its estimate is wrong as usual. */
static inline double case_risk(const struct pack_case *the_case, uint32_t task, double begins, double ends)
{
    static const double errors = 1.8; /* chosen on drawn workloads: bench/results/schedule-measured.md */
    double spread = the_case->problem.tasks[task].spread;
    double over = ends + errors * spread * (ends - begins) - the_case->target;
    return spread > 0 && over > 0 ? over : 0;
}
static inline double case_seconds(const struct pack_task *task, uint32_t count)
{
    return task->seconds[count - task->least];
}
#endif
