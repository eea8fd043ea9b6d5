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
#ifndef MODELLING_ACTIVITY_H
#define MODELLING_ACTIVITY_H
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum activity_kind {
    activity_END,
    activity_COMPUTE, /* seconds */
    activity_SEND,    /* bytes to partner, tag; blocking as MPI_Send is */
    activity_RECEIVE, /* bytes from partner, tag */
    activity_ISEND,   /* with a request number */
    activity_IRECEIVE,
    activity_WAIT, /* for a request; -1: all */
    activity_BARRIER,
    activity_BROADCAST, /* root in partner */
    activity_REDUCE,
    activity_ALLREDUCE,
    activity_ALLTOALL,  /* bytes to each */
    activity_HALO,      /* grid, bytes for each direction */
    activity_WAVEFRONT, /* grid, corner, tiles, seconds before and after the receives, bytes east and south */
    activity_READ,      /* bytes from the disc */
    activity_WRITE,
    activity_KINDS
};

struct activity {
    enum activity_kind kind;
    double seconds;            /* COMPUTE; WAVEFRONT: of a tile, after its receives */
    double before;             /* WAVEFRONT: of a tile, before its receives */
    double bytes, other_bytes; /* HALO, WAVEFRONT: along the first direction; along the second */
    int32_t partner;
    int32_t tag, request;
    int32_t columns, rows; /* of the grid of ranks */
    int32_t corner;        /* WAVEFRONT: 0 … 3: where it begins */
    int32_t tiles;
    uint32_t
        cause; /* row of the model's causes: the subtask and the kind of statement that the time belongs to */
    uint32_t line; /* of the model file, for messages about deadlocks */
};

struct walker; /* a rank on its way through a model; modelling/language/ makes them */
/* false: the model failed here (division by zero, a loop without end, a partner that does not exist): error
 * has line and column. */
bool walker_next(struct walker *walker, struct activity *activity, struct error *error);
#endif
