/* What a rank of a modelled program does, one thing after the other: the contract between the language and
   the evaluators.

   A model file (language/) describes applications, subtasks, parallel templates and hardware.  To evaluate
   it, each rank becomes a *walker*: it walks through the statements with its own values and hands out
   activities one by one, lazily, so that 4,096 ranks need no memory for what they will do.  An evaluator
   (evaluate/: recurrences over ranks; events/: SimGrid) gives each its time. Neither evaluator knows the
   language; the language knows no times of messages.

   Whole patterns (a wavefront over a grid of ranks, a halo exchange, a collective) are activities as well: an
   evaluator may know a closed form of them, and activity_expand turns them into sends and receives for one
   that does not. Both must agree. */
#ifndef PLAN_MODELLING_ACTIVITY_H
#define PLAN_MODELLING_ACTIVITY_H
#include "base/error.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum activity_kind {
    activity_END,
    activity_COMPUTE, /* seconds */
    activity_SEND,    /* bytes to partner, tag; blocking as MPI_Send is */
    activity_RECEIVE, /* bytes from partner, or from whoever comes first (ACTIVITY_ANY), tag */
    activity_ISEND,   /* with a request number */
    activity_IRECEIVE,
    activity_WAIT, /* for a request; -1: all, in the order of their beginnings */
    activity_BARRIER,
    activity_BROADCAST, /* root in partner */
    activity_REDUCE,
    activity_ALLREDUCE,
    activity_ALLTOALL,  /* bytes to each */
    activity_HALO,      /* grid; bytes to and from the neighbours in the row, other_bytes in the column */
    activity_WAVEFRONT, /* grid, corner, tiles, seconds before and after the receives, bytes along rows and
                           columns */
    activity_READ,      /* bytes from the disc */
    activity_WRITE,
    activity_KINDS
};

struct activity {
    enum activity_kind kind;
    double seconds;            /* COMPUTE; WAVEFRONT: of a tile, after its receives */
    double before;             /* WAVEFRONT: of a tile, before its receives */
    double value;              /* SEND, ISEND: a number that the message carries */
    double bytes, other_bytes; /* HALO, WAVEFRONT: along the first direction; along the second */
    int32_t partner;
    int32_t tag, request;
    int32_t columns, rows; /* of the grid of ranks: rank = row * columns + column */
    int32_t corner;        /* WAVEFRONT: where it begins; 1: in the east, 2: in the south, 3: both */
    int32_t tiles;         /* WAVEFRONT; ALLTOALL: rounds of a piece of it, 0: all of it */
    int32_t rounds_before; /* ALLTOALL: the piece */
    uint32_t
        cause; /* row of the model's causes: the subtask and the kind of statement that the time belongs to */
    uint32_t line; /* of the model file, for messages about deadlocks */
};

/* What time is spent on that a model gives in seconds: `compute`, `spend … on messages`, `spend … on waiting`. */
enum activity_purpose { activity_for_COMPUTING, activity_for_MESSAGES, activity_for_WAITING };

/* What a model says about time that passes: the rows that `cause` of an activity counts. */
struct activity_cause {
    const char *object;            /* application, subtask or template */
    const char *label;             /* of `compute … as "label"`; NULL: none */
    enum activity_purpose purpose; /* of COMPUTE */
    const char *file;              /* of the model, for messages */
};
struct language_model; /* a model that was read; plan/modelling/language/language.h */
size_t activity_cause_count(const struct language_model *model);
const struct activity_cause *activity_cause(const struct language_model *model, uint32_t cause);

/* The partner of a receive from any rank. */
enum { ACTIVITY_ANY = -1 };
/* Some rank receives from any: who, depends on when messages arrive. */
bool activity_receives_from_any(const struct language_model *model);

/* A rank on its way through a model: language/ makes them. A walker has its own values and place,
   a few hundred bytes; several walkers of one model must not be used by different threads.  With a seed other
   than 0 conditions with a probability are drawn: on each rank for itself where only computing depends on it,
   for all ranks alike where messages do. With seed 0 computing has its expected value, and messages that
   depend on chance are an error. */
struct walker;
struct walker *walker_begin(const struct language_model *model, int32_t rank, int32_t ranks, uint64_t seed);
/* false: the model failed here (division by zero, a loop without end, a partner that does not exist): error
   has file, line and column. The last activity is END, again and again. */
bool walker_next(struct walker *walker, struct activity *activity, struct error *error);
/* Who sent the message of a blocking receive, and the number in it: before the next activity is asked for. */
void walker_told(struct walker *walker, int32_t sender, double value);
void walker_end(struct walker *walker);
/* No statement asks for the rank: all ranks walk the same way, and one walker can stand for all.  With draws
   this only holds for seed 0. */
bool walkers_are_alike(const struct language_model *model);

/* "a barrier", "a halo exchange", …; NULL: it is no pattern of all ranks. */
const char *activity_pattern_words(enum activity_kind kind);
/* Requests and tags from here on belong to expanded patterns, never to models. */
enum { ACTIVITY_OWN_NUMBERS = 1 << 30 };
/* Turns a pattern (BARRIER to WAVEFRONT) into what this rank does: COMPUTE, sends, receives and waits at the
   end of `parts` (of struct activity). Collectives: dissemination (barrier), binomial trees (broadcast,
   reduce), recursive doubling (allreduce), pairwise exchange (alltoall).  Anything else is added as it is. */
void activity_expand(const struct activity *activity, int32_t rank, int32_t ranks, struct array *parts);
/* In which order a HALO turns to its neighbours: west, east, north, south. */
extern const int8_t activity_directions[4][2];
#endif
