/* The evaluator by events: ranks that walk through time together.

   Each rank has a clock, the activities of its walker, and what it waits for. The rank with the earliest
   clock goes on: a little ahead of the others where it only computes and sends, which nobody else can notice
   (messages are matched by sender, receiver and tag, in order, whatever the order of events), and exactly in
   order where ranks share something, the disc, and where one receives from any (any.c). So 4,096 ranks of Sweep3D are a few million steps, each well
   below a microsecond.

   Noise, nodes of different speed and a shared disc are here. If the network has a platform of SimGrid,
   messages between nodes become flows that share its links (flows.c, links.c), all else stays as it is.

   match.c pairs sends with receives, any.c chooses a sender, order.c is the queue of ranks, rank.c does activities, events.c is the
   evaluator. */
#ifndef PLAN_MODELLING_EVENTS_EVENTS_H
#define PLAN_MODELLING_EVENTS_EVENTS_H
#include "plan/modelling/activity.h"
#include "plan/modelling/evaluate.h"
#include "plan/modelling/network.h"

/* --- match.c --- */

/* One side of a message that waits for the other. */
struct event_side {
    double begun; /* when the send or the receive began */
    double left;  /* eager sends: when the message left */
    double bytes;
    double value;    /* sends: the number in it */
    int32_t rank;    /* whose side it is */
    int32_t flight;  /* eager sends: the flow that brings it, plus 1; 0: none */
    int32_t request; /* index of the rank's open request; -1: the rank itself is blocked, or needs nothing */
    uint32_t line;
    uint32_t next; /* of the same channel; 0: the last */
    bool is_send;
};

struct event_match {
    struct array sides;             /* of struct event_side; 0 is none */
    uint32_t free_side;             /* first of a list through next */
    struct event_channel *channels; /* hashed by sender, receiver and tag; only those with sides */
    size_t capacity, count;
};
void event_match_begin(struct event_match *match);
void event_match_end(struct event_match *match);
/* Takes the oldest side of the other kind out, and returns true; else keeps this one. */
bool event_match_meet(struct event_match *match, int32_t sender, int32_t receiver, int32_t tag,
                      const struct event_side *side, struct event_side *other);
/* Any side that still waits, for messages: false if there is none. */
bool event_match_left(const struct event_match *match, bool is_send, struct event_side *side, int32_t *sender,
                      int32_t *receiver, int32_t *tag);

/* --- order.c: ranks that can go on, the earliest first; equal times by rank, so that nothing is random ---
 */

struct event_turn {
    double time;
    int32_t rank;    /* below 0: no rank, but flow -1 - rank leaves */
    uint32_t ticket; /* of the rank; another one by now: this turn is void */
};
struct event_order {
    struct array turns; /* of struct event_turn */
};
static inline const struct event_turn *event_order_first(const struct event_order *order)
{
    return order->turns.data;
}
void event_order_add(struct event_order *order, double time, int32_t rank, uint32_t ticket);
struct event_turn event_order_take(struct event_order *order);

/* --- rank.c --- */

enum event_state { event_READY, event_SENDING, event_RECEIVING, event_WAITING, event_ENDED };

struct event_request {
    int32_t number;
    bool is_send, is_known;
    double time, bytes; /* known: when the message was there, or left */
    const struct network_region *region;
};

struct event_rank {
    struct walker *walker;
    double clock, begun; /* begun: of the send or receive that blocks it */
    struct array parts;  /* of struct activity: a pattern, expanded */
    size_t next_part;
    struct activity pattern;   /* the tiles of a wavefront that are left */
    struct array requests;     /* of struct event_request, open ones in the order of their beginnings */
    struct activity activity;  /* that blocks it */
    enum activity_kind within; /* of what the model says: its parts may be of a pattern */
    struct array mail; /* of struct event_mail: sends that wait, where the model receives from any, by time */
    size_t first_mail; /* those before were taken */
    double turn;       /* of its wait for any: when it looks again; INFINITY: when something comes */
    uint32_t ticket;   /* of the one turn that counts */
    uint64_t random;
    enum event_state state;
    bool has_activity; /* it has to be done again: a wait, the disc, a receive from any */
};

struct events {
    const struct language_model *model;
    const struct network *network;
    struct event_rank *ranks;
    int32_t rank_count;
    struct event_match match;
    struct event_order order;
    struct event_flows *flows; /* NULL: nothing contends */
    double disc_free;          /* of a shared disc */
    double now;                /* of the turn that is taken */
    bool has_any;              /* some rank receives from any */
    double *seconds;           /* by rank, cause and kind */
    size_t cause_count;
    uint64_t activities, messages;
    uint64_t own_bytes, pattern_bytes; /* what ranks take from the beginning; their parts */
    uint64_t budget;                   /* of both */
    struct error *error;
};
/* Goes on until the rank waits, ends, or has had its turn; false: the model failed. */
bool event_rank_go_on(struct events *events, int32_t rank);
/* Seconds that computing takes here, with the node's speed and noise. */
/* The message of a receive is there. */
void event_rank_settle(struct events *events, const struct event_side *side,
                       const struct network_region *region, double time, bool is_own);

/* --- any.c: receives from whoever comes first --- */

/* A send that waits for its receiver. */
struct event_mail {
    double time;  /* when it, or its request, is there; NAN: that is not known yet */
    int32_t flow; /* that brings it, plus 1; 0: none */
    int32_t sender, tag;
};
/* A message that nobody had waited for: for a receiver that may take any. */
void event_any_sent(struct events *events, const struct event_side *send, int32_t receiver, int32_t tag,
                    double there);
/* A flow has arrived. */
void event_any_arrived(struct events *events, int32_t flow, int32_t receiver, double time);
/* A message of this sender and tag was taken. */
void event_any_taken(struct events *events, int32_t receiver, int32_t sender, int32_t tag);
/* Whose message this receive takes; false: it has to wait, and its turn comes. */
bool event_any_choose(struct events *events, int32_t rank, const struct activity *receive, int32_t *sender);

/* --- flows.c --- */

bool event_flows_begin(struct events *events);
void event_flows_end(struct events *events);
/* A message that leaves a node at this time; returns its flow. */
int32_t event_flow_leave(struct events *events, int32_t sender, int32_t receiver, double bytes, double left);
/* Its receive: true and the time if the message is there already; else it is settled when it is. */
bool event_flow_receive(struct events *events, int32_t flow, const struct event_side *receive,
                        const struct network_region *region, double *arrival);
/* Lets time pass there until the next turn, or until messages arrive before it; false: the simulator failed.
   is_turn: the next turn may be taken. */
bool event_flows_pass(struct events *events, bool *is_turn);
bool event_flow_start(struct events *events, int32_t flow); /* it leaves now */
size_t event_flows_under_way(const struct events *events);
#endif
