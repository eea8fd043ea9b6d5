/* The kernel's samples as a source for the reading thread. */
#ifndef RUN_SAMPLE_PERF_SOURCE_H
#define RUN_SAMPLE_PERF_SOURCE_H
#include "run/sample/perf_parts.h"
#include "run/sample/source.h"

struct perf_source {
    struct perf_events events;
    struct perf_stream stream;
    struct perf_anchors anchors;
    struct source source;
};
/* As perf_events_open.  perf_source_end is due in any case. */
bool perf_source_begin(struct perf_source *kernel, const struct sampler_options *options, uint32_t process,
                       bool is_waiting, struct error *error);
/* What is known at the end: totals of events (which recording->events names), what was lost. After
   collector_end. */
void perf_source_finish(struct perf_source *kernel, struct sample_recording *recording);
void perf_source_end(struct perf_source *kernel);
#endif
