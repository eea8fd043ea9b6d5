/* Calls that wait, and that a signal ends early even if its handler asks for a restart (signal(7) lists
   them).

   The timer may fire in the kernel's own code on the way into such a call, as that is processor time of the
   thread, and the program would see an interruption that nobody caused.  So the library's signal is blocked
   during the call, and a sample that was due is taken afterwards.  It counts for the function of libc:
   `standing` says how the stack looked when that was called.

   Sockets with a time limit (SO_RCVTIMEO, SO_SNDTIMEO) and system calls by syscall() are not in the list. */
#include "runtime/sample/sample.h"
#include "runtime/sample/real.h"

#include <sys/msg.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct wait {
    struct standing outer;
    uint64_t mask; /* before */
    bool is_on;
};

/* Part of the function that is exported: it looks at the caller's frame. */
static inline __attribute__((always_inline)) struct wait wait_begin(const void *function)
{
    struct wait wait = {.is_on = sample_thread.number != 0};
    if (!wait.is_on)
        return wait;
    const uintptr_t *frame = __builtin_frame_address(0);
    uint64_t ours = (uint64_t)1 << (sample_signal - 1);
    wait.outer = sample_thread.standing;
    sample_thread.standing = (struct standing){(uintptr_t)function, (uintptr_t)__builtin_dwarf_cfa(),
                                               frame[0], (uintptr_t)__builtin_return_address(0)};
    system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&ours, (long)&wait.mask, 8, 0, 0);
    return wait;
}

static void wait_end(const struct wait *wait)
{
    uint64_t ours = (uint64_t)1 << (sample_signal - 1);
    if (!wait->is_on)
        return;
    if (!(wait->mask & ours))
        system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&ours, 0, 8, 0, 0);
    sample_thread.standing = wait->outer;
}

/* A mask for the time of the call, with our signal; NULL stays NULL. */
static const sigset_t *with_ours(const sigset_t *mask, sigset_t *changed)
{
    if (!mask || !sample_thread.number)
        return mask;
    *changed = *mask;
    sigaddset(changed, sample_signal);
    return changed;
}

/* Signals that are waited for, without ours. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *changed)
{
    if (!set || !sample_thread.number)
        return set;
    *changed = *set;
    sigdelset(changed, sample_signal);
    return changed;
}

SAMPLE_EXPORT int sigsuspend(const sigset_t *mask)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->sigsuspend);
    int result = real()->sigsuspend(with_ours(mask, &changed));
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int pause(void)
{
    struct wait wait = wait_begin(real()->pause);
    int result = real()->pause();
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int sigwait(const sigset_t *set, int *signal)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->sigwait);
    int result = real()->sigwait(without_ours(set, &changed), signal);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->sigwaitinfo);
    int result = real()->sigwaitinfo(without_ours(set, &changed), info);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->sigtimedwait);
    int result = real()->sigtimedwait(without_ours(set, &changed), info, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    struct wait wait = wait_begin(real()->nanosleep);
    int result = real()->nanosleep(time, left);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                  struct timespec *left)
{
    struct wait wait = wait_begin(real()->clock_nanosleep);
    int result = real()->clock_nanosleep(clock, flags, time, left);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    struct wait wait = wait_begin(real()->thrd_sleep);
    int result = real()->thrd_sleep(time, left);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int usleep(useconds_t microseconds)
{
    struct wait wait = wait_begin(real()->usleep);
    int result = real()->usleep(microseconds);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT unsigned sleep(unsigned seconds)
{
    struct wait wait = wait_begin(real()->sleep);
    unsigned left = real()->sleep(seconds);
    wait_end(&wait);
    return left;
}

SAMPLE_EXPORT int poll(struct pollfd *files, nfds_t count, int limit)
{
    if (!limit)
        return real()->poll(files, count, limit);
    struct wait wait = wait_begin(real()->poll);
    int result = real()->poll(files, count, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int __poll_chk(struct pollfd *files, nfds_t count, int limit, size_t size)
{
    struct wait wait = wait_begin(real()->__poll_chk);
    int result = real()->__poll_chk(files, count, limit, size);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit,
                        const sigset_t *mask)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->ppoll);
    int result = real()->ppoll(files, count, limit, with_ours(mask, &changed));
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *limit,
                              const sigset_t *mask, size_t size)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->__ppoll_chk);
    int result = real()->__ppoll_chk(files, count, limit, with_ours(mask, &changed), size);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit)
{
    struct wait wait = wait_begin(real()->select);
    int result = real()->select(count, in, out, other, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *limit,
                          const sigset_t *mask)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->pselect);
    int result = real()->pselect(count, in, out, other, limit, with_ours(mask, &changed));
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int epoll_wait(int file, struct epoll_event *events, int most, int limit)
{
    if (!limit)
        return real()->epoll_wait(file, events, most, limit);
    struct wait wait = wait_begin(real()->epoll_wait);
    int result = real()->epoll_wait(file, events, most, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int epoll_pwait(int file, struct epoll_event *events, int most, int limit, const sigset_t *mask)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->epoll_pwait);
    int result = real()->epoll_pwait(file, events, most, limit, with_ours(mask, &changed));
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int epoll_pwait2(int file, struct epoll_event *events, int most, const struct timespec *limit,
                               const sigset_t *mask)
{
    sigset_t changed;
    struct wait wait = wait_begin(real()->epoll_pwait2);
    int result = real()->epoll_pwait2(file, events, most, limit, with_ours(mask, &changed));
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *limit)
{
    struct wait wait = wait_begin(real()->sem_timedwait);
    int result = real()->sem_timedwait(semaphore, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *limit)
{
    struct wait wait = wait_begin(real()->sem_clockwait);
    int result = real()->sem_clockwait(semaphore, clock, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int semop(int set, struct sembuf *operations, size_t count)
{
    struct wait wait = wait_begin(real()->semop);
    int result = real()->semop(set, operations, count);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *limit)
{
    struct wait wait = wait_begin(real()->semtimedop);
    int result = real()->semtimedop(set, operations, count, limit);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT ssize_t msgrcv(int queue, void *message, size_t size, long type, int flags)
{
    struct wait wait = wait_begin(real()->msgrcv);
    ssize_t result = real()->msgrcv(queue, message, size, type, flags);
    wait_end(&wait);
    return result;
}

SAMPLE_EXPORT int msgsnd(int queue, const void *message, size_t size, int flags)
{
    struct wait wait = wait_begin(real()->msgsnd);
    int result = real()->msgsnd(queue, message, size, flags);
    wait_end(&wait);
    return result;
}
