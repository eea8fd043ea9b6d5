/* Flows that share links: who gets how much, and when each has ended.

   The rules are those of SimGrid's model CM02, without cross traffic: a flow waits for the latency of its
   route, then shares the bandwidth of each link with the others on it, max-min fair, flows of short routes
   before those of long ones (shares are as 1 / latency), none faster than its bound.

   Only flows that are connected by shared links with one that begins or ends get a new rate, once for all
   that happens at the same instant; a flow alone on its links costs a few comparisons. SimGrid's own solver
   is asked through a process and an actor for each message, which is some hundred times slower. */
#ifndef PLAN_MODELLING_EVENTS_LINKS_H
#define PLAN_MODELLING_EVENTS_LINKS_H
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct links_route {
    double latency;
    double bound;        /* bytes a second that a flow can have at most; INFINITY: no bound */
    struct array shared; /* of int32_t: the links that flows share */
};

struct links;
struct links *links_begin(void);
void links_end(struct links *links);
int32_t links_add(struct links *links, double bandwidth); /* the number of a new one */
/* A flow with a number of the caller's, small and free at present, that leaves now. The route must stay. */
void links_start(struct links *links, int32_t flow, double now, double bytes,
                 const struct links_route *route);
/* When something happens next; INFINITY: nothing is under way. */
double links_next(struct links *links);
/* Lets that happen. Flows that have ended are added to `ended` (of int32_t). */
void links_step(struct links *links, struct array *ended);
#endif
