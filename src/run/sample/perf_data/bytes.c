#include "run/sample/perf_data/bytes.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 1 << 20, PIECE = 1 << 16 };

/* Not beyond the end; false: errno says why. */
static bool read_all(int file, uint8_t *to, size_t size, uint64_t offset)
{
    while (size) {
        ssize_t got = pread(file, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

static bool write_all(int file, const uint8_t *from, size_t size)
{
    while (size) {
        ssize_t put = write(file, from, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        from += put;
        size -= (size_t)put;
    }
    return true;
}

static int nameless_file(void)
{
    const char *base = getenv("TMPDIR");
    const char *folder = base && base[0] == '/' ? base : "/tmp";
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
    char *path = memory_format("%s/assay-perf-XXXXXX", folder);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    free(path);
    return file;
}

/* What is no recording must not fill the disc: an endless device, a wrong pipe. */
static bool begins_well(const uint8_t *piece, size_t size)
{
    return size < 8 || !memcmp(piece, "PERFILE2", 8) || !memcmp(piece, "2ELIFREP", 8) ||
           !memcmp(piece, "PERFFILE", 8);
}

static bool copy_stream(struct perf_data_bytes *bytes, int from, const char *path, struct error *error)
{
    uint8_t piece[PIECE];
    size_t count = 0;
    bytes->file = nameless_file();
    if (bytes->file < 0)
        return error_set_errno(
            error, path,
            "a pipe is copied into the folder for temporary files first ($TMPDIR, else /tmp), which failed");
    for (bool is_over = false; !is_over;) {
        ssize_t got = read(from, piece + count, sizeof piece - count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, path, "cannot be read");
        count += (size_t)got;
        is_over = got == 0;
        if (count < 8 && !is_over)
            continue;
        if (!bytes->size && !begins_well(piece, count))
            return error_set(error, path, "is not a recording of perf");
        if (!write_all(bytes->file, piece, count))
            return error_set_errno(
                error, path, "cannot be copied into the folder for temporary files ($TMPDIR, else /tmp)");
        bytes->size += count;
        count = 0;
    }
    bytes->is_stream = true;
    return true;
}

bool perf_data_bytes_open(struct perf_data_bytes *bytes, const char *path, struct error *error)
{
    struct stat facts;
    bool is_input = !strcmp(path, "-");
    *bytes = (struct perf_data_bytes){.file = -1};
    const char *name = is_input ? "standard input" : path;
    int file = is_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return error_set_errno(error, name, "cannot be opened");
    bytes->file = file;
    if (fstat(file, &facts))
        return error_set_errno(error, name, "cannot be read");
    if (S_ISDIR(facts.st_mode))
        return error_set(
            error, name,
            "is a folder, as perf record --threads writes it, which Assay does not read: record without --threads");
    if (isatty(file))
        return error_set(error, name,
                         "is a terminal: --from - reads what perf record -o - writes into a pipe");
    if (S_ISREG(facts.st_mode)) {
        bytes->size = (uint64_t)facts.st_size;
        bytes->changed = facts.st_mtim;
        return true;
    }
    bool is_done = copy_stream(bytes, file, name, error);
    close(file);
    return is_done;
}

const uint8_t *perf_data_bytes_at(struct perf_data_bytes *bytes, uint64_t offset, size_t size)
{
    if (offset > bytes->size || size > bytes->size - offset)
        return NULL;
    if (offset >= bytes->start && offset - bytes->start <= bytes->count &&
        size <= bytes->count - (offset - bytes->start))
        return bytes->window + (offset - bytes->start);
    size_t wanted = size > WINDOW ? size : WINDOW;
    if (wanted > bytes->size - offset)
        wanted = (size_t)(bytes->size - offset);
    if (wanted > bytes->room) {
        free(bytes->window);
        bytes->window = memory_get(wanted);
        bytes->room = wanted;
    }
    bytes->start = offset;
    bytes->count = 0;
    if (!read_all(bytes->file, bytes->window, wanted, offset))
        return NULL;
    bytes->count = wanted;
    return bytes->window;
}

void perf_data_bytes_close(struct perf_data_bytes *bytes)
{
    if (bytes->file >= 0)
        close(bytes->file);
    free(bytes->window);
    *bytes = (struct perf_data_bytes){.file = -1};
}
