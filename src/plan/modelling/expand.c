/* Patterns as sends and receives: what each rank does.  The algorithms are the plain ones of MPI's early
   implementations; evaluators that know closed forms must give the same times. */
#include "plan/modelling/activity.h"

static struct activity *add(struct array *parts, const struct activity *of, enum activity_kind kind)
{
    struct activity *made = array_push(parts);
    *made = (struct activity){.kind = kind, .cause = of->cause, .line = of->line, .request = -1};
    return made;
}

static void message(struct array *parts, const struct activity *of, enum activity_kind kind, int32_t partner,
                    double bytes, int32_t request)
{
    struct activity *made = add(parts, of, kind);
    made->partner = partner;
    made->bytes = bytes;
    made->tag = ACTIVITY_OWN_NUMBERS + (int32_t)of->kind;
    made->request = request >= 0 ? ACTIVITY_OWN_NUMBERS + request : -1;
}

static void wait_for(struct array *parts, const struct activity *of, int32_t request)
{
    add(parts, of, activity_WAIT)->request = ACTIVITY_OWN_NUMBERS + request;
}

/* Both at once: a message to one rank and another from a rank, without the order mattering. */
static void exchange(struct array *parts, const struct activity *of, int32_t to, int32_t from, double bytes)
{
    message(parts, of, activity_ISEND, to, bytes, 0);
    message(parts, of, activity_RECEIVE, from, bytes, -1);
    wait_for(parts, of, 0);
}

static void expand_barrier(const struct activity *of, int32_t rank, int32_t ranks, struct array *parts)
{
    for (int64_t reach = 1; reach < ranks; reach *= 2)
        exchange(parts, of, (int32_t)((rank + reach) % ranks), (int32_t)((rank - reach + ranks) % ranks), 0);
}

static void expand_alltoall(const struct activity *of, int32_t rank, int32_t ranks, struct array *parts)
{
    int64_t last = of->tiles ? (int64_t)of->rounds_before + of->tiles : ranks - 1;
    for (int64_t round = of->rounds_before + 1; round <= last; round++)
        exchange(parts, of, (int32_t)((rank + round) % ranks), (int32_t)((rank - round + ranks) % ranks),
                 of->bytes);
}

/* Ranks counted from the root: the parent of one is the same without its lowest bit, and the largest
   child comes first. */
static void expand_tree(const struct activity *of, int32_t rank, int32_t ranks, struct array *parts)
{
    int64_t own = ((int64_t)rank - of->partner + ranks) % ranks, bit = 1;
    bool is_broadcast = of->kind == activity_BROADCAST;
    while (bit < ranks && !(own & bit))
        bit *= 2;
    int32_t parent = (int32_t)((own - bit + of->partner) % ranks);
    if (is_broadcast && own)
        message(parts, of, activity_RECEIVE, parent, of->bytes, -1);
    if (is_broadcast) {
        for (int64_t child = bit / 2; child >= 1; child /= 2)
            if (own + child < ranks)
                message(parts, of, activity_SEND, (int32_t)((own + child + of->partner) % ranks), of->bytes,
                        -1);
    } else {
        for (int64_t child = 1; child < bit; child *= 2)
            if (own + child < ranks)
                message(parts, of, activity_RECEIVE, (int32_t)((own + child + of->partner) % ranks),
                        of->bytes, -1);
    }
    if (!is_broadcast && own)
        message(parts, of, activity_SEND, parent, of->bytes, -1);
}

/* Recursive doubling among the largest power of two; the ranks beyond it hand in and are handed out. */
static void expand_allreduce(const struct activity *of, int32_t rank, int32_t ranks, struct array *parts)
{
    int32_t core = 1;
    while (core <= ranks / 2)
        core *= 2;
    if (rank >= core) {
        message(parts, of, activity_SEND, rank - core, of->bytes, -1);
        message(parts, of, activity_RECEIVE, rank - core, of->bytes, -1);
        return;
    }
    if (rank + core < ranks)
        message(parts, of, activity_RECEIVE, rank + core, of->bytes, -1);
    for (int32_t bit = 1; bit < core; bit *= 2)
        exchange(parts, of, rank ^ bit, rank ^ bit, of->bytes);
    if (rank + core < ranks)
        message(parts, of, activity_SEND, rank + core, of->bytes, -1);
}

/* The rank so many columns and rows further in the grid of a HALO or WAVEFRONT; -1: beyond its edge. */
static int32_t activity_neighbour(const struct activity *of, int32_t rank, int32_t east, int32_t south)
{
    int32_t column = rank % of->columns + east, row = rank / of->columns + south;
    return column < 0 || column >= of->columns || row < 0 || row >= of->rows ? -1
                                                                             : row * of->columns + column;
}

const int8_t activity_directions[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static void expand_halo(const struct activity *of, int32_t rank, struct array *parts)
{
    int32_t requests = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < 4; i++) {
            int32_t other =
                activity_neighbour(of, rank, activity_directions[i][0], activity_directions[i][1]);
            if (other >= 0)
                message(parts, of, pass ? activity_ISEND : activity_IRECEIVE, other,
                        i < 2 ? of->bytes : of->other_bytes, requests++);
        }
    for (int32_t i = 0; i < requests; i++)
        wait_for(parts, of, i);
}

static void expand_wavefront(const struct activity *of, int32_t rank, struct array *parts)
{
    int32_t east = of->corner & 1 ? -1 : 1, south = of->corner & 2 ? -1 : 1;
    int32_t from_row = activity_neighbour(of, rank, -east, 0),
            from_column = activity_neighbour(of, rank, 0, -south);
    int32_t to_row = activity_neighbour(of, rank, east, 0),
            to_column = activity_neighbour(of, rank, 0, south);
    for (int32_t tile = 0; tile < of->tiles; tile++) {
        if (of->before > 0)
            add(parts, of, activity_COMPUTE)->seconds = of->before;
        if (from_row >= 0)
            message(parts, of, activity_RECEIVE, from_row, of->bytes, -1);
        if (from_column >= 0)
            message(parts, of, activity_RECEIVE, from_column, of->other_bytes, -1);
        if (of->seconds > 0)
            add(parts, of, activity_COMPUTE)->seconds = of->seconds;
        if (to_row >= 0)
            message(parts, of, activity_SEND, to_row, of->bytes, -1);
        if (to_column >= 0)
            message(parts, of, activity_SEND, to_column, of->other_bytes, -1);
    }
}

const char *activity_pattern_words(enum activity_kind kind)
{
    static const char *const words[activity_KINDS] = {
        [activity_BARRIER] = "a barrier",     [activity_BROADCAST] = "a broadcast",
        [activity_REDUCE] = "a reduce",       [activity_ALLREDUCE] = "an allreduce",
        [activity_ALLTOALL] = "an alltoall",  [activity_HALO] = "a halo exchange",
        [activity_WAVEFRONT] = "a wavefront",
    };
    return words[kind];
}

void activity_expand(const struct activity *activity, int32_t rank, int32_t ranks, struct array *parts)
{
    switch (activity->kind) {
    case activity_BARRIER:
        expand_barrier(activity, rank, ranks, parts);
        return;
    case activity_BROADCAST:
    case activity_REDUCE:
        expand_tree(activity, rank, ranks, parts);
        return;
    case activity_ALLREDUCE:
        expand_allreduce(activity, rank, ranks, parts);
        return;
    case activity_ALLTOALL:
        expand_alltoall(activity, rank, ranks, parts);
        return;
    case activity_HALO:
        expand_halo(activity, rank, parts);
        return;
    case activity_WAVEFRONT:
        expand_wavefront(activity, rank, parts);
        return;
    default:
        *(struct activity *)array_push(parts) = *activity;
    }
}
