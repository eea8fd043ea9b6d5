/* A set of ports must take all µops that can go nowhere else, so their number divided by the number of ports
   is a bound, and the largest of those bounds is reached (Hall's theorem for fractions). It is enough to try
   unions of the port sets that occur. Sets without a common port can be treated separately, because the bound
   of their union never exceeds both.

   Connected sets are mostly five or fewer, and all their unions are tried. With more sets there are too many
   unions, and Newton's method is used. It guesses a load for the ports and looks for a flow from groups to
   ports. If all µops fit, the guess is right; else the ports that the flow fills up are a set with a higher
   bound, which is the next guess. */
#include "code/cost/core/port_balance.h"

#include <stdbool.h>
#include <string.h>

enum { FEW_SETS = 6, PORTS = 32 };

static const double nothing = 1e-9;

static unsigned first_port(uint32_t ports)
{
    return (unsigned)__builtin_ctz(ports);
}

static unsigned port_count(uint32_t ports)
{
    return (unsigned)__builtin_popcount(ports);
}

struct flow {
    const struct port_group *groups;
    unsigned count;
    uint32_t without; /* ports that are not there */
    double (*shares)[PORTS];
    double loads[PORTS], left[MOST_GROUPS];
    int group_before[PORTS]; /* on a path to a port: the group that goes there */
    int port_before[MOST_GROUPS];
};

static uint32_t ports_of(const struct flow *flow, unsigned group)
{
    return flow->groups[group].ports & ~flow->without;
}

/* Finds paths from a group to ports that move µops of other groups aside. Returns the ports that can be
   reached; *room is one of them with room, or PORTS. */
static uint32_t search(struct flow *flow, unsigned start, double capacity, unsigned *room)
{
    unsigned queue[MOST_GROUPS], head = 0, tail = 0;
    bool seen[MOST_GROUPS];
    uint32_t reached = 0;
    memset(seen, 0, flow->count * sizeof *seen);
    queue[tail++] = start;
    seen[start] = true;
    flow->port_before[start] = -1;
    *room = PORTS;
    while (head < tail) {
        unsigned group = queue[head++];
        for (uint32_t new = ports_of(flow, group) & ~reached; new; new &= new - 1) {
            unsigned port = first_port(new);
            reached |= UINT32_C(1) << port;
            flow->group_before[port] = (int)group;
            if (flow->loads[port] < capacity - nothing) {
                *room = port;
                return reached;
            }
            for (unsigned other = 0; other < flow->count; other++)
                if (!seen[other] && flow->shares[other][port] > nothing) {
                    seen[other] = true;
                    flow->port_before[other] = (int)port;
                    queue[tail++] = other;
                }
        }
    }
    return reached;
}

/* Sends as much as it can along the path that search found. */
static void send(struct flow *flow, unsigned start, unsigned room, double capacity)
{
    double amount = capacity - flow->loads[room];
    amount = flow->left[start] < amount ? flow->left[start] : amount;
    for (unsigned port = room;;) {
        unsigned group = (unsigned)flow->group_before[port];
        if (group == start)
            break;
        port = (unsigned)flow->port_before[group];
        amount = flow->shares[group][port] < amount ? flow->shares[group][port] : amount;
    }
    flow->left[start] -= amount;
    flow->loads[room] += amount;
    for (unsigned port = room;;) {
        unsigned group = (unsigned)flow->group_before[port];
        flow->shares[group][port] += amount;
        if (group == start)
            break;
        port = (unsigned)flow->port_before[group];
        flow->shares[group][port] -= amount;
    }
}

/* Fills ports up to a load. Returns 0 if everything fits, else the full ports that must take more. */
static uint32_t fill(struct flow *flow, double capacity)
{
    memset(flow->loads, 0, sizeof flow->loads);
    memset(flow->shares, 0, flow->count * sizeof *flow->shares);
    for (unsigned i = 0; i < flow->count; i++)
        flow->left[i] = ports_of(flow, i) ? flow->groups[i].uops : 0;
    for (unsigned i = 0; i < flow->count; i++)
        while (flow->left[i] > nothing) {
            unsigned room;
            uint32_t reached = search(flow, i, capacity, &room);
            if (room == PORTS)
                return reached;
            send(flow, i, room, capacity);
        }
    return 0;
}

static double density(const struct flow *flow, uint32_t set)
{
    double uops = 0;
    for (unsigned i = 0; i < flow->count; i++)
        if (ports_of(flow, i) && !(ports_of(flow, i) & ~set))
            uops += flow->groups[i].uops;
    return uops / port_count(set);
}

/* The largest bound of these groups, with a flow that reaches it. */
static double balance_by_flow(struct flow *flow, uint32_t *critical)
{
    uint32_t set = 0;
    for (unsigned i = 0; i < flow->count; i++)
        set |= ports_of(flow, i);
    *critical = set;
    if (!set)
        return 0;
    double load = density(flow, set);
    while ((set = fill(flow, load))) {
        double next = density(flow, set);
        if (next <= load + nothing)
            break;
        load = next;
        *critical = set;
    }
    return load;
}

/* All unions of a few sets. */
static double balance_by_trying(const struct port_group *groups, unsigned count, uint32_t *critical)
{
    uint32_t unions[1 << FEW_SETS];
    double best = 0;
    unions[0] = *critical = 0;
    for (unsigned choice = 1; choice < 1U << count; choice++) {
        uint32_t set = unions[choice & (choice - 1)] | groups[first_port(choice)].ports;
        unions[choice] = set;
        double uops = 0;
        for (unsigned i = 0; i < count; i++)
            uops += groups[i].ports & ~set ? 0 : groups[i].uops;
        double bound = uops / port_count(set);
        if (bound > best + nothing) {
            best = bound;
            *critical = set;
        } else if (bound > best - nothing) {
            *critical |= set; /* unions of critical sets are critical where they meet, and apart anyway */
        }
    }
    return best;
}

double ports_balance(const struct port_group *groups, unsigned count, uint32_t *critical)
{
    struct port_group together[MOST_GROUPS];
    uint32_t done = 0;
    double best = 0;
    *critical = 0;
    for (unsigned i = 0; i < count; i++) {
        if (groups[i].ports & done)
            continue;
        uint32_t set = groups[i].ports, before;
        do {
            before = set;
            for (unsigned j = i; j < count; j++)
                set |= groups[j].ports & set ? groups[j].ports : 0;
        } while (set != before);
        done |= set;
        unsigned members = 0;
        for (unsigned j = i; j < count; j++)
            if (groups[j].ports & set)
                together[members++] = groups[j];
        uint32_t full;
        double bound;
        if (members <= FEW_SETS) {
            bound = balance_by_trying(together, members, &full);
        } else {
            double shares[MOST_GROUPS][PORTS];
            struct flow flow = {.groups = together, .count = members, .shares = shares};
            bound = balance_by_flow(&flow, &full);
        }
        if (bound > best + nothing) {
            best = bound;
            *critical = full;
        } else if (bound > best - nothing) {
            *critical |= full;
        }
    }
    return best;
}

void ports_share(const struct port_group *groups, unsigned count, double (*shares)[32])
{
    double level[MOST_GROUPS][PORTS];
    struct flow flow = {.groups = groups, .count = count, .shares = level};
    memset(shares, 0, count * sizeof *shares);
    /* The fullest ports first: µops that can only go there get their shares, and the rest does without these
       ports. */
    for (;;) {
        uint32_t full;
        double load = balance_by_flow(&flow, &full);
        if (!full || load <= nothing)
            return;
        for (unsigned i = 0; i < count; i++) {
            uint32_t ports = ports_of(&flow, i);
            if (ports && !(ports & ~full))
                memcpy(shares[i], level[i], sizeof shares[i]);
        }
        flow.without |= full;
    }
}
