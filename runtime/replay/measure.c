/* How long a call takes, original and variant in turn, so that what disturbs one disturbs the other.

   Before each call written pages are put back, outside the timed part; so data is as warm as that leaves it, and
   nothing was ever cold.  Short calls are timed by the processor's clock, read right around the call, less what
   an empty call takes; long ones by the thread's processor time, which waiting does not enter.  The figure is the
   mean of the middle half of all calls: as steady as the median, and finer than a coarse clock's ticks. */
#include "runtime/replay/replay.h"

enum { MOST_SAMPLES = 20000, LEAST_SAMPLES = 3, EMPTY_CALLS = 101 };
static const double long_call = 1e-4;

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

static struct replay_timing timing_of(struct samples *samples, double unit, double empty)
{
    struct replay_timing timing;
    uint64_t first = samples->count / 4, last = samples->count - first;
    double sum = 0;
    sort(samples);
    for (uint64_t i = first; i < last; i++)
        sum += samples->values[i];
    timing.seconds = (sum / (double)(last - first) - empty) * unit;
    timing.seconds = timing.seconds > 0 ? timing.seconds : 0;
    timing.spread = (samples->values[last - 1] - samples->values[first]) / 2 * unit;
    timing.calls = samples->count;
    return timing;
}

/* The call as it comes: in ticks, or in seconds of processor time. */
static double timed(bool is_variant, bool is_processor_time)
{
    replay_restore();
    if (is_variant)
        replay_copy_in();
    double before = is_processor_time ? replay_processor_seconds() : 0;
    replay_call(is_variant);
    return is_processor_time ? replay_processor_seconds() - before
                             : (double)(replay_context.end - replay_context.start);
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
    sort(&samples);
    replay_restore();
    return samples.values[EMPTY_CALLS / 2];
}

void replay_measure(void)
{
    bool has_variant = replay.plan->variant, is_long = replay.second_call > long_call;
    struct samples samples[2];
    for (unsigned i = 0; i < 2; i++) {
        samples[i].values = replay_memory(MOST_SAMPLES * sizeof(double));
        samples[i].count = 0;
    }
    double empty = is_long ? 0 : empty_ticks();
    uint64_t start = system_nanoseconds(), start_ticks = clock_ticks();
    uint64_t budget = (uint64_t)(replay.plan->budget * 1e9), now = start;
    timed(false, is_long);
    for (uint64_t round = 0; round < MOST_SAMPLES && (round < LEAST_SAMPLES || now - start < budget); round++) {
        bool is_variant_first = round & 1;
        for (unsigned turn = 0; turn < 1u + has_variant; turn++) {
            bool is_variant = has_variant && (turn ^ (unsigned)is_variant_first);
            samples[is_variant].values[samples[is_variant].count++] = timed(is_variant, is_long);
        }
        now = system_nanoseconds();
    }
    double unit = is_long ? 1 : (double)(now - start) * 1e-9 / (double)(clock_ticks() - start_ticks);
    replay.answer.is_processor_time = is_long;
    replay.answer.original = timing_of(&samples[0], unit, empty);
    if (has_variant)
        replay.answer.variant = timing_of(&samples[1], unit, empty);
}
