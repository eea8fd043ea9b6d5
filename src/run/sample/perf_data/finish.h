/* What is known of a recording at its end: which event stands for time, how long that was, what is reported. */
#ifndef RUN_SAMPLE_PERF_DATA_FINISH_H
#define RUN_SAMPLE_PERF_DATA_FINISH_H
#include "run/sample/perf_data/feed.h"
#include "run/sample/perf_data/perf_data.h"

/* Numbers of events as perf_data_events has them become those of the recording: 0 is time, in seconds. */
bool perf_data_finish_time(struct perf_data_feed *feed, const char *wished,
                           struct sample_recording *recording, struct error *error);
/* whole.c: of a recording of a whole system only one program stays. */
bool perf_data_finish_whole(const struct perf_data_feed *feed, const struct perf_data_header *header,
                            const char *wished, struct sample_recording *recording, struct error *error);
/* The command line, processor and computer. */
void perf_data_finish_names(const struct perf_data_header *header, struct sample_recording *recording);
#endif
