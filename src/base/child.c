/* A separate process for work on hostile text, and a second one that watches it.

       Assay ── keeper ── worker (── what the worker starts)

   The worker has limits on memory, processor time and file sizes, leads a process group, and writes its
   answer into two pipes that Assay reads.  The keeper creates the private folder, waits for the worker until
   the deadline, kills the whole group, removes the folder and reports the outcome through a third pipe. It
   ignores the signals of a terminal, and learns when Assay ends for any reason: then it kills the worker and
   cleans up.

   Both are forked, not spawned, because the work may be a function of Assay and the folder must be removed in
   any case. Everything needed between fork and exec is prepared before: other threads may hold any lock.
   Neither returns into the caller's code: they end with _exit.

   Arguments of a command come from hostile files too, and whoever wrote these may also have filled the
   current directory. So the worker runs in another directory, where no program finds an attacker's settings
   file; programs are looked up only in absolute folders of PATH; and an argument that starts with @, which
   makes compilers and binutils read options from a file, is never passed on. That is the last line of
   defence: callers already make sure that there is none. */
#include "base/child.h"

#include "base/clock.h"
#include "base/confine.h"
#include "base/forked.h"
#include "base/interrupt.h"
#include "base/leftovers.h"

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

enum { MOST_MESSAGES = 1 << 16, GRACE_MILLISECONDS = 2000, LOOK_MILLISECONDS = 100 };

/* Exit statuses of a worker whose program could not be executed, as in shells. */
enum { STATUS_REFUSED = 126, STATUS_MISSING = 127 };

/* The keeper's report in its pipe. */
struct verdict {
    int32_t end, status, number; /* number: errno if no worker could be started */
};

/* "PATH=" and its absolute folders; the usual ones if it has none. To be freed. */
static char *absolute_path_list(void)
{
    static const char start[] = "PATH=", usual[] = "/usr/local/bin:/usr/bin:/bin";
    const char *list = getenv("PATH");
    list = list ? list : usual;
    char *kept = memory_get(sizeof start + sizeof usual + strlen(list)), *end = stpcpy(kept, start);
    for (size_t length; *list; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        if (*list != '/')
            continue;
        if (end[-1] != '=')
            *end++ = ':';
        end = mempcpy(end, list, length);
    }
    if (end[-1] == '=')
        stpcpy(end, usual);
    return kept;
}

char *child_find_program(const char *name)
{
    char *list = absolute_path_list(), *rest = list + strlen("PATH="), *found = NULL;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        char *path = memory_format("%s/%s", folder, name);
        struct stat facts;
        if (*folder && !stat(path, &facts) && S_ISREG(facts.st_mode) && !access(path, X_OK))
            found = path;
        else
            free(path);
    }
    free(list);
    return found;
}

/* Assay's environment, except for the language of messages and PATH. */
struct plain_environment {
    char **all;
    char *path; /* among them */
};

static struct plain_environment plain_environment(void)
{
    static char plain[] = "LC_ALL=C", no_settings[] = "CLANG_NO_DEFAULT_CONFIG=1";
    static const char *const replaced[] = {"LC_ALL=", "LANGUAGE=", "PATH=", "CLANG_NO_DEFAULT_CONFIG="};
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    struct plain_environment made = {memory_get((count + 4) * sizeof *made.all), absolute_path_list()};
    for (size_t i = 0; i < count; i++) {
        bool is_replaced = false;
        for (size_t j = 0; j < sizeof replaced / sizeof *replaced; j++)
            is_replaced |= !strncmp(environ[i], replaced[j], strlen(replaced[j]));
        if (!is_replaced)
            made.all[kept++] = environ[i];
    }
    made.all[kept++] = plain;
    made.all[kept++] = no_settings;
    made.all[kept] = made.path;
    return made;
}

bool child_write(const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t part = write(STDOUT_FILENO, (const char *)data + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        done += (size_t)part;
    }
    return true;
}

static ssize_t write_part(void *context, const char *bytes, size_t size)
{
    (void)context;
    return child_write(bytes, size) ? (ssize_t)size : 0;
}

FILE *child_stream(void)
{
    return fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_part});
}

void child_execute(const char *const *words)
{
    for (const char *const *word = words; *word; word++)
        if (**word == '@') {
            dprintf(STDERR_FILENO, "the argument %.200s would make it read options from a file\n", *word);
            _exit(STATUS_REFUSED);
        }
    execvp(words[0], (char *const *)words);
    int number = errno;
    if (number == ENOENT)
        _exit(STATUS_MISSING);
    dprintf(STDERR_FILENO, "%s\n", strerror(number));
    _exit(STATUS_REFUSED);
}

/* Confined as far as this kernel can. */
static void lock_up(void)
{
    static const char must[] =
        "this kernel cannot confine a process (seccomp), and ASSAY_CONFINE=must is set\n";
    const char *wish = getenv("ASSAY_CONFINE");
    if (confine() || !wish || strcmp(wish, "must") != 0)
        return;
    if (write(STDERR_FILENO, must, sizeof must - 1) < 0)
        _exit(2);
    _exit(1);
}

static void be_worker(const struct child_job *job, const int ends[2], pid_t keeper)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    forked_begin();
    if (getppid() != keeper)
        _exit(1);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    dup2(ends[0], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    if (job->is_confined)
        forked_close_others(job->kept ? job->kept : -1, -1, true);
    forked_limit(RLIMIT_CORE, 0);
    if (job->limits.seconds)
        forked_limit_seconds(job->limits.seconds + 1);
    forked_limit(RLIMIT_FSIZE, job->limits.file_size);
    if (job->work) {
        forked_limit_memory(job->limits.memory);
        if (job->is_confined)
            lock_up();
        int status = job->work(job->context);
        if (status || !job->words)
            _exit(status & 0xff);
    }
    forked_limit(RLIMIT_AS, job->limits.memory);
    child_execute(job->words);
}

static int64_t milliseconds(void)
{
    return (int64_t)(clock_monotonic_nanoseconds() / 1000000);
}

static struct verdict verdict_on(int status, bool is_slow, bool is_program)
{
    if (is_slow || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return (struct verdict){.end = child_end_SLOW};
    if (WIFSIGNALED(status))
        return (struct verdict){.end = child_end_CRASHED, .status = WTERMSIG(status)};
    int number = WEXITSTATUS(status);
    bool is_missing = is_program && number == STATUS_MISSING;
    return (struct verdict){.end = is_missing ? child_end_MISSING
                                   : number   ? child_end_FAILED
                                              : child_end_DONE,
                            .status = number};
}

/* The signals that the keeper waits for (blocked otherwise): the worker ended, Assay ended. */
static void watch_signals(sigset_t *watched)
{
    sigemptyset(watched);
    sigaddset(watched, SIGCHLD);
    sigaddset(watched, SIGTERM);
}

static bool ends_gently(const struct child_job *job)
{
    return job->ends_by_interrupt || job->must_end;
}

static bool has_to_end(const struct child_job *job)
{
    return job->must_end ? job->must_end(job->taker) : job->ends_by_interrupt && interrupt_came();
}

static struct verdict wait_for_worker(pid_t worker, pid_t parent, const struct child_job *job)
{
    sigset_t watched;
    watch_signals(&watched);
    int64_t deadline = job->limits.seconds ? milliseconds() + (int64_t)job->limits.seconds * 1000 : INT64_MAX;
    int status = 0;
    bool is_slow = false, was_asked = false;
    while (!waitpid(worker, &status, WNOHANG)) {
        int64_t left = deadline - milliseconds();
        if (left <= 0 || (getppid() != parent && !ends_gently(job))) {
            is_slow = true;
            kill(-worker, SIGKILL);
            waitpid(worker, &status, 0);
            break;
        }
        struct timespec pause = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
        if (sigtimedwait(&watched, NULL, &pause) != SIGTERM)
            continue;
        bool is_gentle = ends_gently(job) && !was_asked;
        deadline = milliseconds() + (is_gentle ? GRACE_MILLISECONDS : 0);
        was_asked = true;
        if (is_gentle)
            kill(-worker, SIGTERM);
    }
    kill(-worker, SIGKILL); /* processes that it left running */
    return verdict_on(status, is_slow, job->words);
}

static void be_keeper(const struct child_job *job, pid_t parent, const int ends[3])
{
    setpgid(0, 0);
    forked_begin();
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigset_t watched;
    watch_signals(&watched);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before that */
        raise(SIGTERM);
    const char *base = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/assay-XXXXXX",
             base && *base == '/' && strlen(base) < 4000 ? base : "/tmp");
    struct verdict verdict = {0};
    bool has_folder = job->place == child_place_PRIVATE && mkdtemp(path);
    const char *place = has_folder ? path : job->place == child_place_ROOT ? "/" : ".";
    if ((job->place == child_place_PRIVATE && !has_folder) || chdir(place)) {
        verdict.number = errno;
    } else {
        /* Before a program, the worker touches no memory but its stack, and a copy of a large process takes
           long. */
        pid_t keeper = getpid(), worker = job->work ? fork() : vfork();
        if (worker == 0)
            be_worker(job, ends, keeper);
        if (worker > 0)
            setpgid(worker, worker);
        verdict.number = worker < 0 ? errno : 0;
        close(ends[0]);
        close(ends[1]);
        if (worker > 0)
            verdict = wait_for_worker(worker, parent, job);
    }
    if (has_folder && !chdir("/"))
        leftovers_remove_folder(path);
    ssize_t written = write(ends[2], &verdict, sizeof verdict);
    _exit(written == sizeof verdict ? 0 : 1);
}

/* Reads what is available; false at the end of the stream, when the buffer is full, or when whoever takes it
   wants no more. */
static bool take(int descriptor, bool (*taker)(void *, const char *, size_t), void *context,
                 struct array *text, size_t most, bool *is_large)
{
    char part[65536];
    ssize_t count = read(descriptor, part, sizeof part);
    if (count < 0)
        return errno == EINTR;
    if (count == 0)
        return false;
    if (taker) {
        *is_large = !taker(context, part, (size_t)count);
        return !*is_large;
    }
    if ((size_t)count > most - text->count) {
        *is_large = true;
        return false;
    }
    memcpy(array_add_many(text, (size_t)count), part, (size_t)count);
    return true;
}

/* Reads both streams, until the keeper has reported. Messages beyond their limit are read and dropped; output
   beyond its limit ends the worker. */
static bool take_all(const int ends[3], const struct child_job *job, pid_t keeper,
                     struct child_answer *answer)
{
    bool is_open[3] = {true, true, true}, is_large = false, was_asked = false;
    while (is_open[0] || is_open[1] || is_open[2]) {
        if (!was_asked && (is_large || has_to_end(job)))
            was_asked = !kill(keeper, SIGTERM);
        struct pollfd waits[3];
        for (int i = 0; i < 3; i++)
            waits[i] = (struct pollfd){.fd = is_open[i] ? ends[i] : -1, .events = POLLIN};
        if (poll(waits, 3, ends_gently(job) ? LOOK_MILLISECONDS : -1) < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        if (waits[0].revents)
            is_open[0] = take(ends[0], job->take, job->taker, &answer->output, job->limits.output, &is_large);
        if (waits[0].revents && !is_large && job->tell)
            job->tell(&answer->output);
        bool is_full = false;
        if (waits[1].revents)
            is_open[1] =
                take(ends[1], job->take_messages, job->taker, &answer->messages, MOST_MESSAGES, &is_full) ||
                is_full;
        is_open[2] = is_open[2] && !waits[2].revents;
    }
    return is_large;
}

static void close_all(const int *ends, int count)
{
    for (int i = 0; i < count; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* The parent may have closed standard streams: pipes must not get their numbers. */
static int above_standard(int descriptor)
{
    if (descriptor > STDERR_FILENO)
        return descriptor;
    int other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return other;
}

/* Pipes for the two streams and the keeper's report. */
static bool make_pipes(int read_ends[3], int write_ends[3], struct error *error)
{
    for (int i = 0; i < 3; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC))
            return error_set_errno(error, NULL, "cannot create a pipe");
        read_ends[i] = above_standard(both[0]);
        write_ends[i] = above_standard(both[1]);
    }
    return true;
}

static pid_t start_keeper(const struct child_job *job, const int read_ends[3], const int write_ends[3],
                          struct error *error)
{
    struct plain_environment plain = plain_environment();
    pid_t parent = getpid(), keeper = forked_make();
    if (keeper == 0) {
        close_all(read_ends, 3); /* otherwise writers would not notice that Assay stopped reading */
        environ = plain.all;
        be_keeper(job, parent, write_ends);
    }
    if (keeper < 0)
        error_set_errno(error, NULL, "cannot create a process");
    free(plain.all);
    free(plain.path);
    return keeper;
}

static struct verdict take_verdict(pid_t keeper, int descriptor)
{
    struct verdict verdict;
    ssize_t got;
    while ((got = read(descriptor, &verdict, sizeof verdict)) < 0 && errno == EINTR)
        ;
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    return got == sizeof verdict ? verdict : (struct verdict){.end = child_end_CRASHED};
}

static void end_text(struct array *text)
{
    array_add(text);
    text->count--;
}

bool child_run(const struct child_job *job, struct child_answer *answer, struct error *error)
{
    *answer = (struct child_answer){.output = ARRAY_OF(char), .messages = ARRAY_OF(char)};
    int read_ends[3] = {-1, -1, -1}, write_ends[3] = {-1, -1, -1};
    pid_t keeper = -1;
    if (make_pipes(read_ends, write_ends, error))
        keeper = start_keeper(job, read_ends, write_ends, error);
    close_all(write_ends, 3);
    if (keeper < 0) {
        close_all(read_ends, 3);
        return false;
    }
    bool is_large = take_all(read_ends, job, keeper, answer);
    close_all(read_ends, 2);
    struct verdict verdict = take_verdict(keeper, read_ends[2]);
    close(read_ends[2]);
    end_text(&answer->output);
    end_text(&answer->messages);
    bool is_stopped = verdict.end != child_end_DONE && has_to_end(job);
    answer->end = is_large ? child_end_LARGE : is_stopped ? child_end_STOPPED : (enum child_end)verdict.end;
    answer->status = verdict.status;
    if (verdict.number) {
        errno = verdict.number;
        error_set_errno(error, NULL, "cannot create a process%s",
                        job->place == child_place_PRIVATE ? " and its folder in $TMPDIR or /tmp" : "");
    } else if (job->words && answer->end == child_end_FAILED && verdict.status == STATUS_REFUSED) {
        char *why = answer->messages.data;
        error_set(error, job->words[0], "cannot be run: %.*s", (int)strcspn(why, "\n"), why);
    } else {
        return true;
    }
    child_answer_free(answer);
    return false;
}

bool child_met_limit(const struct child_answer *answer)
{
    switch (answer->end) {
    case child_end_SLOW:
    case child_end_LARGE:
        return true;
    case child_end_CRASHED:
        return answer->status == SIGXFSZ || answer->status == SIGKILL;
    case child_end_FAILED:
        return strstr(answer->messages.data, "out of memory") ||
               strstr(answer->messages.data, "memory exhausted");
    default:
        return false;
    }
}

void child_answer_free(struct child_answer *answer)
{
    array_free(&answer->output);
    array_free(&answer->messages);
}
