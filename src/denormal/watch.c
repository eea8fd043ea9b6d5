/* Starts a program under the profiler or the tracer and waits for it.

   The program has our standard streams, our terminal and our process group, as if a shell had started it.
   Signals that would end us go to it instead, and we wait for it to end: everything recorded until then is
   kept. A signal of the terminal reached it already, because the terminal sends it to the whole group; only
   signals sent to us alone are passed on. SIGUSR1, which begins a phase, is passed on too.

   Recordings are files of a private folder. The profiler's are mapped into memory and the tracer's are
   written as they grow, so they exist however the program ended. If we are killed ourselves, a guard ends the
   program and removes the folder. */
#include "denormal/guard.h"
#include "denormal/launch.h"
#include "denormal/parts.h"

#include "base/leftovers.h"
#include "base/path.h"
#include "base/regular_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Becomes the program, or sends errno through the pipe. */
static void become(const struct denormal_launch *launch, const struct denormal_options *options,
                   const struct manners *before, int report)
{
    for (int i = 0; i < PASSED_ON; i++)
        if (before->actions[i].sa_handler != SIG_IGN)
            signal(passed_on[i], SIG_DFL);
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    if (options->is_diverted)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvpe(launch->file, launch->words.data, launch->environment.data);
    int number = errno;
    ssize_t written = write(report, &number, sizeof number);
    _exit(written == sizeof number ? 127 : 126);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void wait_for(pid_t process, struct denormal_recording *recording)
{
    int status = 0;
    pid_t got;
    while ((got = waitpid(process, &status, 0)) < 0 && errno == EINTR)
        ;
    recording->exit_status = got == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    recording->end_signal = got == process && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Runs it to its end. */
static bool run(const struct denormal_launch *launch, struct denormal_recording *recording,
                const struct guard *guard, struct error *error)
{
    int ends[2], number = 0;
    if (pipe2(ends, O_CLOEXEC))
        return error_set_errno(error, NULL, "cannot create a pipe");
    struct manners before;
    take_signals(&before);
    double start = seconds_now();
    pid_t process = fork();
    if (process == 0)
        become(launch, &recording->options, &before, ends[1]);
    if (process < 0)
        error_set_errno(error, NULL, "cannot create a process");
    watched_process = process;
    if (process > 0)
        guard_program(guard, process);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    close(ends[1]);
    ssize_t got = 0;
    if (process > 0)
        while ((got = read(ends[0], &number, sizeof number)) < 0 && errno == EINTR)
            ;
    close(ends[0]);
    if (process > 0)
        wait_for(process, recording);
    recording->seconds = seconds_now() - start;
    recording->process = process > 0 ? (uint32_t)process : 0;
    watched_process = 0;
    give_signals_back(&before);
    if (got == sizeof number) {
        errno = number;
        return error_set_errno(error, launch->file, "cannot be run");
    }
    return process > 0;
}

/* The process of a recording, from its name: 123.dart, 123-1.dart, dip.123, dip.123.2. */
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

static void sort_processes(struct array *paths, unsigned long own)
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

static bool is_recording(const char *name, enum denormal_tool tool)
{
    static const char beginning[] = "dip.", ending[] = ".dart";
    size_t length = strlen(name), size = sizeof ending - 1;
    return tool == denormal_tool_TRACER ? length > size && !strcmp(name + length - size, ending)
                                        : !strncmp(name, beginning, sizeof beginning - 1);
}

static void list_processes(struct denormal_recording *recording)
{
    struct array paths = ARRAY_OF(char *);
    DIR *folder = opendir(recording->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat facts;
        if (is_recording(entry->d_name, recording->options.tool) &&
            !fstatat(dirfd(folder), entry->d_name, &facts, 0) && S_ISREG(facts.st_mode) && facts.st_size)
            *(char **)array_push(&paths) = memory_format("%s/%s", recording->folder, entry->d_name);
    }
    if (folder)
        closedir(folder);
    sort_processes(&paths, recording->process);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = *ARRAY_AT(char *, &paths, i);
        *(struct denormal_process **)array_push(&recording->processes) = denormal_process_make(path);
        free(path);
    }
    array_free(&paths);
}

/* The watched program could reach the folder as well. */
static FILE *open_log(const char *path)
{
    int file = regular_file_open(path, NULL, NULL);
    return file < 0 ? NULL : fdopen(file, "r");
}

/* Valgrind ends programs whose instructions it cannot decode by SIGILL, and says so. */
static bool has_met_unknown_code(const struct denormal_recording *recording)
{
    if (recording->options.tool != denormal_tool_TRACER || recording->end_signal != SIGILL)
        return false;
    char *path = memory_format("%s/%u.log", recording->folder, recording->process), line[300];
    FILE *log = open_log(path);
    bool has_met = false;
    while (log && !has_met && fgets(line, sizeof line, log))
        has_met = strstr(line, "unhandled instruction") || strstr(line, "Unrecognised instruction");
    if (log)
        fclose(log);
    free(path);
    return has_met;
}

/* Valgrind's message, in one line; or why there may be nothing. */
static bool tell_why_nothing(const struct denormal_recording *recording, struct error *error)
{
    const char *program = recording->options.words[0];
    char *path = memory_format("%s/%u.log", recording->folder, recording->process), line[300] = "";
    FILE *log = recording->options.tool == denormal_tool_TRACER ? open_log(path) : NULL;
    const char *text = log && fgets(line, sizeof line, log) ? line : NULL;
    if (log)
        fclose(log);
    free(path);
    line[strcspn(line, "\n")] = 0;
    if (text && !strncmp(text, "valgrind: ", 10))
        text += 10;
    else if (text && !strncmp(text, "==", 2) && strstr(text, "== "))
        text = strstr(text, "== ") + 3;
    if (text && *text)
        return error_set(error, program, "could not be traced: Valgrind says: %s", text);
    if (recording->end_signal)
        return error_set(error, program, "signal %d (%s) ended it before anything was recorded",
                         recording->end_signal, strsignal(recording->end_signal));
    if (recording->options.tool == denormal_tool_TRACER)
        return error_set(error, program,
                         "left no recording of the tracer; is there room in the folder for temporary files "
                         "($TMPDIR, else /tmp)?");
    return error_set(error, program,
                     "left no recording of the profiler: it may have started a program that libraries cannot "
                     "be loaded into; try assay denormals trace");
}

/* $TMPDIR, unless it contains characters that end a name in LD_PRELOAD or that the dynamic linker replaces.
 */
static char *make_folder(struct error *error)
{
    const char *base = getenv("TMPDIR");
    bool is_fit = base && *base == '/' && !strpbrk(base, " :;$%\t\n");
    char *path = memory_format("%s/assay-XXXXXX", is_fit ? base : "/tmp");
    if (mkdtemp(path))
        return path;
    error_set_errno(error, is_fit ? base : "/tmp", "cannot create a folder there");
    free(path);
    return NULL;
}

bool denormal_watch(const struct denormal_options *options, struct denormal_recording *recording,
                    struct error *error)
{
    *recording = (struct denormal_recording){
        .options = *options, .processes = ARRAY_OF(struct denormal_process *), .exit_status = -1};
    struct denormal_program program;
    struct denormal_launch launch;
    if (!denormal_find_program(options->words[0], &program, error))
        return false;
    recording->folder = make_folder(error);
    bool is_done = recording->folder;
    if (is_done) {
        leftovers_add(recording->folder);
        struct guard guard = guard_begin(recording->folder);
        is_done = denormal_prepare(&launch, options, &program, recording->folder, error) &&
                  run(&launch, recording, &guard, error);
        guard_end(&guard);
        denormal_free_launch(&launch);
    }
    denormal_free_program(&program);
    if (is_done) {
        recording->is_unknown_code = has_met_unknown_code(recording);
        list_processes(recording);
        is_done = recording->processes.count || tell_why_nothing(recording, error);
    }
    if (!is_done)
        denormal_forget(recording);
    return is_done;
}

void denormal_forget(struct denormal_recording *recording)
{
    for (size_t i = 0; i < recording->processes.count; i++)
        denormal_process_free(*ARRAY_AT(struct denormal_process *, &recording->processes, i));
    array_free(&recording->processes);
    if (recording->folder) {
        leftovers_remove_folder(recording->folder);
        leftovers_drop(recording->folder);
    }
    free(recording->folder);
    recording->folder = NULL;
}
