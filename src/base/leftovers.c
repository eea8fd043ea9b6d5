#include "base/leftovers.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* A handler may run between any two instructions: the slots are atomic and unlink is safe to call there. */
enum { MOST_LEFTOVERS = 8 };
static _Atomic(const char *) leftovers[MOST_LEFTOVERS];

void leftovers_add(const char *path)
{
    for (int i = 0; i < MOST_LEFTOVERS; i++)
        if (!atomic_load(&leftovers[i])) {
            atomic_store(&leftovers[i], path);
            return;
        }
}

void leftovers_drop(const char *path)
{
    for (int i = 0; path && i < MOST_LEFTOVERS; i++)
        if (atomic_load(&leftovers[i]) == path)
            atomic_store(&leftovers[i], NULL);
}

static void remove_leftovers(void)
{
    for (int i = 0; i < MOST_LEFTOVERS; i++) {
        const char *path = atomic_exchange(&leftovers[i], NULL);
        if (path)
            unlink(path);
    }
}

static void end_by_signal(int number)
{
    remove_leftovers();
    signal(number, SIG_DFL);
    raise(number);
}

void leftovers_guard(void)
{
    static bool is_registered;
    if (!is_registered)
        atexit(remove_leftovers);
    is_registered = true;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction present, wanted = {.sa_handler = end_by_signal};
        sigemptyset(&wanted.sa_mask);
        /* Whoever started us may have asked that it be ignored (nohup). */
        if (!sigaction(signals[i], NULL, &present) && present.sa_handler != SIG_IGN)
            sigaction(signals[i], &wanted, NULL);
    }
}
