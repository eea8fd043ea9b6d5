/* A timer of a thread's own processor time that is finer than the kernel's tick.

   Timers of processor time (timer_create) are looked at when the kernel's clock ticks, every 4 ms on most
   systems: too seldom for sampled mode, where a run of half a second would have a hundred samples at best.
   The kernel's software event "task clock" counts the same time with a high-resolution timer, and only while
   the thread runs, so it interrupts no system call that waits either.  It needs no rights and no counters of
   the processor.

   If it is not available (old kernels, containers that forbid the call) or lost, because the program closed
   all descriptors, the plain timer remains: threads.c always sets that one too, for a little later. */
#include "profile.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Programs expect the lowest descriptors for their own files. */
static int moved_up(int descriptor)
{
    struct rlimit limit;
    int lowest =
        getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2000 ? (int)(limit.rlim_cur / 2) : 1000;
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
    close(descriptor);
    return high;
}

void clock_make(struct profile_thread *thread)
{
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof event,
                                    .config = PERF_COUNT_SW_TASK_CLOCK,
                                    .sample_period = 1000000000,
                                    .wakeup_events = 1,
                                    .disabled = 1,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
    thread->clock = 0;
    if (profile_settings.is_exact)
        return;
    int descriptor = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (descriptor >= 0)
        descriptor = moved_up(descriptor);
    if (descriptor < 0)
        return;
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)thread->number};
    if (fcntl(descriptor, F_SETSIG, profile_settings.timer_signal) == 0 &&
        fcntl(descriptor, F_SETOWN_EX, &owner) == 0 && fcntl(descriptor, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        thread->clock = descriptor;
    else
        close(descriptor);
}

bool clock_set(struct profile_thread *thread, double seconds)
{
    uint64_t nanoseconds = (uint64_t)(seconds * 1e9) + 1;
    if (!thread->clock)
        return false;
    if (ioctl(thread->clock, PERF_EVENT_IOC_PERIOD, &nanoseconds) == 0 &&
        ioctl(thread->clock, PERF_EVENT_IOC_REFRESH, 1) == 0)
        return true;
    thread->clock = 0;
    return false;
}

bool clock_rang(const struct profile_thread *thread, const siginfo_t *info)
{
    return thread->clock && (info->si_code == POLL_IN || info->si_code == POLL_HUP) &&
           info->si_fd == thread->clock;
}

void clock_drop(struct profile_thread *thread)
{
    if (thread->clock)
        close(thread->clock);
    thread->clock = 0;
}
