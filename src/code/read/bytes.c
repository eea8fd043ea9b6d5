#include "code/read/bytes.h"

#include "base/output.h"
#include "base/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* Zeroed memory for size bytes, or an error that names the file. */
static uint8_t *memory_for_file(const char *path, uint64_t size, struct error *error)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory = size <= machine ? memory_for((size_t)size) : NULL;
    if (!memory)
        error_set(error, path, "the file has %.1f GB, more than this machine's memory can hold",
                  (double)size / 1e9);
    return memory;
}

/* Offset of the next data in the file.  A hole before it needs no reading: the memory is zero already. */
static size_t skip_hole(int file, size_t at, size_t size)
{
    off_t data = lseek(file, (off_t)at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        return size;
    if (data < 0 || (size_t)data < at) /* the file system does not report holes */
        data = lseek(file, (off_t)at, SEEK_SET);
    return data < 0 ? at : (size_t)data < size ? (size_t)data : size;
}

/* Reads the rest of a file whose first bytes are in memory. */
static bool read_rest(int file, const char *path, uint8_t *memory, size_t done, size_t size,
                      struct error *error)
{
    enum { PIECE = 64 << 20 };
    while (done < size) {
        if (size >= LARGE_PAGE && (done = skip_hole(file, done, size)) == size)
            break;
        size_t piece = size - done < PIECE ? size - done : PIECE;
        int64_t got = regular_file_read(file, memory + done, piece);
        if (got < 0)
            return error_set_errno(error, path, "cannot be read");
        if ((size_t)got < piece)
            return error_set(error, path, "the file became shorter while it was read; try again");
        done += piece;
    }
    return true;
}

static bool read_open_file(int file, const char *path, uint64_t size, bytes_check *check, struct span *bytes,
                           struct error *error)
{
    if (size == 0)
        return error_set(error, path, "the file is empty");
    uint8_t head[BYTES_OF_HEAD];
    int64_t got = regular_file_read(file, head, size < sizeof head ? (size_t)size : sizeof head);
    if (got < 0)
        return error_set_errno(error, path, "cannot be read");
    if (check && !check(path, (struct span){head, (size_t)got}, error))
        return false;
    uint8_t *memory = memory_for_file(path, size, error);
    if (!memory)
        return false;
    memcpy(memory, head, (size_t)got);
    *bytes = (struct span){memory, (size_t)size};
    if (read_rest(file, path, memory, (size_t)got, (size_t)size, error))
        return true;
    bytes_free(*bytes);
    return false;
}

bool bytes_read(const char *path, bytes_check *check, struct span *bytes, struct error *error)
{
    uint64_t size;
    int file = regular_file_open(path, &size, error);
    if (file < 0)
        return false;
    output_spare_file(file);
    bool done = read_open_file(file, path, size, check, bytes, error);
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
