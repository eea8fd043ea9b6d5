/* fork.

   The child of a fork gets a recording of its own.  The parent's recording is mapped in the child, too, until
   it is dropped, so neither may write into it in between: before the fork the thread goes over to a private
   buffer, whose events the parent summarises afterwards; in the child they count for nothing, but the spans
   that they and earlier events opened are remembered, because the child will leave them.

   The child of vfork shares the parent's memory until it calls exec, so its events are the parent's, and
   nothing that it does may end the parent's recording: file_is_ours distinguishes the two.

   A child that was made by a system call, with no function of libc, writes into its parent's buffer at first:
   up to a buffer of events may count for the wrong process.  When its buffer is full it goes over to a
   recording of its own. */
#include "runtime/probe/probe.h"

void (*fork_more)(void);

/* A copy of the frames, which the parent will change. */
static void keep_frames(struct recorder *recorder)
{
    size_t size = 0;
    for (unsigned i = 0; i < PROBE_SHADOWS; i++) {
        const struct probe_shadow *shadow = recorder->summary.shadows[i];
        size += shadow && shadow->depth > 1 ? sizeof *shadow + shadow->depth * sizeof *shadow->frames : 0;
    }
    recorder->open_frames = size ? system_memory(size) : NULL;
    recorder->open_bytes = recorder->open_frames ? size : 0;
    uint8_t *to = recorder->open_frames;
    for (unsigned i = 0; to && i < PROBE_SHADOWS; i++) {
        const struct probe_shadow *shadow = recorder->summary.shadows[i];
        size_t bytes =
            shadow && shadow->depth > 1 ? sizeof *shadow + shadow->depth * sizeof *shadow->frames : 0;
        bytes_copy(to, shadow, bytes);
        to += bytes;
    }
}

static void inherit_frames(struct probe_summary *summary, const struct recorder *parents)
{
    const uint8_t *at = parents->open_frames, *end = at + parents->open_bytes;
    while (at < end) {
        const struct probe_shadow *shadow = (const struct probe_shadow *)(const void *)at;
        summary_inherit(summary, shadow);
        at += sizeof *shadow + shadow->depth * sizeof *shadow->frames;
    }
}

static void drop_frames(struct recorder *recorder)
{
    if (recorder->open_frames)
        system_unmap(recorder->open_frames, recorder->open_bytes);
    recorder->open_frames = NULL;
    recorder->open_bytes = 0;
}

void fork_before(void)
{
    struct recorder *recorder = probe_locals.recorder;
    if (!recording || !recorder || !file_is_ours())
        return;
    uint64_t before = clock_ticks(), mask = system_block_signals();
    recorder_drain(recorder, probe_locals.position);
    keep_frames(recorder);
    probe_locals.position = recorder->private_buffer;
    recorder->summary.thread->away += clock_ticks() - before;
    system_restore_signals(mask);
}

void fork_in_parent(void)
{
    struct recorder *recorder = probe_locals.recorder;
    if (!recording || !recorder || !file_is_ours() || probe_locals.position < recorder->private_buffer ||
        probe_locals.position > recorder->private_buffer + PROBE_BUFFER_EVENTS)
        return;
    uint64_t before = clock_ticks(), mask = system_block_signals();
    drop_frames(recorder);
    struct probe_event *to = recorder->buffer;
    for (struct probe_event *from = recorder->private_buffer; from < probe_locals.position; from++) {
        if (!from->identity)
            continue;
        while (to->identity) /* of a trampoline that a handler interrupted */
            to++;
        to->stack = from->stack;
        to->value = from->value;
        to->identity = from->identity;
        to++;
        from->identity = 0;
    }
    probe_locals.position = to;
    if (to >= recorder->buffer + PROBE_BUFFER_EVENTS) {
        recorder_drain(recorder, probe_locals.position);
        probe_locals.position = recorder->buffer;
    }
    recorder->summary.thread->away += clock_ticks() - before;
    system_restore_signals(mask);
}

void fork_in_child(void)
{
    if (!recording || file_is_ours())
        return;
    uint64_t mask = system_block_signals();
    uint64_t measured[8]; /* from ticks_per_second to value_cost */
    enum { BYTES = offsetof(struct probe_header, threads) - offsetof(struct probe_header, ticks_per_second) };
    _Static_assert(BYTES <= sizeof measured, "measured is too small");
    bytes_copy(measured, &recording->ticks_per_second, BYTES);
    struct recorder *parents = probe_locals.recorder;
    struct probe_event *end = probe_locals.position;
    recorders_forget();
    file_forget();
    if (file_open(probe_prefix)) {
        bytes_copy(&recording->ticks_per_second, measured, BYTES);
        recording->cycles_per_kilotick_end = 0;
        modules_record();
        if (fork_more)
            fork_more();
        struct recorder *recorder = recorder_take();
        if (recorder && parents)
            inherit_frames(&recorder->summary, parents);
        if (recorder && parents && end >= parents->private_buffer &&
            end <= parents->private_buffer + PROBE_BUFFER_EVENTS)
            summary_run_inherited(&recorder->summary, parents->private_buffer,
                                  (size_t)(end - parents->private_buffer));
        if (recorder)
            recorder_use(recorder);
    }
    if (parents)
        drop_frames(parents);
    system_restore_signals(mask);
}

void fork_notice(void)
{
    if (file_is_copied())
        fork_in_child();
}
