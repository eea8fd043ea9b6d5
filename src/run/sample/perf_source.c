/* The kernel's rings as a source for the reading thread.

   Records written while we look at one ring after the other may be older than what we saw: so a look ends a
   little before the moment at which it began.  The last look takes everything. */
#include "run/sample/perf_source.h"

#include "base/clock.h"
#include "run/sample/reader.h"

#include <math.h>
#include <poll.h>
#include <string.h>

enum { HORIZON = 2 * 1000 * 1000 }; /* nanoseconds that the kernel may need to write a record */

static void read_record(void *context, struct perf_ring *ring, const struct perf_event_header *record)
{
    struct perf_source *kernel = context;
    perf_anchors_look(&kernel->anchors, record);
    perf_record_read(&kernel->stream, ring, record);
}

static void read_rings(void *context, struct collector *collector, uint64_t start, bool is_last)
{
    struct perf_source *kernel = context;
    kernel->stream.collector = collector;
    kernel->stream.start = start;
    perf_rings_read(kernel->events.rings.data, kernel->events.rings.count, &kernel->events.layout,
                    is_last ? UINT64_MAX : clock_monotonic_nanoseconds() - HORIZON, read_record, kernel,
                    &kernel->stream.lost);
}

/* A quarter of the time in which samples of one processor fill its ring. */
static int milliseconds_between(const struct perf_events *events)
{
    const struct perf_ring *ring = events->rings.data;
    double record = 1000 + events->attribute.sample_stack_user,
           milliseconds = 1000.0 * (double)ring->size / 4 / record / events->frequency;
    return milliseconds > 50 ? 50 : milliseconds < 5 ? 5 : (int)milliseconds;
}

bool perf_source_begin(struct perf_source *kernel, const struct sampler_options *options, uint32_t process,
                       bool is_waiting, struct error *error)
{
    memset(kernel, 0, sizeof *kernel);
    if (!perf_events_open(&kernel->events, options, process, is_waiting, error))
        return false;
    struct perf_events *events = &kernel->events;
    kernel->source = (struct source){.context = kernel,
                                     .read = read_rings,
                                     .polls = ARRAY_OF(struct pollfd),
                                     .milliseconds = milliseconds_between(events)};
    for (size_t i = 0; i < events->rings.count; i++)
        *(struct pollfd *)array_push(&kernel->source.polls) = (struct pollfd){
            .fd = ARRAY_AT(struct perf_descriptor, &events->descriptors, i)->file, .events = POLLIN};
    kernel->stream = (struct perf_stream){.layout = events->layout,
                                          .identities = &events->identities,
                                          .threads = &events->threads,
                                          .frequency = events->frequency,
                                          .samples = ARRAY_OF(uint64_t)};
    array_add_many(&kernel->stream.samples, options->wish_count + 1);
    return true;
}

/* Samples of cycles were counted in billions of cycles: they become seconds. */
static void scale_time(struct sample_recording *recording, double factor)
{
    for (size_t i = 0; i < recording->counts.count; i++) {
        struct sample_count *count = ARRAY_AT(struct sample_count, &recording->counts, i);
        if (count->event == 0)
            count->amount *= factor;
    }
}

/* Cycles and time of the same event, if the kernel's cycles are among them. */
static void finish_cycles(const struct perf_source *kernel, struct perf_total time,
                          struct sample_recording *recording)
{
    double clock = time.running > 0 ? time.count / time.running : NAN;
    if (!isnan(clock) && (kernel->events.has_kernel || isnan(recording->cycles_per_second)))
        recording->cycles_per_second = clock;
    if (recording->cycles_per_second > 0)
        scale_time(recording, 1e9 / recording->cycles_per_second);
}

static void finish_event(const struct perf_source *kernel, uint16_t number, struct sample_event *event)
{
    struct perf_total total = perf_events_total(&kernel->events, number);
    size_t processors = kernel->events.processors.count;
    /* An event of one processor is enabled while the thread runs on any. */
    double enabled = total.enabled / (double)processors;
    event->running = enabled > 0 && total.running < enabled ? total.running / enabled : 1;
    event->samples = *ARRAY_AT(uint64_t, &kernel->stream.samples, number);
    event->total = number ? total.count / (event->running > 0 ? event->running : 1) : total.running;
}

void perf_source_finish(struct perf_source *kernel, struct sample_recording *recording)
{
    struct perf_total time = perf_events_total(&kernel->events, 0);
    recording->source = kernel->events.source;
    recording->has_kernel = kernel->events.has_kernel;
    recording->frequency = kernel->events.frequency;
    recording->lost += kernel->stream.lost;
    for (size_t i = 0; i < recording->events.count; i++)
        finish_event(kernel, (uint16_t)i, ARRAY_AT(struct sample_event, &recording->events, i));
    if (kernel->events.source == SAMPLE_BY_CYCLES)
        finish_cycles(kernel, time, recording);
}

void perf_source_end(struct perf_source *kernel)
{
    perf_events_close(&kernel->events);
    perf_anchors_end(&kernel->anchors);
    array_free(&kernel->source.polls);
    array_free(&kernel->stream.samples);
}
