/* Points become regions: pieces of lines, as few as explain the points, and each line's two figures shared
   out to L, o, O, G and the handshake.

   Where senders begin to wait is known (most_eager), so pieces never cross it. On each side of it, dynamic
   programming finds the best pieces for every number of them; errors count relative to the time, as a
   microsecond matters to a small message and not to a large one. A further piece has to pay for itself
   (Bayes' information criterion): noise alone must not make one.

   The quicker quartile of the times is taken: what else runs on a computer only ever adds time, and on an
   idle one quartiles are nearly the same.

   Half a round trip is the figure that matters most, so it is kept exactly: T(bytes) = t + u·bytes.  The
   sender's call and the receiver's say which part of it keeps a processor busy; what is left is L and G. */
#include "plan/modelling/network/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 6, LEAST_POINTS = 3 };

struct line {
    double start, slope, error; /* error: sum of squared relative deviations */
};

typedef double figure_of(const struct network_point *point);
static double round_of(const struct network_point *point)
{
    return point->round.first;
}
static double send_of(const struct network_point *point)
{
    return point->send.first;
}
static double receive_of(const struct network_point *point)
{
    return point->receive.first;
}

/* Least squares, each point weighed by 1/value²; neither figure below 0. */
static struct line fit_line(const struct network_point *points, size_t count, figure_of *figure)
{
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        double value = fmax(figure(&points[i]), 1e-12), share = 1 / (value * value);
        weight += share;
        x += share * points[i].bytes;
        y += share * value;
        xx += share * points[i].bytes * points[i].bytes;
        xy += share * points[i].bytes * value;
    }
    double spread = weight * xx - x * x;
    struct line line = {.slope = spread > 0 ? (weight * xy - x * y) / spread : 0};
    if (line.slope < 0)
        line.slope = 0;
    line.start = (y - line.slope * x) / weight;
    if (line.start < 0) {
        line.start = 0;
        line.slope = xy / xx;
    }
    for (size_t i = 0; i < count; i++) {
        double value = fmax(figure(&points[i]), 1e-12),
               off = (line.start + line.slope * points[i].bytes) / value - 1;
        line.error += off * off;
    }
    return line;
}

/* Where the best pieces of these points end: fills ends[0 … returned]. */
static size_t cut(const struct network_point *points, size_t count, size_t *ends)
{
    double(*best)[MOST_PIECES + 1] = memory_get((count + 1) * sizeof *best);
    size_t(*from)[MOST_PIECES + 1] = memory_get((count + 1) * sizeof *from);
    for (size_t end = 0; end <= count; end++)
        for (size_t pieces = 0; pieces <= MOST_PIECES; pieces++)
            best[end][pieces] = end || pieces ? INFINITY : 0;
    for (size_t end = 1; end <= count; end++)
        for (size_t begin = 0; begin < end; begin++) {
            if (end - begin < LEAST_POINTS && !(begin == 0 && end == count))
                continue;
            double error = fit_line(points + begin, end - begin, round_of).error;
            for (size_t pieces = 1; pieces <= MOST_PIECES; pieces++)
                if (best[begin][pieces - 1] + error < best[end][pieces]) {
                    best[end][pieces] = best[begin][pieces - 1] + error;
                    from[end][pieces] = begin;
                }
        }
    size_t chosen = 1;
    double least = INFINITY, points_count = (double)count;
    for (size_t pieces = 1; pieces <= MOST_PIECES; pieces++) {
        /* Below 5 % nobody can tell a better line from luck. */
        double score = points_count * log(best[count][pieces] / points_count + 0.05 * 0.05) +
                       3 * (double)pieces * log(points_count);
        if (score < least) {
            least = score;
            chosen = pieces;
        }
    }
    for (size_t piece = chosen, end = count; piece; end = from[end][piece], piece--)
        ends[piece - 1] = end;
    free(best);
    free(from);
    return chosen;
}

static double spread_of(const struct network_point *points, size_t count, double error)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (points[i].round.third - points[i].round.first) / 2 / fmax(points[i].round.median, 1e-12);
    return fmax(sum / (double)count, sqrt(error / (double)count));
}

static void share_out_eager(struct network_region *region, struct line round, struct line send,
                            struct line receive)
{
    region->overhead_send = fmin(send.start, round.start);
    region->overhead_receive = fmin(receive.start, round.start - region->overhead_send);
    region->latency = round.start - region->overhead_send - region->overhead_receive;
    region->send_per_byte = fmin(send.slope, round.slope);
    region->receive_per_byte = fmin(receive.slope, round.slope - region->send_per_byte);
    region->gap_per_byte = round.slope - region->send_per_byte - region->receive_per_byte;
}

/* The sender's call holds the request, the handshake and the transfer; before is the last eager region. */
static void share_out_rendezvous(struct network_region *region, const struct network_region *before,
                                 struct line round, struct line send)
{
    double busy = fmin(send.start, round.start), rest = round.start - busy;
    region->is_rendezvous = true;
    region->overhead_send = fmin(before ? before->overhead_send : busy / 2, busy);
    region->handshake = busy - region->overhead_send;
    region->overhead_receive = fmin(before ? before->overhead_receive : rest / 2, rest);
    region->latency = rest - region->overhead_receive;
    region->send_per_byte = fmin(send.slope, round.slope);
    region->gap_per_byte = round.slope - region->send_per_byte;
}

/* A burst that is slower than both processors: the network needs a pause between messages. */
static double gap_of(const struct network_region *region, const struct network_point *point)
{
    double busy = fmax(point->send.first, point->receive.first);
    return !region->is_rendezvous && point->burst.first > 1.25 * busy ? point->burst.first : 0;
}

static void add_regions(const struct network_pair *pair, size_t first, size_t count, double most,
                        const struct network_region *before, struct array *regions)
{
    const struct network_point *points = ARRAY_AT(struct network_point, &pair->points, first);
    size_t ends[MOST_PIECES], pieces = cut(points, count, ends);
    struct network_region eager = before ? *before : (struct network_region){0};
    for (size_t piece = 0, begin = 0; piece < pieces; begin = ends[piece++]) {
        const struct network_point *of_piece = points + begin;
        size_t size = ends[piece] - begin;
        struct network_region region = {.most_bytes =
                                            piece + 1 == pieces ? most : points[ends[piece] - 1].bytes};
        struct line round = fit_line(of_piece, size, round_of), send = fit_line(of_piece, size, send_of);
        if (before || of_piece->is_waiting)
            share_out_rendezvous(&region, before ? &eager : NULL, round, send);
        else
            share_out_eager(&region, round, send, fit_line(of_piece, size, receive_of));
        region.gap = gap_of(&region, of_piece);
        region.spread = spread_of(of_piece, size, round.error);
        *(struct network_region *)array_add(regions) = region;
    }
}

/* The regions of one pair: segments of lines, as few as explain the points. */
static void network_fit(const struct network_pair *pair, struct array *regions)
{
    size_t eager = 0, count = pair->points.count;
    while (eager < count && ARRAY_AT(struct network_point, &pair->points, eager)->bytes <= pair->most_eager)
        eager++;
    *regions = ARRAY_OF(struct network_region);
    if (eager)
        add_regions(pair, 0, eager, eager < count ? pair->most_eager : INFINITY, NULL, regions);
    if (eager < count) {
        struct network_region before = {0};
        if (eager)
            before = *ARRAY_AT(struct network_region, regions, regions->count - 1);
        add_regions(pair, eager, count - eager, INFINITY, eager ? &before : NULL, regions);
    }
}

/* A rank before it has the same processor. */
static bool is_taken(const struct network_measured *measured, size_t which)
{
    const struct network_place *places = measured->places.data;
    for (size_t i = 0; i < which; i++)
        if (places[i].processor == places[which].processor && !strcmp(places[i].host, places[which].host))
            return true;
    return false;
}

/* What a turn of another rank takes: from one rank to another it takes half of all turns, on average. */
static void find_sharing(const struct network_measured *measured, struct network *network)
{
    enum { BYTES = 8 };
    if (!measured->sharing)
        return;
    const struct network_region *region = network_region(network, distance_CHIP, BYTES);
    double own = network_send_busy(region, BYTES) + network_receive_busy(region, BYTES);
    network->turn = fmax(0, measured->turns.first - own) * 2 / measured->sharing;
    for (size_t i = 0; i < measured->places.count; i++)
        network->processors += !is_taken(measured, i);
}

static int32_t count_same(const struct network_measured *measured, bool is_by_chip)
{
    const struct network_place *first = measured->places.data, *place = first;
    int32_t count = 0;
    for (size_t i = 0; i < measured->places.count; i++, place++)
        count += !strcmp(place->host, first->host) && (!is_by_chip || place->package == first->package) &&
                 !(measured->sharing && is_taken(measured, i));
    return count > 0 ? count : 1;
}

void network_of_measured(const struct network_measured *measured, const char *name, const char *description,
                         struct network *network)
{
    *network = (struct network){.name = memory_copy_text(name, strlen(name)),
                                .description = memory_copy_text(description, strlen(description)),
                                .speeds = ARRAY_OF(double),
                                .is_borrowed = {true, true, true}};
    for (unsigned i = 0; i < network_DISTANCES; i++)
        network->regions[i] = ARRAY_OF(struct network_region);
    for (size_t i = 0; i < measured->pairs.count; i++) {
        const struct network_pair *pair = ARRAY_AT(struct network_pair, &measured->pairs, i);
        network_fit(pair, &network->regions[pair->distance]);
        network->is_borrowed[pair->distance] = false;
    }
    int32_t of_chip = count_same(measured, true), of_node = count_same(measured, false);
    network->cores_per_chip = of_chip;
    network->chips_per_node = (of_node + of_chip - 1) / of_chip;
    const struct array *known = NULL;
    for (unsigned i = network_DISTANCES; i-- > 0;)
        known = network->regions[i].count ? &network->regions[i] : known;
    if (known && known == &network->regions[distance_CHIP])
        find_sharing(measured, network);
}
