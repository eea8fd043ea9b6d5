/* The memory of a stopped process: its mappings, and the contents of pages that are there.

   Anonymous pages that were never used are zero and cost nothing. Of files every page is taken, since a
   variant may call what the original does not; of large ones (a gigabyte of data mapped) those that the
   process used. Pages of the kernel (the clock's) and of devices cannot be read: a call that uses them cannot
   be replayed, and the replay says so. */
#include "change/optimise/replay/draft.h"
#include "change/optimise/replay/tracing.h"

#include "base/progress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20, STACK_ROOM = 8 << 20, STACK_GUARD = 1 << 20, MOST_REGIONS = 60000 };
static const uint64_t whole_file = 64 << 20, unsure_stack = 256 << 10;

struct reading {
    struct draft *draft;
    int memory, pages; /* /proc/PID/mem, /proc/PID/pagemap */
    uint64_t taken, limit;
    char *buffer;
};

static void add_region(struct draft *draft, char *line)
{
    uint64_t start, end, inode;
    char rights[5];
    int path = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %" SCNu64 " %n", &start, &end, rights, &inode,
               &path) != 4 ||
        end <= start || (int64_t)start < 0)
        return;
    const char *name = path ? line + path : "";
    bool is_stack = !strcmp(name, "[stack]");
    bool is_kernel = !strncmp(name, "[vvar", 5);
    bool is_file = inode || !strcmp(name, "[vdso]");
    *(struct codelet_region *)array_push(&draft->regions) = (struct codelet_region){
        .start = start,
        .end = end,
        .kind = is_kernel  ? codelet_UNREADABLE
                : is_stack ? codelet_STACK
                : is_file  ? codelet_FILE
                           : codelet_ANONYMOUS,
        .rights = (rights[0] == 'r' ? codelet_READ : 0u) | (rights[1] == 'w' ? codelet_WRITE : 0u) |
                  (rights[2] == 'x' ? codelet_EXECUTE : 0u),
        .name = draft_name(draft, name)};
}

static bool list_regions(struct draft *draft, pid_t process, struct error *error)
{
    char path[40], line[5000];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *file = fopen(path, "re");
    if (!file)
        return error_set_errno(error, path, "cannot be read");
    while (fgets(line, sizeof line, file) && draft->regions.count <= MOST_REGIONS)
        add_region(draft, line);
    fclose(file);
    if (draft->regions.count > MOST_REGIONS)
        return error_set(error, NULL, "the program has more than %d mappings: they cannot be mapped again",
                         MOST_REGIONS);
    return true;
}

/* The stack of the call: where it may grow to, and where it is nothing but a stack. */
static bool settle_stack(struct draft *draft, struct error *error)
{
    struct codelet_header *header = &draft->header;
    for (size_t i = 0; i < draft->regions.count; i++) {
        struct codelet_region *region = ARRAY_AT(struct codelet_region, &draft->regions, i);
        const struct codelet_region *before = i ? region - 1 : NULL;
        if (header->stack_pointer < region->start || header->stack_pointer >= region->end)
            continue;
        uint64_t below = before ? before->end : header->page_size * 16;
        bool has_guard = before && before->end == region->start && !before->rights;
        if (region->kind == codelet_STACK) {
            uint64_t least = region->start > below + STACK_GUARD ? below + STACK_GUARD : region->start;
            uint64_t wished = region->start > STACK_ROOM ? region->start - STACK_ROOM : 0;
            region->start = wished > least ? wished : least;
        } else if (has_guard) {
            region->kind = codelet_STACK;
        }
        header->stack_start = region->start;
        if (region->kind != codelet_STACK && header->stack_pointer - region->start > unsure_stack)
            header->stack_start = header->stack_pointer - unsure_stack;
        return true;
    }
    return error_set(error, NULL, "the call's stack pointer is in no mapping of the program");
}

/* Which pages of a piece are there; all of them if the kernel does not say. */
static void ask_presence(const struct reading *reading, uint64_t address, size_t count, uint64_t *entries)
{
    ssize_t size = (ssize_t)(count * sizeof *entries);
    uint64_t page = reading->draft->header.page_size;
    if (reading->pages < 0 ||
        pread(reading->pages, entries, (size_t)size, (off_t)(address / page * 8)) != size)
        memset(entries, 0xff, (size_t)size);
}

static bool take_pages(struct reading *reading, struct codelet_region *region, uint64_t address,
                       uint64_t bytes, struct error *error)
{
    uint64_t page = reading->draft->header.page_size;
    ssize_t got = pread(reading->memory, reading->buffer, bytes, (off_t)address);
    if (got != (ssize_t)bytes) {
        if (address == region->start && got <= 0) {
            region->kind = codelet_UNREADABLE;
            return true;
        }
        for (uint64_t at = 0; at < bytes; at += page) /* after the end of a file that was cut */
            if (pread(reading->memory, reading->buffer + at, page, (off_t)(address + at)) != (ssize_t)page)
                memset(reading->buffer + at, 0, page);
    }
    reading->taken += bytes;
    if (reading->limit && reading->taken > reading->limit)
        return error_set(error, NULL,
                         "the program has more than %" PRIu64
                         " MB of memory in use; --memory-limit allows more",
                         reading->limit >> 20);
    progress_tell("saving memory", reading->taken >> 20, 0);
    return draft_add_pages(reading->draft, address, reading->buffer, bytes, error);
}

static bool take_region(struct reading *reading, struct codelet_region *region, struct error *error)
{
    uint64_t page = reading->draft->header.page_size, entries[PIECE / 4096];
    reading->draft->is_apart = true;
    bool is_whole = region->kind == codelet_FILE && region->end - region->start <= whole_file;
    for (uint64_t address = region->start; address < region->end && region->kind != codelet_UNREADABLE;) {
        uint64_t left = region->end - address, bytes = left < PIECE ? left : PIECE;
        size_t count = bytes / page;
        ask_presence(reading, address, count, entries);
        for (size_t i = 0; i < count;) {
            size_t first = i;
            while (i < count && (is_whole || entries[i] >> 62))
                i++;
            if (i > first && !take_pages(reading, region, address + first * page, (i - first) * page, error))
                return false;
            size_t absent = i;
            while (i < count && !(is_whole || entries[i] >> 62))
                i++;
            if (i > absent && region->kind == codelet_FILE)
                draft_add_dropped(reading->draft, address + absent * page, (i - absent) * page);
        }
        address += bytes;
    }
    return true;
}

static int open_of(pid_t process, const char *name)
{
    char path[60];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool draft_take_memory(struct draft *draft, pid_t process, uint64_t limit, struct error *error)
{
    if (!list_regions(draft, process, error) || !settle_stack(draft, error))
        return false;
    struct reading reading = {.draft = draft,
                              .memory = open_of(process, "mem"),
                              .pages = open_of(process, "pagemap"),
                              .limit = limit,
                              .buffer = memory_get(PIECE)};
    bool is_done = reading.memory >= 0 || error_set_errno(error, NULL, "the program's memory cannot be read");
    for (size_t i = 0; is_done && i < draft->regions.count; i++) {
        struct codelet_region *region = ARRAY_AT(struct codelet_region, &draft->regions, i);
        if (region->rights & codelet_READ)
            is_done = take_region(&reading, region, error);
    }
    progress_clear();
    free(reading.buffer);
    if (reading.memory >= 0)
        close(reading.memory);
    if (reading.pages >= 0)
        close(reading.pages);
    return is_done;
}
