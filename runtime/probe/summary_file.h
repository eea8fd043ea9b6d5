/* Events become slots: what summary.c offers to the runtime and to readers of recordings.

   A summary is the state of one thread.  Its owner provides everything: the subjects, the memory, the costs.
   It calls nothing but `more`.  The runtime has one for each thread, whose slots and frames lie in the
   recording; a reader of a recording makes one for each thread that it finds, gives it the thread's slots and
   frames (summary_take), and lets it go on with the events that are left in the buffer.

   A reader does, for each thread of a recording in memory that it may change:

       struct probe_summary summary = {.subjects = …, .slots = zeroed array of subject_count pointers, …};
       for each segment SLOTS and FRAMES of the thread: summary_take(&summary, segment)
       summary_run(&summary, buffer, events that fit into the buffer's part of the segment)
       summary_close(&summary, ticks of the end)

   and finds the result in summary.slots.  Events, slots and frames may be damaged: no subject, size or depth
   is believed. */
#ifndef RUNTIME_PROBE_SUMMARY_FILE_H
#define RUNTIME_PROBE_SUMMARY_FILE_H
#include "runtime/probe/plan_file.h"
#include "runtime/probe/record_file.h"

#include <stdbool.h>
#include <stddef.h>

/* The stores of a loop, for PROBE_ADDRESS: the last one by bits 3 … 11 of the address. */
enum { PROBE_GROUP_PLACES = 512 };
struct probe_group {
    uint64_t stores;
    struct probe_group_store {
        uint64_t address, number; /* the how-many-th store it was, from 1; 0: none */
        uint64_t subject;
    } places[PROBE_GROUP_PLACES];
};

enum { PROBE_REMEMBERED = 32 };
struct probe_summary {
    const struct probe_plan_subject *subjects;
    uint32_t subject_count, group_count;
    struct probe_slot **slots;   /* by subject; NULL: none yet */
    struct probe_group *groups;  /* by subject's group, zeroed; may be NULL: then there are no aliases */
    struct probe_thread *thread; /* counts; `away` is subtracted from times */
    uint64_t reading_cost, inner_cost, pair_cost, value_cost; /* as in struct probe_header */
    /* A new segment of the kind (SLOTS, FRAMES) with that many bytes after struct probe_segment, which it
       fills; zeroed, at a multiple of 64.  NULL: there is no more memory. */
    struct probe_segment *(*more)(struct probe_summary *summary, uint32_t kind, uint64_t bytes);
    void *owner; /* for `more` */
    /* Private. */
    struct probe_shadow *current, *shadows[PROBE_SHADOWS];
    uint8_t *room; /* in the newest segment of slots */
    uint64_t room_bytes, segment_bytes;
    uint64_t abandoned[PROBE_REMEMBERED]; /* the last ones */
    uint32_t abandoned_count;
    bool keeps_apart; /* the thread has coroutines */
    uint64_t history; /* outcomes of branches, the last one in bit 0 */
};

/* Goes on with what a segment has, for a summary that has not run yet.  `size` of the segment has been
   checked by the caller. */
void summary_take(struct probe_summary *summary, struct probe_segment *segment);

/* Summarises events in order; each identity becomes 0 when its event is done.  PROBE_UNWRITTEN stays. */
void summary_run(struct probe_summary *summary, struct probe_event *events, size_t count);

/* The thread ended: spans that are open become abandoned, but their time until `end` (ticks) counts as self
   and total. */
void summary_close(struct probe_summary *summary, uint64_t end);

/* In the child of a fork: spans that are open are the parent's, so their ends count for nothing.  `from`:
   what was open on one of the parent's stacks. */
void summary_inherit(struct probe_summary *summary, const struct probe_shadow *from);

/* Events that began in the parent, right before the fork: their ends count for nothing, too. */
void summary_run_inherited(struct probe_summary *summary, struct probe_event *events, size_t count);

unsigned probe_bucket(uint64_t value);      /* of a histogram (record_file.h) */
uint64_t probe_bucket_low(unsigned bucket); /* the smallest value in it */

/* summary_values.c */
void probe_count_frequent(struct probe_frequency *frequent, unsigned size, uint64_t value);
void probe_see(struct probe_value_slot *slot, const struct probe_plan_subject *how, uint64_t bits);
void probe_touch(struct probe_address_slot *slot, const struct probe_plan_subject *how,
                 struct probe_group *group, uint64_t address);
void probe_decide(struct probe_branch_slot *slot, uint64_t *history, bool is_taken);
#endif
