/* Jobs as processes of this computer.

   A job is a shell that runs the script of engine/script.c, in a session of its own, bound to its processors.
   It needs nobody: it goes on when the scheduler ends or is killed, and writes its end into the spool. A
   scheduler that comes later finds the number of the shell in the spool. A number can be used again by
   another process, so a shell counts as ours only while its command line names the script, and only in the
   same boot.

   A shell that is gone without an end was killed; its children may still run. The job counts as lost when no
   process of its session is left.

   --hosts: names of parts of this computer (a:2,b:2), or of the whole; without it there is one host with the
   processors that the scheduler itself may use. Jobs are bound to processors (sched_setaffinity) where there
   are as many as the hosts say. */
#include "plan/schedule/engine/script.h"

#include "base/clock.h"
#include "base/strings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSORS = 4096, MOST_WATCHED = 512, LONGEST_PAUSE = 1000 /* milliseconds */, LOOKS = 3 };

struct part {
    char *name;
    uint32_t first, count;
};

struct started {
    char *tag;
    pid_t process;
};

struct engine {
    char *spool;
    struct array parts;   /* of part */
    struct array started; /* of started: children of this process, to be waited for */
    struct array watched; /* of pid_t: shells that ran at the last poll */
    int *processors;      /* numbers that the kernel gives them */
    uint32_t count;       /* of them */
    uint32_t said;        /* by the hosts */
};

static double now(struct engine *engine)
{
    (void)engine;
    return clock_calendar_seconds();
}

static void find_processors(struct engine *engine)
{
    cpu_set_t *set = CPU_ALLOC(MOST_PROCESSORS);
    size_t size = CPU_ALLOC_SIZE(MOST_PROCESSORS);
    engine->processors = memory_get(MOST_PROCESSORS * sizeof *engine->processors);
    CPU_ZERO_S(size, set);
    if (!sched_getaffinity(0, size, set))
        for (int i = 0; i < MOST_PROCESSORS; i++)
            if (CPU_ISSET_S(i, size, set))
                engine->processors[engine->count++] = i;
    if (!engine->count)
        engine->count = 1;
    CPU_FREE(set);
}

static bool add_part(struct engine *engine, const char *text, size_t length, struct error *error)
{
    char *name = memory_copy_text(text, length), *colon = strchr(name, ':'), *end = NULL;
    unsigned long count = colon ? strtoul(colon + 1, &end, 10) : engine->count;
    bool is_good =
        length && colon != name && (!colon || (colon[1] && !*end)) && count && count <= MOST_PROCESSORS;
    if (colon)
        *colon = 0;
    for (size_t i = 0; is_good && i < engine->parts.count; i++)
        is_good = strcmp(ARRAY_AT(struct part, &engine->parts, i)->name, name) != 0;
    if (!is_good) {
        error_set(error, NULL,
                  "--hosts takes NAME or NAME:PROCESSORS, separated by commas, each name once; not '%.*s'",
                  (int)length, text);
        free(name);
        return false;
    }
    *(struct part *)array_add(&engine->parts) = (struct part){name, engine->said, (uint32_t)count};
    engine->said += (uint32_t)count;
    return true;
}

static bool find_parts(struct engine *engine, const char *hosts, struct error *error)
{
    char here[256] = "";
    if (gethostname(here, sizeof here - 1) || !*here)
        strcpy(here, "localhost");
    if (!hosts)
        return add_part(engine, here, strcspn(here, ":"), error);
    for (const char *at = hosts;; at++) {
        size_t length = strcspn(at, ",");
        if (!add_part(engine, at, length, error))
            return false;
        at += length;
        if (!*at)
            return true;
    }
}

static void close_local(struct engine *engine)
{
    for (size_t i = 0; i < engine->parts.count; i++)
        free(ARRAY_AT(struct part, &engine->parts, i)->name);
    for (size_t i = 0; i < engine->started.count; i++)
        free(ARRAY_AT(struct started, &engine->started, i)->tag);
    array_free(&engine->parts);
    array_free(&engine->started);
    array_free(&engine->watched);
    free(engine->processors);
    free(engine->spool);
    free(engine);
}

static struct engine *open_local(const struct engine_settings *settings, struct error *error)
{
    struct engine *engine = memory_get(sizeof *engine);
    engine->parts = ARRAY_OF(struct part);
    engine->started = ARRAY_OF(struct started);
    engine->watched = ARRAY_OF(pid_t);
    engine->spool = memory_format("%s", settings->spool);
    find_processors(engine);
    if (find_parts(engine, settings->hosts, error))
        return engine;
    close_local(engine);
    return NULL;
}

static bool list_hosts(struct engine *engine, struct array *hosts, struct error *error)
{
    (void)error;
    *hosts = ARRAY_OF(struct engine_host);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < engine->parts.count; i++) {
        const struct part *part = ARRAY_AT(struct part, &engine->parts, i);
        *(struct engine_host *)array_add(hosts) =
            (struct engine_host){.name = memory_format("%s", part->name),
                                 .processors = part->count,
                                 .memory = memory > 0 ? memory : NAN,
                                 .speed = 1,
                                 .load = NAN,
                                 .state = engine_host_UP};
    }
    return true;
}

/* Where there are fewer processors than the hosts say, the kernel shares them out itself. */
static void choose_processors(const struct engine *engine, const struct engine_job *job, cpu_set_t *set,
                              size_t size, bool *is_bound)
{
    CPU_ZERO_S(size, set);
    *is_bound = engine->said <= engine->count;
    for (unsigned i = 0; i < job->place_count; i++)
        for (size_t j = 0; j < engine->parts.count; j++) {
            const struct part *part = ARRAY_AT(struct part, &engine->parts, j);
            if (strcmp(part->name, job->places[i].host))
                continue;
            for (uint32_t n = 0; n < job->places[i].count; n++) {
                uint32_t number = part->first + job->places[i].first + n;
                if (number < engine->count)
                    CPU_SET_S(engine->processors[number], size, set);
            }
        }
    *is_bound = *is_bound && CPU_COUNT_S(size, set);
}

_Noreturn static void become_job(const char *script, const cpu_set_t *set, size_t size)
{
    sigset_t none;
    sigemptyset(&none);
    setsid();
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (set)
        sched_setaffinity(0, size, set);
    int empty = open("/dev/null", O_RDWR);
    for (int i = 0; empty >= 0 && i < 3; i++)
        dup2(empty, i);
    /* The lock and the ledger close by themselves; so does everything else that is ours. */
    syscall(SYS_close_range, 3u, ~0u, 0u);
    execl("/bin/sh", "sh", script, (char *)NULL);
    _exit(127);
}

static bool start_local(struct engine *engine, const struct engine_job *job, struct error *error)
{
    char *script = script_write(engine->spool, job, error);
    if (!script)
        return false;
    cpu_set_t *set = CPU_ALLOC(MOST_PROCESSORS);
    size_t size = CPU_ALLOC_SIZE(MOST_PROCESSORS);
    bool is_bound;
    choose_processors(engine, job, set, size, &is_bound);
    pid_t process = fork();
    if (!process)
        become_job(script, is_bound ? set : NULL, size);
    CPU_FREE(set);
    free(script);
    if (process < 0)
        return error_set_errno(error, NULL, "no process could be made for %s", job->name);
    *(struct started *)array_add(&engine->started) = (struct started){memory_format("%s", job->tag), process};
    *(pid_t *)array_add(&engine->watched) = process;
    return true;
}

/* Ends of our own children are taken notice of, so that no dead processes stay around. */
static void reap(struct engine *engine)
{
    for (size_t i = 0; i < engine->started.count;) {
        struct started *started = ARRAY_AT(struct started, &engine->started, i);
        if (waitpid(started->process, NULL, WNOHANG) == 0) {
            i++;
            continue;
        }
        free(started->tag);
        *started = *ARRAY_AT(struct started, &engine->started, engine->started.count - 1);
        engine->started.count--;
    }
}

static pid_t own_child(const struct engine *engine, const char *tag)
{
    for (size_t i = 0; i < engine->started.count; i++)
        if (!strcmp(ARRAY_AT(struct started, &engine->started, i)->tag, tag))
            return ARRAY_AT(struct started, &engine->started, i)->process;
    return 0;
}

/* Whether this process is the shell of the tag: its command line names the script. */
static bool is_shell_of(pid_t process, const char *tag)
{
    char path[64], words[8192];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, words, sizeof words - 1);
    close(file);
    char *wanted = memory_format("/%s.sh", tag);
    bool is_it = false;
    for (ssize_t at = 0; at < length && !is_it; at += (ssize_t)strlen(words + at) + 1) {
        words[length] = 0;
        size_t size = strlen(words + at), end = strlen(wanted);
        is_it = size >= end && !strcmp(words + at + size - end, wanted);
    }
    free(wanted);
    return is_it;
}

/* The shell of a tag that has made its folder and not yet written its number; 0: none. */
static pid_t find_shell(const char *tag)
{
    DIR *folder = opendir("/proc");
    pid_t process = 0;
    for (struct dirent *entry; folder && !process && (entry = readdir(folder));) {
        pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);
        if (number > 0 && is_shell_of(number, tag))
            process = number;
    }
    if (folder)
        closedir(folder);
    return process;
}

/* Whether this is the boot in which it began. */
static bool is_since(double started)
{
    struct timespec up;
    clock_gettime(CLOCK_BOOTTIME, &up);
    return isnan(started) || started > now(NULL) - (double)up.tv_sec - 2;
}

/* Any living process of the session that the shell began. */
static bool has_session(pid_t session)
{
    DIR *folder = opendir("/proc");
    bool has = false;
    for (struct dirent *entry; folder && !has && (entry = readdir(folder));) {
        char path[300], text[512];
        if (*entry->d_name < '0' || *entry->d_name > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
        if (file >= 0)
            close(file);
        text[length > 0 ? length : 0] = 0;
        const char *rest = strrchr(text, ')');
        char state;
        long parent, group, of;
        has = rest && sscanf(rest + 1, " %c %ld %ld %ld", &state, &parent, &group, &of) == 4 &&
              of == session && state != 'Z' && state != 'X';
    }
    if (folder)
        closedir(folder);
    return has;
}

static void look(struct engine *engine, const char *tag, struct engine_status *status)
{
    struct script_begin begin = {.time = NAN};
    enum script_state state = script_look(engine->spool, tag, status, &begin);
    pid_t child = own_child(engine, tag);
    pid_t process = begin.process ? (pid_t)begin.process : child;
    bool is_alive = child || (process && is_since(begin.time) && is_shell_of(process, tag));
    /* It may have ended between both looks. And of two shells with one tag, the one that came second to the
       folder ends at once, while the other has not written its number yet. */
    for (unsigned looks = 0; looks < LOOKS && state == script_CLAIMED && !is_alive; looks++) {
        process = begin.process ? (pid_t)begin.process : find_shell(tag);
        is_alive = process && is_since(begin.time) && is_shell_of(process, tag);
        if (!is_alive)
            state = script_look(engine->spool, tag, status, &begin);
    }
    snprintf(status->job, sizeof status->job, "%ld", (long)process);
    switch (state) {
    case script_ENDED:
        status->state = engine_DONE;
        break;
    case script_UNCLAIMED:
        status->state = child ? engine_QUEUED : engine_UNKNOWN;
        break;
    case script_REVOKED:
        status->state = engine_LOST;
        snprintf(status->why, sizeof status->why, "it was cancelled before it began");
        break;
    case script_UNREADABLE:
        status->state = engine_UNREACHABLE;
        break;
    case script_CLAIMED:
        status->state = is_alive || (process && is_since(begin.time) && has_session(process)) ? engine_RUNNING
                                                                                              : engine_LOST;
        if (status->state == engine_LOST)
            snprintf(status->why, sizeof status->why,
                     "its process was killed, or the computer was switched off");
    }
    if (status->state == engine_RUNNING && is_alive)
        *(pid_t *)array_add(&engine->watched) = process;
}

static bool poll_local(struct engine *engine, const char *const *tags, unsigned count,
                       struct engine_status *status, struct error *error)
{
    reap(engine);
    engine->watched.count = 0;
    if (access(engine->spool, X_OK))
        return error_set_errno(error, engine->spool,
                               "what became of jobs cannot be told without this folder");
    for (unsigned i = 0; i < count; i++) {
        status[i] = (struct engine_status){.started = NAN, .ended = NAN, .cpu_seconds = NAN};
        look(engine, tags[i], &status[i]);
    }
    return true;
}

static bool cancel_local(struct engine *engine, const char *tag, struct error *error)
{
    bool has_begun;
    if (script_revoke(engine->spool, tag, &has_begun))
        return true;
    if (!has_begun)
        return error_set(error, engine->spool, "cannot be written, so that %s cannot be cancelled", tag);
    struct engine_status status = {0};
    struct script_begin begin = {.time = NAN};
    enum script_state state = script_look(engine->spool, tag, &status, &begin);
    pid_t process = begin.process ? (pid_t)begin.process : own_child(engine, tag);
    if (state != script_CLAIMED || !process || !is_since(begin.time))
        return true;
    if (own_child(engine, tag) || is_shell_of(process, tag) || has_session(process))
        kill(-process, SIGKILL);
    return true;
}

/* Sleeps until one of the shells ends; new ones are seen by their process, too. */
static void wait_local(struct engine *engine, double until)
{
    struct pollfd files[MOST_WATCHED];
    unsigned count = 0;
    double left = (until - now(engine)) * 1000;
    int pause = left <= 0 ? 0 : left > LONGEST_PAUSE ? LONGEST_PAUSE : (int)left + 1;
    for (size_t i = 0; i < engine->watched.count && count < MOST_WATCHED; i++) {
        int file = (int)syscall(SYS_pidfd_open, *ARRAY_AT(pid_t, &engine->watched, i), 0u);
        if (file >= 0)
            files[count++] = (struct pollfd){.fd = file, .events = POLLIN};
        else
            pause = pause > 50 ? 50 : pause;
    }
    poll(files, count, pause);
    for (unsigned i = 0; i < count; i++)
        close(files[i].fd);
}

const struct engine_kind engine_local = {.name = "local",
                                         .open = open_local,
                                         .close = close_local,
                                         .hosts = list_hosts,
                                         .start = start_local,
                                         .poll = poll_local,
                                         .cancel = cancel_local,
                                         .now = now,
                                         .wait = wait_local};
