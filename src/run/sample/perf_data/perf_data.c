#include "run/sample/perf_data/perf_data.h"

#include "run/sample/perf_data/finish.h"
#include "run/sample/perf_data/order.h"
#include "run/sample/perf_data/programs.h"
#include "run/sample/perf_data/records.h"
#include "run/sample/perf_data/registers.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct perf_data_bytes bytes;
    struct perf_data_header header;
    struct perf_data_events events;
    struct perf_data_order order;
    struct perf_data_feed *feed;
};

/* What perf itself wrote among the records. */
static void take_header(void *context, const struct perf_event_header *header, const uint8_t *record)
{
    struct reader *reader = context;
    if (header->type >= PERF_DATA_ATTRIBUTE)
        perf_data_header_take(&reader->header, &reader->events, record, header->size);
}

static void take_record(void *context, const struct perf_event_header *header, const uint8_t *record)
{
    struct reader *reader = context;
    if (header->type == PERF_DATA_FINISHED_ROUND)
        perf_data_order_mark(&reader->order);
    else if (header->type < PERF_DATA_ATTRIBUTE)
        perf_data_order_add(&reader->order, record, header->size,
                            perf_data_events_time(&reader->events, record, header->size));
}

/* What a pipe says of itself stands among its records, and build-ids behind them. */
static bool read_header(struct reader *reader, const char *path, struct error *error)
{
    if (!perf_data_header_read(&reader->header, &reader->events, &reader->bytes, path, error))
        return false;
    struct perf_data_reading reading = {.skips_packed = true, .visit = take_header, .context = reader};
    perf_data_records_read(&reading, &reader->header, &reader->bytes);
    perf_data_header_settle(&reader->header);
    perf_data_events_settle(&reader->events);
    return reader->events.events.count ||
           error_set(error, path, "is a recording of perf that says nothing of its events");
}

static void read_records(struct reader *reader, const struct perf_data_wish *wish,
                         struct sample_recording *recording)
{
    struct perf_data_programs programs;
    struct perf_data_reading reading = {.visit = take_record, .context = reader};
    struct perf_data_feed *feed = reader->feed;
    perf_data_programs_begin(&programs, &reader->header, wish->path, wish->folder, &reader->bytes);
    struct collector_recorded recorded = {.host = reader->header.host, .finder = &programs.finder};
    feed->events = &reader->events;
    feed->isa = perf_data_registers_isa(reader->header.architecture);
    feed->branches.recording = recording;
    feed->collector = collector_begin_recorded(recording, &recorded);
    perf_data_order_begin(&reader->order, perf_data_feed_take, feed);
    perf_data_records_read(&reading, &reader->header, &reader->bytes);
    perf_data_order_end(&reader->order);
    recording->nonsense =
        feed->nonsense + reading.nonsense + reader->header.nonsense + collector_refused_maps(feed->collector);
    recording->cut_short = reader->header.was_cut || reading.was_cut;
    recording->traces = reading.traces;
    recording->lost = feed->lost;
    collector_end(feed->collector, feed->first ? (double)(feed->last - feed->first) * 1e-9 : 0);
    perf_data_programs_end(&programs);
    perf_data_branches_end(&feed->branches);
}

static bool read_all(struct reader *reader, const struct perf_data_wish *wish,
                     struct sample_recording *recording, const char *name, struct error *error)
{
    if (!perf_data_bytes_open(&reader->bytes, wish->path, error) || !read_header(reader, name, error))
        return false;
    read_records(reader, wish, recording);
    recording->recording = memory_copy_text(name, strlen(name));
    if (!perf_data_finish_time(reader->feed, wish->event, recording, error) ||
        !perf_data_finish_whole(reader->feed, &reader->header, wish->command, recording, error))
        return false;
    perf_data_finish_names(&reader->header, recording);
    return true;
}

bool perf_data_read(const struct perf_data_wish *wish, struct sample_recording *recording,
                    struct error *error)
{
    struct reader reader = {.feed = memory_get(sizeof *reader.feed)};
    const char *name = strcmp(wish->path, "-") ? wish->path : "standard input";
    perf_data_events_init(&reader.events);
    bool is_done = read_all(&reader, wish, recording, name, error);
    array_free(&reader.feed->clock.rates);
    perf_data_header_free(&reader.header);
    perf_data_events_free(&reader.events);
    perf_data_bytes_close(&reader.bytes);
    free(reader.feed);
    return is_done;
}
