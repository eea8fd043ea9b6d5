/* The memory of a test: a buffer with a pattern, a stack, and pages that appear where a test touches them.

   Pages on demand are all the same COLOURS pages of memory, in turn, so that whatever a block reads and writes is
   in the first cache: the way of BHive's harness, which has one.  Caches that are larger than a page for each of
   their ways look lines up by some bits above the page: with one page a line would move from set to set.  The
   handler runs on a stack of its own, because the test may have anything in its stack pointer.

   The chase is a large memory whose lines are linked to one cycle in random order, so that whoever follows it misses the
   caches at each step and no prefetcher helps.  Tests only read it: it is made once, and stays for those
   that follow.  The stream is a memory whose numbers nobody cares about (they stay far from the ends of their range): it stays, too.  Both lie on
   huge pages where the system has them, so that caches are measured, not the translation of addresses. */
#include "runtime/bench/bench.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK = 1 << 16, HANDLER_STACK = 1 << 16, MOST_PAGES = 4096, COLOURS = 4, LINE = 64, HUGE_PAGE = 1 << 21, BEHIND = 1 << 16 };

static int page_file = -1;
static uintptr_t pages[MOST_PAGES];
static unsigned page_count;
static size_t page_size;

static void map_page(int number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t page = (uintptr_t)info->si_addr & ~(page_size - 1);
    if (page && page_count < MOST_PAGES &&
        mmap((void *)page, page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, page_file,
             (off_t)(page % (COLOURS * page_size))) == (void *)page) {
        pages[page_count++] = page;
        return;
    }
    signal(number, SIG_DFL); /* the access is tried again, and ends the process */
}

static int catch_faults(const struct bench_test *test)
{
    static uint8_t stack[HANDLER_STACK];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = map_page, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page_file = memfd_create("assay-bench", MFD_CLOEXEC);
    if (page_file < 0 || ftruncate(page_file, (off_t)(COLOURS * page_size)))
        return errno;
    uint64_t *page = mmap(NULL, COLOURS * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, page_file, 0);
    if (page == MAP_FAILED)
        return errno;
    for (size_t i = 0; i < COLOURS * page_size / 8; i++)
        page[i] = test->memory;
    munmap(page, COLOURS * page_size);
    if (sigaltstack(&other, NULL) || sigaction(SIGSEGV, &action, NULL) || sigaction(SIGBUS, &action, NULL))
        return errno;
    return 0;
}

static uint64_t next_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d >> 16;
}

/* Sattolo's way to a permutation that is one cycle. */
static int link_lines(uint8_t *chase, uint64_t lines)
{
    uint32_t *next = malloc(lines * sizeof *next);
    if (!next)
        return ENOMEM;
    for (uint64_t i = 0; i < lines; i++)
        next[i] = (uint32_t)i;
    for (uint64_t i = lines - 1; i > 0; i--) {
        uint64_t other = next_random() % i;
        uint32_t kept = next[i];
        next[i] = next[other];
        next[other] = kept;
    }
    for (uint64_t i = 0; i < lines; i++) {
        uint8_t *target = chase + (uint64_t)next[i] * LINE;
        memcpy(chase + i * LINE, &target, sizeof target);
    }
    free(next);
    return 0;
}

/* A memory that stays for the tests that follow, until one wants another size. */
struct region {
    uint8_t *mapping, *start;
    uint64_t bytes, mapped;
};

static struct region stream, chase;

static void free_region(struct region *region)
{
    if (region->mapping)
        munmap(region->mapping, region->mapped);
    *region = (struct region){0};
}

/* Pages that are there; a little more than is asked for, because streams end with a whole unit. */
static int make_region(struct region *region, uint64_t bytes, unsigned processes)
{
    uint64_t size = (bytes + BEHIND + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint64_t left = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (size > left / processes)
        return ENOMEM;
    uint8_t *mapping = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return errno;
    *region = (struct region){.mapping = mapping, .mapped = size + HUGE_PAGE, .bytes = bytes};
    region->start = mapping + (HUGE_PAGE - (uintptr_t)mapping % HUGE_PAGE);
    madvise(region->start, size, MADV_HUGEPAGE);
    for (uint64_t at = 0; at < bytes + BEHIND; at += 4096)
        *(volatile uint8_t *)(region->start + at) = 0;
    return 0;
}

static int make_stream(struct bench_memory *memory, uint64_t bytes, unsigned processes)
{
    if (stream.bytes != bytes) {
        free_region(&stream);
        int failed = make_region(&stream, bytes, processes);
        if (failed)
            return failed;
    }
    memory->stream = stream.start;
    return 0;
}

static int make_chase(struct bench_memory *memory, uint64_t bytes)
{
    uint64_t lines = bytes / LINE;
    if (lines < 2 || lines > UINT32_MAX)
        return EINVAL;
    if (chase.bytes != bytes) {
        free_region(&chase);
        int failed = make_region(&chase, bytes, 1);
        if (!failed)
            failed = link_lines(chase.start, lines);
        if (failed) {
            free_region(&chase);
            return failed;
        }
    }
    memory->chase = chase.start;
    memory->lines = lines;
    return 0;
}

void bench_memory_drop(void)
{
    free_region(&stream);
    free_region(&chase);
}

uint8_t *bench_chase_line(const struct bench_memory *memory)
{
    return memory->chase + next_random() % memory->lines * LINE;
}

int bench_memory_begin(struct bench_memory *memory, const struct bench_test *test)
{
    *memory = (struct bench_memory){0};
    memory->buffer = mmap(NULL, BENCH_BUFFER + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory->buffer == MAP_FAILED) {
        memory->buffer = NULL;
        return errno;
    }
    memory->middle = memory->buffer + BENCH_BUFFER / 2;
    memory->stack = memory->buffer + BENCH_BUFFER + STACK / 2;
    for (size_t i = 0; i < BENCH_BUFFER + STACK; i += 8)
        memcpy(memory->buffer + i, &test->memory, 8);
    if (test->layout == bench_CHASE)
        return make_chase(memory, test->bytes);
    if (test->layout == bench_STREAM)
        return make_stream(memory, test->bytes, bench_test_processes(test));
    return test->layout == bench_ON_DEMAND ? catch_faults(test) : 0;
}

void bench_memory_end(struct bench_memory *memory)
{
    if (memory->buffer)
        munmap(memory->buffer, BENCH_BUFFER + STACK);
    if (page_file < 0)
        return;
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    while (page_count > 0)
        munmap((void *)pages[--page_count], page_size);
    close(page_file);
    page_file = -1;
}
