/* How many cycles an iteration of a loop takes with its instructions in the given order.

   In order (machines with bundles): instructions issue one after the other; a cycle ends at a stop, when two
   bundles are through, when the second bundle cannot issue with the first, when no port is left, and the next
   one starts when all registers that it reads are ready. Registers of software-pipelined loops rotate. Four
   iterations are issued; the last two count. No-ops need a slot and no port; predicated instructions count as
   executed; loads hit the L1 cache.

   Out of order (others): the largest of three bounds of an iteration: the issue width, the divider, and the
   slowest chain of dependences through registers from one iteration to the next. Dependences through memory
   are ignored, and all units are assumed to be free. */
#ifndef CODE_COST_MACS_SCHEDULE_H
#define CODE_COST_MACS_SCHEDULE_H
#include "code/cost/macs/operations.h"

/* An instruction in its place. */
struct schedule_item {
    const struct macs_operation *operation;
    int8_t template;      /* of its bundle; -1: unknown */
    bool starts_bundle;   /* first of a bundle */
    bool stops;           /* a stop follows */
    bool has_noop_branch; /* its bundle's B slots hold no-ops only */
};

struct schedule {
    double cycles;     /* of an iteration */
    double stalls;     /* in order: how many of them wait for registers */
    double issue;      /* out of order: for the width */
    double recurrence; /* out of order: for the slowest chain */
    double divider;    /* out of order: for the divider */
    double bundles;    /* bundles of an iteration */
};

struct scheduler {
    const struct model *model;
    const struct machine *machine;
    double *ready, *loaded;    /* by full register: when it can be used; in an address if a load wrote it */
    double *before;            /* ready, as it was some iterations ago */
    uint8_t *file, *number;    /* IA-64: of each register, 'f' 32 and so on; 0 if it does not rotate */
    uint32_t physical[3][128]; /* IA-64: the registers r, f and p by number */
};

/* Instructions that issue in one cycle, each with its port, or -1. */
enum { IN_CYCLE_MOST = 16 };
struct schedule_cycle {
    const struct macs_operation *now[IN_CYCLE_MOST];
    int8_t port_of[IN_CYCLE_MOST];
    unsigned count;
};

void schedule_begin(struct scheduler *scheduler, const struct model *model, const struct machine *machine);
void schedule_end(struct scheduler *scheduler);
/* rotating: how many general registers rotate, from r32 on. */
struct schedule schedule_in_order(struct scheduler *scheduler, const struct schedule_item *items,
                                  size_t count, unsigned rotating);
struct schedule schedule_out_of_order(struct scheduler *scheduler, const struct schedule_item *items,
                                      size_t count);
/* The register whose value counts; 0: none. */
uint32_t schedule_register(const struct scheduler *scheduler, const struct register_use *use);
/* The place of a register after this many rotations. */
uint32_t schedule_renamed(const struct scheduler *scheduler, unsigned rotating, unsigned turns, uint32_t id);
/* Finds a port for instruction number i of the cycle, moving others if need be. tried: ports, none at first.
 */
bool schedule_place(struct schedule_cycle *cycle, unsigned i, uint32_t *tried);
#endif
