#include "base/forked.h"
#include "base/entries.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_here;

bool forked_is_here(void)
{
    return is_here;
}

static void leave(int status, void *context)
{
    (void)context;
    _exit(status);
}

pid_t forked_make(void)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t process = fork();
    if (process)
        sigprocmask(SIG_SETMASK, &before, NULL);
    return process;
}

void forked_begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM, SIGQUIT};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    on_exit(leave, NULL);
    is_here = true;
}

void forked_limit(int resource, uint64_t most)
{
    struct rlimit present;
    if (getrlimit(resource, &present))
        return;
    if (present.rlim_max == RLIM_INFINITY || present.rlim_max > most)
        present.rlim_max = (rlim_t)most;
    present.rlim_cur = present.rlim_max;
    setrlimit(resource, &present);
}

void forked_limit_seconds(unsigned most)
{
    struct rlimit wanted = {.rlim_cur = most, .rlim_max = most + 1}, present;
    if (!getrlimit(RLIMIT_CPU, &present) && present.rlim_max > wanted.rlim_max)
        setrlimit(RLIMIT_CPU, &wanted);
}

static bool is_file_to_read(int number)
{
    struct stat facts;
    int flags = fcntl(number, F_GETFL);
    return flags >= 0 && !fstat(number, &facts) && S_ISREG(facts.st_mode) && (flags & O_ACCMODE) == O_RDONLY;
}

void forked_close_others(int kept, int also_kept, bool keeps_files)
{
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && !keeps_files)
        for (int i = STDERR_FILENO + 1; i < 1024; i++)
            if (i != kept && i != also_kept)
                close(i);
    if (folder < 0)
        return;
    struct entries entries = {.folder = folder};
    for (const char *name; (name = entries_next(&entries));) {
        int number = atoi(name);
        if (number > STDERR_FILENO && number != folder && number != kept && number != also_kept &&
            !(keeps_files && is_file_to_read(number)))
            close(number);
    }
    close(folder);
}

static uint64_t memory_in_use(void)
{
    char text[32] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    return length > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void forked_limit_memory(uint64_t most)
{
    forked_limit(RLIMIT_AS, memory_in_use() + most);
}
