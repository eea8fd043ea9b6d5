/* The functions of libc that the library stands in for. */
#ifndef RUNTIME_SAMPLE_REAL_H
#define RUNTIME_SAMPLE_REAL_H
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>

struct real_functions {
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*thrd_create)(thrd_t *, thrd_start_t, void *);
    pid_t (*fork_plain)(void);
    int (*dlclose)(void *);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
    sighandler_t (*signal_simply)(int, sighandler_t);
    sighandler_t (*bsd_signal_simply)(int, sighandler_t);
    sighandler_t (*ssignal_simply)(int, sighandler_t);
    sighandler_t (*sysv_signal_simply)(int, sighandler_t);
    sighandler_t (*__sysv_signal_simply)(int, sighandler_t);
    int (*sigsuspend)(const sigset_t *);
    int (*pause)(void);
    int (*sigwait)(const sigset_t *, int *);
    int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
    int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
    int (*nanosleep)(const struct timespec *, struct timespec *);
    int (*clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
    int (*thrd_sleep)(const struct timespec *, struct timespec *);
    int (*usleep)(useconds_t);
    unsigned (*sleep)(unsigned);
    int (*poll)(struct pollfd *, nfds_t, int);
    int (*__poll_chk)(struct pollfd *, nfds_t, int, size_t);
    int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    int (*__ppoll_chk)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
    int (*select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
    int (*pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
    int (*epoll_wait)(int, struct epoll_event *, int, int);
    int (*epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
    int (*epoll_pwait2)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
    int (*sem_timedwait)(sem_t *, const struct timespec *);
    int (*sem_clockwait)(sem_t *, clockid_t, const struct timespec *);
    int (*semop)(int, struct sembuf *, size_t);
    int (*semtimedop)(int, struct sembuf *, size_t, const struct timespec *);
    ssize_t (*msgrcv)(int, void *, size_t, long, int);
    int (*msgsnd)(int, const void *, size_t, int);
};
/* They are looked up at the start, or when one is needed earlier: handlers must not look anything up. */
const struct real_functions *real(void);
#endif
