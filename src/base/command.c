#include "base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool command_file_make(struct command_file *file, const void *data, size_t size, struct error *error)
{
    file->descriptor = memfd_create("assay", 0);
    if (file->descriptor < 0)
        return error_set_errno(error, NULL, "cannot make a file in memory");
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
    for (size_t done = 0; done < size;) {
        ssize_t part = write(file->descriptor, (const char *)data + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0) {
            error_set_errno(error, NULL, "cannot write a file in memory");
            command_file_close(file);
            return false;
        }
        done += (size_t)part;
    }
    return true;
}

bool command_file_read(const struct command_file *file, char **data, size_t *size, struct error *error)
{
    struct stat facts;
    if (fstat(file->descriptor, &facts))
        return error_set_errno(error, NULL, "cannot read a file in memory");
    *size = (size_t)facts.st_size;
    *data = memory_get(*size + 1);
    for (size_t done = 0; done < *size;) {
        ssize_t part = pread(file->descriptor, *data + done, *size - done, (off_t)done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0) {
            free(*data);
            return error_set_errno(error, NULL, "cannot read a file in memory");
        }
        done += (size_t)part;
    }
    return true;
}

void command_file_close(struct command_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

/* One of the two streams of a command while it runs. */
struct stream {
    int descriptor;
    struct array text; /* of char */
};

static bool make_stream(struct stream *stream, int *other_end, struct error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return error_set_errno(error, NULL, "cannot make a pipe");
    *stream = (struct stream){.descriptor = ends[0], .text = ARRAY_OF(char)};
    *other_end = ends[1];
    return true;
}

/* Takes what is there; false at the end. */
static bool take(struct stream *stream, size_t most)
{
    char part[65536];
    ssize_t count = read(stream->descriptor, part, sizeof part);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    size_t room = stream->text.count < most ? most - stream->text.count : 0;
    size_t kept = (size_t)count < room ? (size_t)count : room;
    if (kept)
        memcpy(array_add_many(&stream->text, kept), part, kept);
    return count > 0;
}

static int64_t now_in_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until both are closed; a child that is not done after so many seconds (0: any) is ended. */
static void take_all(struct stream streams[2], size_t most, pid_t child, unsigned seconds)
{
    bool is_open[2] = {true, true};
    int64_t deadline = now_in_milliseconds() + (int64_t)seconds * 1000;
    while (is_open[0] || is_open[1]) {
        struct pollfd waits[2];
        for (int i = 0; i < 2; i++)
            waits[i] = (struct pollfd){.fd = is_open[i] ? streams[i].descriptor : -1, .events = POLLIN};
        int64_t left = deadline - now_in_milliseconds();
        int state = poll(waits, 2, seconds ? (int)(left > 0 ? left : 0) : -1);
        if (state < 0 && errno != EINTR)
            return;
        if (state == 0) {
            kill(child, SIGKILL);
            return;
        }
        if (state < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (is_open[i] && waits[i].revents)
                is_open[i] = take(&streams[i], most);
    }
}

/* Ours, but for the language of messages; to be freed. */
static char **plain_environment(void)
{
    static char plain[] = "LC_ALL=C";
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = memory_get((count + 2) * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) && strncmp(environ[i], "LANGUAGE=", 9))
            copy[kept++] = environ[i];
    copy[kept] = plain;
    return copy;
}

static void limit(pid_t child, __rlimit_resource_t resource, uint64_t most)
{
    struct rlimit present;
    if (!most || prlimit(child, resource, NULL, &present))
        return;
    if (present.rlim_max == RLIM_INFINITY || present.rlim_max > most)
        present.rlim_max = (rlim_t)most;
    present.rlim_cur = present.rlim_max;
    prlimit(child, resource, &present, NULL);
}

/* The error number of posix_spawnp; *child is the process where it is 0. */
static int start(const char *const *words, const int ends[2], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    char **environment = plain_environment();
    int number = posix_spawnp(child, words[0], &actions, NULL, (char *const *)words, environment);
    free(environment);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *finish(struct stream *stream, size_t *size)
{
    *size = stream->text.count;
    *(char *)array_add(&stream->text) = 0;
    close(stream->descriptor);
    return stream->text.data;
}

bool command_run(const char *const *words, size_t most, struct command_result *result, struct error *error)
{
    static const struct command_limits none;
    return command_run_within(words, most, &none, result, error);
}

bool command_run_within(const char *const *words, size_t most, const struct command_limits *limits,
                        struct command_result *result, struct error *error)
{
    struct stream streams[2];
    int ends[2] = {-1, -1};
    *result = (struct command_result){0};
    if (!make_stream(&streams[0], &ends[0], error))
        return false;
    if (!make_stream(&streams[1], &ends[1], error)) {
        close(streams[0].descriptor);
        close(ends[0]);
        return false;
    }
    pid_t child;
    int number = start(words, ends, &child);
    close(ends[0]);
    close(ends[1]);
    if (!number) {
        limit(child, RLIMIT_AS, limits->memory);
        limit(child, RLIMIT_FSIZE, limits->file_size);
        limit(child, RLIMIT_CPU, limits->seconds);
        take_all(streams, most, child, limits->seconds);
        result->status = wait_for(child);
    }
    result->output = finish(&streams[0], &result->output_size);
    result->messages = finish(&streams[1], &result->messages_size);
    result->is_missing = number == ENOENT;
    if (!number || result->is_missing)
        return true;
    command_free(result);
    errno = number;
    return error_set_errno(error, words[0], "cannot be run");
}

void command_free(struct command_result *result)
{
    free(result->output);
    free(result->messages);
    *result = (struct command_result){0};
}
