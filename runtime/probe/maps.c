/* What is where in memory, from /proc/self/maps, and room within reach of code.

   Trampolines go where branches of the code reach them: as near as possible, below the code first, because
   after a program's data its heap grows.  The gaps between mappings are tried from the nearest on, as they
   are now: the trampolines of other files may have filled some. */
#include "runtime/probe/probe.h"

#include <errno.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
enum { LINE_BYTES = 4096, FIRST_CAPACITY = 2048 };
#ifdef __aarch64__
static const uintptr_t LOWEST = 1 << 16, HIGHEST = (uintptr_t)1 << 48;
#else
static const uintptr_t LOWEST = 1 << 16, HIGHEST = (uintptr_t)1 << 47;
#endif
static const uintptr_t HEAP_ROOM = (uintptr_t)64 << 20;

static const char *read_hexadecimal(const char *at, uintptr_t *value)
{
    for (*value = 0;; at++) {
        unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
                                                    : 16;
        if (digit == 16)
            return at;
        *value = *value << 4 | digit;
    }
}

static void add(struct maps *maps, const struct mapping *mapping)
{
    if (maps->count == maps->capacity) {
        size_t capacity = maps->capacity ? maps->capacity * 2 : FIRST_CAPACITY;
        struct mapping *larger = system_memory(capacity * sizeof *larger);
        if (!larger)
            return;
        bytes_copy(larger, maps->mappings, maps->count * sizeof *larger);
        maps_free(maps);
        maps->mappings = larger;
        maps->capacity = capacity;
    }
    maps->mappings[maps->count++] = *mapping;
}

/* "start-end rwxp offset device inode   path" */
static void read_line(struct maps *maps, const char *line)
{
    struct mapping mapping = {0, 0, 0};
    line = read_hexadecimal(line, &mapping.start);
    if (*line++ != '-')
        return;
    line = read_hexadecimal(line, &mapping.end);
    if (*line++ != ' ')
        return;
    mapping.protection = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
                         (line[2] == 'x' ? PROT_EXEC : 0);
    add(maps, &mapping);
}

void maps_read(struct maps *maps)
{
    char buffer[LINE_BYTES];
    size_t filled = 0;
    bool is_cut = false;
    int file = system_open("/proc/self/maps", O_RDONLY, 0);
    maps->count = 0;
    for (long more; file >= 0 && (more = system_read(file, buffer + filled, sizeof buffer - filled)) > 0;) {
        size_t end = filled + (size_t)more, line = 0;
        for (size_t i = filled; i < end; i++)
            if (buffer[i] == '\n') {
                buffer[i] = '\0';
                if (!is_cut)
                    read_line(maps, buffer + line);
                is_cut = false;
                line = i + 1;
            }
        for (filled = 0; line < end; line++)
            buffer[filled++] = buffer[line];
        if (filled == sizeof buffer) { /* the start is enough */
            buffer[filled - 1] = '\0';
            if (!is_cut)
                read_line(maps, buffer);
            is_cut = true;
            filled = 0;
        }
    }
    if (file >= 0)
        system_close(file);
}

void maps_free(struct maps *maps)
{
    size_t count = maps->count;
    if (maps->mappings)
        system_unmap(maps->mappings, maps->capacity * sizeof *maps->mappings);
    maps->mappings = NULL;
    maps->capacity = 0;
    maps->count = count;
}

bool maps_has(const struct maps *maps, uintptr_t address, size_t size)
{
    for (size_t i = 0; i < maps->count; i++)
        if (address >= maps->mappings[i].start && address < maps->mappings[i].end)
            return maps->mappings[i].protection & PROT_READ && size <= maps->mappings[i].end - address;
    return false;
}

static void *map_at(uintptr_t address, size_t size)
{
    void *got = system_map((void *)address, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got && (uintptr_t)got != address) { /* kernels before 4.17 take it as a wish */
        system_unmap(got, size);
        return NULL;
    }
    return got;
}

/* The place in a gap that is nearest to the code; 0: it does not reach. */
static uintptr_t place_in_gap(uintptr_t start, uintptr_t end, uintptr_t low, uintptr_t high, size_t size,
                              uint64_t reach)
{
    start = (start + page_bytes - 1) / page_bytes * page_bytes;
    end = end / page_bytes * page_bytes;
    if (end < start || end - start < size)
        return 0;
    uintptr_t place;
    if (end <= low)
        place = end - size;
    else if (end - start - size > HEAP_ROOM && start + HEAP_ROOM + size - low <= reach)
        place = start + HEAP_ROOM; /* the heap may grow here */
    else
        place = start;
    bool reaches = place < low ? high - place <= reach : place + size - low <= reach;
    return reaches ? place : 0;
}

void *maps_room(struct maps *maps, uintptr_t low, uintptr_t high, size_t size, uint64_t reach)
{
    size_t at = 0;
    maps_read(maps);
    while (at < maps->count && maps->mappings[at].end <= low)
        at++;
    /* Gap i lies before mapping i. */
    for (size_t i = at; i < maps->count + 1 && i + 1 > 0; i--) {
        uintptr_t start = i ? maps->mappings[i - 1].end : LOWEST;
        uintptr_t end = i < maps->count ? maps->mappings[i].start : HIGHEST;
        if (end > low)
            end = low;
        uintptr_t place = start < end ? place_in_gap(start, end, low, high, size, reach) : 0;
        void *got = place ? map_at(place, size) : NULL;
        if (got)
            return got;
        if (i == 0 || high - start > reach)
            break;
    }
    for (size_t i = at + 1; i <= maps->count; i++) {
        uintptr_t start = maps->mappings[i - 1].end;
        uintptr_t end = i < maps->count ? maps->mappings[i].start : HIGHEST;
        if (start < high)
            continue;
        uintptr_t place = start < end ? place_in_gap(start, end, low, high, size, reach) : 0;
        void *got = place ? map_at(place, size) : NULL;
        if (got)
            return got;
        if (start - low > reach)
            break;
    }
    return NULL;
}
