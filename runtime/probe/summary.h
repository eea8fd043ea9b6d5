/* Events become summaries (record_file.h): the same code in the runtime, when a buffer is full, and in Assay,
   for the events that a killed process left.

   No system calls and no memory of its own: slots come from `add_slot`, frames lie where the caller says.
   Subjects and kinds of events are checked, so that damaged events do no harm. */
#ifndef PROBE_SUMMARY_H
#define PROBE_SUMMARY_H
#include "runtime/probe/plan_file.h"
#include "runtime/probe/record_file.h"

#include <stddef.h>

struct probe_summary { /* of one thread */
    const struct probe_plan_subject *subjects;
    uint32_t subject_count;
    struct probe_slot **slots; /* by subject; NULL: none yet */
    /* A zeroed slot of so many words, with its struct probe_slot filled in; NULL: no memory, and the events
       are counted as lost. */
    struct probe_slot *(*add_slot)(void *context, uint32_t subject, uint8_t kind, uint16_t words);
    void *context;
    uint64_t reading_cost, inner_cost, pair_cost, value_cost; /* of the header */
    struct probe_frame *frames;                               /* open spans, the innermost last */
    uint32_t frame_count, frame_capacity;
    struct probe_recent {
        uint64_t address;
        uint32_t subject, group;
    } recent[PROBE_RECENT]; /* stores, for aliases */
    uint32_t recent_next;
    uint64_t events, unpaired, lost; /* as in struct probe_thread */
};

/* Events with identity 0 are passed over. */
void probe_summarise(struct probe_summary *summary, const struct probe_event *events, size_t count);

/* Words of a slot of this kind of subject; 0: unknown kind. */
uint16_t probe_slot_words(uint8_t kind);
unsigned probe_bucket(uint64_t value);
/* Adds `count` values, all the same. */
void probe_distribution_add(struct probe_distribution *distribution, uint64_t value, uint64_t count);
/* Of the space-saving algorithm: counts `value` `count` times among `size` frequent ones. */
void probe_frequency_add(struct probe_frequency *frequent, unsigned size, uint64_t value, uint64_t count);
#endif
