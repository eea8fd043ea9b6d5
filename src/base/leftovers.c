#include "base/leftovers.h"
#include "base/entries.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* A signal handler may run between any two instructions: the slots are atomic, and unlink is safe to call
   there. */
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

char *leftovers_make_folder(struct error *error)
{
    const char *base = getenv("TMPDIR");
    base = base && *base == '/' ? base : "/tmp";
    char *path = memory_format("%s/assay-XXXXXX", base);
    if (!mkdtemp(path)) {
        error_set_errno(error, base,
                        getenv("TMPDIR") ? "cannot create a folder there (TMPDIR names it)"
                                         : "cannot create a folder there (TMPDIR can name another place)");
        free(path);
        return NULL;
    }
    leftovers_add(path);
    return path;
}

/* Removing files disturbs a directory listing in progress, so it starts over until nothing more can be
   removed. */
static void empty_folder(int folder, int levels)
{
    bool has_removed = true;
    while (has_removed && !lseek(folder, 0, SEEK_SET)) {
        struct entries entries = {.folder = folder};
        has_removed = false;
        for (const char *name; (name = entries_next(&entries));) {
            bool is_gone = !unlinkat(folder, name, 0);
            if (!is_gone && (errno == EISDIR || errno == EPERM) && levels) {
                int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (inner >= 0) {
                    empty_folder(inner, levels - 1);
                    close(inner);
                }
                is_gone = !unlinkat(folder, name, AT_REMOVEDIR);
            }
            has_removed |= is_gone;
        }
    }
}

void leftovers_remove_folder(const char *path)
{
    enum { MOST_LEVELS = 64 }; /* 4 KB of the stack each */
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    empty_folder(folder, MOST_LEVELS);
    close(folder);
    rmdir(path);
}

static void remove_leftovers(void)
{
    for (int i = 0; i < MOST_LEFTOVERS; i++) {
        const char *path = atomic_exchange(&leftovers[i], NULL);
        if (path && unlink(path) && (errno == EISDIR || errno == EPERM))
            leftovers_remove_folder(path);
    }
}

static void end_by_signal(int number)
{
    remove_leftovers();
    signal(number, SIG_DFL);
    raise(number);
}

static void end_by_alarm(int number)
{
    (void)number;
    end_by_signal(SIGINT);
}

void leftovers_end_within(unsigned seconds)
{
    struct sigaction action = {.sa_handler = end_by_alarm};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
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
        /* The parent may have set it to be ignored (nohup). */
        if (!sigaction(signals[i], NULL, &present) && present.sa_handler != SIG_IGN)
            sigaction(signals[i], &wanted, NULL);
    }
}
