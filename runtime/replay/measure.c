/* How long a call takes, original and variant in turn, so that what disturbs one disturbs the other.

   Written pages are put back outside the timed part; so data is as warm as that leaves it, and nothing was ever
   cold.  Short calls are timed by the processor's clock, read right around the call, less what an empty call
   takes; long ones by the thread's processor time, which waiting does not enter.  The figure is the mean of the
   middle half of all samples: as steady as the median, and finer than a coarse clock's ticks.

   A sample is one call, but for very short ones that leave the same when they are made again on what they left:
   there it is the mean of many in a row.  One call of a tenth of a microsecond right after the copying of pages
   would meet its stores on their way to the cache, and units for wide vectors that are still asleep. */
#include "runtime/replay/replay.h"

enum { MOST_SAMPLES = 20000, LEAST_SAMPLES = 3, EMPTY_CALLS = 1001, MOST_IN_A_ROW = 100 };
static const double long_call = 1e-4, row_seconds = 2e-5, shortest_call = 2e-7;

struct samples {
    double *values;
    uint64_t count;
};

static void sort(struct samples *samples)
{
    double *values = samples->values;
    for (uint64_t gap = samples->count / 2; gap; gap /= 2)
        for (uint64_t i = gap; i < samples->count; i++) {
            double value = values[i];
            uint64_t at = i;
            for (; at >= gap && values[at - gap] > value; at -= gap)
                values[at] = values[at - gap];
            values[at] = value;
        }
}

static double middle_mean(struct samples *samples)
{
    uint64_t first = samples->count / 4, last = samples->count - first;
    double sum = 0;
    sort(samples);
    for (uint64_t i = first; i < last; i++)
        sum += samples->values[i];
    return sum / (double)(last - first);
}

static struct replay_timing timing_of(struct samples *samples, double unit, double empty,
                                      unsigned in_a_row)
{
    struct replay_timing timing;
    uint64_t first = samples->count / 4, last = samples->count - first;
    timing.seconds = (middle_mean(samples) - empty) * unit;
    timing.seconds = timing.seconds > 0 ? timing.seconds : 0;
    timing.spread = (samples->values[last - 1] - samples->values[first]) / 2 * unit;
    timing.calls = samples->count * in_a_row;
    timing.in_a_row = in_a_row;
    return timing;
}

/* One sample: in ticks, or in seconds of processor time. */
static double timed(bool is_variant, bool is_processor_time, unsigned in_a_row)
{
    replay_restore();
    if (is_variant)
        replay_copy_in();
    __sync_synchronize();
    double before = is_processor_time ? replay_processor_seconds() : 0;
    replay_call(is_variant);
    if (is_processor_time)
        return replay_processor_seconds() - before;
    if (in_a_row == 1)
        return (double)(replay_context.end - replay_context.start);
    double sum = 0; /* without the first, which meets the data as the copying left it */
    for (unsigned i = 0; i < in_a_row; i++) {
        replay_call(is_variant);
        sum += (double)(replay_context.end - replay_context.start);
    }
    return sum / in_a_row;
}

static double empty_ticks(void)
{
    struct samples samples;
    samples.values = replay_memory(EMPTY_CALLS * sizeof(double));
    for (samples.count = 0; samples.count < EMPTY_CALLS; samples.count++) {
        replay_context.target = (uint64_t)replay_empty;
        replay_enter();
        samples.values[samples.count] = (double)(replay_context.end - replay_context.start);
    }
    replay_restore();
    return middle_mean(&samples);
}

static unsigned calls_in_a_row(void)
{
    if (!replay.is_repeatable)
        return 1;
    double seconds = replay.second_call > shortest_call ? replay.second_call : shortest_call;
    double count = row_seconds / seconds;
    return count > MOST_IN_A_ROW ? MOST_IN_A_ROW : count < 1 ? 1 : (unsigned)count;
}

void replay_measure(void)
{
    bool has_variant = replay.plan->variant, is_long = replay.second_call > long_call;
    struct samples samples[2];
    for (unsigned i = 0; i < 2; i++) {
        samples[i].values = replay_memory(MOST_SAMPLES * sizeof(double));
        samples[i].count = 0;
    }
    unsigned in_a_row = calls_in_a_row();
    double empty = is_long ? 0 : empty_ticks();
    uint64_t start = system_nanoseconds(), start_ticks = clock_ticks();
    uint64_t budget = (uint64_t)(replay.plan->budget * 1e9), now = start;
    timed(false, is_long, in_a_row);
    for (uint64_t round = 0; round < MOST_SAMPLES && (round < LEAST_SAMPLES || now - start < budget); round++) {
        bool is_variant_first = round & 1;
        for (unsigned turn = 0; turn < 1u + has_variant; turn++) {
            bool is_variant = has_variant && (turn ^ (unsigned)is_variant_first);
            samples[is_variant].values[samples[is_variant].count++] = timed(is_variant, is_long, in_a_row);
        }
        now = system_nanoseconds();
    }
    double unit = is_long ? 1 : (double)(now - start) * 1e-9 / (double)(clock_ticks() - start_ticks);
    replay.answer.is_processor_time = is_long;
    replay.answer.original = timing_of(&samples[0], unit, empty, in_a_row);
    if (has_variant)
        replay.answer.variant = timing_of(&samples[1], unit, empty, in_a_row);
}
