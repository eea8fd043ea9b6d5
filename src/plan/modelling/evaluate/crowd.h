/* All ranks of a modelled program on their way, with their clocks: what the parts of the analytic evaluator
   share.

   Nothing contends, so a message's time depends on the clocks of its two ranks alone, and ranks may be taken
   forward in any order. A rank goes on until it has to wait for another; that other one wakes it. Patterns
   that all ranks take part in wait for all, and then move all clocks at once (patterns.c, wavefront.c). */
#ifndef PLAN_MODELLING_EVALUATE_CROWD_H
#define PLAN_MODELLING_EVALUATE_CROWD_H
#include "plan/modelling/activity.h"
#include "plan/modelling/evaluate.h"
#include "plan/modelling/network.h"

struct request {
    int32_t number;
    bool is_receive, is_done;
    double when; /* done: when the message is there, or the sender is free */
    double busy; /* of a receive: paid in the wait */
};

enum rank_state { rank_READY, rank_BLOCKED, rank_GATHERED, rank_ENDED };

struct rank {
    struct walker *walker;
    struct array requests; /* of struct request, in the order of their beginnings */
    struct array parts;    /* of struct activity: of a pattern that is expanded */
    size_t next_part;
    struct activity waits; /* what it is in, if it is BLOCKED or GATHERED */
    double begun;          /* when that began */
    double done;           /* of a blocked send or receive: when it ends; NAN: nobody came yet */
    enum rank_state state;
};

struct crowd {
    const struct language_model *model;
    const struct network *network;
    int32_t count;
    bool is_alike;      /* ranks[0].walker stands for all */
    bool expands;       /* patterns, too, by sends and receives */
    struct rank *ranks; /* with is_alike: one */
    double *clocks;     /* of all ranks */
    double disc_free;   /* a shared disc's */
    struct array ready; /* of int32_t */
    struct array used;  /* of uint32_t: causes that were met */
    uint32_t *row_of;   /* of a cause: its place in used, plus 1 */
    double *spent;      /* [place in used][kind][rank] */
    struct waiting *waiting;
    double *busy;           /* room for patterns: of all ranks */
    double *room[4];        /* patterns: three; the clocks before a pattern */
    double *speeds;         /* of all ranks; NULL: all are 1 */
    int32_t *chips, *nodes; /* that ranks are on; NULL without a network */
    int32_t of_node;        /* ranks of a node */
    uint8_t *kinds;         /* of ranks in a grid, by their neighbours (halo.c), of this one: */
    int32_t kind_columns, kind_rows;
    int32_t gathered;
    uint64_t activities, messages;
    double began; /* the evaluation: one of a second or more tells how far it is */
};

/* waiting.c: a send and a receive find one another, in order. A message that comes first waits for the
   other. */
struct offer {
    int32_t rank, request; /* request: -1 for a blocking one */
    double begun, bytes, value;
    uint32_t cause, line;
    bool is_receive;
};
struct waiting *waiting_begin(void);
void waiting_end(struct waiting *waiting);
/* True: the other side was there, and is taken out. */
bool waiting_meet(struct waiting *waiting, int32_t from, int32_t to, int32_t tag, const struct offer *offer,
                  struct offer *other);
size_t waiting_count(const struct waiting *waiting); /* of messages that there was room for at once */
/* A message that nobody took; false: there is none. */
bool waiting_left(const struct waiting *waiting, int32_t *from, int32_t *to, struct offer *offer);

static inline enum network_distance crowd_distance(const struct crowd *crowd, int32_t one, int32_t other)
{
    return crowd->chips[one] == crowd->chips[other]   ? distance_CHIP
           : crowd->nodes[one] == crowd->nodes[other] ? distance_NODE
                                                      : distance_FAR;
}

/* exchange.c: the rules of plan/modelling/network.h for messages of one size, reckoned beforehand. */
struct message_cost {
    double busy;           /* the sender, at first */
    double left;           /* eager: when it leaves, after the send began */
    double request, agree; /* rendezvous: the request leaves; both have agreed, and it was copied */
    double copy;           /* of agree: the sender's part */
    double transfer;       /* from leaving to being there */
    double receive;        /* the receiver's part */
    bool is_rendezvous;
};
void crowd_message_costs(const struct crowd *crowd, double bytes,
                         struct message_cost costs[network_DISTANCES]);
static inline double message_left(const struct message_cost *cost, double begun, double receive_begun)
{
    double requested = begun + cost->request;
    return cost->is_rendezvous ? (requested > receive_begun ? requested : receive_begun) + cost->agree
                               : begun + cost->left;
}
/* isend, receive, wait of all ranks at once: of those below `count` with the one whose number differs in this
   bit; of all in a ring, to the one so many further. */
void exchange_across(struct crowd *crowd, int32_t count, int32_t bit, const struct message_cost *costs);
void exchange_around(struct crowd *crowd, int32_t step, const struct message_cost *costs);

/* patterns.c: moves all clocks. */
void pattern_apply(struct crowd *crowd, const struct activity *activity);
void halo_apply(struct crowd *crowd, const struct activity *activity);
void wavefront_apply(struct crowd *crowd, const struct activity *activity);
bool evaluate_crowd(const struct language_model *model, int32_t ranks, const struct network *network,
                    bool expands, struct evaluation *evaluation, struct error *error);
#endif
