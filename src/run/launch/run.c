/* Starts a program and waits for it.

   The program has our standard streams, our terminal and our process group, as if a shell had started it.
   Signals that would end us go to it instead, and we wait for it to end: everything recorded until then is
   kept. A signal of the terminal reached it already, because the terminal sends it to the whole group; only
   signals sent to us alone are passed on. SIGUSR1, which begins a phase, is passed on too.

   The new process waits at a gate (a pipe) until whoever watches it from outside is ready: so sampling has
   begun when the program begins.

   Recordings are files of a private folder. If we are killed ourselves, a guard ends the program and removes
   the folder. */
#include "run/launch/run.h"

#include "base/clock.h"
#include "base/leftovers.h"
#include "base/path.h"
#include "run/launch/accounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* $TMPDIR, unless it contains characters that end a name in LD_PRELOAD or that the dynamic linker replaces.
 */
static char *make_folder(struct error *error)
{
    const char *base = getenv("TMPDIR");
    bool is_fit = base && *base == '/' && !strpbrk(base, " :;$%\t\n");
    char *path = memory_format("%s/assay-XXXXXX", is_fit ? base : "/tmp");
    if (mkdtemp(path))
        return path;
    error_set_errno(error, is_fit ? base : "/tmp",
                    is_fit ? "cannot create a folder there (TMPDIR names it)"
                           : "cannot create a folder there (TMPDIR can name another place)");
    free(path);
    return NULL;
}

bool launch_run_begin(struct launch_run *run, struct error *error)
{
    *run = (struct launch_run){.exit_status = -1, .guard.pipe = -1, .folder = make_folder(error)};
    if (!run->folder)
        return false;
    leftovers_add(run->folder);
    run->guard = guard_begin(run->folder);
    return true;
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

static volatile sig_atomic_t watched_process;

static void pass_on(int number, siginfo_t *facts, void *context)
{
    (void)context;
    int before = errno;
    bool is_from_terminal = facts->si_code > 0;
    if (watched_process > 0 && !is_from_terminal)
        kill((pid_t)watched_process, number);
    errno = before;
}

struct manners { /* how signals were treated before */
    struct sigaction actions[PASSED_ON], child;
    sigset_t mask;
};

/* Until the process has its number, signals wait.  Those that are ignored (nohup) stay so. */
static void take_signals(struct manners *before)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int i = 0; i < PASSED_ON; i++)
        sigaddset(&wanted, passed_on[i]);
    sigprocmask(SIG_BLOCK, &wanted, &before->mask);
    watched_process = 0;
    for (int i = 0; i < PASSED_ON; i++) {
        struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(passed_on[i], NULL, &before->actions[i]);
        if (before->actions[i].sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    }
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, &before->child);
}

static void give_signals_back(const struct manners *before)
{
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &before->actions[i], NULL);
    sigaction(SIGCHLD, &before->child, NULL);
}

/* exec wants NULL after the last. */
static char **with_end(const struct array *texts)
{
    char **all = memory_get((texts->count + 1) * sizeof *all);
    if (texts->count)
        memcpy(all, texts->data, texts->count * sizeof *all);
    return all;
}

struct pipe {
    int read, write;
};

static bool make_pipe(struct pipe *made)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    *made = (struct pipe){ends[0], ends[1]};
    return true;
}

static void close_pipe(struct pipe pipe)
{
    close(pipe.read);
    close(pipe.write);
}

static ssize_t read_patiently(int file, void *bytes, size_t size)
{
    ssize_t got;
    while ((got = read(file, bytes, size)) < 0 && errno == EINTR)
        ;
    return got;
}

/* Waits at the gate, then becomes the program, or sends errno through the pipe. */
static void become(const struct launch *launch, const struct manners *before, struct pipe gate, int report)
{
    char word;
    for (int i = 0; i < PASSED_ON; i++)
        if (before->actions[i].sa_handler != SIG_IGN)
            signal(passed_on[i], SIG_DFL);
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    close(gate.write);
    if (read_patiently(gate.read, &word, 1) != 1)
        _exit(126);
    if (launch->is_diverted)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    int nothing = launch->is_silent || launch->has_no_input ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (launch->has_no_input)
        dup2(nothing, STDIN_FILENO);
    if (launch->is_silent) {
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    execvpe(launch->file, with_end(&launch->words), with_end(&launch->environment));
    int number = errno;
    ssize_t written = write(report, &number, sizeof number);
    _exit(written == sizeof number ? 127 : 126);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void wait_for(pid_t process, struct launch_run *run)
{
    int status = 0;
    struct rusage usage = {0};
    pid_t got;
    siginfo_t end;
    while (waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    struct accounts_thread account; /* of its first thread, before it is gone */
    bool is_told = accounts_of_thread((uint32_t)process, (uint32_t)process, &account);
    while ((got = wait4(process, &status, 0, &usage)) < 0 && errno == EINTR)
        ;
    run->exit_status = got == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run->end_signal = got == process && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    run->usage = (struct launch_usage){.user = seconds_of(usage.ru_utime),
                                       .kernel = seconds_of(usage.ru_stime),
                                       .minor_faults = (uint64_t)usage.ru_minflt,
                                       .major_faults = (uint64_t)usage.ru_majflt,
                                       .voluntary_switches = (uint64_t)usage.ru_nvcsw,
                                       .involuntary_switches = (uint64_t)usage.ru_nivcsw,
                                       .peak_memory = (uint64_t)usage.ru_maxrss * 1024,
                                       .queued = is_told ? (double)account.queued * 1e-9 : NAN};
}

/* Lets the process become the program, and waits for its end.  false: it did not start. Both ends of the gate
   are open here until it may go: somebody may have ended it meanwhile, and writing must not end us. */
static bool follow(pid_t process, const struct launch *launch, struct launch_run *run,
                   const struct launch_outsider *outsider, struct pipe gate, int report, struct error *error)
{
    int number = 0;
    bool is_ready = !outsider || outsider->prepare(outsider->context, (uint32_t)process, error);
    double start = clock_monotonic_seconds();
    if (is_ready && write(gate.write, "g", 1) != 1)
        is_ready = error_set_errno(error, launch->file, "cannot be started");
    close_pipe(gate);
    ssize_t got = read_patiently(report, &number, sizeof number);
    wait_for(process, run);
    run->seconds = clock_monotonic_seconds() - start;
    errno = number;
    if (is_ready && got == sizeof number)
        return error_set_errno(error, launch->file, "cannot be run");
    return is_ready;
}

/* Starts it and waits for its end. */
static bool run_to_end(const struct launch *launch, struct launch_run *run,
                       const struct launch_outsider *outsider, struct pipe gate, struct pipe report,
                       struct error *error)
{
    struct manners before;
    take_signals(&before);
    pid_t process = fork();
    if (process == 0)
        become(launch, &before, gate, report.write);
    if (process < 0)
        error_set_errno(error, NULL, "cannot create a process");
    watched_process = process;
    if (process > 0)
        guard_program(&run->guard, process);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    close(report.write);
    bool is_done = process > 0 && follow(process, launch, run, outsider, gate, report.read, error);
    close(report.read);
    if (process < 0)
        close_pipe(gate);
    run->process = process > 0 ? (uint32_t)process : 0;
    watched_process = 0;
    give_signals_back(&before);
    return is_done;
}

bool launch_run_from_outside(const struct launch *launch, struct launch_run *run,
                             const struct launch_outsider *outsider, struct error *error)
{
    struct pipe gate, report;
    bool is_done = false;
    if (!make_pipe(&gate)) {
        error_set_errno(error, NULL, "cannot create a pipe");
    } else if (!make_pipe(&report)) {
        error_set_errno(error, NULL, "cannot create a pipe");
        close_pipe(gate);
    } else {
        is_done = run_to_end(launch, run, outsider, gate, report, error);
    }
    guard_end(&run->guard);
    return is_done;
}

bool launch_run(const struct launch *launch, struct launch_run *run, struct error *error)
{
    return launch_run_from_outside(launch, run, NULL, error);
}

/* The process of a recording, from its name: 123.trace, 123-1.trace, profile.123, profile.123.2. */
static unsigned long process_of(const char *path)
{
    const char *name = path_name(path);
    return strtoul(name + strcspn(name, "0123456789"), NULL, 10);
}

/* The program's own process first, then the others by their numbers; recordings before an exec in order. */
static bool is_before(const char *left, const char *right, unsigned long own)
{
    unsigned long a = process_of(left), b = process_of(right);
    if (a != b)
        return a == own || (b != own && a < b);
    size_t shorter = strlen(left), longer = strlen(right);
    return shorter != longer ? shorter < longer : strcmp(left, right) < 0;
}

static void sort_recordings(struct array *paths, unsigned long own)
{
    char **all = paths->data;
    for (size_t gap = paths->count / 2; gap; gap /= 2)
        for (size_t i = gap; i < paths->count; i++) {
            char *path = all[i];
            size_t at = i;
            for (; at >= gap && is_before(path, all[at - gap], own); at -= gap)
                all[at] = all[at - gap];
            all[at] = path;
        }
}

static bool is_like(const char *name, const char *beginning, const char *ending)
{
    size_t length = strlen(name), first = strlen(beginning), last = strlen(ending);
    return length > first + last && !strncmp(name, beginning, first) && !strcmp(name + length - last, ending);
}

void launch_run_list(const struct launch_run *run, const char *beginning, const char *ending,
                     struct array *paths)
{
    DIR *folder = opendir(run->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat facts;
        if (is_like(entry->d_name, beginning, ending) && !fstatat(dirfd(folder), entry->d_name, &facts, 0) &&
            S_ISREG(facts.st_mode) && facts.st_size)
            *(char **)array_push(paths) = memory_format("%s/%s", run->folder, entry->d_name);
    }
    if (folder)
        closedir(folder);
    sort_recordings(paths, run->process);
}

void launch_run_forget(struct launch_run *run)
{
    guard_end(&run->guard);
    if (run->folder) {
        leftovers_remove_folder(run->folder);
        leftovers_drop(run->folder);
    }
    free(run->folder);
    run->folder = NULL;
}
