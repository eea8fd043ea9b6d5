/* fork, exec and the end.

   fork.c has what happens around a fork.  It is called by libc (pthread_atfork), or where libc does not say.

   At the end nothing is summarised: events are in the recording, and its reader knows what to do with them.
 */
#include "runtime/probe/probe.h"
#include "runtime/probe/real.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

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

/* In the child, with its new recording. */
static void go_on(void)
{
    loading_forget();
    nodes_record();
}

void processes_begin(void)
{
    fork_more = go_on;
    pthread_atfork(fork_before, fork_in_parent, fork_in_child);
    on_exit(on_end, NULL);
}

/* fork without the functions that pthread_atfork has. */
PROBE_EXPORT pid_t _Fork(void)
{
    fork_before();
    pid_t child = real()->fork_plain();
    if (child == 0)
        fork_in_child();
    else
        fork_in_parent();
    return child;
}

struct begun {
    int (*start)(void *);
    void *argument;
};

static int begin_clone(void *data)
{
    const struct begun *begun = data; /* of the parent's stack, which the child has a copy of */
    fork_in_child();
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
    fork_before();
    int child = real()->clone(begin_clone, stack, flags, &begun, parent_number, local, number);
    fork_in_parent();
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

#include "runtime/common/exec_lists.h"

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
