/* See static_route.h. */
#include "plan/predict/static_route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of ln seconds: of any such prediction, of code whose cycles there are not known, and for each factor of e
   beyond the sizes of the runs: larger data may not fit into the same cache, and an iteration then takes
   longer than it did. */
static const double LEAST_SD = 0.05, UNKNOWN_SD = 0.5, BEYOND_SD = 0.3;
/* The model's error where nothing was measured: what it is for loops out of the first cache (docs/cycles.md
   has smaller ones for loops inside it). */
static const double MODEL_SD = 0.3;

/* Iterations are counted, but seconds come from samples: of less than this share of a run they say nothing,
   and an exponent outside of these bounds is a mistake of few samples. */
static const double LEAST_SHARE = 0.005, LEAST_EXPONENT = 0, MOST_EXPONENT = 4;

struct power {
    double exponent, constant; /* ln value = constant + exponent · ln size */
    double error;
    unsigned sizes;
};

struct point {
    double size, value;
};

static bool is_positive(double value)
{
    return value > 0 && isfinite(value);
}

/* Of one size the mean, with an exponent of NaN. */
static struct power fit_power(const struct point *points, size_t count)
{
    double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0, first = NAN;
    struct power power = {NAN, NAN, NAN, 0};
    for (size_t i = 0; i < count; i++) {
        if (!is_positive(points[i].value))
            continue;
        double x = is_positive(points[i].size) ? log(points[i].size) : 0, y = log(points[i].value);
        if (n == 0)
            first = x;
        power.sizes = n == 0 ? 1 : power.sizes + (x != first);
        n++, x_sum += x, y_sum += y, xx += x * x, xy += x * y;
    }
    if (n == 0)
        return power;
    double spread = xx - x_sum * x_sum / n;
    power.exponent = spread > 1e-9 ? (xy - x_sum * y_sum / n) / spread : NAN;
    power.constant = (y_sum - (isnan(power.exponent) ? 0 : power.exponent) * x_sum) / n;
    if (power.sizes < 3)
        return power;
    power.error = 0;
    for (size_t i = 0; i < count; i++)
        if (is_positive(points[i].value)) {
            double fitted = power.constant + power.exponent * log(points[i].size);
            power.error += fabs(exp(fitted) / points[i].value - 1) / n;
        }
    return power;
}

/* Of seconds, which are only as good as the samples. */
static struct power fit_times(const struct static_run *runs, struct point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(points[i].value > LEAST_SHARE * runs[i].seconds))
            points[i].value = NAN;
    struct power power = fit_power(points, count);
    if (!isnan(power.exponent))
        power.exponent = fmin(fmax(power.exponent, LEAST_EXPONENT), MOST_EXPONENT);
    return power;
}

/* How many times the value at one size is the value at another; 1 where nothing is known of sizes. */
static double step(const struct power *power, double from, double to)
{
    return isnan(power->exponent) || !is_positive(from) || !is_positive(to) ? 1
                                                                            : pow(to / from, power->exponent);
}

static const struct static_loop *find_loop(const struct static_run *run, uint64_t key)
{
    for (size_t i = 0; i < run->loops.count; i++) {
        const struct static_loop *loop = ARRAY_AT(struct static_loop, &run->loops, i);
        if (loop->key == key)
            return loop;
    }
    return NULL;
}

/* The run with this loop whose size is nearest; the last of equals.  key 0: any. */
static const struct static_run *nearest_run(const struct static_run *runs, size_t count, double size,
                                            uint64_t key)
{
    const struct static_run *nearest = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double away = is_positive(runs[i].size) && is_positive(size) ? fabs(log(runs[i].size / size)) : 0;
        if (away <= least && (!key || find_loop(&runs[i], key))) {
            least = away;
            nearest = &runs[i];
        }
    }
    return nearest;
}

static struct static_part part_of(const struct static_run *runs, size_t count, double size, uint64_t key,
                                  double clocks)
{
    struct point *trips = memory_get(count * sizeof *trips), *times = memory_get(count * sizeof *times);
    bool is_counted = true;
    for (size_t i = 0; i < count; i++) {
        const struct static_loop *loop = find_loop(&runs[i], key);
        trips[i] = (struct point){runs[i].size, loop ? loop->iterations : NAN};
        times[i] = (struct point){runs[i].size, loop ? loop->seconds : NAN};
        is_counted &= !loop || is_positive(loop->iterations);
    }
    struct power power = is_counted ? fit_power(trips, count) : fit_times(runs, times, count);
    free(trips);
    free(times);
    const struct static_run *run = nearest_run(runs, count, size, key);
    const struct static_loop *loop = find_loop(run, key);
    double more = step(&power, run->size, size), ratio = loop->there / loop->cycles;
    struct static_part part = {.label = loop->label,
                               .iterations = is_counted ? loop->iterations * more : NAN,
                               .exponent = power.exponent,
                               .fit_error = power.error,
                               .here = loop->seconds * more,
                               .ratio = ratio,
                               .is_known = is_positive(ratio)};
    part.there = part.here * ratio * clocks;
    return part;
}

static int by_time(const void *a, const void *b)
{
    const struct static_part *x = a, *y = b;
    return (x->there < y->there) - (x->there > y->there);
}

/* Whatever is not in one of these loops. */
static struct static_part rest_of(const struct static_run *runs, size_t count, double size)
{
    struct point *times = memory_get(count * sizeof *times);
    const struct static_run *nearest = nearest_run(runs, count, size, 0);
    double rest = 0;
    for (size_t i = 0; i < count; i++) {
        double sum = runs[i].seconds;
        for (size_t k = 0; k < runs[i].loops.count; k++)
            sum -= ARRAY_AT(struct static_loop, &runs[i].loops, k)->seconds;
        times[i] = (struct point){runs[i].size, sum};
        if (&runs[i] == nearest)
            rest = fmax(sum, 0);
    }
    struct power power = fit_times(runs, times, count);
    free(times);
    return (struct static_part){.iterations = NAN,
                                .exponent = power.exponent,
                                .fit_error = power.error,
                                .here = rest * step(&power, nearest->size, size)};
}

/* How wrong the cycles of these runs were, weighed by time. */
static double model_error(const struct static_run *runs, size_t count)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < runs[i].loops.count; k++) {
            const struct static_loop *loop = ARRAY_AT(struct static_loop, &runs[i].loops, k);
            if (!is_positive(loop->measured) || !is_positive(loop->cycles) || !is_positive(loop->seconds))
                continue;
            sum += loop->seconds * fabs(log(loop->measured / loop->cycles));
            weight += loop->seconds;
        }
    return weight > 0 ? sum / weight : NAN;
}

static void add_parts(const struct static_run *runs, size_t count, double size, double clocks,
                      struct array *parts)
{
    struct array keys = ARRAY_OF(uint64_t);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < runs[i].loops.count; k++) {
            uint64_t key = ARRAY_AT(struct static_loop, &runs[i].loops, k)->key;
            bool is_new = true;
            for (size_t j = 0; j < i && is_new; j++)
                is_new = !find_loop(&runs[j], key);
            if (is_new)
                *(uint64_t *)array_push(&keys) = key;
        }
    for (size_t i = 0; i < keys.count; i++)
        *(struct static_part *)array_push(parts) =
            part_of(runs, count, size, *ARRAY_AT(uint64_t, &keys, i), clocks);
    array_free(&keys);
}

static void set_interval(struct static_answer *answer, double beyond, bool is_elsewhere)
{
    double model = isnan(answer->model_error) ? MODEL_SD : 1.25 * answer->model_error;
    double sd = hypot(LEAST_SD, BEYOND_SD * beyond);
    if (is_elsewhere)
        sd = hypot(sd, hypot(model * answer->known, UNKNOWN_SD * (1 - answer->known)));
    answer->lower = answer->there * exp(-1.645 * sd);
    answer->upper = answer->there * exp(1.645 * sd);
}

bool static_predict(const struct static_run *runs, size_t count, double size, double clock_there,
                    struct static_answer *answer)
{
    *answer = (struct static_answer){
        .runs = (unsigned)count, .earlier_error = NAN, .parts = ARRAY_OF(struct static_part)};
    bool has_sizes = false, has_size = isnan(size);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        has_size |= runs[i].size == size;
        if (!is_positive(runs[i].size))
            continue;
        least = fmin(least, runs[i].size);
        most = fmax(most, runs[i].size);
    }
    has_sizes = most > least;
    if (!count || (!has_sizes && !has_size))
        return false;
    const struct static_run *last = &runs[count - 1];
    size = isnan(size) ? last->size : size;
    double clocks = is_positive(clock_there) && is_positive(last->clock) ? last->clock / clock_there : 1;
    add_parts(runs, count, size, clocks, &answer->parts);
    double known_here = 0, known_there = 0;
    bool is_elsewhere = clocks != 1;
    for (size_t i = 0; i < answer->parts.count; i++) {
        const struct static_part *part = ARRAY_AT(struct static_part, &answer->parts, i);
        known_here += part->is_known ? part->here : 0;
        known_there += part->is_known ? part->there : 0;
        is_elsewhere |= part->is_known && fabs(part->ratio - 1) > 1e-9;
    }
    double usual = known_here > 0 ? known_there / known_here : clocks;
    *(struct static_part *)array_push(&answer->parts) = rest_of(runs, count, size);
    for (size_t i = 0; i < answer->parts.count; i++) {
        struct static_part *part = ARRAY_AT(struct static_part, &answer->parts, i);
        if (!part->is_known) {
            part->ratio = usual / clocks;
            part->there = part->here * usual;
        }
        answer->here += part->here;
        answer->there += part->there;
    }
    qsort(answer->parts.data, answer->parts.count - 1, sizeof(struct static_part), by_time);
    answer->known = answer->here > 0 ? known_here / answer->here : 0;
    answer->model_error = model_error(runs, count);
    double beyond = has_sizes ? fmax(0, fmax(log(size / most), log(least / size))) : 0;
    set_interval(answer, beyond, is_elsewhere);
    return true;
}

void static_answer_free(struct static_answer *answer)
{
    array_free(&answer->parts);
}

void static_runs_free(struct static_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs[i].loops.count; k++)
            free(ARRAY_AT(struct static_loop, &runs[i].loops, k)->label);
        array_free(&runs[i].loops);
    }
}
