/* Wavefronts: each rank takes its tiles in order; for each it computes, waits for its neighbours after it,
   computes, and sends to those before it.

   With C(x, t) the time at which rank x has computed tile t, and eager messages,

       C(x, t) = max( C(x, t - 1) + A(x),  C(west of x, t) + W(x),  C(north of x, t) + N(x) )

   where A is all that a rank does for one tile, W and N are sends, transfers and what x does afterwards. None
   depends on t.  So C(x, t) is the longest way from a rank at its start to x with t steps of length A
   somewhere on it, best all at the same rank: one with the largest A on the way.  A has few different values,
   for ranks differ in how many neighbours they have and how far those are. For each value the longest way to
   x over a rank that has it is a recurrence over the grid; t times the value is added; the largest counts.
   This is exact, and takes no longer for more tiles.

   A rendezvous holds senders back, and then the recurrence is carried out tile by tile, until each rank keeps
   its pace for good (is_settled). */
#include "plan/modelling/evaluate/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 24 };

struct link { /* a message between neighbours */
    bool exists;
    const struct network_region *region;
    double bytes, send_busy, receive_busy, way; /* way: from the begin of the send to the arrival */
};

struct front {
    struct crowd *crowd;
    const struct activity *activity;
    int32_t columns, rows;
};

/* Coordinates count from the corner where the front begins. */
static int32_t rank_at(const struct front *front, int32_t column, int32_t row)
{
    int32_t x = front->activity->corner & 1 ? front->columns - 1 - column : column;
    int32_t y = front->activity->corner & 2 ? front->rows - 1 - row : row;
    return y * front->columns + x;
}

static struct link link_between(const struct front *front, int32_t from, int32_t to, double bytes)
{
    const struct network *network = front->crowd->network;
    struct link link = {.exists = true, .bytes = bytes};
    link.region = network_region(network, network_between(network, from, to), bytes);
    link.send_busy = network_send_busy(link.region, bytes);
    link.receive_busy = network_receive_busy(link.region, bytes);
    link.way = network_arrival(link.region, bytes, network_left(link.region, bytes, 0));
    return link;
}

/* From the rank after in the row, or in the column, to this one. */
static struct link link_into(const struct front *front, int32_t column, int32_t row, bool is_row)
{
    if (is_row ? column == 0 || column >= front->columns : row == 0 || row >= front->rows)
        return (struct link){0};
    int32_t from = is_row ? rank_at(front, column - 1, row) : rank_at(front, column, row - 1);
    return link_between(front, from, rank_at(front, column, row),
                        is_row ? front->activity->bytes : front->activity->other_bytes);
}

struct place_costs {
    struct link from_row, from_column, to_row, to_column;
    double before, seconds, receives, sends;
};

static struct place_costs costs_at(const struct front *front, int32_t column, int32_t row)
{
    double speed = network_speed(front->crowd->network, rank_at(front, column, row));
    struct place_costs costs = {.from_row = link_into(front, column, row, true),
                                .from_column = link_into(front, column, row, false),
                                .to_row = link_into(front, column + 1, row, true),
                                .to_column = link_into(front, column, row + 1, false),
                                .before = front->activity->before / speed,
                                .seconds = front->activity->seconds / speed};
    costs.receives = costs.from_row.receive_busy + costs.from_column.receive_busy;
    costs.sends = costs.to_row.send_busy + costs.to_column.send_busy;
    return costs;
}

/* One message, both clocks standing where it begins. */
static void pass(struct crowd *crowd, const struct link *link, int32_t from, int32_t to)
{
    double begun = crowd->clocks[from], ready = crowd->clocks[to], arrival;
    if (link->region->is_rendezvous) {
        double left = network_agreed(link->region, link->bytes, begun, ready);
        crowd->clocks[from] = fmax(left, begun + link->send_busy);
        crowd->busy[from] += link->send_busy + fmin(link->region->send_per_byte * link->bytes,
                                                    crowd->clocks[from] - begun - link->send_busy);
        arrival = network_arrival(link->region, link->bytes, left);
    } else {
        crowd->clocks[from] = begun + link->send_busy;
        crowd->busy[from] += link->send_busy;
        arrival = begun + link->way;
    }
    crowd->clocks[to] = fmax(ready, arrival) + link->receive_busy;
    crowd->busy[to] += link->receive_busy;
}

/* What happens for one tile at one place. There are few kinds, and the places of a kind share its costs, so
   that all of it stays in a cache. */
struct tile_costs {
    struct link from_row, from_column;
    double before, seconds;
};

struct kinds {
    struct array costs; /* of struct tile_costs */
    uint32_t *of;       /* by place */
};

static bool is_same_kind(const struct tile_costs *left, const struct tile_costs *right)
{
    return left->from_row.region == right->from_row.region &&
           left->from_column.region == right->from_column.region && left->before == right->before &&
           left->seconds == right->seconds;
}

static struct kinds find_kinds(const struct front *front)
{
    enum { LOOKED_AT = 64 }; /* the last ones: more of them are only a waste of memory */
    struct kinds kinds = {ARRAY_OF(struct tile_costs),
                          memory_get((size_t)front->crowd->count * sizeof(uint32_t))};
    uint32_t *of = kinds.of;
    for (int32_t row = 0; row < front->rows; row++)
        for (int32_t column = 0; column < front->columns; column++, of++) {
            struct place_costs costs = costs_at(front, column, row);
            struct tile_costs own = {costs.from_row, costs.from_column, costs.before, costs.seconds};
            size_t first = kinds.costs.count > LOOKED_AT ? kinds.costs.count - LOOKED_AT : 0,
                   kind = kinds.costs.count;
            while (kind > first && !is_same_kind(ARRAY_AT(struct tile_costs, &kinds.costs, kind - 1), &own))
                kind--;
            if (kind == first) {
                *(struct tile_costs *)array_push(&kinds.costs) = own;
                kind = kinds.costs.count;
            }
            *of = (uint32_t)(kind - 1);
        }
    return kinds;
}

/* What is watched of each rank, tile by tile: when a tile is computed, when its first send is done, and when
   its second is. */
enum { COMPUTED, FIRST_SENT, SENT, EVENTS };
struct watched {
    double when, moved;
};
struct watch {
    struct watched *events; /* [rank][EVENTS] */
    bool is_steady;         /* in this tile all moved as in the one before */
};

static void note(struct watch *watch, int32_t rank, unsigned event, double when)
{
    struct watched *one = &watch->events[(size_t)rank * EVENTS + event];
    double moved = when - one->when;
    watch->is_steady &= fabs(moved - one->moved) <= 1e-14 * when;
    *one = (struct watched){when, moved};
}

static void one_tile(struct front *front, const struct kinds *kinds, struct watch *watch)
{
    struct crowd *crowd = front->crowd;
    const uint32_t *kind = kinds->of;
    watch->is_steady = true;
    for (int32_t row = 0; row < front->rows; row++)
        for (int32_t column = 0; column < front->columns; column++, kind++) {
            const struct tile_costs *here = ARRAY_AT(struct tile_costs, &kinds->costs, *kind);
            int32_t rank = rank_at(front, column, row);
            crowd->clocks[rank] += here->before;
            if (here->from_row.exists) {
                int32_t from = rank_at(front, column - 1, row);
                pass(crowd, &here->from_row, from, rank);
                note(watch, from, FIRST_SENT, crowd->clocks[from]);
            }
            if (here->from_column.exists) {
                int32_t from = rank_at(front, column, row - 1);
                pass(crowd, &here->from_column, from, rank);
                note(watch, from, SENT, crowd->clocks[from]);
            }
            crowd->clocks[rank] += here->seconds;
            note(watch, rank, COMPUTED, crowd->clocks[rank]);
        }
}

static double pace_of(const struct watch *watch, int32_t rank)
{
    return watch->events[(size_t)rank * EVENTS + COMPUTED].moved;
}

/* Whether a rank can go on at its pace: nobody that it waits for is slower. */
static bool keeps_up(const struct front *front, const struct watch *watch, const struct link *link,
                     int32_t from, int32_t to)
{
    double sender = pace_of(watch, from), receiver = pace_of(watch, to);
    double room = 1e-14 * front->crowd->clocks[to];
    return !link->exists ||
           (sender <= receiver + room && (!link->region->is_rendezvous || receiver <= sender + room));
}

/* Each rank has moved by the same time in two tiles, all of its events alike, and waits for nobody who is
   slower.  A tile only adds and takes maxima: no term of a maximum grows faster than the maximum itself, and
   the largest one grows as fast.  So all tiles that follow move it by that time, too. */
static bool is_settled(const struct front *front, const struct kinds *kinds, const struct watch *watch)
{
    const uint32_t *kind = kinds->of;
    for (int32_t row = 0; row < front->rows; row++)
        for (int32_t column = 0; column < front->columns; column++, kind++) {
            const struct tile_costs *here = ARRAY_AT(struct tile_costs, &kinds->costs, *kind);
            int32_t rank = rank_at(front, column, row);
            const struct watched *own = &watch->events[(size_t)rank * EVENTS];
            double room = 1e-14 * own[COMPUTED].when;
            if ((column + 1 < front->columns && fabs(own[FIRST_SENT].moved - own[COMPUTED].moved) > room) ||
                (row + 1 < front->rows && fabs(own[SENT].moved - own[COMPUTED].moved) > room))
                return false;
            if ((column && !keeps_up(front, watch, &here->from_row, rank_at(front, column - 1, row), rank)) ||
                (row && !keeps_up(front, watch, &here->from_column, rank_at(front, column, row - 1), rank)))
                return false;
        }
    return true;
}

static void tile_by_tile(struct front *front, int32_t tiles)
{
    struct crowd *crowd = front->crowd;
    double *busy = crowd->room[0];
    struct kinds kinds = find_kinds(front);
    struct watch watch = {.events = memory_get((size_t)crowd->count * EVENTS * sizeof *watch.events)};
    for (int32_t tile = 0; tile < tiles; tile++) {
        memcpy(busy, crowd->busy, (size_t)crowd->count * sizeof *busy);
        one_tile(front, &kinds, &watch);
        if (tile < 3 || !watch.is_steady || !is_settled(front, &kinds, &watch))
            continue;
        int32_t left = tiles - tile - 1;
        for (int32_t rank = 0; rank < crowd->count; rank++) {
            crowd->clocks[rank] += left * pace_of(&watch, rank);
            crowd->busy[rank] += left * (crowd->busy[rank] - busy[rank]);
        }
        break;
    }
    array_free(&kinds.costs);
    free(kinds.of);
    free(watch.events);
}

/* The different values of A; 0: too many, or a rendezvous. */
static unsigned find_classes(struct front *front, double *classes, uint8_t *class_of)
{
    unsigned count = 0;
    for (int32_t row = 0; row < front->rows; row++)
        for (int32_t column = 0; column < front->columns; column++) {
            struct place_costs costs = costs_at(front, column, row);
            if ((costs.from_row.exists && costs.from_row.region->is_rendezvous) ||
                (costs.from_column.exists && costs.from_column.region->is_rendezvous))
                return 0;
            double advance = costs.sends + costs.before + costs.receives + costs.seconds;
            unsigned class = 0;
            while (class < count && classes[class] != advance)
                class ++;
            if (class == MOST_CLASSES)
                return 0;
            if (class == count)
                classes[count++] = advance;
            class_of[(size_t)row * (size_t)front->columns + (size_t)column] = (uint8_t) class;
        }
    return count;
}

/* Longest ways to one rank: `ways` over a rank of each class, [MOST_CLASSES]: over any. */
typedef double ways[MOST_CLASSES + 1];

static void extend(ways to, const ways from, double length, unsigned classes)
{
    for (unsigned i = 0; i <= classes; i++)
        to[i] = fmax(to[i], from[i] + length);
}

static void by_classes(struct front *front, int32_t tiles, const double *values, unsigned classes,
                       const uint8_t *class_of)
{
    struct crowd *crowd = front->crowd;
    ways *above =
        memory_get((size_t)front->columns * sizeof *above); /* of the row before; then of this one */
    for (int32_t row = 0; row < front->rows; row++)
        for (int32_t column = 0; column < front->columns; column++) {
            struct place_costs costs = costs_at(front, column, row);
            int32_t rank = rank_at(front, column, row);
            ways here;
            for (unsigned i = 0; i < classes; i++)
                here[i] = -INFINITY;
            here[classes] = crowd->clocks[rank] + costs.before + costs.receives + costs.seconds;
            if (costs.from_row.exists)
                extend(here, above[column - 1], costs.from_row.way + costs.receives + costs.seconds, classes);
            if (costs.from_column.exists) {
                struct link aside = link_into(front, column + 1, row - 1, true);
                extend(here, above[column],
                       aside.send_busy + costs.from_column.way + costs.from_column.receive_busy +
                           costs.seconds,
                       classes);
            }
            unsigned own = class_of[(size_t)row * (size_t)front->columns + (size_t)column];
            here[own] = here[classes];
            double latest = -INFINITY;
            for (unsigned i = 0; i < classes; i++)
                latest = fmax(latest, here[i] + (tiles - 1) * values[i]);
            memcpy(above[column], here, sizeof here);
            crowd->clocks[rank] = latest + costs.sends;
            crowd->busy[rank] += tiles * (costs.sends + costs.receives);
        }
    free(above);
}

void wavefront_apply(struct crowd *crowd, const struct activity *activity)
{
    struct front front = {
        .crowd = crowd, .activity = activity, .columns = activity->columns, .rows = activity->rows};
    int32_t tiles = activity->tiles;
    if (tiles < 1)
        return;
    double values[MOST_CLASSES];
    uint8_t *class_of = memory_get((size_t)crowd->count);
    unsigned classes = tiles > 2 ? find_classes(&front, values, class_of) : 0;
    if (classes)
        by_classes(&front, tiles, values, classes, class_of);
    else
        tile_by_tile(&front, tiles);
    free(class_of);
    uint64_t links = (uint64_t)(front.columns - 1) * (uint64_t)front.rows +
                     (uint64_t)(front.rows - 1) * (uint64_t)front.columns;
    crowd->messages += links * (uint64_t)tiles;
}
