/* µops on ports: the best possible bound, and one assignment that reaches it. */
#ifndef CODE_COST_CORE_PORT_BALANCE_H
#define CODE_COST_CORE_PORT_BALANCE_H
#include <stdint.h>

enum { MOST_GROUPS = 128 };

/* µops that go to the same ports. */
struct port_group {
    uint32_t ports;
    double uops;
};

/* The fewest cycles in which ports that take one µop a cycle take all groups; *critical gets all ports
   without slack. At most MOST_GROUPS groups, each with a port. */
double ports_balance(const struct port_group *groups, unsigned count, uint32_t *critical);
/* µops of each group on each port, count × 32: no port has more than it must, and the remainder is spread as
   evenly as possible. */
void ports_share(const struct port_group *groups, unsigned count, double (*shares)[32]);
#endif
