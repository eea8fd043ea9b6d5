/* The time of a modelled program, and where it goes.

   Both evaluators take the same model, hardware and network, and give the same answer where nothing contends
   and nothing is noisy (tests hold them to 1 % there; exact for compute, wavefronts, halos and matched sends
   and receives of the analytic one):

   - analytic (evaluate/): each rank has a clock; sends and receives are matched in order, waits are maxima.
   Patterns by closed forms. Ranks that provably do the same (a class) are walked once. A receive that nobody
   sends is a deadlock, told with ranks and lines. Receives from any rank are an error: who comes first is a matter
   of time, and ranks go forward in any order here.
   - events (events/): SimGrid in runtime/simgrid; contention, noise with seeds, nodes of different speed. */
#ifndef PLAN_MODELLING_EVALUATE_H
#define PLAN_MODELLING_EVALUATE_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct language_model; /* plan/modelling/language/language.h */
struct network;        /* NULL where nothing is sent, read or written */

enum evaluated_kind {
    evaluated_COMPUTE, /* computing */
    evaluated_SEND,    /* the processor's part of messages: overheads of sends and receives */
    evaluated_WAIT,    /* for messages and other ranks */
    evaluated_DISC,
    evaluated_KINDS
};
/* What the seconds of an activity COMPUTE are: computing, unless the model says that they are for messages. */
enum evaluated_kind evaluated_kind_of(const struct language_model *model, uint32_t cause);

struct evaluated_cause {
    uint32_t cause; /* row of the model's causes */
    enum evaluated_kind kind;
    double seconds; /* on the rank that ends last: these sum to the total */
    double mean;    /* over ranks */
};
struct evaluation {
    double seconds;
    int32_t last_rank;
    double kinds[evaluated_KINDS]; /* on the rank that ends last: they sum to the total */
    struct array causes;           /* of struct evaluated_cause: what took time, by cause and kind */
    uint64_t activities, messages;
    double took; /* seconds that the evaluation took */
};
/* Both end with an error, after a Ctrl-C that interrupt_catch noted. */
bool evaluate_analytic(const struct language_model *model, int32_t ranks, const struct network *network,
                       struct evaluation *evaluation, struct error *error);
bool evaluate_events(const struct language_model *model, int32_t ranks, const struct network *network,
                     uint64_t seed, struct evaluation *evaluation, struct error *error);
/* Formulas, where they are enough: a model that receives from any rank is evaluated by events, without noise and
   shared links.  usual.c */
bool evaluate_usual(const struct language_model *model, int32_t ranks, const struct network *network,
                    struct evaluation *evaluation, struct error *error);
/* The rank that ends last, of clocks that are so many bytes apart; of those that only rounding tells apart,
   the first. */
int32_t evaluation_last(const double *clocks, size_t stride, int32_t count);
/* Messages that were sent and not received yet, or the other way round, are kept: 1 GB of them at most. */
enum { MOST_WAITING_MESSAGES = 20000000 };
bool evaluation_too_many_wait(struct error *error);  /* sets the error; false */
void evaluation_sort(struct evaluation *evaluation); /* its causes: what took longest comes first */
void evaluation_free(struct evaluation *evaluation);
#endif
