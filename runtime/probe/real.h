/* The functions of libc that the library stands in for.  They are looked up at the start, before anything is
   patched, or when one is needed earlier. */
#ifndef RUNTIME_PROBE_REAL_H
#define RUNTIME_PROBE_REAL_H
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <threads.h>

struct real_functions {
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*thrd_create)(thrd_t *, thrd_start_t, void *);
    int (*clone)(int (*start)(void *), void *stack, int flags, void *argument, ...);
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*execveat)(int, const char *, char *const[], char *const[], int);
    void (*quick_exit)(int);
    pid_t (*fork_plain)(void);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
    int (*sigsuspend)(const sigset_t *);
    sighandler_t (*signal_simply)(int, sighandler_t);
    sighandler_t (*bsd_signal_simply)(int, sighandler_t);
    sighandler_t (*ssignal_simply)(int, sighandler_t);
    sighandler_t (*sysv_signal_simply)(int, sighandler_t);
    sighandler_t (*__sysv_signal_simply)(int, sighandler_t);
};
const struct real_functions *real(void);
#endif
