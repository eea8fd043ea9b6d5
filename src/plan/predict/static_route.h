/* The static route: how long a program takes elsewhere or with other sizes, from runs that `assay run` saw.

   Nothing is run. A recorded run says which loops took the time and, with --measure, how many iterations they
   had; a machine file says what an iteration costs on another processor. With runs of several sizes the
   number of iterations of each loop becomes a function of the size, c · size^e. The time of the whole is
   the sum over its loops of iterations × cycles, and the rest, which is scaled as a whole.

   It sees what is in the code: a loop whose iterations depend on the data and not on the size, or whose time
   is in memory and not in the core, is as long there as here in cycles. The interval is as wide as the
   model of cycles was wrong about this very run. */
#ifndef PLAN_PREDICT_STATIC_ROUTE_H
#define PLAN_PREDICT_STATIC_ROUTE_H
#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct static_loop {
    uint64_t key;      /* the same loop of the same file in all runs */
    char *label;       /* place and function, for a person */
    double seconds;    /* of processor time in its own code */
    double iterations; /* NaN: not counted */
    double measured;   /* cycles an iteration took; NaN: not measured */
    double cycles;     /* that it should take on the processor of the run; NaN: not known */
    double there;      /* the same on the other processor; NaN: not known */
};

struct static_run {
    double size;        /* NaN: not told */
    double seconds;     /* processor time of all of it */
    double made;        /* when, in seconds since 1970 */
    double clock;       /* cycles a second, measured during the run; NaN: not known */
    struct array loops; /* of static_loop */
};

/* A loop, or the rest, at the size asked for. */
struct static_part {
    const char *label; /* NULL: the rest; else of the last run that has the loop */
    double iterations; /* NaN: not known */
    double exponent;   /* of iterations by size, of seconds where they were not counted; NaN: one size only */
    double fit_error;  /* mean relative distance of the runs from that power; NaN: fewer than three sizes */
    double here;       /* seconds on the processor of the runs */
    double ratio;      /* cycles there over cycles here; of the rest, that of all loops together */
    double there;      /* seconds there */
    bool is_known;     /* false: ratio is that of the other loops */
};

struct static_answer {
    double here, there;   /* seconds at the size asked for */
    double lower, upper;  /* of `there` */
    double known;         /* share of `here` in loops whose cycles are known on both processors */
    double model_error;   /* mean |ln measured - ln predicted| of cycles in these runs; NaN: none measured */
    unsigned runs;        /* that it stands on */
    unsigned earlier;     /* answers about this program whose truth is known since; static_ledger.h */
    double earlier_error; /* their mean |told - took| / took; NaN: none */
    struct array parts;   /* of static_part: the longest there first, the rest last */
};

/* size NaN: that of the last run.  clock_there NaN: the same clock as here.  false: another size is asked
   for, but the runs have not two. */
bool static_predict(const struct static_run *runs, size_t count, double size, double clock_there,
                    struct static_answer *answer);
void static_answer_free(struct static_answer *answer);
void static_runs_free(struct static_run *runs, size_t count);
#endif
