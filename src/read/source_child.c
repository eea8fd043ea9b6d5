/* A process of its own for work on hostile text, and a second one that keeps watch over it.

       Assay ── keeper ── worker (── what the worker executes)

   The worker has limits on memory, processor time and file sizes, leads a process group, and writes its
   answer into two pipes that Assay reads.  The keeper makes the private folder, waits for the worker until
   the deadline, ends the whole group, removes the folder and tells by its exit status how it went.  It
   ignores the signals of a terminal, so the folder goes even when somebody presses Ctrl-C: Assay ends, the
   worker ends at its next write or at the deadline, and the keeper tidies up.

   Both are forked, not spawned, because the work may be a function of ours; they use only what glibc keeps
   usable after a fork (memory included).  Neither returns into the caller's code: they end with _exit. */
#include "read/source_child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const rlim_t most_memory = (rlim_t)4 << 30; /* beyond what the process has when the work starts */
static const rlim_t most_file = (rlim_t)256 << 20;
static const size_t most_messages = 1 << 16;

/* What the keeper tells: one number in the pipe of its own. */
struct verdict {
    int32_t end, status, number; /* number: an errno where no worker could be made */
};

static void limit(int resource, rlim_t most)
{
    struct rlimit present;
    if (getrlimit(resource, &present))
        return;
    if (present.rlim_max == RLIM_INFINITY || present.rlim_max > most)
        present.rlim_max = most;
    present.rlim_cur = present.rlim_max;
    setrlimit(resource, &present);
}

static rlim_t memory_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void reset_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM, SIGQUIT};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void be_worker(const struct child_job *job, const int ends[2])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    reset_signals();
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(ends[0], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, job->seconds + 1);
    limit(RLIMIT_FSIZE, most_file);
    limit(RLIMIT_AS, memory_in_use() + most_memory);
    _exit(job->work(job->context) & 0xff);
}

/* Removes what is in a folder, one level deep: nothing we run makes folders. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder) {
        for (struct dirent *entry; (entry = readdir(folder));)
            if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
                unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
    }
    rmdir(path);
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* SIGCHLD is blocked: its arrival ends the wait. */
static struct verdict wait_for_worker(pid_t worker, unsigned seconds)
{
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    int64_t deadline = milliseconds() + (int64_t)seconds * 1000;
    int status = 0;
    bool is_slow = false;
    while (!waitpid(worker, &status, WNOHANG)) {
        int64_t left = deadline - milliseconds();
        if (left <= 0) {
            is_slow = true;
            kill(-worker, SIGKILL);
            waitpid(worker, &status, 0);
            break;
        }
        struct timespec pause = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
        sigtimedwait(&children, NULL, &pause);
    }
    kill(-worker, SIGKILL); /* what it may have left running */
    if (is_slow || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return (struct verdict){.end = child_end_SLOW};
    if (WIFSIGNALED(status))
        return (struct verdict){.end = child_end_CRASHED, .status = WTERMSIG(status)};
    return (struct verdict){.end = WEXITSTATUS(status) ? child_end_FAILED : child_end_DONE,
                            .status = WEXITSTATUS(status)};
}

static void be_keeper(const struct child_job *job, const int ends[3])
{
    setpgid(0, 0);
    reset_signals();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    const char *base = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/assay-XXXXXX",
             base && *base == '/' && strlen(base) < 4000 ? base : "/tmp");
    struct verdict verdict = {0};
    bool has_folder = job->wants_folder && mkdtemp(path);
    if (job->wants_folder && (!has_folder || chdir(path))) {
        verdict.number = errno;
    } else {
        pid_t worker = fork();
        if (worker == 0)
            be_worker(job, ends);
        if (worker > 0)
            setpgid(worker, worker);
        verdict.number = worker < 0 ? errno : 0;
        close(ends[0]);
        close(ends[1]);
        if (worker > 0)
            verdict = wait_for_worker(worker, job->seconds);
    }
    if (has_folder && !chdir("/"))
        remove_folder(path);
    ssize_t written = write(ends[2], &verdict, sizeof verdict);
    _exit(written == sizeof verdict ? 0 : 1);
}

/* Takes what is there; false at the end of the stream or of the room. */
static bool take(int descriptor, struct array *text, size_t most, bool *is_large)
{
    char part[65536];
    ssize_t count = read(descriptor, part, sizeof part);
    if (count < 0)
        return errno == EINTR;
    if (count == 0)
        return false;
    if ((size_t)count > most - text->count) {
        *is_large = true;
        return false;
    }
    memcpy(array_add_many(text, (size_t)count), part, (size_t)count);
    return true;
}

/* Reads both streams.  Messages beyond their room are read and forgotten; output beyond its room ends it,
   and closing the pipe ends the worker. */
static bool take_all(const int streams[2], const struct child_job *job, struct child_answer *answer)
{
    bool is_open[2] = {true, true}, is_large = false;
    while (is_open[0] || is_open[1]) {
        struct pollfd waits[2];
        for (int i = 0; i < 2; i++)
            waits[i] = (struct pollfd){.fd = is_open[i] ? streams[i] : -1, .events = POLLIN};
        if (poll(waits, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        if (waits[0].revents)
            is_open[0] = take(streams[0], &answer->output, job->most_output, &is_large);
        if (is_large)
            break;
        bool is_full = false;
        if (waits[1].revents)
            is_open[1] = take(streams[1], &answer->messages, most_messages, &is_full) || is_full;
    }
    return is_large;
}

static void close_all(int *ends, int count)
{
    for (int i = 0; i < count; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* Whoever started us may have closed standard streams: their numbers must not be those of pipes. */
static int above_standard(int descriptor)
{
    if (descriptor > STDERR_FILENO)
        return descriptor;
    int other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return other;
}

bool child_run(const struct child_job *job, struct child_answer *answer, struct error *error)
{
    *answer = (struct child_answer){.output = ARRAY_OF(char), .messages = ARRAY_OF(char)};
    int read_ends[3] = {-1, -1, -1}, write_ends[3] = {-1, -1, -1};
    pid_t keeper = -1;
    for (int i = 0; i < 3; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC)) {
            error_set_errno(error, NULL, "cannot make a pipe");
            goto close_both;
        }
        read_ends[i] = above_standard(both[0]);
        write_ends[i] = above_standard(both[1]);
    }
    keeper = fork();
    if (keeper == 0) {
        close_all(read_ends, 3); /* or nobody would notice that Assay stopped reading */
        be_keeper(job, write_ends);
    }
    if (keeper < 0)
        error_set_errno(error, NULL, "cannot make a process");
close_both:
    close_all(write_ends, 3);
    if (keeper < 0) {
        close_all(read_ends, 3);
        return false;
    }
    bool is_large = take_all(read_ends, job, answer);
    close_all(read_ends, 2);
    struct verdict verdict = {.end = child_end_CRASHED};
    ssize_t got;
    while ((got = read(read_ends[2], &verdict, sizeof verdict)) < 0 && errno == EINTR)
        ;
    close(read_ends[2]);
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = verdict.number;
    if (got == sizeof verdict && verdict.number) {
        child_answer_free(answer);
        return error_set_errno(error, NULL, "cannot make a process and its folder in $TMPDIR or /tmp");
    }
    answer->end = is_large ? child_end_LARGE : got == sizeof verdict ? verdict.end : child_end_CRASHED;
    answer->status = verdict.status;
    return true;
}

void child_answer_free(struct child_answer *answer)
{
    array_free(&answer->output);
    array_free(&answer->messages);
}
