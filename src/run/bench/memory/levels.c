/* Levels from curves, and the figures of each.

   A cache ends where latency rises, or where streams of loads become slower: a cache that many share shows in
   one of them alone at times.  What the system reports gives sizes and names; a step within a factor of NEAR
   of a reported size is that cache.  Where the system reports nothing, the steps are the caches.

   The figures of a level come from regions that are well within it: larger than those before it hold,
   smaller than three quarters of it.  Of these the quickest quarter counts: other programs only make the
   others slower. */
#include "run/bench/memory/curve.h"
#include "run/bench/memory/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 8 };
static const double NEAR = 2.5;
static const double LEAST_OVERLAP = 0.01; /* 0 would be unknown */
static const struct curve_rule LATENCY_RULE = {1.4, 1.3}, LOAD_RULE = {1.2, 1.2};

struct work {
    struct bench_levels found;
    const struct array *points;
    enum isa isa;
    double largest; /* region that was measured */
};

static bool is_alone(const struct bench_point *point, const char *what)
{
    return point->threads == 1 && !strcmp(point->what, what) && bench_point_cycles(point) > 0;
}

/* The quickest of all widths of vectors for each size. */
static unsigned curve_of(const struct work *work, const char *what, struct curve_point *curve)
{
    unsigned count = 0;
    for (size_t i = 0; i < work->points->count; i++) {
        const struct bench_point *point = ARRAY_AT(struct bench_point, work->points, i);
        if (!is_alone(point, what))
            continue;
        unsigned place = 0;
        while (place < count && curve[place].bytes < (double)point->bytes)
            place++;
        double time = bench_point_cycles(point);
        if (place < count && curve[place].bytes == (double)point->bytes) {
            curve[place].time = fmin(curve[place].time, time);
        } else if (count < MEMORY_MOST_SIZES) {
            memmove(curve + place + 1, curve + place, (count++ - place) * sizeof *curve);
            curve[place] = (struct curve_point){(double)point->bytes, time};
        }
    }
    return count;
}

static bool are_near(double one, double other, double factor)
{
    return one <= factor * other && other <= factor * one;
}

/* Sizes where a curve rises, in order. */
struct steps {
    double bytes[2 * MOST_STEPS];
    unsigned count;
};

static struct steps find_steps(struct work *work, const char *what, struct curve_rule rule)
{
    struct curve_point curve[MEMORY_MOST_SIZES + 1];
    struct curve_step found[MOST_STEPS];
    struct steps steps = {0};
    unsigned count = curve_of(work, what, curve);
    if (count)
        work->largest = fmax(work->largest, curve[count - 1].bytes);
    steps.count = curve_steps(curve, count, rule, found, MOST_STEPS);
    for (unsigned i = 0; i < steps.count; i++)
        steps.bytes[i] = found[i].bytes;
    return steps;
}

/* A cache that others use, too, may end much earlier than its size says. */
static bool is_step_of(double step, const struct machine_cache *cache, const struct machine_cache *before)
{
    double size = (double)cache->bytes;
    bool is_early = cache->is_shared && step < size && step > 2 * (before ? (double)before->bytes : 0);
    return is_early || are_near(step, size, NEAR);
}

static double step_of(const struct steps *steps, const struct bench_level *level, unsigned place)
{
    for (unsigned i = 0; i < steps->count; i++)
        if (is_step_of(steps->bytes[i], &level->cache, place ? &level[-1].cache : NULL))
            return steps->bytes[i];
    return 0;
}

static void name_reported(struct work *work, const struct machine_cache *caches, unsigned count,
                          const struct steps *latency, const struct steps *loads)
{
    struct bench_levels *found = &work->found;
    enum { MOST_UNEXPLAINED = sizeof found->unexplained / sizeof *found->unexplained };
    for (unsigned i = 0; i < count && (double)caches[i].bytes <= work->largest; i++) {
        struct bench_level *level = &found->levels[found->count++];
        *level = (struct bench_level){.cache = caches[i], .is_reported = true};
        level->step = step_of(latency, level, i);
        if (!level->step)
            level->step = step_of(loads, level, i);
    }
    for (unsigned i = 0; i < latency->count && found->count == count; i++) {
        bool is_explained = false;
        for (unsigned k = 0; k < found->count; k++)
            is_explained = is_explained || are_near(latency->bytes[i], found->levels[k].step, 1.01);
        if (!is_explained && found->unexplained_count < MOST_UNEXPLAINED)
            found->unexplained[found->unexplained_count++] = latency->bytes[i];
    }
}

/* Steps of latency, and those of loads that are elsewhere. */
static void name_by_steps(struct work *work, struct steps *latency, const struct steps *loads)
{
    struct bench_levels *found = &work->found;
    for (unsigned i = 0; i < loads->count; i++) {
        double bytes = loads->bytes[i];
        unsigned place = 0;
        while (place < latency->count && latency->bytes[place] < bytes)
            place++;
        if ((place && are_near(bytes, latency->bytes[place - 1], 2)) ||
            (place < latency->count && are_near(bytes, latency->bytes[place], 2)))
            continue;
        memmove(latency->bytes + place + 1, latency->bytes + place,
                (latency->count++ - place) * sizeof bytes);
        latency->bytes[place] = bytes;
    }
    for (unsigned i = 0; i < latency->count && i < MOST_CACHES; i++)
        found->levels[found->count++] =
            (struct bench_level){.cache = {.level = i + 1, .bytes = (uint64_t)latency->bytes[i], .line = 64},
                                 .step = latency->bytes[i]};
}

/* What a level holds for one program. */
static double held_by(const struct bench_level *level)
{
    double size = (double)level->cache.bytes;
    return level->cache.is_shared && level->step > 0 && level->step < size ? level->step : size;
}

static void name_levels(struct work *work, struct bench_results *results)
{
    struct machine_cache caches[MOST_CACHES];
    struct bench_levels *found = &work->found;
    unsigned count = bench_system_caches(results, caches, MOST_CACHES);
    struct steps latency = find_steps(work, "latency", LATENCY_RULE),
                 loads = find_steps(work, "load", LOAD_RULE);
    if (count)
        name_reported(work, caches, count, &latency, &loads);
    else
        name_by_steps(work, &latency, &loads);
    if (found->count && found->count >= count &&
        work->largest >= 2 * held_by(&found->levels[found->count - 1]))
        found->levels[found->count++] = (struct bench_level){0};
}

/* Whether a region of each of so many processors is well within a level; `clear`: how many times larger than
 * those before it. */
static bool is_within(const struct work *work, unsigned place, double bytes, unsigned processors,
                      double clear)
{
    const struct bench_level *level = &work->found.levels[place];
    for (unsigned i = 0; i < place; i++)
        if (bytes * (work->found.levels[i].cache.is_shared ? processors : 1) <=
            clear * held_by(&work->found.levels[i]))
            return false;
    if (!level->cache.level) /* far behind the caches, where blurred rises have ended */
        return bytes * processors >= work->largest / 2;
    return bytes * (level->cache.is_shared ? processors : 1) <= 0.75 * held_by(level);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct times {
    double quick, usual; /* a quarter from the quickest, and the median */
    double ghz;
    double spread; /* of samples, the median of all regions */
};

/* Cycles of a kind of point in a level, for each byte of streams; NaN where none was measured. */
static struct times times_in(const struct work *work, unsigned place, const char *what, unsigned number,
                             unsigned threads, double clear)
{
    double times[MEMORY_MOST_SIZES], spreads[MEMORY_MOST_SIZES], ghz = NAN;
    unsigned count = 0;
    const struct bench_levels *levels = &work->found;
    unsigned processors = threads == BENCH_ALL ? levels->processors : threads;
    for (size_t i = 0; i < work->points->count; i++) {
        const struct bench_point *point = ARRAY_AT(struct bench_point, work->points, i);
        double cycles = bench_point_cycles(point), bytes = bench_point_bytes(point, work->isa);
        if (point->threads != threads || point->number != number || strcmp(point->what, what) ||
            isnan(cycles) || !is_within(work, place, (double)point->bytes, processors, clear) ||
            count == MEMORY_MOST_SIZES)
            continue;
        spreads[count] = point->result.spread;
        times[count++] = isnan(bytes) || !strcmp(what, "stride") ? cycles : 1 / bytes;
        ghz = point->result.ghz;
    }
    if (!count)
        return (struct times){NAN, NAN, NAN, NAN};
    qsort(times, count, sizeof *times, by_size);
    qsort(spreads, count, sizeof *spreads, by_size);
    return (struct times){times[count / 4], times[count / 2], ghz, spreads[count / 2]};
}

/* The same, of the vectors that are quickest; nearer to the cache before where no region is far from it. */
static struct times quickest(const struct work *work, unsigned place, enum bench_stream kind,
                             unsigned threads)
{
    struct times best = {NAN, NAN, NAN, NAN};
    for (double clear = 2; clear >= 1.5 && isnan(best.quick); clear -= 0.5)
        for (unsigned w = 0; w < memory_width_count; w++) {
            struct times next =
                times_in(work, place, bench_stream_words[kind], memory_widths[w], threads, clear);
            if (isnan(best.quick) || next.quick < best.quick)
                best = next;
        }
    return best;
}

static double or_unknown(double figure)
{
    return isfinite(figure) && figure > 0 ? figure : 0;
}

static const struct bench_point *point_of(const struct work *work, enum bench_stream kind, unsigned number,
                                          uint64_t bytes)
{
    for (size_t i = 0; i < work->points->count; i++) {
        const struct bench_point *point = ARRAY_AT(struct bench_point, work->points, i);
        if (point->number == number && point->bytes == bytes && is_alone(point, bench_stream_words[kind]))
            return point;
    }
    return NULL;
}

/* Of work that takes about as long as the lines of a region: how much of the shorter of the two is not seen.
   NaN: not measured. */
static double overlap_in(const struct work *work, const struct bench_point *load)
{
    double lines = 1 / bench_point_bytes(load, work->isa), nearest = NAN, share = NAN;
    for (enum bench_stream kind = stream_LIGHT; kind <= stream_HEAVY; kind++) {
        const struct bench_point *point = point_of(work, kind, load->number, load->bytes);
        double core = times_in(work, 0, bench_stream_words[kind], load->number, 1, 1).quick;
        double both = point ? 1 / bench_point_bytes(point, work->isa) : NAN;
        double distance = fabs(log(core / lines));
        if (isfinite(distance) && isfinite(both) && !(distance >= nearest)) {
            nearest = distance;
            share = fmin(1, fmax(LEAST_OVERLAP, (core + lines - both) / fmin(core, lines)));
        }
    }
    return share;
}

/* The median of all regions in a level and all widths. */
static double overlap_of(const struct work *work, unsigned place)
{
    double shares[MEMORY_MOST_SIZES];
    unsigned count = 0;
    for (size_t i = 0; i < work->points->count && place && count < MEMORY_MOST_SIZES; i++) {
        const struct bench_point *point = ARRAY_AT(struct bench_point, work->points, i);
        if (!is_alone(point, bench_stream_words[stream_LOAD]) ||
            !is_within(work, place, (double)point->bytes, 1, 2))
            continue;
        double share = overlap_in(work, point);
        if (isfinite(share))
            shares[count++] = share;
    }
    if (!count)
        return NAN;
    qsort(shares, count, sizeof *shares, by_size);
    return shares[count / 2];
}

static void measure_level(const struct work *work, unsigned place, struct bench_level *level)
{
    static const enum bench_stream kinds[] = {stream_LOAD, stream_STORE, stream_COPY};
    struct machine_cache *cache = &level->cache;
    struct times latency = times_in(work, place, "latency", 0, 1, 4);
    if (isnan(latency.quick))
        latency = times_in(work, place, "latency", 0, 1, 2);
    cache->latency = or_unknown(latency.quick);
    level->spread = latency.usual / latency.quick - 1;
    level->nanoseconds = latency.quick / latency.ghz;
    level->unsteady = fmax(latency.spread, quickest(work, place, stream_LOAD, 1).spread);
    struct times load = quickest(work, place, stream_LOAD, 1);
    cache->bytes_per_cycle =
        or_unknown(fmax(1 / load.quick, 1 / quickest(work, place, stream_LOADS, 1).quick));
    cache->stored_per_cycle = or_unknown(1 / quickest(work, place, stream_STORE, 1).quick);
    cache->copied_per_cycle = or_unknown(1 / quickest(work, place, stream_COPY, 1).quick);
    cache->updated_per_cycle = or_unknown(1 / quickest(work, place, stream_UPDATE, 1).quick);
    cache->overlap = or_unknown(overlap_of(work, place));
    const double figures[] = {cache->bytes_per_cycle, cache->stored_per_cycle, cache->copied_per_cycle};
    for (unsigned i = 0; i < 3; i++) {
        struct times all = quickest(work, place, kinds[i], BENCH_ALL);
        level->core[i] = load.ghz * figures[i];
        level->all[i] = all.ghz / all.usual;
    }
}

struct bench_levels bench_find_levels(struct bench_results *results, enum isa isa)
{
    struct array points = bench_memory_points(results);
    struct work work = {.points = &points, .isa = isa};
    work.found.processors = bench_system_processors(results);
    name_levels(&work, results);
    struct bench_levels whole = work.found;
    for (unsigned i = 0; i < whole.count; i++)
        measure_level(&work, i, &whole.levels[i]);
    for (size_t i = 0; i < points.count && !whole.ghz; i++)
        if (ARRAY_AT(struct bench_point, &points, i)->result.status == bench_MEASURED)
            whole.ghz = ARRAY_AT(struct bench_point, &points, i)->result.ghz;
    array_free(&points);
    return whole;
}

double bench_level_stride(const struct bench_levels *levels, unsigned level, const struct array *points,
                          unsigned stride)
{
    struct work work = {.found = *levels, .points = points};
    for (size_t i = 0; i < points->count; i++)
        work.largest = fmax(work.largest, (double)ARRAY_AT(struct bench_point, points, i)->bytes);
    double far = times_in(&work, level, "stride", stride, 1, 2).quick;
    return isnan(far) ? times_in(&work, level, "stride", stride, 1, 1.5).quick : far;
}
