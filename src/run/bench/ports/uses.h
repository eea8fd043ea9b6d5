/* The µops of a form by groups of ports, from its mixes with probes.

   A mix takes as long as its fullest set of ports: for a set U, the µops that have no ports outside U,
   divided by the ports of U. The sets with the probe's ports inside matter in a mix, and all of them for the
   form alone.  So the wanted numbers of µops, integers, stand in linear conditions: an integer program with
   the least sum of relative errors (GLPK), in which each µop costs a little, so that the fewest explain the
   times.  It knows a mix's lower bound only by the probe's own ports; what it finds is improved by moving
   single µops as long as the errors with the full formula shrink. */
#ifndef RUN_BENCH_PORTS_USES_H
#define RUN_BENCH_PORTS_USES_H
#include "run/bench/ports/groups.h"

enum { MOST_SETS = 64, MOST_USED_MIXES = 2 * MOST_CLASSES, MOST_UOPS = 24 };
/* Nothing takes less time than its ports, but many things take longer for another reason: errors of times
   that are said to be longer than measured count more. */
enum { USES_TOO_LONG = 3 };

/* Sets of ports that a µop may have: those of probes, and what follows from two of them. */
struct uses_sets {
    uint32_t sets[MOST_SETS];
    double prices[MOST_SETS];    /* of a µop, in relative error of one mix */
    unsigned count, probe_count; /* probes come first */
};

struct uses_mix {
    uint32_t probe; /* its ports */
    unsigned forms, probes;
    double cycles;
    bool is_even; /* the form is as long as the probe: its other ports may be the limit */
};

struct uses_problem {
    const struct uses_sets *sets;
    struct uses_mix mixes[MOST_USED_MIXES];
    unsigned mix_count;
    double alone;         /* cycles of an instance */
    double chain;         /* cycles between two instances in a mix, at least */
    double issued, width; /* places of issue of the form, and of a cycle */
    unsigned most_uops;   /* that it can be: as many as are issued; 0: any */
};

struct uses_answer {
    uint8_t uops[MOST_SETS];
    double cost;  /* errors, and what µops cost */
    double error; /* mean over mixes and the form alone */
};

/* members: how many forms look like each probe; a µop on ports that many have is likelier. */
void uses_find_sets(struct uses_sets *sets, const uint32_t *probes, const unsigned *members, unsigned count);
/* What an answer costs: sets cost and error. */
void uses_judge(const struct uses_problem *problem, struct uses_answer *answer);
/* Moves single µops as long as the cost shrinks. */
void uses_improve(const struct uses_problem *problem, struct uses_answer *answer);
void uses_solve(const struct uses_problem *problem, struct uses_answer *answer);
/* uses_program.c: the integer program.  false: no answer in time; all µops are 0. */
bool uses_solve_program(const struct uses_problem *problem, struct uses_answer *answer);
/* What a mix takes whatever the form's µops are. */
double uses_least_cycles(const struct uses_problem *problem, const struct uses_mix *mix);
/* Cycles of instances of a form beside a probe (probe_ports 0: none), by ports alone. */
double uses_cycles(const struct uses_sets *sets, const uint8_t *uops, double forms, uint32_t probe_ports,
                   double probes);
#endif
