/* The file is as long as it will ever be, but has no blocks on the disk before the first sample: many
   processes end before.  Room is asked for before it is used, because a page that the disk has no room for
   would end the program by SIGBUS: by madvise, which needs no descriptor (the program may have other rights
   or another root by then), or, on kernels before 5.14, at the start.  No descriptor is kept, as programs
   close those that they do not know. */
#include "runtime/sample/sample.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { PATH_BYTES = 4096, MOST_EXECS = 1000, MOST_CPUS = 8192, BYTES_OF_CPU = 512 << 10 };
enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE of newer headers */

enum { ROOM_NONE, ROOM_COMING, ROOM_THERE, ROOM_REFUSED };

struct sample_ring *ring;
static int room; /* for records */

static uint64_t ring_size(void)
{
    uint64_t cpus[MOST_CPUS / 64];
    long bytes = system_call(SYS_sched_getaffinity, 0, sizeof cpus, (long)cpus, 0, 0, 0);
    uint64_t wanted = 0, size = SAMPLE_LEAST_RING;
    for (long i = 0; i < bytes / 8; i++)
        wanted += (uint64_t)__builtin_popcountll(cpus[i]) * BYTES_OF_CPU;
    while (size < wanted && size < SAMPLE_MOST_RING)
        size *= 2;
    return size;
}

/* A file beyond the limit would end the program by SIGXFSZ. */
static bool may_have(uint64_t size)
{
    struct rlimit limit = {0, 0};
    long result = system_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0);
    return system_failed(result) || limit.rlim_cur >= size;
}

static long populate(void *start, uint64_t size)
{
    return system_call(SYS_madvise, (long)start, (long)size, POPULATE_WRITE, 0, 0, 0);
}

/* Room for the header; or for all of it, where it cannot be had later. */
static bool make_room(int file, void *memory, uint64_t size)
{
    /* A file system that reads ahead would fill megabytes with zeros at the first write. */
    system_call(SYS_madvise, (long)memory, (long)size, MADV_RANDOM, 0, 0, 0);
    long result = populate(memory, sizeof *ring);
    room = ROOM_NONE;
    if (result != -EINVAL)
        return result == 0;
    room = ROOM_THERE;
    result = system_call(SYS_fallocate, file, 0, 0, (long)size, 0, 0);
    return result == 0 || result == -EOPNOTSUPP || result == -ENOSYS;
}

bool ring_has_room(void)
{
    int state = __atomic_load_n(&room, __ATOMIC_ACQUIRE);
    if (state == ROOM_NONE &&
        __atomic_compare_exchange_n(&room, &state, ROOM_COMING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        state = populate((char *)ring + SAMPLE_DATA, ring->size) == 0 ? ROOM_THERE : ROOM_REFUSED;
        __atomic_store_n(&room, state, __ATOMIC_RELEASE);
    }
    if (state != ROOM_THERE)
        __atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
    return state == ROOM_THERE;
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
    to[length] = 0;
    return length;
}

/* A new file. */
static int make_file(void)
{
    char path[PATH_BYTES];
    size_t length = text_length(settings.prefix);
    bytes_copy(path, settings.prefix, length);
    path[length++] = '.';
    length += add_number(path + length, system_process());
    for (uint32_t i = 2; i < MOST_EXECS; i++) {
        int file = system_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (file != -EEXIST)
            return file;
        path[length] = '.';
        add_number(path + length + 1, i);
    }
    return -EEXIST;
}

bool ring_open(uint32_t is_forked)
{
    if (text_length(settings.prefix) > PATH_BYTES - 32)
        return false;
    int file = make_file();
    if (file < 0)
        return false;
    uint64_t size = ring_size();
    struct sample_ring *found = NULL;
    if (may_have(SAMPLE_DATA + size) &&
        system_call(SYS_ftruncate, file, (long)(SAMPLE_DATA + size), 0, 0, 0, 0) == 0)
        found = system_map(NULL, SAMPLE_DATA + size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (found && !make_room(file, found, SAMPLE_DATA + size)) {
        system_unmap(found, SAMPLE_DATA + size);
        found = NULL;
    }
    system_close(file);
    if (!found)
        return false;
    found->version = SAMPLE_VERSION;
#ifdef __aarch64__
    found->isa = SAMPLE_AARCH64;
#else
    found->isa = SAMPLE_X86_64;
#endif
    found->process = system_process();
    found->parent = (uint32_t)system_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
    system_call(SYS_prctl, PR_GET_NAME, (long)found->name, 0, 0, 0, 0);
    found->is_forked = is_forked;
    found->size = size;
    found->start = system_nanoseconds();
    __atomic_thread_fence(__ATOMIC_RELEASE);
    bytes_copy(found->magic, SAMPLE_MAGIC, sizeof found->magic);
    __atomic_store_n(&ring, found, __ATOMIC_RELEASE);
    return true;
}

void ring_forget(void)
{
    if (ring)
        system_unmap(ring, SAMPLE_DATA + ring->size);
    ring = NULL;
}

bool ring_is_ours(void)
{
    return ring && ring->process == system_process();
}

static struct sample_record *record_at(uint64_t position)
{
    return (struct sample_record *)((uintptr_t)ring + SAMPLE_DATA + (position & (ring->size - 1)));
}

void *ring_take(uint32_t size, uint64_t *position)
{
    uint64_t at = __atomic_load_n(&ring->written, __ATOMIC_RELAXED), filler;
    do {
        uint64_t left = ring->size - (at & (ring->size - 1));
        filler = left < size ? left : 0;
        if (at + filler + size - __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) > ring->size) {
            __atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(&ring->written, &at, at + filler + size, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    if (filler)
        ring_finish(record_at(at), at, (uint32_t)filler, SAMPLE_FILLER);
    *position = at + filler;
    return record_at(at + filler);
}

void ring_finish(void *record, uint64_t position, uint32_t size, uint32_t kind)
{
    struct sample_record *finished = record;
    finished->size = size;
    finished->kind = kind;
    __atomic_store_n(&finished->stamp, position + 1, __ATOMIC_RELEASE);
}
