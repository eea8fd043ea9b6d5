#include "cli/output.h"

#include "base/leftovers.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 100 };

struct output {
    char *path;
    char *beside; /* name of the unfinished file, NULL while it has none */
    FILE *stream;
    bool is_special; /* a device or a pipe: written directly */
};

static char *name_beside(const char *path, unsigned try)
{
    return memory_format("%s.tmp-%ld-%u", path, (long)getpid(), try);
}

static int open_named(struct output *output)
{
    for (unsigned try = 0; try < MOST_TRIES; try++) {
        char *name = name_beside(output->path, try);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0)
            leftovers_add(output->beside = name);
        else
            free(name);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

struct output *output_open(const char *path, struct error *error)
{
    struct output *output = memory_get(sizeof *output);
    output->path = memory_copy_text(path, strlen(path));
    struct stat facts;
    int file = -1;
    if (!stat(path, &facts) && !S_ISREG(facts.st_mode)) {
        output->is_special = true;
        file = S_ISDIR(facts.st_mode) ? (errno = EISDIR, -1) : open(path, O_WRONLY | O_CLOEXEC);
    } else {
        char *directory = path_folder(path);
        file = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
        free(directory);
        if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
            file = open_named(output);
    }
    output->stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (output->stream)
        return output;
    error_set_errno(error, path, "cannot write");
    if (file >= 0)
        close(file);
    output_abandon(output);
    return NULL;
}

FILE *output_stream(struct output *output)
{
    return output->stream;
}

const char *output_path(const struct output *output)
{
    return output->path;
}

/* Gives the unnamed file a name beside its final one. */
static bool link_beside(struct output *output)
{
    char *unnamed = memory_format("/proc/self/fd/%d", fileno(output->stream));
    for (unsigned try = 0; try < MOST_TRIES && !output->beside; try++) {
        char *name = name_beside(output->path, try);
        if (!linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
            leftovers_add(output->beside = name);
            break;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    free(unnamed);
    return output->beside != NULL;
}

bool output_finish(struct output *output, struct error *error)
{
    bool done = !fflush(output->stream) && !ferror(output->stream);
    if (!output->is_special)
        done = done && (output->beside || link_beside(output)) && !rename(output->beside, output->path);
    if (!done)
        error_set_errno(error, output->path, "cannot write");
    else {
        leftovers_drop(output->beside);
        free(output->beside);
        output->beside = NULL;
    }
    output_abandon(output);
    return done;
}

void output_abandon(struct output *output)
{
    if (!output)
        return;
    if (output->stream)
        fclose(output->stream);
    if (output->beside) {
        unlink(output->beside);
        leftovers_drop(output->beside);
    }
    free(output->beside);
    free(output->path);
    free(output);
}
