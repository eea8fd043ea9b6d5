#include "base/progress.h"

#include <stdio.h>
#include <time.h>

static bool is_enabled, is_shown;
static double started, last;
static progress_listener *follower;
static void *follower_context;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_enable(bool enabled)
{
    is_enabled = enabled;
    started = seconds();
}

void progress_follow(progress_listener *listener, void *context)
{
    follower = listener;
    follower_context = context;
}

void progress_tell(const char *what, size_t done, size_t total)
{
    if (follower)
        follower(follower_context, what, done, total);
    if (!is_enabled)
        return;
    double now = seconds();
    if (now - started < 1 || now - last < 0.1)
        return;
    last = now;
    is_shown = true;
    if (total)
        fprintf(stderr, "\r\033[K%s %zu %%", what, done * 100 / total);
    else
        fprintf(stderr, "\r\033[K%s", what);
    fflush(stderr);
}

void progress_clear(void)
{
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}
