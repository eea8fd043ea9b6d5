/* The guard reads a pipe whose other end only we have. We write the process id of the program when it has
   started, and 0 when everything is done. If the pipe ends without that 0, we were killed.

   The program is held by a descriptor, not by its number, which another process may get. The guard has none
   of our files open, so that readers of our output do not wait for it, and gets no signals from the terminal.
 */
#include "run/launch/guard.h"

#include "base/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* group: it leads one of its own, which ends with it; 0: it does not. */
static void end_program(int program, pid_t group)
{
    enum { PATIENCE_MILLISECONDS = 2000 };
    struct pollfd gone = {.fd = program, .events = POLLIN};
    if (poll(&gone, 1, 0) > 0)
        return; /* it ended, and its number may be another's */
    if (group)
        kill(-group, SIGTERM);
    syscall(SYS_pidfd_send_signal, program, SIGTERM, NULL, 0);
    if (poll(&gone, 1, PATIENCE_MILLISECONDS) <= 0)
        syscall(SYS_pidfd_send_signal, program, SIGKILL, NULL, 0);
    poll(&gone, 1, PATIENCE_MILLISECONDS);
    if (group)
        kill(-group, SIGKILL);
}

static void leave_everything(int pipe)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nothing >= 0; i++)
        dup2(nothing, i);
    dup2(pipe, 3);
    close_range(4, ~0U, 0);
}

static void stand_guard(int pipe, const char *folder)
{
    pid_t number = 0, group = 0;
    int program = -1;
    setsid();
    prctl(PR_SET_NAME, "assay-guard"); /* a kill by name is meant for us, not for the guard */
    leave_everything(pipe);
    for (;;) {
        ssize_t got = read(3, &number, sizeof number);
        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0 && got != sizeof number)
            continue; /* not our word */
        if (got != sizeof number)
            break;
        if (number == 0)
            _exit(0);
        if (program >= 0)
            close(program);
        program = (int)syscall(SYS_pidfd_open, number, 0);
        group = getpgid(number) == number ? number : 0;
    }
    if (program >= 0)
        end_program(program, group);
    leftovers_remove_folder(folder);
    _exit(0);
}

struct guard guard_begin(const char *folder)
{
    struct guard guard = {.pipe = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return guard;
    guard.process = fork();
    if (guard.process == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        close(ends[1]);
        stand_guard(ends[0], folder);
    }
    close(ends[0]);
    guard.pipe = ends[1];
    if (guard.process < 0) {
        close(guard.pipe);
        guard = (struct guard){.pipe = -1};
    }
    return guard;
}

static void say(const struct guard *guard, pid_t number)
{
    /* A guard that somebody killed must not end us by SIGPIPE. */
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    while (guard->process && write(guard->pipe, &number, sizeof number) < 0 && errno == EINTR)
        ;
    signal(SIGPIPE, before);
}

void guard_program(const struct guard *guard, pid_t program)
{
    say(guard, program);
}

void guard_end(struct guard *guard)
{
    if (!guard->process)
        return;
    say(guard, 0);
    close(guard->pipe);
    while (waitpid(guard->process, NULL, 0) < 0 && errno == EINTR)
        ;
    *guard = (struct guard){.pipe = -1};
}
