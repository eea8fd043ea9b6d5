/* The ports of classes, from how long two of them take together.

   Each class has k ports; `ratio` is the time of two classes that take equally long alone, divided by that
   time: 1 if they share no port, (k + l) / (k + l - s) if they share s, and at least (k + l) / width.  The
   sets of ports with the least error over all pairs are looked for, each port counting as an error, too: the
   fewest ports that explain the times.  Classes are placed one after the other, in all ways that differ by
   more than names, and the best few hundred placements are kept; then each class is moved as long as that
   helps.  Where times do not show that two classes share ports, they share none.

   Pairs do not tell a triangle (p01, p02, p12) from a star (p01, p02, p03): any two share one port in both.
   The time of all three together does: 2 and 1.5 times that of one. */
#ifndef RUN_BENCH_PORTS_GROUPS_H
#define RUN_BENCH_PORTS_GROUPS_H
#include <stdbool.h>
#include <stdint.h>

enum { MOST_CLASSES = 24, MOST_FOUND_PORTS = 24, MOST_TRIPLES = 96 };

/* Three classes that take equally long alone. */
struct groups_triple {
    unsigned classes[3];
    double ratio; /* as of two; NaN: not measured */
};

struct groups {
    unsigned count;
    unsigned ports[MOST_CLASSES];             /* how many */
    double ratio[MOST_CLASSES][MOST_CLASSES]; /* NaN: not measured */
    double weight[MOST_CLASSES];              /* how far it is to be trusted */
    double width;
    struct groups_triple triples[MOST_TRIPLES];
    unsigned triple_count;
    /* Found. */
    uint32_t sets[MOST_CLASSES];
    unsigned port_count;
    double error[MOST_CLASSES]; /* mean over the pairs that share ports or take longer, by weights */
    double cost;                /* all errors, by weights, and what ports cost */
};

void groups_solve(struct groups *groups);
/* What all errors cost without a class, when the others move as long as that helps: after groups_solve. */
double groups_cost_without(const struct groups *groups, unsigned gone);
#endif
