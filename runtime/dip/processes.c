/* fork, exec and _exit.

   The child of a fork gets a recording of its own.  The child of vfork shares the parent's memory until it
   calls exec, so its events count as the parent's, and nothing it does may end the parent's recording:
   file_is_ours distinguishes the two.  A program that calls exec leaves its recording as it is; the new
   program starts its own, through LD_PRELOAD. */
#include "dip.h"
#include "real.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static void after_fork(void)
{
    if (dip_is_running())
        dip_restart();
}

void processes_begin(void)
{
    pthread_atfork(NULL, NULL, after_fork);
}

/* path: NULL where it is not known yet.  Shells try one folder after the other: what cannot work is no end.
 */
static void before_exec(const char *path)
{
    if (!path || access(path, X_OK) == 0)
        dip_finish(DIP_END_EXEC, 0);
}

/* It failed: the program continues, and so does the recording. */
static int after_exec(int result)
{
    if (file_is_ours() && dip_recording.header->ended == DIP_END_EXEC) {
        dip_recording.header->ended = DIP_END_UNKNOWN;
        dip_recording.header->end = 0;
    }
    return result;
}

DIP_EXPORT int execve(const char *path, char *const words[], char *const environment[])
{
    static void *place;
    int (*real)(const char *, char *const[], char *const[]) = real_function(&place, "execve");
    before_exec(path);
    return after_exec(real(path, words, environment));
}

DIP_EXPORT int execv(const char *path, char *const words[])
{
    return execve(path, words, environ);
}

DIP_EXPORT int fexecve(int file, char *const words[], char *const environment[])
{
    static void *place;
    int (*real)(int, char *const[], char *const[]) = real_function(&place, "fexecve");
    before_exec(NULL);
    return after_exec(real(file, words, environment));
}

DIP_EXPORT int execvpe(const char *name, char *const words[], char *const environment[])
{
    static void *place;
    int (*real)(const char *, char *const[], char *const[]) = real_function(&place, "execvpe");
    before_exec(NULL);
    return after_exec(real(name, words, environment));
}

DIP_EXPORT int execvp(const char *name, char *const words[])
{
    return execvpe(name, words, environ);
}

static size_t count_words(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

/* Words of a call such as execl, on the caller's stack as the child of vfork must not allocate. */
#define COLLECT(first)                                                                                       \
    va_list list;                                                                                            \
    va_start(list, first);                                                                                   \
    size_t count = count_words(list);                                                                        \
    va_end(list);                                                                                            \
    char *words[count + 1];                                                                                  \
    va_start(list, first);                                                                                   \
    words[0] = (char *)first;                                                                                \
    for (size_t i = 1; i <= count; i++)                                                                      \
    words[i] = va_arg(list, char *)

DIP_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execve(path, words, environ);
}

DIP_EXPORT int execlp(const char *name, const char *first, ...)
{
    COLLECT(first);
    va_end(list);
    return execvpe(name, words, environ);
}

DIP_EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, words, environment);
}

static __attribute__((noreturn)) void leave(int status)
{
    dip_finish(DIP_END_EXIT, status);
    for (;;)
        syscall(SYS_exit_group, status);
}

DIP_EXPORT void _exit(int status)
{
    leave(status);
}

DIP_EXPORT void _Exit(int status)
{
    leave(status);
}

DIP_EXPORT void quick_exit(int status)
{
    static void *place;
    void (*real)(int) = real_function(&place, "quick_exit");
    dip_finish(DIP_END_EXIT, status);
    for (;;)
        real(status);
}
