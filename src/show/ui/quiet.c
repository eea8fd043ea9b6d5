/* Stopping is a signal, sent at the first request. A thread of its own wakes the process up again; it sleeps
   while there is nothing to wake. If the server ends in between, the process ends with it
   (cli/ui_databases.c). */
#include "show/ui/quiet.h"

#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT_MILLISECONDS = 400 };

struct quiet {
    int process;
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    pthread_t waker;
    unsigned requests;     /* at the moment */
    unsigned long moments; /* counts what came and went */
    bool is_stopped, is_over;
};

static void tell(const struct quiet *quiet, int number)
{
    syscall(SYS_pidfd_send_signal, quiet->process, number, NULL, 0);
}

/* Whether nothing came while a moment passed. */
static bool stays_quiet(struct quiet *quiet)
{
    unsigned long then = quiet->moments;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += MOMENT_MILLISECONDS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    while (!quiet->is_over && quiet->moments == then &&
           !pthread_cond_timedwait(&quiet->has_changed, &quiet->lock, &end))
        ;
    return quiet->moments == then;
}

static void *wake(void *context)
{
    struct quiet *quiet = context;
    pthread_mutex_lock(&quiet->lock);
    while (!quiet->is_over) {
        if (!quiet->is_stopped || quiet->requests) {
            pthread_cond_wait(&quiet->has_changed, &quiet->lock);
        } else if (stays_quiet(quiet)) {
            tell(quiet, SIGCONT);
            quiet->is_stopped = false;
        }
    }
    pthread_mutex_unlock(&quiet->lock);
    return NULL;
}

struct quiet *quiet_begin(int process)
{
    struct quiet *quiet = process < 0 ? NULL : memory_get(sizeof *quiet);
    if (!quiet)
        return NULL;
    quiet->process = process;
    pthread_mutex_init(&quiet->lock, NULL);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&quiet->has_changed, &steady);
    pthread_condattr_destroy(&steady);
    if (!pthread_create(&quiet->waker, NULL, wake, quiet))
        return quiet;
    free(quiet);
    return NULL;
}

void quiet_end(struct quiet *quiet)
{
    if (!quiet)
        return;
    pthread_mutex_lock(&quiet->lock);
    quiet->is_over = true;
    pthread_cond_signal(&quiet->has_changed);
    pthread_mutex_unlock(&quiet->lock);
    pthread_join(quiet->waker, NULL);
    tell(quiet, SIGCONT);
    pthread_cond_destroy(&quiet->has_changed);
    pthread_mutex_destroy(&quiet->lock);
    free(quiet);
}

static void change(struct quiet *quiet, int by)
{
    if (!quiet)
        return;
    pthread_mutex_lock(&quiet->lock);
    quiet->requests += (unsigned)by;
    quiet->moments++;
    if (by > 0 && !quiet->is_stopped) {
        tell(quiet, SIGSTOP);
        quiet->is_stopped = true;
    }
    pthread_cond_signal(&quiet->has_changed);
    pthread_mutex_unlock(&quiet->lock);
}

void quiet_enter(struct quiet *quiet)
{
    change(quiet, 1);
}

void quiet_leave(struct quiet *quiet)
{
    change(quiet, -1);
}
