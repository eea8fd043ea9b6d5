/* Numbers from summaries: mean, deviation, median, the number of lines, the set-up of a loop.

   Deviations: sum and squares are exact (modulo 2^128).  They are moved to the smallest value first, still
   exactly, so that large values that differ little lose nothing.

   Medians: a bucket is a quarter of an octave, so its geometric middle is within 12 % of what it holds.

   Distinct lines: n things that fall on m cells at random leave m * exp(-n / m) of them empty (linear
   counting, Whang 1990).  With 32768 cells the error is below 1 % up to 100 000 lines and the estimate ends
   near 340 000, where all cells are full. */
#include "run/probe/recording/parts.h"

#include <float.h>
#include <math.h>

/* ---- buckets ---- */

struct recorded_bucket recorded_bucket_of_integers(unsigned bucket)
{
    if (bucket < 8)
        return (struct recorded_bucket){bucket, bucket};
    int exponent = 3 + (int)(bucket - 8) / 4;
    double quarter = (bucket - 8) % 4;
    return (struct recorded_bucket){ldexp(4 + quarter, exponent - 2), ldexp(5 + quarter, exponent - 2)};
}

struct recorded_bucket recorded_bucket_of_floats(unsigned bucket)
{
    if (!bucket)
        return (struct recorded_bucket){0, 0};
    return (struct recorded_bucket){bucket == 1 ? DBL_TRUE_MIN : ldexp(1, (int)bucket - 128),
                                    bucket == PROBE_BUCKETS - 1 ? DBL_MAX : ldexp(1, (int)bucket - 127)};
}

/* ---- moments ---- */

static long double as_signed(unsigned __int128 number)
{
    return (long double)(__int128)number;
}

double recorded_mean(const struct recorded_spread *spread)
{
    return spread->count ? (double)(as_signed(spread->sum) / (long double)spread->count) : NAN;
}

double recorded_calm_mean(const struct recorded_spread *spread)
{
    static const double FEW = 0.02, MUCH = 0.02;
    long double sum = as_signed(spread->sum), far = (long double)spread->far_sum;
    bool is_interrupted = spread->far_count && spread->far_count < spread->count &&
                          (double)spread->far_count <= FEW * (double)spread->count && far >= MUCH * sum &&
                          far <= sum;
    if (!is_interrupted)
        return recorded_mean(spread);
    return (double)((sum - far) / (long double)(spread->count - spread->far_count));
}

static double deviation_of(long double sum, long double square, uint64_t count)
{
    if (!count)
        return NAN;
    long double variance = (square - sum * sum / (long double)count) / (long double)count;
    return variance > 0 ? (double)sqrtl(variance) : 0;
}

double recorded_deviation(const struct recorded_spread *spread, bool is_signed)
{
    unsigned __int128 least =
        is_signed ? (unsigned __int128)(__int128)(int64_t)spread->minimum : spread->minimum;
    unsigned __int128 sum = spread->sum - spread->count * least;
    unsigned __int128 square = spread->square - 2 * least * spread->sum + spread->count * least * least;
    return deviation_of(as_signed(sum), (long double)square, spread->count);
}

double recorded_float_deviation(double sum, double square, uint64_t count)
{
    return deviation_of(sum, square, count);
}

/* ---- medians ---- */

static double within(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

double recorded_median(const struct recorded_spread *spread)
{
    uint64_t total = 0, passed = 0;
    for (unsigned i = 0; i < PROBE_BUCKETS; i++)
        total += spread->buckets[i];
    if (!total || !spread->count)
        return NAN;
    for (unsigned i = 0; i < PROBE_BUCKETS; i++) {
        passed += spread->buckets[i];
        if (passed < total - total / 2)
            continue;
        struct recorded_bucket bucket = recorded_bucket_of_integers(i);
        double low = within((double)spread->minimum, bucket.low, bucket.high);
        double high = within((double)spread->maximum, low, bucket.high);
        return sqrt(low * high);
    }
    return NAN;
}

/* The iteration number with at least a half of all entries below or at it, if the tally has it. */
double recorded_median_iterations(const struct recorded_loop *loop)
{
    uint64_t tallied = 0, passed = 0, entries;
    for (unsigned i = 0; loop->tally && i < PROBE_TALLY_WORDS; i++)
        tallied += loop->tally[i];
    entries = tallied + loop->iterations.count + loop->summed;
    if (loop->summed > entries / 2)
        return (double)(loop->summed_iterations / loop->summed);
    for (unsigned i = 0; i < loop->frequent.count; i++) {
        const struct probe_frequency *frequent = &loop->frequent.values[i];
        if (frequent->count - frequent->error > entries / 2)
            return (double)frequent->value;
    }
    for (unsigned i = 0; loop->tally && i < PROBE_TALLY_WORDS; i++) {
        passed += loop->tally[i];
        if (entries && passed >= entries - entries / 2)
            return i;
    }
    if (!tallied)
        return recorded_median(&loop->iterations);
    struct recorded_spread all = loop->iterations;
    all.minimum = 0;
    for (unsigned i = 0; i < PROBE_TALLY_WORDS; i++)
        all.buckets[probe_bucket(i)] += loop->tally[i];
    return recorded_median(&all);
}

/* ---- lines and pages ---- */

uint64_t recorded_estimate(const uint64_t words[PROBE_LINE_WORDS], uint64_t most)
{
    const double cells = PROBE_LINE_WORDS * 64.0;
    double set = 0;
    for (unsigned i = 0; i < PROBE_LINE_WORDS; i++)
        set += __builtin_popcountll(words[i]);
    double empty = cells - set < 1 ? 1 : cells - set;
    uint64_t estimate = (uint64_t)llround(cells * log(cells / empty));
    return estimate < most ? estimate : most;
}

/* ---- set-up ---- */

enum { LEAST_ENTRIES = 16 };
static const double LEAST_VARIATION = 0.1; /* of the iterations: deviation / mean */
static const double MOST_UNCERTAIN = 0.1;  /* standard error of the set-up / mean time */

double recorded_setup(const struct recorded_loop *loop)
{
    const struct recorded_spread *time = &loop->time, *iterations = &loop->iterations;
    if (time->count != iterations->count || time->count < LEAST_ENTRIES)
        return NAN;
    long double count = (long double)time->count;
    double mean_time = recorded_mean(time), mean = recorded_mean(iterations);
    double deviation = recorded_deviation(iterations, false);
    double time_deviation = recorded_deviation(time, false);
    if (!(deviation >= LEAST_VARIATION * mean) || !(mean_time > 0))
        return NAN;
    double covariance =
        (double)((long double)loop->cross / count - (long double)mean * (long double)mean_time);
    double slope = covariance / (deviation * deviation);
    double setup = mean_time - slope * mean;
    double scatter = time_deviation * time_deviation - slope * covariance;
    double error = sqrt(fmax(0, scatter) / (double)(count - 2) * (1 + mean * mean / (deviation * deviation)));
    if (!(slope > 0) || !(error <= MOST_UNCERTAIN * mean_time) || setup < -2 * error - 0.02 * mean_time)
        return NAN;
    return fmax(0, setup);
}
