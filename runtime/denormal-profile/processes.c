/* fork, exec and _exit.

   The child of a fork gets a recording of its own.  The child of vfork shares the parent's memory until it
   calls exec, so its events count as the parent's, and nothing it does may end the parent's recording:
   file_is_ours distinguishes the two.  A program that calls exec leaves its recording as it is; the new
   program starts its own, through LD_PRELOAD. */
#include "profile.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static void after_fork(void)
{
    if (profile_is_running())
        profile_restart();
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
        profile_finish(PROFILE_END_EXEC, 0);
}

/* It failed: the program continues, and so does the recording. */
static int after_exec(int result)
{
    if (file_is_ours() && profile_mapping.header->ended == PROFILE_END_EXEC) {
        profile_mapping.header->ended = PROFILE_END_UNKNOWN;
        profile_mapping.header->end = 0;
    }
    return result;
}

PROFILE_EXPORT int execve(const char *path, char *const words[], char *const environment[])
{
    static void *place;
    int (*real)(const char *, char *const[], char *const[]) = real_function(&place, "execve");
    before_exec(path);
    return after_exec(real(path, words, environment));
}

PROFILE_EXPORT int execv(const char *path, char *const words[])
{
    return execve(path, words, environ);
}

PROFILE_EXPORT int fexecve(int file, char *const words[], char *const environment[])
{
    static void *place;
    int (*real)(int, char *const[], char *const[]) = real_function(&place, "fexecve");
    before_exec(NULL);
    return after_exec(real(file, words, environment));
}

PROFILE_EXPORT int execvpe(const char *name, char *const words[], char *const environment[])
{
    static void *place;
    int (*real)(const char *, char *const[], char *const[]) = real_function(&place, "execvpe");
    before_exec(NULL);
    return after_exec(real(name, words, environment));
}

#include "../common/exec_lists.h"

static __attribute__((noreturn)) void leave(int status)
{
    profile_finish(PROFILE_END_EXIT, status);
    for (;;)
        syscall(SYS_exit_group, status);
}

PROFILE_EXPORT void _exit(int status)
{
    leave(status);
}

PROFILE_EXPORT void _Exit(int status)
{
    leave(status);
}

PROFILE_EXPORT void quick_exit(int status)
{
    static void *place;
    void (*real)(int) = real_function(&place, "quick_exit");
    profile_finish(PROFILE_END_EXIT, status);
    for (;;)
        real(status);
}
