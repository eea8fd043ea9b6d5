/* The command runs in a group of its own, so Ctrl-C reaches Assay alone.  A thread sees that, ends the group,
   and the build returns as a failed one: only then can the folder be removed for good.  The same thread shows
   the last line of the output as progress. */
#include "run/launch/building.h"

#include "base/child.h"
#include "base/progress.h"
#include "base/text.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DAY = 24 * 3600, TAIL = 4096, LAST_LINES = 20, PAUSE_MICROSECONDS = 100000, MOST_LEVELS = 40 };

static volatile sig_atomic_t interrupted_by;

static void note_signal(int number)
{
    interrupted_by = number;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Shared with the process that becomes the command. */
struct shared {
    atomic_int process;
};

struct running {
    const struct building *building;
    struct shared *shared;
    atomic_bool is_done;
};

/* In that process. */
static int enter(void *context)
{
    const struct running *running = context;
    static const char *const names[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    int log = open(running->building->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log < 0 || chdir(running->building->directory))
        return 1;
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    atomic_store(&running->shared->process, (int)getpid());
    return 0;
}

/* The end of a file, to be freed. */
static char *read_tail(const char *path)
{
    char *text = memory_get(TAIL + 1);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    off_t from = size > TAIL ? size - TAIL : 0;
    ssize_t length = file < 0 ? 0 : pread(file, text, TAIL, from);
    text[length > 0 ? length : 0] = 0;
    if (file >= 0)
        close(file);
    return text;
}

static void show_progress(const struct building *building)
{
    enum { MOST_SHOWN = 60 };
    char *tail = read_tail(building->log);
    size_t length = strlen(tail);
    while (length && tail[length - 1] == '\n')
        tail[--length] = 0;
    char *line = strrchr(tail, '\n');
    line = line ? line + 1 : tail;
    char *safe = text_safe(line, strnlen(line, MOST_SHOWN));
    char *words = memory_format("building %s: %s", building->name, safe);
    progress_tell(words, 0, 0);
    free(words);
    free(safe);
    free(tail);
}

static void *look_after(void *context)
{
    struct running *running = context;
    while (!atomic_load(&running->is_done)) {
        int process = atomic_load(&running->shared->process);
        if (interrupted_by && process)
            kill(-process, SIGTERM);
        show_progress(running->building);
        usleep(PAUSE_MICROSECONDS);
    }
    return NULL;
}

static bool run_command(struct running *running, struct child_answer *answer, struct error *error)
{
    struct child_job job = {
        .words = running->building->words,
        .work = enter,
        .context = running,
        .place = child_place_PRESENT,
        .limits = {
            .memory = UINT64_C(1) << 60, .file_size = UINT64_C(1) << 60, .output = 1 << 20, .seconds = DAY}};
    struct sigaction before[SIGNALS], action = {.sa_handler = note_signal};
    pthread_t thread;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < SIGNALS; i++)
        if (!sigaction(signals[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    bool has_thread = !pthread_create(&thread, NULL, look_after, running);
    bool done = child_run(&job, answer, error);
    atomic_store(&running->is_done, true);
    if (has_thread)
        pthread_join(thread, NULL);
    progress_clear();
    for (unsigned i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    return done;
}

static bool is_newer(const struct timespec *time, const struct timespec *than)
{
    return time->tv_sec != than->tv_sec ? time->tv_sec > than->tv_sec : time->tv_nsec >= than->tv_nsec;
}

/* Programs and libraries, not objects. */
static bool is_program(int folder, const char *name)
{
    unsigned char head[EI_NIDENT + 2] = {0};
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, head, sizeof head);
    if (file >= 0)
        close(file);
    unsigned type = head[EI_DATA] == ELFDATA2MSB ? head[EI_NIDENT + 1] : head[EI_NIDENT];
    return length == sizeof head && !memcmp(head, ELFMAG, SELFMAG) && (type == ET_EXEC || type == ET_DYN);
}

static void find_made(int parent, const char *name, const char *path, const struct timespec *since,
                      int levels, struct array *made)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    if (!entries && folder >= 0)
        close(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        struct stat status;
        if (entry->d_name[0] == '.' || fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
            continue;
        char *inner = memory_format("%s%s%s", path, *path ? "/" : "", entry->d_name);
        if (S_ISDIR(status.st_mode) && levels)
            find_made(folder, entry->d_name, inner, since, levels - 1, made);
        bool is_made =
            S_ISREG(status.st_mode) && is_newer(&status.st_mtim, since) && is_program(folder, entry->d_name);
        if (is_made)
            *(char **)array_push(made) = inner;
        else
            free(inner);
    }
    if (entries)
        closedir(entries);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_last_lines(const struct building *building)
{
    char *tail = read_tail(building->log), *from = tail + strlen(tail);
    for (unsigned lines = 0; from > tail && lines <= LAST_LINES; lines += *from == '\n')
        from--;
    from += *from == '\n';
    building->last_lines->count = 0;
    memcpy(array_add_many(building->last_lines, strlen(from) + 1), from, strlen(from) + 1);
    free(tail);
}

static bool judge(const struct building *building, const struct child_answer *answer, bool has_entered,
                  struct error *error)
{
    const char *command = building->words[0];
    if (interrupted_by)
        return error_set(error, NULL, "interrupted while %s was being built", building->name);
    switch (answer->end) {
    case child_end_DONE:
        return true;
    case child_end_MISSING:
        return error_set(error, command, "not found, so %s cannot be built", building->name);
    case child_end_CRASHED:
        return error_set(error, command, "signal %d ended the build of %s", answer->status, building->name);
    case child_end_FAILED:
        if (!has_entered)
            return error_set(error, NULL, "%s does not have the current directory", building->name);
        return error_set(error, command, "the build of %s failed with status %d", building->name,
                         answer->status);
    default:
        return error_set(error, command, "the build of %s took more than a day", building->name);
    }
}

bool building_run(struct building *building, struct error *error)
{
    struct running running = {.building = building};
    struct child_answer answer;
    struct stat started;
    int log = open(building->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log < 0 || write(log, "\n", 1) != 1 || fstat(log, &started))
        return error_set_errno(error, building->log, "cannot be written");
    close(log);
    running.shared =
        mmap(NULL, sizeof *running.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (running.shared == MAP_FAILED)
        return error_set_errno(error, NULL, "cannot share memory with a child process");
    bool done = run_command(&running, &answer, error);
    bool has_entered = atomic_load(&running.shared->process);
    munmap(running.shared, sizeof *running.shared);
    if (!done)
        return false;
    done = judge(building, &answer, has_entered, error);
    child_answer_free(&answer);
    if (!done && !interrupted_by)
        keep_last_lines(building);
    if (!done)
        return false;
    find_made(AT_FDCWD, building->root, "", &started.st_mtim, MOST_LEVELS, building->made);
    if (building->made->count)
        qsort(building->made->data, building->made->count, sizeof(char *), by_text);
    return true;
}

void building_end_if_interrupted(void)
{
    if (!interrupted_by)
        return;
    signal(interrupted_by, SIG_DFL);
    raise(interrupted_by);
}
