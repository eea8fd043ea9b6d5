/* The file type is checked before opening, because opening alone makes some devices act; and again on the
   open file, because the name may lead elsewhere by then. */
#include "base/regular_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *word_for(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

static bool is_regular(const char *path, const struct stat *facts, struct error *error)
{
    if (S_ISREG(facts->st_mode))
        return true;
    return error && error_set(error, path, "is %s, not a file", word_for(facts->st_mode));
}

static int fail(const char *path, const char *what, struct error *error)
{
    if (error)
        error_set_errno(error, path, "%s", what);
    return -1;
}

int regular_file_open(const char *path, uint64_t *size, struct error *error)
{
    struct stat facts;
    if (stat(path, &facts))
        return fail(path, "cannot be opened", error);
    if (!is_regular(path, &facts, error))
        return -1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return fail(path, "cannot be opened", error);
    if (fstat(file, &facts)) {
        fail(path, "cannot be read", error);
        close(file);
        return -1;
    }
    if (!is_regular(path, &facts, error)) {
        close(file);
        return -1;
    }
    if (size)
        *size = (uint64_t)facts.st_size;
    return file;
}

int64_t regular_file_read(int file, void *buffer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, (char *)buffer + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (int64_t)done;
}

char *regular_file_text(const char *path, size_t most, const char *what, struct error *error)
{
    int file = regular_file_open(path, NULL, error);
    if (file < 0)
        return NULL;
    char *text = memory_get(most + 1);
    int64_t size = regular_file_read(file, text, most);
    bool is_text = false;
    if (size < 0)
        error_set_errno(error, path, "cannot be read");
    else if ((size_t)size == most)
        error_set(error, path, "is too long for %s", what);
    else if (memchr(text, 0, (size_t)size))
        error_set(error, path, "is not a text file");
    else
        is_text = true;
    close(file);
    if (is_text)
        return text;
    free(text);
    return NULL;
}
