/* The recording: a file that is mapped and grows by segments.

   With the prefix P it is P.PID, or P.PID.2 and so on if P.PID exists already because of an exec.  It grows
   by chunks, which are mapped one by one and never moved; segments are cut from the newest chunk.  What is
   left over of a chunk becomes a segment without use, so that a reader finds the next one.

   The descriptor is not kept: programs close descriptors that they do not know and open others under the same
   numbers.  Each chunk opens the file again by its name, and makes sure that it is the same file.  Room is
   asked for (fallocate), because a page that the disk has no room for would end the program by SIGBUS. */
#include "runtime/probe/probe.h"

#include <errno.h>
#include <sys/resource.h>

enum { CHUNK_BYTES = 1 << 18, FIRST_CHUNK = 1 << 17, ALIGNMENT = 2 * PROBE_BUFFER_BYTES, MOST_EXECS = 1000 };
enum { PATH_BYTES = 4096, MOST_CHUNKS = 512 };

struct probe_header *recording;
uint64_t page_bytes = 4096;
uintptr_t system_next;

static char path[PATH_BYTES];
static uint64_t path_device, path_file;
static int growing; /* lock of what follows */
static struct {
    uint8_t *memory;
    uint64_t offset, size, used;
} chunk;
static struct {
    void *memory;
    uint64_t size;
} chunks[MOST_CHUNKS]; /* to be unmapped after fork */
static uint32_t chunk_count;
static uint32_t *own;    /* a page that the kernel wipes in the child of any fork; NULL: it cannot */
static bool cannot_grow; /* it failed once: a full disk is not asked again for every event */

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

static bool may_grow_to(uint64_t size)
{
    struct rlimit limit = {0, 0}; /* a file beyond it would end the program by SIGXFSZ */
    long result = system_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0);
    return system_failed(result) || limit.rlim_cur >= size;
}

static bool make_room(int file, uint64_t offset, uint64_t size)
{
    if (!may_grow_to(offset + size))
        return false;
    long result = system_call(SYS_fallocate, file, 0, (long)offset, (long)size, 0, 0);
    if (result == -EOPNOTSUPP || result == -ENOSYS)
        result = system_call(SYS_ftruncate, file, (long)(offset + size), 0, 0, 0, 0);
    return result == 0;
}

/* At a multiple of ALIGNMENT. */
static uint8_t *map_chunk(int file, uint64_t offset, uint64_t size)
{
    uint8_t *room = system_map(system_away(size + ALIGNMENT), size + ALIGNMENT, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!room)
        return NULL;
    uint8_t *start = (uint8_t *)(((uintptr_t)room + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    if (start > room)
        system_unmap(room, (size_t)(start - room));
    if (room + ALIGNMENT > start)
        system_unmap(start + size, (size_t)(room + ALIGNMENT - start));
    if (!system_map(start, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, offset)) {
        system_unmap(start, size);
        return NULL;
    }
    /* A file system that reads ahead would fill megabytes with zeros at the first write. */
    system_call(SYS_madvise, (long)start, (long)size, MADV_RANDOM, 0, 0, 0);
    return start;
}

static bool add_chunk(int file, uint64_t offset, uint64_t size)
{
    uint8_t *memory = make_room(file, offset, size) ? map_chunk(file, offset, size) : NULL;
    if (!memory)
        return false;
    chunk.memory = memory;
    chunk.offset = offset;
    chunk.size = size;
    chunk.used = 0;
    if (chunk_count < MOST_CHUNKS) {
        chunks[chunk_count].memory = memory;
        chunks[chunk_count++].size = size;
    }
    return true;
}

static int open_again(void)
{
    int file = system_open(path, O_RDWR | O_NOFOLLOW, 0);
    struct stat status;
    if (file < 0)
        return file;
    if (system_call(SYS_fstat, file, (long)&status, 0, 0, 0, 0) == 0 && status.st_dev == path_device &&
        status.st_ino == path_file)
        return file;
    system_close(file);
    return -1;
}

static size_t add_number(char *to, uint32_t number)
{
    char digits[10];
    size_t count = 0, length = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count)
        to[length++] = digits[--count];
    return length;
}

/* Relative to the folder that the program starts in, which it may leave. */
static bool make_path(const char *prefix)
{
    size_t length = 0;
    if (prefix[0] != '/') {
        long got = system_call(SYS_getcwd, (long)path, PATH_BYTES / 2, 0, 0, 0, 0);
        if (got <= 1)
            return false;
        length = (size_t)got - 1;
        path[length++] = '/';
    }
    size_t more = text_length(prefix);
    if (length + more + 32 > PATH_BYTES)
        return false;
    bytes_copy(path + length, prefix, more);
    length += more;
    path[length++] = '.';
    length += add_number(path + length, system_process());
    bytes_copy(path + length, probe_suffix, text_length(probe_suffix) + 1);
    return true;
}

static int open_new(const char *prefix)
{
    if (!make_path(prefix))
        return -1;
    size_t length = text_length(path);
    for (uint32_t i = 1; i <= MOST_EXECS; i++) {
        if (i > 1) {
            path[length] = '.';
            path[length + 1 + add_number(path + length + 1, i)] = '\0';
        }
        int file = system_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (file >= 0 || file != -EEXIST)
            return file;
    }
    return -1;
}

static void fill_header(struct probe_header *header)
{
    int file = system_open("/proc/self/cmdline", O_RDONLY, 0);
    if (file >= 0) {
        long got = system_read(file, header->command, sizeof header->command - 1);
        if (got < 0)
            header->command[0] = '\0';
        system_close(file);
    }
    header->version = PROBE_RECORD_VERSION;
    header->isa = plan.header->isa;
    header->flags = plan.header->flags;
    header->process = system_process();
    header->parent = (uint32_t)system_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
    header->start_nanoseconds = system_nanoseconds();
    header->start_ticks = clock_ticks();
    header->size = chunk.used;
    bytes_copy(header->magic, PROBE_RECORD_MAGIC, sizeof header->magic);
}

static void mark_as_own(void)
{
    if (!own && (own = system_memory(page_bytes)) &&
        system_failed(system_call(SYS_madvise, (long)own, (long)page_bytes, MADV_WIPEONFORK, 0, 0, 0)))
        own = NULL;
    if (own)
        *own = 1;
}

bool file_is_copied(void)
{
    return recording && own && !*own;
}

bool file_open(const char *prefix)
{
    struct stat status;
    int file = open_new(prefix);
    if (file < 0)
        return false;
    bool is_open =
        system_call(SYS_fstat, file, (long)&status, 0, 0, 0, 0) == 0 && add_chunk(file, 0, FIRST_CHUNK);
    system_close(file);
    if (!is_open) {
        system_call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
        return false;
    }
    path_device = status.st_dev;
    path_file = status.st_ino;
    chunk.used = rounded(sizeof *recording);
    fill_header((struct probe_header *)(void *)chunk.memory);
    recording = (struct probe_header *)(void *)chunk.memory;
    mark_as_own();
    return true;
}

void file_forget(void)
{
    recording = NULL;
    growing = 0;
    for (uint32_t i = 0; i < chunk_count; i++)
        system_unmap(chunks[i].memory, chunks[i].size);
    chunk_count = 0;
    cannot_grow = false;
    chunk.memory = NULL;
    chunk.size = chunk.used = chunk.offset = 0;
}

bool file_is_ours(void)
{
    return recording && !file_is_copied() && recording->process == system_process();
}

static struct probe_segment *cut_segment(uint64_t size, uint32_t thread)
{
    struct probe_segment *segment = (struct probe_segment *)(void *)(chunk.memory + chunk.used);
    segment->thread = thread;
    segment->size = size;
    chunk.used += size;
    __atomic_store_n(&recording->size, chunk.offset + chunk.used, __ATOMIC_RELEASE);
    return segment;
}

static void skip(uint64_t size)
{
    if (size)
        cut_segment(size, 0)->kind = PROBE_SEGMENT_UNUSED;
}

static uint64_t padding(uint64_t place)
{
    return place == ANY_PLACE ? 0 : (place - (uintptr_t)(chunk.memory + chunk.used)) & (ALIGNMENT - 1);
}

static bool grow(uint64_t bytes)
{
    int file = cannot_grow ? -1 : open_again();
    cannot_grow = true;
    if (file < 0)
        return false;
    uint64_t end = chunk.offset + chunk.size, size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    uint8_t *rest = chunk.memory + chunk.used;
    uint64_t rest_bytes = chunk.size - chunk.used;
    bool has_grown = add_chunk(file, end, rounded(size));
    system_close(file);
    cannot_grow = !has_grown;
    if (has_grown && rest_bytes) {
        struct probe_segment *segment = (struct probe_segment *)(void *)rest;
        segment->size = rest_bytes;
        segment->kind = PROBE_SEGMENT_UNUSED;
        __atomic_store_n(&recording->size, end, __ATOMIC_RELEASE);
    }
    return has_grown;
}

struct probe_segment *file_segment(uint64_t bytes, uint32_t thread, uint64_t place, uint64_t *offset)
{
    struct probe_segment *segment = NULL;
    uint64_t size = rounded(bytes), mask = system_block_signals();
    lock_take(&growing);
    if (chunk.size - chunk.used >= size + padding(place) || (chunk.size && grow(size + ALIGNMENT))) {
        skip(padding(place));
        if (offset)
            *offset = chunk.offset + chunk.used;
        segment = cut_segment(size, thread);
    }
    lock_give(&growing);
    system_restore_signals(mask);
    return segment;
}

void file_finish(struct probe_segment *segment, uint32_t kind)
{
    __atomic_store_n(&segment->kind, kind, __ATOMIC_RELEASE);
}
