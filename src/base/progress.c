/* Two programs may be read at the same time: whoever comes second says nothing. */
#include "base/progress.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>

static bool is_enabled, is_shown;
static double started, last;
static progress_listener *follower;
static void *follower_context;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void progress_enable(bool enabled)
{
    is_enabled = enabled;
    started = clock_monotonic_seconds();
}

void progress_follow(progress_listener *listener, void *context)
{
    follower = listener;
    follower_context = context;
}

static void show(const char *what, size_t done, size_t total, double now)
{
    last = now;
    is_shown = true;
    if (total)
        fprintf(stderr, "\r\033[K%s %zu %%", what, done * 100 / total);
    else if (done)
        fprintf(stderr, "\r\033[K%s: %zu", what, done);
    else
        fprintf(stderr, "\r\033[K%s", what);
    fflush(stderr);
}

void progress_tell(const char *what, size_t done, size_t total)
{
    if (follower)
        follower(follower_context, what, done, total);
    if (!is_enabled || pthread_mutex_trylock(&one_at_a_time))
        return;
    double now = clock_monotonic_seconds();
    bool is_due = now - started >= 1 && now - last >= 0.1;
    if (is_due)
        show(what, done, total, now);
    pthread_mutex_unlock(&one_at_a_time);
}

void progress_clear(void)
{
    pthread_mutex_lock(&one_at_a_time);
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
    pthread_mutex_unlock(&one_at_a_time);
}
