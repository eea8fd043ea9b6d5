/* Workloads drawn to the distributions that the thesis gives for non-rigid registrations (3.3 to 3.5).

   A registration is in one of four bands of run times, whose averages go from 2,500 to 18,000 s, and varies
   around it; its speed-ups are the second column of table 3.3. One seed gives one workload, anywhere. */
#ifndef BENCH_PACKING_WORKLOAD_H
#define BENCH_PACKING_WORKLOAD_H
#include "plan/schedule/pack/pack.h"

enum { PROCESSORS = 16, MOST_NEEDS = 24 };

struct work {
    double seconds;   /* on one processor, in truth */
    double estimate;  /* the same, as the packer is told; NaN: nothing is known yet */
    double predicted; /* what the estimate becomes when its probes have ended */
    unsigned most;    /* processors */
    uint32_t needs[MOST_NEEDS];
    unsigned need_count;
    bool is_probe;
    float times[PROCESSORS]; /* of the estimate */
};

struct workload {
    struct work *works;
    uint32_t count;
};

uint64_t draw_number(uint64_t *seed);
double draw_between(uint64_t *seed, double least, double most);
double draw_normal(uint64_t *seed);

double speed_up(unsigned processors);
void work_set_estimate(struct work *work, double seconds);

/* Workflows of 16 registrations each: BET, registration, ATLAS (3.10, the first experiment). */
struct workload draw_atlases(unsigned registrations, uint64_t seed);
/* Registrations of which a fifth needs an earlier one (the second experiment).  subsampling 0: estimates are
   perfect; else each registration waits for two probes of data that many times smaller. */
struct workload draw_mix(unsigned registrations, uint64_t seed, double subsampling);
void workload_free(struct workload *workload);

/* A problem of its own with all works that have not begun; 16 hosts of one processor each. */
struct problem {
    struct pack_problem problem;
    struct pack_host hosts[PROCESSORS];
    double releases[PROCESSORS];
    struct pack_task *tasks;
    struct pack_need *needs;
};
struct problem *problem_of(const struct workload *workload);
void problem_free(struct problem *problem);
#endif
