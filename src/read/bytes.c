#include "read/bytes.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Large files get large pages, which makes the first touch of 130 MB several times as fast.  Small ones come
   from the heap, where the sanitizers see a read beyond their end. */
enum { LARGE_PAGE = 2 * 1024 * 1024 };

static uint8_t *memory_for(size_t size)
{
    if (size < LARGE_PAGE)
        return malloc(size);
    uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

/* Room for size bytes, or an error that names the file. */
static uint8_t *memory_for_file(const char *path, off_t size, struct error *error)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory = (uint64_t)size <= machine ? memory_for((size_t)size) : NULL;
    if (!memory)
        error_set(error, path, "the file has %.1f GB, more than the memory of this machine can hold",
                  (double)size / 1e9);
    return memory;
}

static bool read_open_file(int file, const char *path, struct span *bytes, struct error *error)
{
    struct stat status;
    if (fstat(file, &status))
        return error_set_errno(error, path, "cannot be read");
    if (S_ISDIR(status.st_mode))
        return error_set(error, path, "this is a directory, not a program");
    if (!S_ISREG(status.st_mode))
        return error_set(error, path, "this is a device, pipe or socket, not a program");
    if (status.st_size == 0)
        return error_set(error, path, "the file is empty");
    uint8_t *memory = memory_for_file(path, status.st_size, error);
    if (!memory)
        return false;
    size_t size = (size_t)status.st_size, done = 0;
    while (done < size) {
        ssize_t got = read(file, memory + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got < 0)
                error_set_errno(error, path, "cannot be read");
            else
                error_set(error, path, "the file became shorter while it was read; try again");
            bytes_free((struct span){memory, size});
            return false;
        }
        done += (size_t)got;
    }
    *bytes = (struct span){memory, size};
    return true;
}

bool bytes_read(const char *path, struct span *bytes, struct error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return error_set_errno(error, path, "cannot be opened");
    output_spare_file(file);
    bool done = read_open_file(file, path, bytes, error);
    close(file);
    return done;
}

struct span bytes_copy(struct span bytes)
{
    uint8_t *copy = memory_for(bytes.size);
    if (!copy)
        return (struct span){0};
    memcpy(copy, bytes.data, bytes.size);
    return (struct span){copy, bytes.size};
}

void bytes_free(struct span bytes)
{
    if (bytes.size < LARGE_PAGE)
        free((void *)bytes.data);
    else
        munmap((void *)bytes.data, bytes.size);
}

size_t bytes_count_lines(struct span bytes)
{
    size_t count = 0;
    const uint8_t *at = bytes.data, *end = bytes.data + bytes.size;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count;
}

static void free_kept(void *memory)
{
    struct span *bytes = memory;
    bytes_free(*bytes);
    free(bytes);
}

void bytes_keep(struct model *model, struct span bytes)
{
    struct span *kept = memory_get(sizeof *kept);
    *kept = bytes;
    model_keep(model, kept, free_kept);
}
