/* Events become slots: pairing.

   ENTER opens a span and pushes a frame; LEAVE closes it.  Programs do not keep to that: longjmp and
   exceptions leave functions without LEAVE, jumps lead to a LEAVE without ENTER, coroutines and signal
   handlers change stacks.  The stack pointer, which every event has, says what happened.  On one stack:

   - A frame whose stack pointer is below that of a new span is gone: nobody can be inside it.  The same holds
     for a function whose stack pointer equals that of a new function, because a call that is not over keeps
     its return address or its frame.  (Loops and call sites nest with equal stack pointers.)  Such frames are
     abandoned: counted, without a time.
   - LEAVE belongs to the frame of the same subject and stack pointer; frames above are abandoned.  If there
     is none, it is unpaired, and counts for nothing.  A loop may leave with a lower stack pointer than it
     entered with (alloca).

   A thread may have several stacks.  Each has its shadow: frames whose stack pointers fall from the first to
   the last.  A span that is not near the shadow in use (NEAR) looks for one that is nearer, or opens a new
   one; the one that was not used for the longest time gives way.

   Stacks of coroutines may lie next to each other, and then a switch to a higher one looks like longjmp.  An
   end that finds no frame, but would have found one that was abandoned a little earlier, gives that away.
   From then on (keeps_apart) frames that a gap separates from the others go to a shadow of their own instead
   of being abandoned.

   Times: the thread's time away (spent here) is subtracted first, so that spans that were open meanwhile do
   not see it.  Then net = 64 * (LEAVE - ENTER) - inner_cost - costs of the events between, which is the
   difference of the thread's running cost.  The net time of a function counts as `inside` for the frame
   around it, whose self time lacks it.  Loops and call sites only pass on what was inside them.

   Speed matters: what happens most has quick ways (summary_quick.h); everything else is here.

   This file is compiled into the runtime and into src/run/probe.  It calls nothing, has no floating point,
   and its loops must not become calls of memcpy: it runs between any two instructions of a program. */
#include "runtime/probe/summary_quick.h"

enum {
    LEAVES_LOWER = (1 << 14) >> 3, /* a loop's LEAVE */
    GAP = (1 << 14) >> 3,          /* between stacks of coroutines */
    FIRST_FRAMES = 62,             /* a page with the header and the frame below all others */
    SLOTS_FIRST = 1 << 14,
    SLOTS_MOST = 1 << 20,
    SLOT_ALIGNMENT = 64
};
static const uint32_t NO_SUBJECT = UINT32_MAX;

#define SLOW __attribute__((noinline))

static bool is_function(const struct probe_plan_subject *how)
{
    return how->kind == PROBE_SPAN && !(how->flags & PROBE_IS_OUTSIDE);
}

static uint64_t slot_bytes(unsigned kind)
{
    uint64_t bytes = kind == PROBE_SPAN      ? sizeof(struct probe_span_slot)
                     : kind == PROBE_VALUE   ? sizeof(struct probe_value_slot)
                     : kind == PROBE_ADDRESS ? sizeof(struct probe_address_slot)
                     : kind == PROBE_BRANCH  ? sizeof(struct probe_branch_slot)
                                             : sizeof(struct probe_loop_slot);
    return (bytes + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
}

static bool is_known_kind(unsigned kind)
{
    return kind >= PROBE_SPAN && kind <= PROBE_BRANCH;
}

static SLOW struct probe_slot *make_slot(struct probe_summary *summary, uint32_t subject)
{
    unsigned kind = summary->subjects[subject].kind;
    uint64_t bytes = slot_bytes(kind);
    if (!is_known_kind(kind))
        return NULL;
    if (summary->room_bytes < bytes) {
        uint64_t size = summary->segment_bytes * 2;
        size = size < SLOTS_FIRST ? SLOTS_FIRST : size > SLOTS_MOST ? SLOTS_MOST : size;
        struct probe_segment *segment = summary->more(summary, PROBE_SEGMENT_SLOTS, size - sizeof *segment);
        if (!segment)
            return NULL;
        summary->segment_bytes = size;
        summary->room = (uint8_t *)(segment + 1);
        summary->room_bytes = segment->size - sizeof *segment;
    }
    struct probe_slot *slot = (struct probe_slot *)(void *)summary->room;
    summary->room += bytes;
    summary->room_bytes -= bytes;
    slot->subject = subject;
    slot->words = (uint16_t)(bytes / 8);
    slot->subject_flags = summary->subjects[subject].flags;
    __atomic_store_n(&slot->subject_kind, (uint8_t)kind, __ATOMIC_RELEASE);
    summary->slots[subject] = slot;
    return slot;
}

static inline struct probe_slot *slot_of(struct probe_summary *summary, uint32_t subject)
{
    struct probe_slot *slot = summary->slots[subject];
    return slot ? slot : make_slot(summary, subject);
}

/* The slot of a frame, which may come from a damaged recording; NULL: none that counts frames. */
static struct probe_slot *slot_of_frame(struct probe_summary *summary, const struct probe_frame *frame)
{
    if (frame->subject >= summary->subject_count || frame->time == PROBE_INHERITED)
        return NULL;
    struct probe_slot *slot = summary->slots[frame->subject];
    return slot && (slot->subject_kind == PROBE_SPAN || slot->subject_kind == PROBE_LOOP) ? slot : NULL;
}

static uint64_t *open_count(struct probe_slot *slot)
{
    return slot->subject_kind == PROBE_SPAN ? &((struct probe_span_slot *)(void *)slot)->open
                                            : &((struct probe_loop_slot *)(void *)slot)->open;
}

static uint64_t *abandoned_count(struct probe_slot *slot)
{
    return slot->subject_kind == PROBE_SPAN ? &((struct probe_span_slot *)(void *)slot)->abandoned
                                            : &((struct probe_loop_slot *)(void *)slot)->abandoned;
}

/* Shadows. */

static struct probe_shadow *new_shadow(struct probe_summary *summary, unsigned number, uint64_t frames)
{
    uint64_t bytes = sizeof(struct probe_shadow) + frames * sizeof(struct probe_frame);
    struct probe_segment *segment =
        summary->more(summary, PROBE_SEGMENT_FRAMES, bytes - sizeof(struct probe_segment));
    if (!segment)
        return NULL;
    struct probe_shadow *shadow = (struct probe_shadow *)(void *)segment;
    shadow->number = number;
    shadow->frames[0].subject = NO_SUBJECT;
    shadow->depth = 1;
    return shadow;
}

static SLOW struct probe_shadow *grow(struct probe_summary *summary, struct probe_shadow *shadow)
{
    struct probe_shadow *larger = new_shadow(summary, shadow->number, (uint64_t)capacity(shadow) * 2 + 2);
    if (!larger)
        return NULL;
    for (uint32_t i = 0; i < shadow->depth; i++)
        larger->frames[i] = shadow->frames[i];
    larger->depth = shadow->depth;
    larger->used = shadow->used;
    summary->shadows[shadow->number] = larger;
    if (summary->current == shadow)
        summary->current = larger;
    shadow->segment.kind = PROBE_SEGMENT_UNUSED;
    return larger;
}

/* How far a stack pointer is from the frames of a shadow. */
static uint32_t distance(const struct probe_shadow *shadow, uint32_t stack, bool keeps_apart)
{
    uint32_t low = shadow->frames[shadow->depth - 1].stack, high = shadow->frames[1].stack;
    uint32_t below = low - stack, above = stack - high;
    if (stack - low <= high - low)
        return 0;
    if (above < below)
        return keeps_apart && above > GAP ? NEAR : above;
    return below;
}

static uint64_t key_of(uint32_t subject, uint32_t stack)
{
    return ((uint64_t)subject << 32 | stack) + 1;
}

/* Takes the frame on top away, as one that nobody left. */
static void abandon_top(struct probe_summary *summary, struct probe_shadow *shadow)
{
    struct probe_frame *frame = top_of(shadow);
    struct probe_slot *slot = slot_of_frame(summary, frame);
    if (slot) {
        ++*abandoned_count(slot);
        --*open_count(slot);
        summary->abandoned[summary->abandoned_count++ % PROBE_REMEMBERED] =
            key_of(frame->subject, frame->stack);
        if (slot->subject_kind == PROBE_LOOP && frame->state & PROBE_FRAME_STOPPED)
            count_iterations((struct probe_loop_slot *)(void *)slot, frame->iterations);
    }
    accumulate(&frame[-1].inside, frame->inside);
    shadow->depth--;
}

static struct probe_shadow *oldest(struct probe_summary *summary, const struct probe_shadow *but)
{
    struct probe_shadow *found = NULL;
    for (unsigned i = 0; i < PROBE_SHADOWS; i++) {
        struct probe_shadow *shadow = summary->shadows[i];
        if (shadow && shadow != but && (!found || shadow->used < found->used))
            found = shadow;
    }
    return found;
}

/* A shadow without frames, other than `but`; NULL: no memory. */
static struct probe_shadow *empty_shadow(struct probe_summary *summary, const struct probe_shadow *but)
{
    struct probe_shadow *shadow;
    for (unsigned i = 0; i < PROBE_SHADOWS; i++)
        if (summary->shadows[i] && summary->shadows[i]->depth <= 1 && summary->shadows[i] != but)
            return summary->shadows[i];
    for (unsigned i = 0; i < PROBE_SHADOWS; i++)
        if (!summary->shadows[i] && (shadow = new_shadow(summary, i, FIRST_FRAMES + 1))) {
            summary->shadows[i] = shadow;
            return shadow;
        }
    shadow = oldest(summary, but);
    while (shadow && shadow->depth > 1)
        abandon_top(summary, shadow);
    return shadow;
}

/* Frames first … go to another shadow. */
static void set_aside(struct probe_summary *summary, struct probe_shadow *shadow, uint32_t first)
{
    struct probe_shadow *other = empty_shadow(summary, shadow);
    while (other && capacity(other) < shadow->depth - first + 1)
        other = grow(summary, other);
    if (!other)
        return;
    other->frames[0].stack = shadow->frames[first].stack + NEAR / 2;
    other->used = shadow->used;
    for (uint32_t i = first; i < shadow->depth; i++)
        other->frames[other->depth++] = shadow->frames[i];
    shadow->depth = first;
}

static SLOW void abandon_down_to(struct probe_summary *summary, struct probe_shadow *shadow, uint32_t depth)
{
    for (uint32_t i = depth < 2 ? 2 : depth; summary->keeps_apart && i < shadow->depth; i++)
        if (shadow->frames[i - 1].stack - shadow->frames[i].stack > GAP) {
            set_aside(summary, shadow, i);
            break;
        }
    while (shadow->depth > depth)
        abandon_top(summary, shadow);
}

/* The shadow that a new span belongs to; NULL: no memory. */
static struct probe_shadow *choose(struct probe_summary *summary, uint32_t stack)
{
    struct probe_shadow *best = NULL;
    uint32_t nearest = NEAR;
    for (unsigned i = 0; i < PROBE_SHADOWS; i++) {
        struct probe_shadow *shadow = summary->shadows[i];
        if (!shadow || shadow->depth <= 1)
            continue;
        uint32_t far = distance(shadow, stack, summary->keeps_apart);
        if (far < nearest) {
            nearest = far;
            best = shadow;
        }
    }
    return best ? best : empty_shadow(summary, NULL);
}

/* Abandons what a new span says to be gone. */
static void cut(struct probe_summary *summary, struct probe_shadow *shadow, uint32_t subject, uint32_t stack)
{
    uint32_t keep = shadow->depth;
    bool enters_function = is_function(&summary->subjects[subject]);
    for (uint32_t i = shadow->depth; i-- > 1;) {
        const struct probe_frame *frame = &shadow->frames[i];
        bool is_below = (int32_t)(stack - frame->stack) > 0;
        if (!is_below && frame->stack != stack)
            break;
        if (is_below || frame->subject == subject ||
            (enters_function && frame->subject < summary->subject_count &&
             is_function(&summary->subjects[frame->subject])))
            keep = i;
    }
    abandon_down_to(summary, shadow, keep);
}

/* Makes room for a frame of a new span on the right shadow, which becomes the current one; false: no memory.
 */
static SLOW bool make_place(struct probe_summary *summary, uint32_t subject, uint32_t stack)
{
    struct probe_shadow *shadow = summary->current;
    if (shadow && top_of(shadow)->stack - stack - 1 < NEAR - 1 && shadow->depth < capacity(shadow))
        return true;
    if (!shadow || shadow->depth <= 1 || distance(shadow, stack, summary->keeps_apart) >= NEAR)
        shadow = choose(summary, stack);
    if (!shadow)
        return false;
    summary->current = shadow;
    shadow->used = summary->thread->events;
    cut(summary, shadow, subject, stack);
    if (shadow->depth == 1)
        shadow->frames[0].stack = stack + NEAR / 2; /* calls from the same place find it near */
    return shadow->depth < capacity(shadow) || grow(summary, shadow);
}

static inline struct probe_frame *push(struct probe_shadow *shadow, uint32_t subject, uint32_t stack,
                                       uint32_t state)
{
    struct probe_frame *frame = &shadow->frames[shadow->depth];
    frame->subject = subject;
    frame->stack = stack;
    frame->time = 0;
    frame->inside = 0;
    frame->inner = 0;
    frame->state = state;
    shadow->depth++;
    return frame;
}

/* Depth of the frame that an end belongs to; 0: none. */
static uint32_t find_in(const struct probe_shadow *shadow, uint32_t subject, uint32_t stack, bool is_loop)
{
    for (uint32_t i = shadow->depth; i-- > 1;) {
        const struct probe_frame *frame = &shadow->frames[i];
        int32_t above = (int32_t)(frame->stack - stack);
        if (frame->subject == subject && (above == 0 || (is_loop && above > 0 && above < LEAVES_LOWER)))
            return i + 1;
        if (above > (is_loop ? LEAVES_LOWER : 0))
            return 0;
    }
    return 0;
}

/* Makes the frame that an end belongs to the one on top of the current shadow; false: there is none. */
static SLOW bool find_frame(struct probe_summary *summary, uint32_t subject, uint32_t stack)
{
    bool is_loop = summary->subjects[subject].kind == PROBE_LOOP;
    struct probe_shadow *shadow = summary->current;
    uint32_t depth = shadow ? find_in(shadow, subject, stack, is_loop) : 0;
    for (unsigned i = 0; !depth && i < PROBE_SHADOWS; i++) {
        shadow = summary->shadows[i];
        depth = shadow && shadow != summary->current ? find_in(shadow, subject, stack, is_loop) : 0;
    }
    if (!depth) {
        for (unsigned i = 0; i < PROBE_REMEMBERED; i++)
            summary->keeps_apart |= summary->abandoned[i] == key_of(subject, stack);
        summary->thread->unpaired += !(summary->subjects[subject].flags & PROBE_IS_QUIET);
        return false;
    }
    abandon_down_to(summary, shadow, depth);
    summary->current = shadow;
    shadow->used = summary->thread->events;
    return true;
}

/* Spans. */

static inline int64_t net_time(const struct probe_summary *summary, const struct probe_frame *frame,
                               uint64_t time, uint64_t cost)
{
    return (int64_t)((time - frame->time) * 64 - summary->inner_cost - (cost - frame->cost));
}

static void end_span(const struct probe_summary *summary, struct probe_span_slot *slot,
                     struct probe_frame *frame, uint64_t time, uint64_t cost)
{
    slot->open--;
    count_call(slot, &frame[-1], (time - frame->time) * 64 <= summary->reading_cost,
               net_time(summary, frame, time, cost), frame->inside);
}

static SLOW void end_loop(struct probe_summary *summary, struct probe_loop_slot *slot,
                          struct probe_frame *frame, uint64_t time, uint64_t cost)
{
    slot->open--;
    accumulate(&frame[-1].inside, frame->inside);
    count_entry(slot, (time - frame->time) * 64 <= summary->reading_cost,
                net_time(summary, frame, time, cost));
    if (frame->state & PROBE_FRAME_STOPPED)
        count_timed_iterations(slot, frame->iterations, net_time(summary, frame, time, cost));
}

/* The frame on top is the right one; it goes. */
static SLOW void end_other(struct probe_summary *summary, uint32_t subject, uint64_t time, uint64_t cost)
{
    struct probe_shadow *shadow = summary->current;
    struct probe_frame *frame = top_of(shadow);
    struct probe_slot *slot = summary->slots[subject];
    unsigned kind = summary->subjects[subject].kind;
    if (frame->time == PROBE_INHERITED)
        shadow->depth--;
    else if (!slot || (int64_t)(time - frame->time) < 0 ||
             (kind == PROBE_LOOP && !(frame->state & PROBE_FRAME_TIMED))) {
        summary->thread->unpaired++;
        abandon_top(summary, shadow);
    } else {
        if (kind == PROBE_SPAN)
            end_span(summary, (struct probe_span_slot *)(void *)slot, frame, time, cost);
        else
            end_loop(summary, (struct probe_loop_slot *)(void *)slot, frame, time, cost);
        shadow->depth--;
    }
}

/* Iterations. */

static SLOW bool start(struct probe_summary *summary, uint32_t subject, const struct probe_event *event,
                       uint64_t cost)
{
    struct probe_shadow *shadow = summary->current;
    struct probe_frame *frame = shadow ? top_of(shadow) : NULL;
    if (frame && frame->subject == subject && frame->stack == event->stack &&
        frame->state == PROBE_FRAME_TIMED) {
        frame->state |= PROBE_FRAME_STARTED;
        frame->start = event->value;
        return true;
    }
    struct probe_slot *slot = slot_of(summary, subject);
    if (!slot || !make_place(summary, subject, event->stack))
        return false;
    shadow = summary->current;
    frame = push(shadow, subject, event->stack, PROBE_FRAME_STARTED);
    frame->cost = cost;
    frame->start = event->value;
    ++*open_count(slot);
    return true;
}

/* Iterations of an entry inside another one of the same loop count for the outer one, too, if they share a
   counter. */
static void tell_outer(struct probe_shadow *shadow, uint32_t subject, uint64_t iterations)
{
    for (uint32_t i = shadow->depth - 1; i-- > 1;)
        if (shadow->frames[i].subject == subject) {
            shadow->frames[i].inner += iterations;
            return;
        }
}

static SLOW void stop(struct probe_summary *summary, uint32_t subject, const struct probe_event *event)
{
    const struct probe_plan_subject *how = &summary->subjects[subject];
    if (!find_frame(summary, subject, event->stack))
        return;
    struct probe_shadow *shadow = summary->current;
    struct probe_frame *frame = top_of(shadow);
    struct probe_loop_slot *slot = (struct probe_loop_slot *)(void *)summary->slots[subject];
    if (frame->time == PROBE_INHERITED || !slot) {
        shadow->depth -= !(frame->state & PROBE_FRAME_TIMED);
        return;
    }
    uint64_t iterations = iterations_of(how, event->value - frame->start);
    if (how->flags & PROBE_IS_CUMULATIVE) {
        if (slot->open > 1)
            tell_outer(shadow, subject, iterations);
        iterations -= frame->inner;
    }
    bool is_usable = (int64_t)iterations >= 0 && (frame->state & PROBE_FRAME_STARTED);
    summary->thread->unpaired += !is_usable;
    if (frame->state & PROBE_FRAME_TIMED) {
        frame->iterations = iterations;
        frame->state |= is_usable ? PROBE_FRAME_STOPPED : 0;
        return;
    }
    if (is_usable)
        count_iterations(slot, iterations);
    accumulate(&frame[-1].inside, frame->inside);
    slot->open--;
    shadow->depth--;
}

/* Events. */

static SLOW void value(struct probe_summary *summary, uint32_t subject, const struct probe_event *event)
{
    const struct probe_plan_subject *how = &summary->subjects[subject];
    struct probe_slot *slot = slot_of(summary, subject);
    unsigned kind = event->identity & 15;
    if (!slot)
        summary->thread->lost++;
    else if (kind == PROBE_SEEN && how->kind == PROBE_VALUE)
        probe_see((struct probe_value_slot *)(void *)slot, how, event->value);
    else if (kind == PROBE_TOUCH && how->kind == PROBE_ADDRESS)
        probe_touch((struct probe_address_slot *)(void *)slot, how,
                    summary->groups && how->group < summary->group_count ? &summary->groups[how->group]
                                                                         : NULL,
                    event->value);
    else if (kind == PROBE_SEEN && how->kind == PROBE_BRANCH)
        probe_decide((struct probe_branch_slot *)(void *)slot, &summary->history, event->value & 1);
    else if (kind == PROBE_TALLIED && how->kind == PROBE_COUNT_ONLY)
        count_iterations((struct probe_loop_slot *)(void *)slot, event->value);
    else if (kind == PROBE_MOVED && how->kind == PROBE_COUNT_ONLY)
        count_iterations((struct probe_loop_slot *)(void *)slot, iterations_of(how, event->value));
    else
        summary->thread->lost++;
}

/* An event that the quick ways below do not do; the thread's cost so far. */
static SLOW void other(struct probe_summary *summary, const struct probe_event *event, uint64_t cost)
{
    uint32_t subject = (event->identity >> 4) - 1;
    if (subject >= summary->subject_count || !is_known_kind(summary->subjects[subject].kind)) {
        summary->thread->lost++;
        return;
    }
    unsigned kind = event->identity & 15, subject_kind = summary->subjects[subject].kind;
    bool is_span = subject_kind == PROBE_SPAN || subject_kind == PROBE_LOOP;
    if (kind == PROBE_ENTER && is_span) {
        struct probe_slot *slot = slot_of(summary, subject);
        if (!slot || !make_place(summary, subject, event->stack)) {
            summary->thread->lost++;
            return;
        }
        struct probe_frame *frame = push(summary->current, subject, event->stack, PROBE_FRAME_TIMED);
        frame->time = event->value - summary->thread->away;
        frame->cost = cost + summary->pair_cost / 2;
        ++*open_count(slot);
    } else if (kind == PROBE_LEAVE && is_span) {
        if (find_frame(summary, subject, event->stack))
            end_other(summary, subject, event->value - summary->thread->away, cost);
    } else if (kind == PROBE_START && subject_kind == PROBE_LOOP)
        summary->thread->lost += !start(summary, subject, event, cost + summary->value_cost);
    else if (kind == PROBE_STOP && subject_kind == PROBE_LOOP)
        stop(summary, subject, event);
    else
        value(summary, subject, event);
}

void summary_run(struct probe_summary *summary, struct probe_event *events, size_t count)
{
    struct probe_thread *thread = summary->thread;
    struct quick quick = {.slots = summary->slots,
                          .subjects = summary->subjects,
                          .subject_count = summary->subject_count,
                          .away = thread->away,
                          .half = summary->pair_cost / 2,
                          .value_cost = summary->value_cost,
                          .inner_cost = summary->inner_cost,
                          .reading_cost = summary->reading_cost,
                          .cost = thread->cost,
                          .end_ticks = thread->end_ticks};
    uint64_t done = 0;
    look_up(&quick, summary);
    for (struct probe_event *event = events, *end = events + count; event < end;) {
        unsigned did = run_quickly(&quick, event, end);
        if (UNLIKELY(!did))
            did = run_loop_quickly(&quick, event, end);
        event += did;
        done += did;
        if (UNLIKELY(!did)) {
            unsigned kind = event->identity & 15;
            if (event->identity && event->identity != PROBE_UNWRITTEN) {
                other(summary, event, quick.cost);
                quick.cost += kind <= PROBE_LEAVE ? quick.half : summary->value_cost;
                quick.end_ticks = kind <= PROBE_LEAVE ? event->value : quick.end_ticks;
                event->identity = 0;
                done++;
                look_up(&quick, summary);
            }
            event++;
        }
    }
    thread->cost = quick.cost;
    thread->events += done;
    thread->end_ticks = quick.end_ticks;
}

void summary_close(struct probe_summary *summary, uint64_t end)
{
    uint64_t time = end - summary->thread->away;
    for (unsigned i = 0; i < PROBE_SHADOWS; i++) {
        struct probe_shadow *shadow = summary->shadows[i];
        while (shadow && shadow->depth > 1) {
            struct probe_frame *frame = top_of(shadow);
            struct probe_slot *slot = slot_of_frame(summary, frame);
            if (slot && slot->subject_kind == PROBE_SPAN && (int64_t)(time - frame->time) >= 0) {
                struct probe_span_slot *span = (struct probe_span_slot *)(void *)slot;
                bool is_outside = summary->subjects[frame->subject].flags & PROBE_IS_OUTSIDE;
                int64_t net = net_time(summary, frame, time, summary->thread->cost);
                accumulate(&span->self, (int64_t)((uint64_t)net - (uint64_t)frame->inside));
                accumulate(&span->total, span->open == 1 ? net : 0);
                frame->inside = is_outside ? frame->inside : net;
            }
            abandon_top(summary, shadow);
        }
    }
}

static void inherit_top(struct probe_summary *summary)
{
    struct probe_frame *frame = top_of(summary->current);
    struct probe_slot *slot = slot_of_frame(summary, frame);
    if (slot)
        --*open_count(slot);
    frame->time = PROBE_INHERITED;
}

void summary_inherit(struct probe_summary *summary, const struct probe_shadow *from)
{
    struct probe_shadow *shadow = new_shadow(summary, from->number, (uint64_t)from->depth + FIRST_FRAMES);
    if (!shadow)
        return;
    for (uint32_t i = 1; i < from->depth; i++) {
        shadow->frames[i] = from->frames[i];
        shadow->frames[i].time = PROBE_INHERITED;
    }
    shadow->depth = from->depth;
    shadow->used = from->used;
    summary->shadows[from->number] = shadow;
    if (!summary->current || shadow->used >= summary->current->used)
        summary->current = shadow;
}

void summary_run_inherited(struct probe_summary *summary, struct probe_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned kind = events[i].identity & 15;
        uint32_t depth = summary->current ? summary->current->depth : 0;
        if (events[i].identity && kind >= PROBE_ENTER && kind <= PROBE_STOP)
            other(summary, &events[i], 0);
        if (summary->current &&
            (kind == PROBE_ENTER || (kind == PROBE_START && summary->current->depth > depth)))
            inherit_top(summary);
        events[i].identity = 0;
    }
}

/* A copy of a recorded slot is used only if it is whole and of the kind that its subject has. */
static void take_slots(struct probe_summary *summary, struct probe_segment *segment)
{
    uint8_t *at = (uint8_t *)(segment + 1);
    uint64_t left = segment->size - sizeof *segment;
    while (left >= sizeof(struct probe_slot)) {
        struct probe_slot *slot = (struct probe_slot *)(void *)at;
        uint64_t bytes = (uint64_t)slot->words * 8;
        if (!is_known_kind(slot->subject_kind) || bytes > left || slot->subject >= summary->subject_count ||
            slot->subject_kind != summary->subjects[slot->subject].kind ||
            bytes != slot_bytes(slot->subject_kind))
            break;
        summary->slots[slot->subject] = slot;
        at += bytes;
        left -= bytes;
    }
}

void summary_take(struct probe_summary *summary, struct probe_segment *segment)
{
    if (segment->kind == PROBE_SEGMENT_SLOTS)
        take_slots(summary, segment);
    if (segment->kind != PROBE_SEGMENT_FRAMES)
        return;
    struct probe_shadow *shadow = (struct probe_shadow *)(void *)segment;
    if (segment->size < sizeof *shadow + 2 * sizeof(struct probe_frame) || shadow->number >= PROBE_SHADOWS ||
        shadow->depth < 1 || shadow->depth > capacity(shadow))
        return;
    summary->shadows[shadow->number] = shadow;
    if (!summary->current || shadow->used >= summary->current->used)
        summary->current = shadow;
}
