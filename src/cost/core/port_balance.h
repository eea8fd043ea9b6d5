/* µops over ports: the best that can be done, and one way to do it. */
#ifndef COST_CORE_PORT_BALANCE_H
#define COST_CORE_PORT_BALANCE_H
#include <stdint.h>

enum { MOST_GROUPS = 128 };

/* µops that go to the same ports. */
struct port_group {
    uint32_t ports;
    double uops;
};

/* The fewest cycles in which ports that take one µop a cycle take all groups; ports with no slack in them go
   to *critical, as many as there are.  At most MOST_GROUPS groups, each with a port. */
double ports_balance(const struct port_group *groups, unsigned count, uint32_t *critical);
/* µops of each group on each port, count × 32: no port has more than it must, and what is left over is
   spread as evenly as it can be. */
void ports_share(const struct port_group *groups, unsigned count, double (*shares)[32]);
#endif
