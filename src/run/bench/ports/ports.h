/* Ports without counters: which ports each form goes to, found from the time that mixes of forms take.

   Two forms that share a resource take longer together than the slower of them alone.  Mixes are tests like
   all others, named `pair|FORM|COUNT|FORM|COUNT`, and come in rounds, each planned from the results of those
   before.  Mixes that take longer than their parts are measured in two more orders (mix.h), and the best
   counts:

     1  throughput of each form alone (bench_session_add)
     2  candidates, forms that look like one µop, in pairs: how many ports two of them share
     3  three probes at once, where pairs do not tell which ports they share
     4  every form with each probe: how many of its µops have no other port than the probe's
     5  where no-ops do not show places of issue: every form beside two probes that fill most of them

   A probe is a candidate that stands for all with the same ports.  What is planned and what is found follows
   from the results alone, so that rounds can run on another computer. */
#ifndef RUN_BENCH_PORTS_PORTS_H
#define RUN_BENCH_PORTS_PORTS_H
#include "run/bench/bench.h"

enum { MOST_PORT_USES = 8 };

/* µops that can go to the same ports. */
struct bench_port_use {
    uint32_t ports; /* bit i: port i */
    unsigned uops;
};

struct bench_port_form {
    const struct bench_form *form;
    double issued; /* places of the issue width that it takes; NaN: not measured */
    struct bench_port_use uses[MOST_PORT_USES];
    unsigned use_count; /* 0: it needs no port, as far as mixes show (nop, moves that renaming removes) */
    double throughput;  /* measured alone, cycles */
    double chain; /* cycles between two instances where nothing breaks chains through registers that cannot be
                     chosen */
    double by_ports; /* what the ports say of it alone */
    double divider;  /* cycles that it holds a resource that is not pipelined; 0: none */
    double error;    /* mean of |predicted / measured - 1| over its mixes */
    unsigned mixes;
};

struct bench_port_probe {
    const struct bench_form *form;
    uint32_t ports;
};

struct bench_ports {
    unsigned count;      /* of ports */
    char names[33];      /* a letter each: 0 1 2 … */
    double width;        /* instructions a cycle, the most that was seen */
    struct array probes; /* of struct bench_port_probe */
    struct array forms;  /* of struct bench_port_form: those with mixes, in the order of the bench */
    double error;        /* mean over all forms */
};

/* Appends the tests of rounds 2 and 3 that the results so far allow to plan and that are not planned yet.
   Returns how many tests without a result it appended: 0 when all rounds are complete. */
size_t bench_plan_pairs(struct bench_session *bench);
/* Appends mixes of two forms, by their places in bench->forms, in all orders, and sets their names: "" where
   there is no such mix.  Counts may grow (study_instances). */
enum { PAIR_ORDERS = 3 };
struct bench_pair {
    unsigned forms[2], counts[2];
    char names[PAIR_ORDERS][BENCH_NAME]; /* by turns first */
};
void bench_plan_chosen_pairs(struct bench_session *bench, struct bench_pair *pairs, size_t count);
/* From the results of all rounds. false: there are too few results, see the error. */
bool bench_ports_find(struct bench_session *bench, struct bench_ports *ports, struct error *error);
void bench_ports_free(struct bench_ports *ports);
/* NULL: nothing was found out about it. */
const struct bench_port_form *bench_ports_of(const struct bench_ports *ports, const char *form);
/* As machine files spell it: p01+2*p23, or none. */
void bench_ports_text(const struct bench_ports *ports, const struct bench_port_form *form, char text[192]);
/* Cycles that so many instances of forms take, by ports and width: counts as many as forms. */
double bench_ports_predict(const struct bench_ports *ports, const struct bench_port_form *const *forms,
                           const unsigned *counts, unsigned form_count);
#endif
