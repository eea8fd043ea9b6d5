/* Writing a codelet: a page for the header, contents of memory, then the tables; the header comes last, so
   that a file that was cut short is none. */
#include "change/optimise/replay/draft.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool draft_begin(struct draft *draft, const char *path, struct error *error)
{
    *draft = (struct draft){.regions = ARRAY_OF(struct codelet_region),
                            .stretches = ARRAY_OF(struct codelet_stretch),
                            .modules = ARRAY_OF(struct codelet_module),
                            .symbols = ARRAY_OF(struct codelet_symbol),
                            .objects = ARRAY_OF(struct codelet_object),
                            .names = ARRAY_OF(char),
                            .file = -1};
    *(char *)array_push(&draft->names) = 0;
    char *folder = path_folder(path);
    draft->file = open(folder, O_TMPFILE | O_RDWR, 0600);
    if (draft->file < 0) {
        char *name = memory_format("%s/.assay-codelet-XXXXXX", folder);
        draft->file = mkstemp(name);
        if (draft->file >= 0)
            unlink(name);
        free(name);
    }
    free(folder);
    if (draft->file < 0)
        return error_set_errno(error, path, "cannot be written");
    draft->header.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    draft->end = draft->header.page_size;
    return true;
}

uint32_t draft_name(struct draft *draft, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (!length || draft->names.count + length + 1 > UINT32_MAX)
        return 0;
    uint32_t offset = (uint32_t)draft->names.count;
    memcpy(array_push_many(&draft->names, length + 1), text, length + 1);
    return offset;
}

const char *draft_text(const struct draft *draft, uint32_t name)
{
    return (const char *)draft->names.data + name;
}

static bool write_at(struct draft *draft, uint64_t offset, const void *data, uint64_t size,
                     struct error *error)
{
    for (uint64_t done = 0; done < size;) {
        ssize_t part = pwrite(draft->file, (const char *)data + done, size - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return error_set_errno(error, NULL, "the codelet cannot be written");
        done += (uint64_t)part;
    }
    return true;
}

static bool is_zero(const void *page, uint64_t bytes)
{
    const uint64_t *words = page;
    for (uint64_t i = 0; i < bytes / 8; i++)
        if (words[i])
            return false;
    return true;
}

static void add_stretch(struct draft *draft, uint64_t address, uint64_t bytes, uint64_t offset)
{
    struct codelet_stretch *last =
        draft->stretches.count
            ? ARRAY_AT(struct codelet_stretch, &draft->stretches, draft->stretches.count - 1)
            : NULL;
    if (last && !draft->is_apart && last->address + last->bytes == address &&
        (offset ? last->offset && last->offset + last->bytes == offset : !last->offset))
        last->bytes += bytes;
    else
        *(struct codelet_stretch *)array_push(&draft->stretches) =
            (struct codelet_stretch){address, bytes, offset};
    draft->is_apart = false;
}

bool draft_add_pages(struct draft *draft, uint64_t address, const void *pages, uint64_t bytes,
                     struct error *error)
{
    uint64_t page = draft->header.page_size;
    for (uint64_t at = 0; at < bytes;) {
        uint64_t end = at;
        while (end < bytes && !is_zero((const char *)pages + end, page))
            end += page;
        if (end > at) {
            if (!write_at(draft, draft->end, (const char *)pages + at, end - at, error))
                return false;
            add_stretch(draft, address + at, end - at, draft->end);
            draft->end += end - at;
        }
        at = end < bytes ? end + page : end;
    }
    return true;
}

void draft_add_dropped(struct draft *draft, uint64_t address, uint64_t bytes)
{
    add_stretch(draft, address, bytes, 0);
}

static bool write_table(struct draft *draft, struct codelet_table *table, const void *data, uint64_t count,
                        uint64_t width, struct error *error)
{
    draft->end = (draft->end + 63) / 64 * 64;
    *table = (struct codelet_table){draft->end, count};
    if (!write_at(draft, draft->end, data, count * width, error))
        return false;
    draft->end += count * width;
    return true;
}

bool draft_finish(struct draft *draft, struct error *error)
{
    struct codelet_header *header = &draft->header;
    memcpy(header->magic, CODELET_MAGIC, sizeof header->magic);
    header->version = CODELET_VERSION;
    uint64_t width =
        header->isa == codelet_AARCH64 ? sizeof draft->registers.aarch64 : sizeof draft->registers.x86;
    bool is_written = write_table(draft, &header->registers, &draft->registers, 1, width, error);
    struct {
        struct codelet_table *table;
        const struct array *rows;
    } tables[] = {{&header->regions, &draft->regions}, {&header->stretches, &draft->stretches},
                  {&header->modules, &draft->modules}, {&header->symbols, &draft->symbols},
                  {&header->objects, &draft->objects}, {&header->names, &draft->names}};
    for (size_t i = 0; is_written && i < sizeof tables / sizeof *tables; i++)
        is_written = write_table(draft, tables[i].table, tables[i].rows->data, tables[i].rows->count,
                                 tables[i].rows->width, error);
    uint64_t page = header->page_size;
    header->file_size = (draft->end + page - 1) / page * page;
    if (is_written && ftruncate(draft->file, (off_t)header->file_size))
        return error_set_errno(error, NULL, "the codelet cannot be written");
    return is_written && write_at(draft, 0, header, sizeof *header, error);
}

void draft_free(struct draft *draft)
{
    array_free(&draft->regions);
    array_free(&draft->stretches);
    array_free(&draft->modules);
    array_free(&draft->symbols);
    array_free(&draft->objects);
    array_free(&draft->names);
    if (draft->file >= 0)
        close(draft->file);
    draft->file = -1;
}
