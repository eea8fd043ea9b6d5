/* Memory that a call gets from the kernel: malloc may ask for more, and give it back.

   It comes from a reserve of our own, one region more beside the captured ones, whose pages are zero at the
   call; so they are watched, compared and put back as all others are.  Each call begins with the whole
   reserve, and takes from it in order, so that the same requests get the same addresses.  The end of the heap
   (brk) stays where it is: malloc then asks for mappings instead.  What is given back is zero at once, as a
   new mapping would be; a captured mapping that the call gives back stays, for the next call needs it.
   Anything else, such as files or shared memory, is a system call like any other. */
#include "runtime/replay/replay.h"

#include <errno.h>

enum { RESERVE_BYTES = 512 << 20 };
static uint64_t start, end, next; /* of the reserve; where its unused part begins */
static uint64_t heap_end;

uint64_t replay_reserve(void)
{
    start = next = (uint64_t)replay_memory(RESERVE_BYTES);
    end = start + RESERVE_BYTES;
    return RESERVE_BYTES;
}

uint64_t replay_reserve_start(void)
{
    return start;
}

void replay_reset_reserve(void)
{
    next = start;
}

void replay_note_heap(uint64_t address)
{
    heap_end = address;
}

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + replay.page_size - 1) / replay.page_size * replay.page_size;
}

static bool is_ours(uint64_t address, uint64_t bytes)
{
    return address >= start && address < next && bytes <= next - address && address % replay.page_size == 0;
}

static long take(uint64_t bytes)
{
    uint64_t size = whole_pages(bytes);
    if (!bytes || size < bytes)
        return -EINVAL;
    if (size > end - next)
        return -ENOMEM;
    long address = (long)next;
    next += size;
    return address;
}

/* New zero pages in place of these; what was noted of them is forgotten. */
static long give_back(uint64_t address, uint64_t bytes)
{
    bytes = whole_pages(bytes);
    long result = system_call(SYS_mmap, (long)address, (long)bytes, replay.is_tracing ? PROT_NONE : PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (system_failed(result))
        return result;
    for (uint64_t page = address; replay.is_tracing && page < address + bytes; page += replay.page_size)
        *replay_state_at(page) &= (uint8_t) ~(page_TOUCHED | page_WRITTEN);
    if (address + bytes == next)
        next = address;
    return 0;
}

static long move(uint64_t address, uint64_t old, uint64_t bytes, uint64_t flags)
{
    enum { MAY_MOVE = 1 };
    old = whole_pages(old);
    bytes = whole_pages(bytes);
    if (bytes <= old) {
        long result = bytes < old ? give_back(address + bytes, old - bytes) : 0;
        return result ? result : (long)address;
    }
    if (address + old == next && bytes - old <= end - next) {
        next += bytes - old;
        return (long)address;
    }
    if (flags != MAY_MOVE)
        return -ENOMEM;
    long made = take(bytes);
    if (system_failed(made))
        return made;
    for (uint64_t page = 0; page < old; page += replay.page_size)
        replay_copy_page((void *)((uint64_t)made + page), (const void *)(address + page));
    long result = give_back(address, old);
    return result ? result : made;
}

static bool is_plain_mapping(const uint64_t *words)
{
    enum { NO_FILE = 0xffffffff };
    const uint64_t wanted = MAP_PRIVATE | MAP_ANONYMOUS, harmless = wanted | MAP_NORESERVE | MAP_STACK;
    return (words[3] & wanted) == wanted && !(words[3] & ~harmless) && (uint32_t)words[4] == NO_FILE &&
           !(words[2] & PROT_EXEC);
}

bool replay_kernel_memory(long number, const uint64_t *words, long *result)
{
    bool is_in_reserve = is_ours(words[0], words[1]);
    *result = 0;
    switch (number) {
    case SYS_brk:
        *result = (long)heap_end;
        return true;
    case SYS_mmap:
        if (!is_plain_mapping(words))
            return false;
        *result = take(words[1]);
        return true;
    case SYS_munmap:
        if (is_in_reserve)
            *result = give_back(words[0], words[1]);
        return is_in_reserve || replay_region_at(words[0]);
    case SYS_mremap:
        if (is_in_reserve)
            *result = move(words[0], words[1], words[2], words[3]);
        return is_in_reserve;
    case SYS_mprotect:
        return is_in_reserve && !(words[2] & PROT_EXEC);
    case SYS_madvise:
        if (is_in_reserve && words[2] == MADV_DONTNEED) {
            uint64_t before = next;
            *result = give_back(words[0], words[1]);
            next = before;
        }
        return is_in_reserve;
    default:
        return false;
    }
}
