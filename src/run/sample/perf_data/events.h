/* The events of a recording, and which one a record belongs to.

   Events of one kind (the cycles of two kinds of cores) count as one.  What is only there to carry maps and names
   (dummy) counts as none. */
#ifndef RUN_SAMPLE_PERF_DATA_EVENTS_H
#define RUN_SAMPLE_PERF_DATA_EVENTS_H
#include "base/memory.h"
#include "run/sample/recording.h"

#include <linux/perf_event.h>

enum perf_data_kind { PERF_DATA_CYCLES, PERF_DATA_CLOCK, PERF_DATA_OTHER, PERF_DATA_NOTHING };

struct perf_data_event {
    struct perf_event_attr attribute; /* as far as the file has it, else 0 */
    char *name;                       /* NULL: not given */
    uint8_t kind;                     /* enum perf_data_kind */
    uint16_t number;                  /* place in `totals` */
};
/* What the samples of an event come to, of all events with this number. */
struct perf_data_total {
    uint32_t event; /* the first with this number */
    uint64_t samples;
    double amount; /* sum of periods */
};
struct perf_data_events {
    struct array events;  /* of struct perf_data_event */
    struct array ids;     /* of struct perf_data_id; in order of id after perf_data_events_settle */
    struct array totals;  /* of struct perf_data_total */
    bool is_one_layout;   /* all have the same sample_type, */
    bool is_one_trailer;  /* or at least what stands at the end of other records is the same */
    bool has_identifiers; /* all records say at a fixed place whose they are */
    size_t namings;       /* how often a name was looked for */
};
struct perf_data_id {
    uint64_t id;
    uint32_t event;
};

void perf_data_events_init(struct perf_data_events *events);
void perf_data_events_free(struct perf_data_events *events);
/* Of `size` bytes; false: too many events, or no description of one. */
bool perf_data_events_add(struct perf_data_events *events, const uint8_t *attribute, size_t size);
/* Of the last event. */
void perf_data_events_add_id(struct perf_data_events *events, uint64_t id);
/* After all ids: of the event with this id, else of the one at this place; text that is there already stays. */
void perf_data_events_name(struct perf_data_events *events, uint64_t id, size_t place, const char *name);
/* When all are known. */
void perf_data_events_settle(struct perf_data_events *events);

/* NULL: nobody's. */
const struct perf_data_event *perf_data_events_of_sample(const struct perf_data_events *events,
                                                         const uint8_t *record, size_t size);
/* Nanoseconds; 0: the record has none.  Of any record of the kernel. */
uint64_t perf_data_events_time(const struct perf_data_events *events, const uint8_t *record, size_t size);
/* Bytes at the end of records that are no samples. */
size_t perf_data_events_trailer(const struct perf_data_events *events);

/* The number of the event that stands for time: the named one, else cycles, else a clock, else the one with most
   samples.  UINT16_MAX: there is none; the error says which there are. */
uint16_t perf_data_events_choose(const struct perf_data_events *events, const char *name,
                                 struct error *error);
/* As people know it. */
const char *perf_data_events_word(const struct perf_data_event *event);
#endif
