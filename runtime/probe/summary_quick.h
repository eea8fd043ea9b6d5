/* Events become slots: the quick ways, for what happens most.

   - ENTER and LEAVE of calls that nest: the frame on top is the right one.
   - ENTER and LEAVE of the same call next to each other: nothing inside has probes, so no frame is needed.
   - The events of one entry of a loop next to each other, likewise.

   A pair of events costs two dozen instructions.  summary.c does everything else. */
#ifndef RUNTIME_PROBE_SUMMARY_QUICK_H
#define RUNTIME_PROBE_SUMMARY_QUICK_H
#include "runtime/probe/numbers.h"
#include "runtime/probe/summary_file.h"

#include <stdbool.h>

enum { NEAR = (1 << 20) >> 3 }; /* of stack pointers, in units of events */
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Times of a damaged recording may be anything. */
static inline void accumulate(int64_t *sum, int64_t value)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static inline uint32_t capacity(const struct probe_shadow *shadow)
{
    uint64_t bytes = shadow->segment.size - sizeof *shadow;
    return (uint32_t)(bytes / sizeof(struct probe_frame));
}

static inline struct probe_frame *top_of(struct probe_shadow *shadow)
{
    return &shadow->frames[shadow->depth - 1];
}

static inline void count_iterations(struct probe_loop_slot *slot, uint64_t iterations)
{
    count_whole(&slot->iterations, iterations);
    probe_count_frequent(slot->frequent, sizeof slot->frequent / sizeof *slot->frequent, iterations);
}

/* Exact division (plan_file.h). */
static inline uint64_t iterations_of(const struct probe_plan_subject *how, uint64_t distance)
{
    return (uint64_t)((int64_t)(distance * how->inverse) >> (how->shift & 63));
}

/* A call has ended: `inside` is the net time of the calls in it, `around` the frame around it. */
static inline void count_call(struct probe_span_slot *slot, struct probe_frame *around, bool is_burst,
                              int64_t net, int64_t inside)
{
    slot->bursts += is_burst;
    accumulate(&slot->self, (int64_t)((uint64_t)net - (uint64_t)inside));
    accumulate(&slot->total, slot->open == 0 ? net : 0);
    accumulate(&around->inside, slot->slot.subject_flags & PROBE_IS_OUTSIDE ? inside : net);
    count_net(&slot->time, net);
}

/* An entry of a loop has ended. */
static inline void count_entry(struct probe_loop_slot *slot, bool is_burst, int64_t net)
{
    slot->bursts += is_burst;
    count_net(&slot->time, net);
}

static inline void count_timed_iterations(struct probe_loop_slot *slot, uint64_t iterations, int64_t net)
{
    count_iterations(slot, iterations);
    add_wide(slot->cross, (unsigned __int128)iterations * (unsigned __int128)(__int128)net);
}

/* What the quick ways need, in registers: the compiler cannot know that slots and frames do not change it. */
struct quick {
    struct probe_slot **slots;
    const struct probe_plan_subject *subjects;
    uint64_t away, half, value_cost, inner_cost, reading_cost, cost, end_ticks;
    uint32_t subject_count;
    struct probe_shadow *shadow;
    struct probe_frame *top, *last; /* in use; that there is room for */
};

static inline void look_up(struct quick *quick, struct probe_summary *summary)
{
    quick->shadow = summary->current;
    quick->top = quick->shadow ? top_of(quick->shadow) : NULL;
    quick->last = quick->shadow ? &quick->shadow->frames[capacity(quick->shadow) - 1] : NULL;
}

/* ENTER and LEAVE of calls that nest.  How many events were done: 0, 1 or 2. */
static inline unsigned run_quickly(struct quick *quick, struct probe_event *event,
                                   const struct probe_event *end)
{
    uint32_t identity = event->identity, stack = event->stack, subject = (identity >> 4) - 1;
    unsigned kind = identity & 15;
    struct probe_slot *slot = subject < quick->subject_count ? quick->slots[subject] : NULL;
    if (kind > PROBE_LEAVE || !quick->top || !slot || slot->subject_kind != PROBE_SPAN)
        return 0;
    struct probe_span_slot *span = (struct probe_span_slot *)(void *)slot;
    struct probe_frame *frame = quick->top;
    uint64_t time = event->value;
    if (kind == PROBE_ENTER) {
        if (frame->stack - stack - 1 >= NEAR - 1)
            return 0;
        if (event + 1 < end && event[1].identity == identity - PROBE_ENTER + PROBE_LEAVE &&
            event[1].stack == stack && event[1].value >= time) {
            /* No probe inside: no frame is needed. */
            uint64_t ticks64 = (event[1].value - time) * 64;
            quick->end_ticks = event[1].value;
            quick->cost += 2 * quick->half;
            event->identity = event[1].identity = 0;
            count_call(span, frame, ticks64 <= quick->reading_cost, (int64_t)(ticks64 - quick->inner_cost),
                       0);
            return 2;
        }
        if (frame >= quick->last)
            return 0;
        frame++;
        quick->cost += quick->half;
        frame->subject = subject;
        frame->stack = stack;
        frame->time = time - quick->away;
        frame->inside = 0;
        frame->cost = quick->cost;
        frame->state = PROBE_FRAME_TIMED;
        span->open++;
    } else {
        uint64_t ticks = time - quick->away - frame->time;
        if (frame->subject != subject || frame->stack != stack || (int64_t)ticks < 0 ||
            frame->time == PROBE_INHERITED)
            return 0;
        span->open--;
        count_call(span, frame - 1, ticks * 64 <= quick->reading_cost,
                   (int64_t)(ticks * 64 - quick->inner_cost - (quick->cost - frame->cost)), frame->inside);
        quick->cost += quick->half;
        frame--;
    }
    quick->top = frame;
    quick->shadow->depth = (uint32_t)(frame - quick->shadow->frames) + 1;
    quick->end_ticks = time;
    event->identity = 0;
    return 1;
}

static inline bool is_next(const struct probe_event *event, const struct probe_event *first, unsigned kind)
{
    return event->identity == (first->identity & ~15u) + kind && event->stack == first->stack;
}

/* One entry of a loop, with the clock or without.  How many events were done: 0, 2 or 4. */
static inline unsigned run_loop_quickly(struct quick *quick, struct probe_event *event,
                                        const struct probe_event *end)
{
    uint32_t subject = (event->identity >> 4) - 1;
    unsigned kind = event->identity & 15, count = kind == PROBE_ENTER ? 4 : 2;
    struct probe_slot *slot = subject < quick->subject_count ? quick->slots[subject] : NULL;
    const struct probe_frame *around = quick->top;
    if ((kind != PROBE_ENTER && kind != PROBE_START) || end - event < (ptrdiff_t)count || !slot ||
        slot->subject_kind != PROBE_LOOP || !around || around->stack - event->stack >= NEAR ||
        around->subject == subject)
        return 0;
    struct probe_loop_slot *loop = (struct probe_loop_slot *)(void *)slot;
    const struct probe_event *start = kind == PROBE_ENTER ? event + 1 : event;
    if (!is_next(start, event, PROBE_START) || !is_next(start + 1, event, PROBE_STOP) || loop->open)
        return 0;
    uint64_t iterations = iterations_of(&quick->subjects[subject], start[1].value - start->value);
    if ((int64_t)iterations < 0)
        return 0;
    if (kind == PROBE_START)
        count_iterations(loop, iterations);
    else {
        if (!is_next(event + 3, event, PROBE_LEAVE) || event[3].value < event->value)
            return 0;
        uint64_t ticks64 = (event[3].value - event->value) * 64;
        int64_t net = (int64_t)(ticks64 - quick->inner_cost - 2 * quick->value_cost);
        count_entry(loop, ticks64 <= quick->reading_cost, net);
        count_timed_iterations(loop, iterations, net);
        quick->cost += 2 * quick->half;
        quick->end_ticks = event[3].value;
    }
    quick->cost += 2 * quick->value_cost;
    for (unsigned i = 0; i < count; i++)
        event[i].identity = 0;
    return count;
}
#endif
