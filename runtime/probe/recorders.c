/* Recorders, and what happens when a buffer is full.

   A recorder is what a thread records with: a buffer and counters in the recording, and a summary.  A thread that
   has none yet has its position in a scrap buffer that one event fills: that event comes here, and the thread
   gets a recorder.  The scrap buffer is one for all threads, since their thread-local storage begins as copies of
   one image: two whose first events come at the same moment write to the same place.  The stack pointer in
   the event tells whose it is, and the one that was overwritten counts as lost.

   Nothing is done when a thread ends: its events are in its buffer.  When another thread begins, recorders whose
   thread is gone are closed and used again, so that a program that makes a million threads, a few at a time,
   has a few recorders.

   Signals are blocked while a buffer is summarised: a handler whose events filled the buffer would come here
   a second time.  What the handler interrupted may be a trampoline that has taken a place and has not written to
   it yet.  It will when the handler is over, so the place stays taken while others write from the start of the
   buffer on, and the event counts when the buffer is full again, later than its neighbours. */
#include "runtime/probe/probe.h"

#include <errno.h>

enum { LOOKS_FOR_ENDED = 8, SCRAP_BYTES = 4 * PROBE_BUFFER_BYTES, KEPT_BYTES = 1 << 20 };

struct probe_event *scrap_position;
uint64_t *scrap_counters;

static struct recorder *recorders, *looked_at; /* all of them; where the search for ended threads goes on */
static uint32_t recorder_count;
static int recorders_lock;

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

/* Private memory of a recorder: itself, the index of its slots, its groups, its second buffer. */
static struct recorder *allocate(void)
{
    uint64_t slots = plan.header->subjects.count * sizeof(struct probe_slot *),
             groups = plan.group_count * sizeof(struct probe_group);
    uint64_t slots_at = rounded(sizeof(struct recorder)), groups_at = slots_at + rounded(slots),
             buffer_at = groups_at + rounded(groups);
    uint8_t *memory = system_memory(buffer_at + 4 * (uint64_t)PROBE_BUFFER_BYTES);
    if (!memory)
        return NULL;
    struct recorder *recorder = (struct recorder *)(void *)memory;
    uintptr_t buffer = ((uintptr_t)memory + buffer_at + 2 * PROBE_BUFFER_BYTES - 1) &
                       ~(uintptr_t)(2 * PROBE_BUFFER_BYTES - 1);
    recorder->private_buffer = (struct probe_event *)buffer;
    struct probe_summary *summary = &recorder->summary;
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
    summary->owner = recorder;
    return recorder;
}

static struct recorder *make_recorder(void)
{
    uint64_t offset, counters = plan.header->counter_count * sizeof(uint64_t);
    uint32_t number = __atomic_add_fetch(&recorder_count, 1, __ATOMIC_RELAXED);
    struct recorder *recorder = allocate();
    if (!recorder)
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
    recorder->summary.thread = thread;
    recorder->buffer = (struct probe_event *)(void *)((uint8_t *)segment + page_bytes);
    recorder->counters = counts ? (uint64_t *)(void *)(counts + 1) : scrap_counters;
    return recorder;
}

static void keep_all(struct recorder *recorder, const struct probe_event *end)
{
    for (const struct probe_event *event = recorder->buffer; event < end; event++) {
        if (!event->identity || event->identity == PROBE_UNWRITTEN)
            continue;
        uint64_t room =
            recorder->kept ? (recorder->kept->size - sizeof *recorder->kept) / sizeof *event - recorder->kept_count : 0;
        if (!room) {
            recorder->kept = more(&recorder->summary, PROBE_SEGMENT_EVENTS, KEPT_BYTES - sizeof *recorder->kept);
            recorder->kept_count = 0;
        }
        if (!recorder->kept) {
            recorder->summary.thread->lost++;
            return;
        }
        struct probe_event *to = (struct probe_event *)(void *)(recorder->kept + 1) + recorder->kept_count++;
        to->stack = event->stack;
        to->value = event->value;
        to->identity = event->identity;
    }
}

static void drain(struct recorder *recorder, struct probe_event *end)
{
    if (plan.header->flags & PROBE_KEEP_ALL)
        keep_all(recorder, end);
    summary_run(&recorder->summary, recorder->buffer, (size_t)(end - recorder->buffer));
}

static void give_up(struct probe_event **place)
{
    if (*place && (*place)->identity == PROBE_UNWRITTEN)
        (*place)->identity = 0;
    *place = NULL;
}

/* Places below the end without an event.  Nobody will write to some of them: where a handler did not return
   (longjmp), where the trampoline had not looked at its place yet and goes on to the next, and where a signal came
   while AArch64 moved the position on.  So the oldest are given up. */
static void keep_unwritten(struct recorder *recorder, struct probe_event *end)
{
    for (unsigned i = 0; i < MOST_UNWRITTEN; i++)
        if (recorder->unwritten[i] && recorder->unwritten[i]->identity != PROBE_UNWRITTEN)
            recorder->unwritten[i] = NULL; /* somebody did */
    for (struct probe_event *event = recorder->buffer; event < end; event++)
        if (!event->identity) {
            struct probe_event **place = &recorder->unwritten[recorder->next_unwritten++ % MOST_UNWRITTEN];
            give_up(place);
            event->identity = PROBE_UNWRITTEN;
            *place = event;
        }
}

void recorder_drain(struct recorder *recorder, struct probe_event *end)
{
    keep_unwritten(recorder, end);
    drain(recorder, end);
}

static struct probe_event *buffer_end(const struct recorder *recorder)
{
    return recorder->buffer + (PROBE_BUFFER_BYTES + page_bytes) / sizeof *recorder->buffer;
}

/* Its thread is not in any trampoline. */
static void drain_all(struct recorder *recorder)
{
    for (unsigned i = 0; i < MOST_UNWRITTEN; i++)
        give_up(&recorder->unwritten[i]);
    drain(recorder, buffer_end(recorder));
}

static bool is_gone(const struct recorder *recorder)
{
    uint32_t thread = __atomic_load_n(&recorder->system_number, __ATOMIC_RELAXED);
    return recorder->is_free ||
           (thread && system_call(SYS_tgkill, system_process(), thread, 0, 0, 0, 0) == -ESRCH);
}

/* A recorder whose thread has ended, with its book closed; the lock is taken. */
static struct recorder *find_ended(void)
{
    for (unsigned i = 0; i < LOOKS_FOR_ENDED && recorders; i++) {
        looked_at = looked_at && looked_at->next ? looked_at->next : recorders;
        if (!is_gone(looked_at))
            continue;
        struct recorder *recorder = looked_at;
        drain_all(recorder);
        summary_close(&recorder->summary, recorder->summary.thread->end_ticks);
        recorder->is_free = false;
        return recorder;
    }
    return NULL;
}

struct recorder *recorder_take(void)
{
    uint64_t mask = system_block_signals();
    lock_take(&recorders_lock);
    struct recorder *recorder = find_ended();
    if (!recorder && (recorder = make_recorder())) {
        recorder->next = recorders;
        recorders = recorder;
    }
    if (recorder) {
        __atomic_store_n(&recorder->system_number, 0, __ATOMIC_RELAXED);
        recording->threads++;
    }
    lock_give(&recorders_lock);
    system_restore_signals(mask);
    return recorder;
}

void recorder_use(struct recorder *recorder)
{
    struct probe_thread *thread = recorder->summary.thread;
    thread->system_number = system_thread();
    if (!thread->start_ticks)
        thread->start_ticks = clock_ticks();
    __atomic_store_n(&recorder->system_number, thread->system_number, __ATOMIC_RELAXED);
    probe_locals.recorder = recorder;
    probe_locals.counters = recorder->counters;
    probe_locals.position = recorder->buffer;
}

void recorders_forget(void)
{
    recorders = looked_at = NULL;
    recorder_count = 0;
    recorders_lock = 0;
    probe_locals.recorder = NULL;
    probe_locals.position = scrap_position;
    probe_locals.counters = scrap_counters;
}

/* The recorder of this thread, whose thread-local storage is another one now. */
static struct recorder *find_own(void)
{
    uint32_t thread = system_thread();
    struct recorder *recorder;
    lock_take(&recorders_lock);
    for (recorder = recorders; recorder && (recorder->system_number != thread || recorder->is_free); recorder = recorder->next)
        continue;
    lock_give(&recorders_lock);
    if (recorder)
        drain_all(recorder);
    return recorder;
}

static uint32_t stack_here(void)
{
    return (uint32_t)((uintptr_t)__builtin_frame_address(0) >> PROBE_STACK_SHIFT);
}

/* Whether an event was written by a trampoline that this thread is in. */
static bool is_own(const struct probe_event *event)
{
    enum { FRAMES_BYTES = 1 << 13 }; /* less than the smallest stack, more than trampolines, entries and we take */
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
    struct recorder *recorder = find_own();
    if (!recorder)
        recorder = recorder_take();
    if (!recorder) {
        __atomic_fetch_add(&recording->foreign_events, 1, __ATOMIC_RELAXED);
        return;
    }
    recorder_use(recorder);
    if (!is_there) {
        recorder->summary.thread->lost++;
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
    struct recorder *recorder = locals->recorder;
    if (!recorder)
        adopt(locals);
    else if (locals->position >= recorder->buffer && locals->position <= buffer_end(recorder)) {
        recorder_drain(recorder, locals->position);
        locals->position = recorder->buffer;
        recorder->summary.thread->away += clock_ticks() - before;
    } else { /* around fork: what does not fit into the private buffer is lost */
        for (unsigned i = 0; i < PROBE_BUFFER_EVENTS; i++)
            recorder->private_buffer[i].identity = 0;
        locals->position = recorder->private_buffer;
    }
    system_restore_signals(mask);
}

/* Called by entries.S: a tally has seen enough, or has no counter for so many iterations.  The latter takes a place as trampolines do,
   without system calls: loops of 256 iterations and more are not slowed by them. */
__attribute__((used)) void probe_tally(uint64_t iterations, uint64_t tally)
{
    if (tally >= plan.header->tallies.count)
        return;
    if (plan.tallies[tally].flags & PROBE_TALLY_SUMS) {
        switch_off(tally);
        return;
    }
    struct probe_event *event = probe_locals.position;
    __atomic_store_n(&probe_locals.position, event + 1, __ATOMIC_RELAXED);
    while (event->identity) { /* of a handler that interrupted a trampoline, or us */
        event++;
        __atomic_store_n(&probe_locals.position, event + 1, __ATOMIC_RELAXED);
    }
    event->stack = stack_here();
    event->value = iterations;
    event->identity = (plan.tallies[tally].subject + 1) << 4 | PROBE_TALLIED;
    if ((uintptr_t)probe_locals.position >> PROBE_BUFFER_BIT & 1)
        probe_full();
}

void recorder_give_back(struct recorder *recorder)
{
    uint64_t mask = system_block_signals();
    lock_take(&recorders_lock);
    recorder->is_free = true;
    recording->threads--;
    lock_give(&recorders_lock);
    system_restore_signals(mask);
}

bool recorders_scrap(void)
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
