/* A codelet without what its call does not touch.

   Anonymous memory (heaps, stacks, other threads) is dropped page by page, but for what lies around the
   thread pointer. A variant may need more of the stack than the original: the page of the stack pointer is
   kept, and pages below it, whose contents are dead, are there and empty. Files and their variables are kept
   whole unless they are large: a variant may call functions that the original did not. */
#include "change/optimise/replay/replaying.h"

#include "base/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t large_file = 32 << 20, around_thread = 64 << 10;

static bool is_touched(const struct replay_outcome *outcome, uint64_t page)
{
    const struct replay_touched *range =
        array_last_at(&outcome->touched, offsetof(struct replay_touched, address), page);
    return range && page - range->address < range->bytes;
}

enum fate { fate_KEPT, fate_DROPPED, fate_EMPTY };

static bool is_kept(const struct codelet *whole, const struct codelet_region *region,
                    const struct replay_outcome *outcome, uint64_t page)
{
    uint64_t pointer = whole->header->thread_pointer;
    bool is_data = region > whole->regions && region[-1].kind == codelet_FILE &&
                   region[-1].end == region->start && !*codelet_text(whole, region->name);
    if ((region->kind == codelet_FILE || is_data) && region->end - region->start <= large_file)
        return true;
    if (page + around_thread >= pointer && page < pointer + around_thread)
        return true;
    if (whole->header->stack_pointer - page < whole->header->page_size)
        return true;
    return is_touched(outcome, page);
}

static enum fate fate_of(const struct codelet *whole, const struct codelet_region *region,
                         const struct codelet_stretch *stretch, const struct replay_outcome *outcome,
                         uint64_t page)
{
    const struct codelet_header *header = whole->header;
    if (stretch->offset && is_kept(whole, region, outcome, page))
        return fate_KEPT;
    return page >= header->stack_start && page < header->stack_pointer ? fate_EMPTY : fate_DROPPED;
}

static void copy_rows(struct array *rows, const void *from, uint64_t count)
{
    if (count)
        memcpy(array_push_many(rows, count), from, count * rows->width);
}

static bool keep_stretch(const struct codelet *whole, const struct codelet_region *region,
                         const struct codelet_stretch *stretch, const struct replay_outcome *outcome,
                         struct draft *trimmed, struct error *error)
{
    uint64_t page = whole->header->page_size;
    for (uint64_t at = 0; at < stretch->bytes;) {
        enum fate fate = fate_of(whole, region, stretch, outcome, stretch->address + at);
        uint64_t end = at + page;
        while (end < stretch->bytes &&
               fate == fate_of(whole, region, stretch, outcome, stretch->address + end))
            end += page;
        if (fate == fate_DROPPED)
            draft_add_dropped(trimmed, stretch->address + at, end - at);
        else if (fate == fate_KEPT && !draft_add_pages(trimmed, stretch->address + at,
                                                       whole->bytes + stretch->offset + at, end - at, error))
            return false;
        at = end;
    }
    return true;
}

bool replaying_trim(const struct codelet *whole, const struct replay_outcome *outcome, struct draft *trimmed,
                    struct error *error)
{
    const struct codelet_header *header = whole->header;
    trimmed->header = *header;
    trimmed->header.seconds = outcome->answer.original.seconds;
    trimmed->header.is_trimmed = 1;
    memcpy(&trimmed->registers, whole->bytes + header->registers.offset,
           header->isa == codelet_AARCH64 ? sizeof trimmed->registers.aarch64
                                          : sizeof trimmed->registers.x86);
    trimmed->names.count = 0;
    copy_rows(&trimmed->names, whole->bytes + header->names.offset, header->names.count);
    copy_rows(&trimmed->regions, whole->regions, header->regions.count);
    copy_rows(&trimmed->modules, whole->modules, header->modules.count);
    copy_rows(&trimmed->symbols, whole->symbols, header->symbols.count);
    copy_rows(&trimmed->objects, whole->objects, header->objects.count);
    uint64_t at = 0, last = UINT64_MAX;
    for (uint64_t i = 0; i < header->stretches.count; i++) {
        while (whole->regions[at].end <= whole->stretches[i].address)
            at++;
        trimmed->is_apart = at != last;
        last = at;
        if (!keep_stretch(whole, &whole->regions[at], &whole->stretches[i], outcome, trimmed, error))
            return false;
    }
    return draft_finish(trimmed, error);
}

bool replaying_save(struct draft *draft, const char *path, struct error *error)
{
    struct output *output = output_open(path, error);
    if (!output)
        return false;
    uint64_t size = draft->header.file_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, draft->file, 0);
    bool is_written = bytes != MAP_FAILED && fwrite(bytes, 1, size, output_stream(output)) == size;
    if (!is_written)
        error_set_errno(error, path, "cannot be written");
    if (bytes != MAP_FAILED)
        munmap(bytes, size);
    if (is_written)
        return output_finish(output, error);
    output_abandon(output);
    return false;
}
