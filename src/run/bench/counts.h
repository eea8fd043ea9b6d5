/* What counts of events say about the µops of a form, and whether ports that were found in another way agree
   with them.  All of it is a function of numbers, so that made-up ones serve as well as a processor's.

   Counters tell where µops went, not where else they could have gone.  In a test of throughput they go
   wherever they can: a µop for p01 is counted half on p0 and half on p1.  So ports that are claimed are held
   against the counts (`bench_counts_misplaced`), and only where the counts can be read in one way are they an
   answer themselves
   (`bench_counts_ports`): p0 and p1 half a µop each and p23 one is p01+p23; four ports with half a µop each
   may be 2*p0156, p01+p56 or p05+p16, and is none. */
#ifndef RUN_BENCH_COUNTS_H
#define RUN_BENCH_COUNTS_H
#include "run/bench/ports/ports.h"

/* µops counted on one port, or on several that one event counts together. */
struct bench_counted_group {
    uint32_t ports; /* bits, by machine.ports */
    double uops;
};

struct bench_counts {
    double issued; /* or retired, where issued ones are not counted; NaN: neither is */
    struct bench_counted_group groups[BENCH_EVENTS];
    unsigned count;
    double executed; /* sum of the groups */
    bool is_whole; /* the groups are all ports of the machine, each in one group, and have all µops that were
                      executed */
};

/* Of an instance.  Events about ports that the machine does not have are left out. */
void bench_counts_read(const struct bench_count *counts, unsigned counted, const struct machine *machine,
                       struct bench_counts *read);
/* µops that are issued as a whole number; 0: not counted, or the count is none. */
unsigned bench_counts_issued(const struct bench_counts *counts);

/* How many µops are counted elsewhere than the ports of these uses say; 0: the counts can be explained.  A
   port that is never used is elsewhere, too, where the others are busy.  Cycles: of the same test. */
double bench_counts_misplaced(const struct bench_counts *counts, const struct bench_port_use *uses,
                              unsigned use_count, double cycles);
/* µops that are further away are no noise. */
#define BENCH_MISPLACED 0.1

/* The ports by counts alone; false: there are several answers, or none. */
bool bench_counts_ports(const struct bench_counts *counts, double cycles,
                        struct bench_port_use uses[MOST_PORT_USES], unsigned *use_count);

/* As machine files spell it: p01+2*p23. false: too long. */
bool bench_uses_text(const struct machine *machine, const struct bench_port_use *uses, unsigned use_count,
                     char text[192]);
/* µops by port: 0.50 p0, 0.50 p5B; or none. */
void bench_counts_text(const struct machine *machine, const struct bench_counts *counts, char text[192]);
#endif
