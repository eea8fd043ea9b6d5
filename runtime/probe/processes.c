/* fork, exec and the end.

   The child of a fork gets a recording of its own.  The parent's recording is mapped in the child, too, until
   it is dropped, so neither may write into it in between: before the fork the thread goes over to a private
   buffer, whose events the parent summarises afterwards; in the child they count for nothing, but the spans
   that they and earlier events opened are remembered, because the child will leave them.

   The child of vfork shares the parent's memory until it calls exec, so its events are the parent's, and
   nothing that it does may end the parent's recording: file_is_ours distinguishes the two.

   A child that was made by a system call, with no function of libc, writes into its parent's buffer at first:
   up to a buffer of events may count for the wrong process.  When its buffer is full it goes over to a
   recording of its own.

   At the end nothing is summarised: events are in the recording, and its reader knows what to do with them.
 */
#include "runtime/probe/probe.h"
#include "runtime/probe/real.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* A copy of the frames, which the parent will change. */
static void keep_frames(struct lane *lane)
{
    size_t size = 0;
    for (unsigned i = 0; i < PROBE_SHADOWS; i++) {
        const struct probe_shadow *shadow = lane->summary.shadows[i];
        size += shadow && shadow->depth > 1 ? sizeof *shadow + shadow->depth * sizeof *shadow->frames : 0;
    }
    lane->open_frames = size ? system_memory(size) : NULL;
    lane->open_bytes = lane->open_frames ? size : 0;
    uint8_t *to = lane->open_frames;
    for (unsigned i = 0; to && i < PROBE_SHADOWS; i++) {
        const struct probe_shadow *shadow = lane->summary.shadows[i];
        size_t bytes =
            shadow && shadow->depth > 1 ? sizeof *shadow + shadow->depth * sizeof *shadow->frames : 0;
        bytes_copy(to, shadow, bytes);
        to += bytes;
    }
}

static void inherit_frames(struct probe_summary *summary, const struct lane *parents)
{
    const uint8_t *at = parents->open_frames, *end = at + parents->open_bytes;
    while (at < end) {
        const struct probe_shadow *shadow = (const struct probe_shadow *)(const void *)at;
        summary_inherit(summary, shadow);
        at += sizeof *shadow + shadow->depth * sizeof *shadow->frames;
    }
}

static void drop_frames(struct lane *lane)
{
    if (lane->open_frames)
        system_unmap(lane->open_frames, lane->open_bytes);
    lane->open_frames = NULL;
    lane->open_bytes = 0;
}

static void before_fork(void)
{
    struct lane *lane = probe_locals.lane;
    if (!recording || !lane || !file_is_ours())
        return;
    uint64_t before = clock_ticks(), mask = system_block_signals();
    lane_drain(lane, probe_locals.position);
    keep_frames(lane);
    probe_locals.position = lane->private_buffer;
    lane->summary.thread->away += clock_ticks() - before;
    system_restore_signals(mask);
}

static void after_fork_in_parent(void)
{
    struct lane *lane = probe_locals.lane;
    if (!recording || !lane || !file_is_ours() || probe_locals.position < lane->private_buffer ||
        probe_locals.position > lane->private_buffer + PROBE_BUFFER_EVENTS)
        return;
    uint64_t before = clock_ticks(), mask = system_block_signals();
    drop_frames(lane);
    size_t count = (size_t)(probe_locals.position - lane->private_buffer);
    for (size_t i = 0; i < count; i++) {
        lane->buffer[i].stack = lane->private_buffer[i].stack;
        lane->buffer[i].value = lane->private_buffer[i].value;
        lane->buffer[i].identity = lane->private_buffer[i].identity;
        lane->private_buffer[i].identity = 0;
    }
    probe_locals.position = lane->buffer + count;
    if (count >= PROBE_BUFFER_EVENTS) {
        lane_drain(lane, probe_locals.position);
        probe_locals.position = lane->buffer;
    }
    lane->summary.thread->away += clock_ticks() - before;
    system_restore_signals(mask);
}

static void after_fork_in_child(void)
{
    if (!recording || file_is_ours())
        return;
    uint64_t mask = system_block_signals();
    uint64_t measured[8]; /* from ticks_per_second to value_cost */
    enum { BYTES = offsetof(struct probe_header, threads) - offsetof(struct probe_header, ticks_per_second) };
    _Static_assert(BYTES <= sizeof measured, "measured is too small");
    bytes_copy(measured, &recording->ticks_per_second, BYTES);
    struct lane *parents = probe_locals.lane;
    struct probe_event *end = probe_locals.position;
    threads_forget();
    file_forget();
    loading_forget();
    if (file_open(probe_prefix)) {
        bytes_copy(&recording->ticks_per_second, measured, BYTES);
        recording->cycles_per_kilotick_end = 0;
        modules_record();
        nodes_record();
        struct lane *lane = lane_take();
        if (lane && parents)
            inherit_frames(&lane->summary, parents);
        if (lane && parents && end >= parents->private_buffer &&
            end <= parents->private_buffer + PROBE_BUFFER_EVENTS)
            summary_run_inherited(&lane->summary, parents->private_buffer,
                                  (size_t)(end - parents->private_buffer));
        if (lane)
            lane_use(lane);
    }
    if (parents)
        drop_frames(parents);
    system_restore_signals(mask);
}

void processes_notice_fork(void)
{
    if (file_is_copied())
        after_fork_in_child();
}

void probe_finish(uint32_t end, uint32_t status)
{
    if (!recording || !file_is_ours() || recording->end)
        return;
    recording->end = end;
    recording->status = status;
    recording->cycles_per_kilotick_end = calibrate_cycles();
    recording->end_nanoseconds = system_nanoseconds();
    recording->end_ticks = clock_ticks();
}

static void on_end(int status, void *nothing)
{
    (void)nothing;
    probe_finish(PROBE_END_EXIT, (uint32_t)status);
}

void processes_begin(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    on_exit(on_end, NULL);
}

/* fork without the functions that pthread_atfork has. */
PROBE_EXPORT pid_t _Fork(void)
{
    before_fork();
    pid_t child = real()->fork_plain();
    if (child == 0)
        after_fork_in_child();
    else
        after_fork_in_parent();
    return child;
}

struct begun {
    int (*start)(void *);
    void *argument;
};

static int begin_clone(void *data)
{
    const struct begun *begun = data; /* of the parent's stack, which the child has a copy of */
    after_fork_in_child();
    return begun->start(begun->argument);
}

/* A process with memory of its own is a fork. */
PROBE_EXPORT int clone(int (*start)(void *), void *stack, int flags, void *argument, ...)
{
    va_list list;
    va_start(list, argument);
    void *parent_number = va_arg(list, void *), *local = va_arg(list, void *), *number = va_arg(list, void *);
    va_end(list);
    if (flags & CLONE_VM || !start)
        return real()->clone(start, stack, flags, argument, parent_number, local, number);
    struct begun begun = {start, argument};
    before_fork();
    int child = real()->clone(begin_clone, stack, flags, &begun, parent_number, local, number);
    after_fork_in_parent();
    return child;
}

/* path: NULL where it is not known yet.  Shells try one folder after the other: what cannot work is no end.
 */
static void before_exec(const char *path)
{
    if (!path || system_call(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0, 0, 0) == 0)
        probe_finish(PROBE_END_EXEC, 0);
}

/* It failed: the program goes on, and so does the recording. */
static int after_exec(int result)
{
    if (recording && file_is_ours() && recording->end == PROBE_END_EXEC) {
        recording->end = PROBE_END_UNKNOWN;
        recording->end_nanoseconds = recording->end_ticks = 0;
    }
    return result;
}

PROBE_EXPORT int execve(const char *path, char *const words[], char *const environment[])
{
    before_exec(path);
    return after_exec(real()->execve(path, words, environment));
}

PROBE_EXPORT int execv(const char *path, char *const words[])
{
    return execve(path, words, environ);
}

PROBE_EXPORT int fexecve(int file, char *const words[], char *const environment[])
{
    before_exec(NULL);
    return after_exec(real()->fexecve(file, words, environment));
}

PROBE_EXPORT int execveat(int folder, const char *path, char *const words[], char *const environment[],
                          int flags)
{
    before_exec(NULL);
    return after_exec(real()->execveat(folder, path, words, environment, flags));
}

PROBE_EXPORT int execvpe(const char *name, char *const words[], char *const environment[])
{
    before_exec(NULL);
    return after_exec(real()->execvpe(name, words, environment));
}

PROBE_EXPORT int execvp(const char *name, char *const words[])
{
    return execvpe(name, words, environ);
}

static size_t count_words(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

/* Words of a call such as execl, on the caller's stack as the child of vfork must not allocate. */
#define COLLECT(first)                                                                                       \
    va_list list;                                                                                            \
    va_start(list, first);                                                                                   \
    size_t count = count_words(list);                                                                        \
    va_end(list);                                                                                            \
    char *words[count + 1];                                                                                  \
    va_start(list, first);                                                                                   \
    words[0] = (char *)first;                                                                                \
    for (size_t i = 1; i <= count; i++)                                                                      \
    words[i] = va_arg(list, char *)

PROBE_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execve(path, words, environ);
}

PROBE_EXPORT int execlp(const char *name, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execvpe(name, words, environ);
}

PROBE_EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, words, environment);
}

static __attribute__((noreturn)) void leave(int status)
{
    probe_finish(PROBE_END_EXIT, (uint32_t)status);
    for (;;)
        system_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

PROBE_EXPORT void _exit(int status)
{
    leave(status);
}

PROBE_EXPORT void _Exit(int status)
{
    leave(status);
}

PROBE_EXPORT void quick_exit(int status)
{
    probe_finish(PROBE_END_EXIT, (uint32_t)status);
    for (;;)
        real()->quick_exit(status);
}
