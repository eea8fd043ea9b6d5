/* A command is a shell in a process group of its own, so that it can be ended with everything it started. A
   guard (run/launch/guard.h) does that, and removes the folder, if we are killed.

   What a probe took is its wall-clock time. On a busy computer that says more about the others than about the
   program. With one processor there is a better figure: if the kernel took the processor away more often than
   the program gave it up (it waits for files, or for other threads), the time it missed was not its own, and
   the processor time counts. So it does where the kernel took it away at least once and tasks waited for a
   processor during most of the time that is missing: a short program may wait as long for its first turn as
   it runs. Both are noted. */
#include "plan/predict/running.h"
#include "plan/predict/parts.h"

#include "base/clock.h"
#include "base/leftovers.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MILLISECONDS = 2000 };
static const double QUICK = 0.2, VERY_QUICK = 0.03; /* seconds */
enum { AGAIN = 4 };

static volatile sig_atomic_t interruption;
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };

static void remember(int number)
{
    interruption = number;
}

bool predict_run_was_interrupted(void)
{
    return interruption != 0;
}

bool predict_run_begin(struct running *running, struct error *error)
{
    *running = (struct running){.guard.pipe = -1, .folder = leftovers_make_folder(error)};
    if (!running->folder)
        return false;
    running->guard = guard_begin(running->folder);
    return true;
}

void predict_run_finish(struct running *running)
{
    guard_end(&running->guard);
    if (running->folder) {
        leftovers_remove_folder(running->folder);
        leftovers_drop(running->folder);
    }
    free(running->folder);
    running->folder = NULL;
}

static void become(const struct running *running, const char *command, bool is_private, int messages)
{
    setpgid(0, 0);
    for (int i = 0; i < ENDING; i++)
        signal(ending[i], SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    if (is_private) {
        dup2(nothing, STDOUT_FILENO);
        dup2(messages, STDERR_FILENO);
        if (chdir(running->folder)) {
            dprintf(STDERR_FILENO, "cannot change to the private folder: %s\n", strerror(errno));
            _exit(126);
        }
    } else {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    dprintf(STDERR_FILENO, "cannot run /bin/sh: %s\n", strerror(errno));
    _exit(127);
}

/* Signals of the whole group; a second one if it does not listen. */
static void end_group(pid_t group, int descriptor)
{
    struct pollfd gone = {.fd = descriptor, .events = POLLIN};
    kill(-group, SIGTERM);
    kill(-group, SIGCONT);
    if (poll(&gone, 1, PATIENCE_MILLISECONDS) <= 0)
        kill(-group, SIGKILL);
}

/* Until it ended, by itself or by us; a signal that came before the wait is seen, because it is unblocked
   only within. */
static enum running_end wait_for(pid_t process, int descriptor, double most, const sigset_t *open)
{
    double deadline = clock_monotonic_seconds() + most;
    for (;;) {
        double left = deadline - clock_monotonic_seconds();
        struct pollfd gone = {.fd = descriptor, .events = POLLIN};
        struct timespec pause = {.tv_sec = (time_t)fmin(fmax(left, 0), 3600),
                                 .tv_nsec = left > 0 && left < 3600 ? (long)((left - floor(left)) * 1e9) : 0};
        if (interruption || left <= 0) {
            end_group(process, descriptor);
            return interruption ? running_INTERRUPTED : running_TOO_LONG;
        }
        if (ppoll(&gone, 1, &pause, open) > 0)
            return running_DONE;
    }
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* For how long some task of this computer waited for a processor, since it was started; 0: the kernel does
   not tell. */
static double seconds_of_pressure(void)
{
    char text[200] = "";
    int file = open("/proc/pressure/cpu", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    const char *total = got > 0 ? strstr(text, "total=") : NULL;
    return total ? strtod(total + strlen("total="), NULL) * 1e-6 : 0;
}

/* The last line that says something. */
static void take_messages(int file, char *said, size_t size)
{
    char text[2000];
    off_t length = lseek(file, 0, SEEK_END);
    off_t first = length > (off_t)sizeof text - 1 ? length - (off_t)sizeof text + 1 : 0;
    ssize_t got = length > 0 ? pread(file, text, sizeof text - 1, first) : 0;
    text[got > 0 ? got : 0] = 0;
    for (size_t end = strlen(text); end; end--) {
        if (strchr("\r\n \t", text[end - 1])) {
            text[end - 1] = 0;
            continue;
        }
        char *begin = text + end;
        while (begin > text && !strchr("\r\n", begin[-1]))
            begin--;
        snprintf(said, size, "%.*s", (int)size - 1, begin);
        return;
    }
}

static bool was_kept_waiting(const struct rusage *usage, double cpu, double wall, double pressure)
{
    if (cpu >= 0.95 * wall)
        return false;
    const double too_little = 0.005; /* to tell it from a program that sleeps */
    return usage->ru_nivcsw > usage->ru_nvcsw ||
           (usage->ru_nivcsw && cpu > too_little && pressure > 0.8 * (wall - cpu));
}

static void conclude(enum running_end end, int status, const struct rusage *usage, double wall,
                     double pressure, unsigned processors, struct running_result *result)
{
    double cpu = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime);
    result->end = end;
    result->wall_seconds = wall;
    result->cpu_seconds = cpu;
    result->seconds = processors == 1 && was_kept_waiting(usage, cpu, wall, pressure) ? cpu : wall;
    if (end != running_DONE)
        return;
    if (WIFSIGNALED(status)) {
        result->end = running_SIGNALLED;
        result->status = WTERMSIG(status);
    } else {
        result->end = WEXITSTATUS(status) ? running_FAILED : running_DONE;
        result->status = WEXITSTATUS(status);
    }
}

bool predict_run_shell(struct running *running, const char *command, bool is_private, unsigned processors,
                       double most, struct running_result *result, struct error *error)
{
    *result = (struct running_result){0};
    struct sigaction action = {.sa_handler = remember}, before[ENDING];
    sigset_t blocked, open;
    sigemptyset(&blocked);
    for (int i = 0; i < ENDING; i++) {
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(ending[i], &action, NULL);
            sigaddset(&blocked, ending[i]);
        }
    }
    sigprocmask(SIG_BLOCK, &blocked, &open);
    int messages = is_private ? (int)syscall(SYS_memfd_create, "messages", 1 /* MFD_CLOEXEC */) : -1;
    double start = clock_monotonic_seconds(), pressure = seconds_of_pressure();
    pid_t process = fork();
    if (process == 0)
        become(running, command, is_private, messages);
    bool is_started = process > 0;
    if (is_started) {
        setpgid(process, process);
        guard_program(&running->guard, process);
        int descriptor = (int)syscall(SYS_pidfd_open, process, 0), status = 0;
        struct rusage usage = {0};
        enum running_end end = wait_for(process, descriptor, most, &open);
        while (wait4(process, &status, 0, &usage) < 0 && errno == EINTR)
            ;
        double wall = clock_monotonic_seconds() - start;
        kill(-process, SIGKILL); /* what it left running */
        close(descriptor);
        conclude(end, status, &usage, wall, seconds_of_pressure() - pressure, processors, result);
        if (messages >= 0)
            take_messages(messages, result->said, sizeof result->said);
    } else {
        error_set_errno(error, NULL, "cannot create a process");
    }
    if (messages >= 0)
        close(messages);
    for (int i = 0; i < ENDING; i++)
        sigaction(ending[i], &before[i], NULL);
    sigprocmask(SIG_SETMASK, &open, NULL);
    return is_started;
}

/* --- probes --- */

static void word_failure(const struct running_result *result, const char *what, char problem[300])
{
    const char *colon = *result->said ? ": " : "";
    if (result->end == running_SIGNALLED)
        snprintf(problem, 300, "%s was ended by signal %d (%s)%s%s", what, result->status,
                 strsignal(result->status), colon, result->said);
    else
        snprintf(problem, 300, "%s failed with status %d%s%s", what, result->status, colon, result->said);
}

static bool is_stop(const struct running_result *result)
{
    return result->end == running_TOO_LONG || result->end == running_INTERRUPTED;
}

/* A quick probe is mostly its start, which takes longer the first time, and on a busy computer it may wait as long as it
   runs: it is run again, a very quick one some times, and the quickest counts. */
static bool repeat(struct running *running, const struct predict_query *query,
                   const struct predict_probe *probe, double most, struct running_result *result,
                   struct error *error)
{
    unsigned times = result->wall_seconds > QUICK ? 0 : result->wall_seconds > VERY_QUICK ? 1 : AGAIN;
    double spent = result->seconds;
    result->spent_seconds = spent;
    if (result->end == running_SIGNALLED || !predict_is_success(query, result->status))
        return true;
    for (unsigned i = 0; i < times && most - spent >= 2 * QUICK; i++) {
        struct running_result again;
        if (!predict_run_shell(running, probe->command, true, probe->processors, most - spent, &again, error))
            return false;
        spent += again.seconds;
        if (is_stop(&again) || again.end == running_SIGNALLED || !predict_is_success(query, again.status))
            break;
        if (again.seconds < result->seconds)
            *result = again;
    }
    result->spent_seconds = spent;
    return true;
}

bool predict_run_trial(struct running *running, struct predict_query *query,
                       const struct predict_probe *probe, double most, struct error *error)
{
    struct running_result result = {0};
    if (!predict_run_shell(running, probe->shrink, true, 1, most, &result, error))
        return false;
    query->spent += result.seconds;
    query->shrinking += result.seconds;
    return result.end != running_DONE || predict_note_shrunk(query, probe, running->folder, error);
}

bool predict_run_probe(struct running *running, struct predict_query *query, struct predict_probe *probe,
                       double most, char problem[300], bool *is_stopped, struct error *error)
{
    struct running_result shrunk = {0}, result = {0};
    *problem = 0;
    *is_stopped = true;
    if (*probe->shrink && !predict_run_shell(running, probe->shrink, true, 1, most, &shrunk, error))
        return false;
    if (is_stop(&shrunk))
        return true;
    double spent = shrunk.wall_seconds;
    if (shrunk.end != running_DONE) {
        *is_stopped = false;
        word_failure(&shrunk, "shrinking", problem);
        return predict_note_probe(query, probe, NAN, NAN, shrunk.seconds, problem, error);
    }
    if (!probe->is_identity && !predict_note_shrunk(query, probe, running->folder, error))
        return false;
    if (!predict_run_shell(running, probe->command, true, probe->processors, most - spent, &result, error))
        return false;
    if (is_stop(&result))
        return true;
    *is_stopped = false;
    if (!repeat(running, query, probe, most - spent - result.wall_seconds, &result, error))
        return false;
    if (result.end == running_SIGNALLED || !predict_is_success(query, result.status)) {
        word_failure(&result, "the program", problem);
        return predict_note_probe(query, probe, NAN, NAN, shrunk.seconds, problem, error);
    }
    probe->seconds = result.seconds;
    probe->cpu_seconds = result.cpu_seconds;
    probe->spent_seconds = result.spent_seconds;
    return predict_note_probe(query, probe, result.seconds, result.cpu_seconds, shrunk.seconds, NULL, error);
}
