/* A halo exchange of all ranks: each posts four receives, begins four sends, and waits for all.

   When a rank's sends begin depends on its clock and on which neighbours it has at which distance: a *kind*
   of rank, of which there are at most 4 × 4 × 4 × 4, and in practice a dozen. The offsets of each kind are
   reckoned once; then each rank looks at its neighbours' clocks and kinds. */
#include "plan/modelling/evaluate/crowd.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 4, NOBODY = network_DISTANCES, KINDS = 256 };

struct halo {
    struct message_cost costs[2][network_DISTANCES]; /* along rows, along columns */
    double begins[KINDS][DIRECTIONS + 1];            /* sends, after the clock; the last: all are begun */
    double received[KINDS];                          /* the processor's part of all receives */
    bool is_known[KINDS];
    int32_t further[DIRECTIONS]; /* from a rank to its neighbour */
};

static unsigned distance_to(unsigned kind, unsigned direction)
{
    return kind >> 2 * direction & 3;
}

static const struct message_cost *cost_to(const struct halo *halo, unsigned kind, unsigned direction)
{
    return &halo->costs[direction / 2][distance_to(kind, direction)];
}

static unsigned kind_of(const struct crowd *crowd, const struct activity *activity, const struct halo *halo,
                        int32_t rank, int32_t column, int32_t row)
{
    bool is_there[DIRECTIONS] = {column > 0, column + 1 < activity->columns, row > 0,
                                 row + 1 < activity->rows};
    unsigned kind = 0;
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        unsigned distance =
            is_there[i] ? (unsigned)crowd_distance(crowd, rank, rank + halo->further[i]) : NOBODY;
        kind |= distance << 2 * i;
    }
    return kind;
}

static void know(struct halo *halo, unsigned kind)
{
    double begins = 0;
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        halo->begins[kind][i] = begins;
        if (distance_to(kind, i) != NOBODY) {
            begins += cost_to(halo, kind, i)->busy;
            halo->received[kind] += cost_to(halo, kind, i)->receive;
        }
    }
    halo->begins[kind][DIRECTIONS] = begins;
    halo->is_known[kind] = true;
}

/* Kinds change only with the grid: a loop of exchanges finds them once. */
static void find_kinds(struct crowd *crowd, const struct activity *activity, const struct halo *halo)
{
    if (crowd->kind_columns == activity->columns && crowd->kind_rows == activity->rows)
        return;
    if (!crowd->kinds)
        crowd->kinds = memory_get((size_t)crowd->count);
    int32_t rank = 0;
    for (int32_t row = 0; row < activity->rows; row++)
        for (int32_t column = 0; column < activity->columns; column++, rank++)
            crowd->kinds[rank] = (uint8_t)kind_of(crowd, activity, halo, rank, column, row);
    crowd->kind_columns = activity->columns;
    crowd->kind_rows = activity->rows;
}

/* When this rank has all its messages, and has got rid of its own. */
static double end_of(const struct crowd *crowd, const struct halo *halo, const double *begun, int32_t rank)
{
    unsigned kind = crowd->kinds[rank];
    double own = begun[rank], now = own + halo->begins[kind][DIRECTIONS], free_at = now;
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        if (distance_to(kind, i) == NOBODY)
            continue;
        const struct message_cost *cost = cost_to(halo, kind, i);
        int32_t other = rank + halo->further[i];
        double sent = begun[other] + halo->begins[crowd->kinds[other]][i ^ 1];
        double arrival = message_left(cost, sent, own) + cost->transfer;
        now = (arrival > now ? arrival : now) + cost->receive;
        if (cost->is_rendezvous)
            free_at = fmax(free_at, message_left(cost, own + halo->begins[kind][i], begun[other]));
    }
    return now > free_at ? now : free_at;
}

void halo_apply(struct crowd *crowd, const struct activity *activity)
{
    struct halo halo = {.further = {-1, 1, -activity->columns, activity->columns}};
    double *begun = crowd->room[0];
    crowd_message_costs(crowd, activity->bytes, halo.costs[0]);
    crowd_message_costs(crowd, activity->other_bytes, halo.costs[1]);
    find_kinds(crowd, activity, &halo);
    memcpy(begun, crowd->clocks, (size_t)crowd->count * sizeof *begun);
    for (int32_t rank = 0; rank < crowd->count; rank++)
        if (!halo.is_known[crowd->kinds[rank]])
            know(&halo, crowd->kinds[rank]);
    for (int32_t rank = 0; rank < crowd->count; rank++) {
        unsigned kind = crowd->kinds[rank];
        crowd->clocks[rank] = end_of(crowd, &halo, begun, rank);
        crowd->busy[rank] += halo.begins[kind][DIRECTIONS] + halo.received[kind];
    }
    crowd->messages += 2 * ((uint64_t)(activity->columns - 1) * (uint64_t)activity->rows +
                            (uint64_t)activity->columns * (uint64_t)(activity->rows - 1));
}
