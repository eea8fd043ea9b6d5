/* Lanes, and what happens when a buffer is full.

   A lane is what a thread records with: a buffer and counters in the recording, and a summary.  A thread that
   has none yet has its position in a scrap buffer that one event fills: that event comes here, and the thread
   gets a lane.  The scrap buffer is one for all threads, since their thread-local storage begins as copies of
   one image: two whose first events come at the same moment write to the same place.  The stack pointer in the
   event tells whose it is, and the one that was overwritten counts as lost.

   Nothing is done when a thread ends: its events are in its buffer.  When another thread begins, lanes whose
   thread is gone are closed and used again, so that a program that makes a million threads, a few at a time,
   has a few lanes.

   Signals are blocked while a buffer is summarised: a handler whose events filled the buffer would come here
   a second time. */
#include "runtime/probe/probe.h"

#include <errno.h>

enum { LOOKS_FOR_ENDED = 8, SCRAP_BYTES = 4 * PROBE_BUFFER_BYTES, KEPT_BYTES = 1 << 20 };

struct probe_event *scrap_position;
uint64_t *scrap_counters;

static struct lane *lanes, *looked_at; /* all of them; where the search for ended threads goes on */
static uint32_t lane_count;
static int lanes_lock;

static struct probe_segment *more(struct probe_summary *summary, uint32_t kind, uint64_t bytes)
{
    struct probe_segment *segment =
        file_segment(bytes + sizeof *segment, summary->thread->number, ANY_PLACE, NULL);
    if (segment)
        file_finish(segment, kind);
    return segment;
}

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Private memory of a lane: itself, the index of its slots, its groups, its second buffer. */
static struct lane *allocate(void)
{
    uint64_t slots = plan.header->subjects.count * sizeof(struct probe_slot *),
             groups = plan.group_count * sizeof(struct probe_group);
    uint64_t slots_at = rounded(sizeof(struct lane)), groups_at = slots_at + rounded(slots),
             buffer_at = groups_at + rounded(groups);
    uint8_t *memory = system_memory(buffer_at + 4 * (uint64_t)PROBE_BUFFER_BYTES);
    if (!memory)
        return NULL;
    struct lane *lane = (struct lane *)(void *)memory;
    uintptr_t buffer = ((uintptr_t)memory + buffer_at + 2 * PROBE_BUFFER_BYTES - 1) &
                       ~(uintptr_t)(2 * PROBE_BUFFER_BYTES - 1);
    lane->private_buffer = (struct probe_event *)buffer;
    struct probe_summary *summary = &lane->summary;
    summary->subjects = plan.subjects;
    summary->subject_count = (uint32_t)plan.header->subjects.count;
    summary->slots = (struct probe_slot **)(void *)(memory + slots_at);
    summary->groups = (struct probe_group *)(void *)(memory + groups_at);
    summary->group_count = plan.group_count;
    summary->reading_cost = recording->reading_cost;
    summary->inner_cost = recording->inner_cost;
    summary->pair_cost = recording->pair_cost;
    summary->value_cost = recording->value_cost;
    summary->more = more;
    summary->owner = lane;
    return lane;
}

static struct lane *make_lane(void)
{
    uint64_t offset, counters = plan.header->counter_count * sizeof(uint64_t);
    uint32_t number = __atomic_add_fetch(&lane_count, 1, __ATOMIC_RELAXED);
    struct lane *lane = allocate();
    if (!lane)
        return NULL;
    /* The buffer is followed by a page, for handlers that write events while a full buffer is about to be
       summarised. */
    struct probe_segment *segment = file_segment(2 * page_bytes + PROBE_BUFFER_BYTES, number,
                                                 2 * PROBE_BUFFER_BYTES - page_bytes, &offset);
    struct probe_segment *counts =
        counters ? file_segment(counters + sizeof *counts, number, ANY_PLACE, NULL) : NULL;
    if (!segment || (counters && !counts))
        return NULL;
    struct probe_thread *thread = (struct probe_thread *)(void *)segment;
    thread->number = number;
    thread->buffer = offset + page_bytes;
    file_finish(segment, PROBE_SEGMENT_THREAD);
    if (counts)
        file_finish(counts, PROBE_SEGMENT_COUNTERS);
    lane->summary.thread = thread;
    lane->buffer = (struct probe_event *)(void *)((uint8_t *)segment + page_bytes);
    lane->counters = counts ? (uint64_t *)(void *)(counts + 1) : scrap_counters;
    return lane;
}

static void keep_all(struct lane *lane, const struct probe_event *end)
{
    for (const struct probe_event *event = lane->buffer; event < end; event++) {
        if (!event->identity)
            continue;
        uint64_t room =
            lane->kept ? (lane->kept->size - sizeof *lane->kept) / sizeof *event - lane->kept_count : 0;
        if (!room) {
            lane->kept = more(&lane->summary, PROBE_SEGMENT_EVENTS, KEPT_BYTES - sizeof *lane->kept);
            lane->kept_count = 0;
        }
        if (!lane->kept) {
            lane->summary.thread->lost++;
            return;
        }
        struct probe_event *to = (struct probe_event *)(void *)(lane->kept + 1) + lane->kept_count++;
        to->stack = event->stack;
        to->value = event->value;
        to->identity = event->identity;
    }
}

void lane_drain(struct lane *lane, struct probe_event *end)
{
    if (plan.header->flags & PROBE_KEEP_ALL)
        keep_all(lane, end);
    summary_run(&lane->summary, lane->buffer, (size_t)(end - lane->buffer));
}

static struct probe_event *buffer_end(const struct lane *lane)
{
    return lane->buffer + (PROBE_BUFFER_BYTES + page_bytes) / sizeof *lane->buffer;
}

static bool is_gone(const struct lane *lane)
{
    uint32_t thread = __atomic_load_n(&lane->system_number, __ATOMIC_RELAXED);
    return lane->is_free ||
           (thread && system_call(SYS_tgkill, system_process(), thread, 0, 0, 0, 0) == -ESRCH);
}

/* A lane whose thread has ended, with its book closed; the lock is taken. */
static struct lane *find_ended(void)
{
    for (unsigned i = 0; i < LOOKS_FOR_ENDED && lanes; i++) {
        looked_at = looked_at && looked_at->next ? looked_at->next : lanes;
        if (!is_gone(looked_at))
            continue;
        struct lane *lane = looked_at;
        lane_drain(lane, buffer_end(lane));
        summary_close(&lane->summary, lane->summary.thread->end_ticks);
        lane->is_free = false;
        return lane;
    }
    return NULL;
}

struct lane *lane_take(void)
{
    uint64_t mask = system_block_signals();
    lock_take(&lanes_lock);
    struct lane *lane = find_ended();
    if (!lane && (lane = make_lane())) {
        lane->next = lanes;
        lanes = lane;
    }
    if (lane) {
        __atomic_store_n(&lane->system_number, 0, __ATOMIC_RELAXED);
        recording->threads++;
    }
    lock_give(&lanes_lock);
    system_restore_signals(mask);
    return lane;
}

void lane_use(struct lane *lane)
{
    struct probe_thread *thread = lane->summary.thread;
    thread->system_number = system_thread();
    if (!thread->start_ticks)
        thread->start_ticks = clock_ticks();
    __atomic_store_n(&lane->system_number, thread->system_number, __ATOMIC_RELAXED);
    probe_locals.lane = lane;
    probe_locals.counters = lane->counters;
    probe_locals.position = lane->buffer;
}

void lanes_forget(void)
{
    lanes = looked_at = NULL;
    lane_count = 0;
    lanes_lock = 0;
    probe_locals.lane = NULL;
    probe_locals.position = scrap_position;
    probe_locals.counters = scrap_counters;
}

/* The lane of this thread, whose thread-local storage is another one now. */
static struct lane *find_own(void)
{
    uint32_t thread = system_thread();
    struct lane *lane;
    lock_take(&lanes_lock);
    for (lane = lanes; lane && (lane->system_number != thread || lane->is_free); lane = lane->next)
        continue;
    lock_give(&lanes_lock);
    if (lane)
        lane_drain(lane, buffer_end(lane));
    return lane;
}

static uint32_t stack_here(void)
{
    return (uint32_t)((uintptr_t)__builtin_frame_address(0) >> PROBE_STACK_SHIFT);
}

/* Whether an event was written by an islet that this thread is in. */
static bool is_own(const struct probe_event *event)
{
    enum { FRAMES_BYTES = 1 << 13 }; /* less than the smallest stack, more than islets, entries and we take */
    return event->identity && event->stack - stack_here() < FRAMES_BYTES >> PROBE_STACK_SHIFT;
}

/* The first event of a thread that nobody began. */
static void adopt(struct thread_locals *locals)
{
    struct probe_event first = locals->position[-1];
    bool is_there = is_own(&first);
    if (is_there) /* else it is another thread's, which takes it itself */
        locals->position[-1].identity = 0;
    locals->position = scrap_position;
    if (!recording || !file_is_ours())
        return;
    struct lane *lane = find_own();
    if (!lane)
        lane = lane_take();
    if (!lane) {
        __atomic_fetch_add(&recording->foreign_events, 1, __ATOMIC_RELAXED);
        return;
    }
    lane_use(lane);
    if (!is_there) {
        lane->summary.thread->lost++;
        return;
    }
    locals->position[0].stack = first.stack;
    locals->position[0].value = first.value;
    locals->position[0].identity = first.identity;
    locals->position++;
}

/* Called by entries.S: the buffer is full. */
__attribute__((used)) void probe_full(void)
{
    uint64_t before = clock_ticks(), mask = system_block_signals();
    struct thread_locals *locals = &probe_locals;
    fork_notice();
    struct lane *lane = locals->lane;
    if (!lane)
        adopt(locals);
    else if (locals->position >= lane->buffer && locals->position <= buffer_end(lane)) {
        lane_drain(lane, locals->position);
        locals->position = lane->buffer;
        lane->summary.thread->away += clock_ticks() - before;
    } else { /* around fork: what does not fit into the private buffer is lost */
        for (unsigned i = 0; i < PROBE_BUFFER_EVENTS; i++)
            lane->private_buffer[i].identity = 0;
        locals->position = lane->private_buffer;
    }
    system_restore_signals(mask);
}

/* Called by entries.S: a tally has no counter for so many iterations.  It takes a place as islets do, without
   system calls: loops of 256 iterations and more are not slowed by them. */
__attribute__((used)) void probe_tally(uint64_t iterations, uint64_t tally)
{
    if (tally >= plan.header->tallies.count)
        return;
    struct probe_event *event = probe_locals.position;
    __atomic_store_n(&probe_locals.position, event + 1, __ATOMIC_RELAXED);
    while (event->identity) { /* of a handler that interrupted an islet, or us */
        event++;
        __atomic_store_n(&probe_locals.position, event + 1, __ATOMIC_RELAXED);
    }
    event->stack = stack_here();
    event->value = iterations;
    event->identity = (plan.tallies[tally].subject + 1) << 4 | PROBE_TALLIED;
    if ((uintptr_t)probe_locals.position >> PROBE_BUFFER_BIT & 1)
        probe_full();
}

void lane_give_back(struct lane *lane)
{
    uint64_t mask = system_block_signals();
    lock_take(&lanes_lock);
    lane->is_free = true;
    recording->threads--;
    lock_give(&lanes_lock);
    system_restore_signals(mask);
}

bool lanes_scrap(void)
{
    uint64_t counters = plan.header->counter_count * sizeof(uint64_t);
    uint8_t *memory = system_memory(SCRAP_BYTES + counters);
    if (!memory)
        return false;
    uintptr_t scrap =
        ((uintptr_t)memory + 2 * PROBE_BUFFER_BYTES - 1) & ~(uintptr_t)(2 * PROBE_BUFFER_BYTES - 1);
    scrap_position = (struct probe_event *)(scrap + PROBE_BUFFER_BYTES) - 1;
    scrap_counters = (uint64_t *)(void *)(memory + SCRAP_BYTES);
    probe_locals.position = scrap_position;
    probe_locals.counters = scrap_counters;
    return true;
}
