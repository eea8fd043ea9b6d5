/* Files of the plan in memory: which one a loaded file is, and its patching.

   A file is the one of the plan if it has the same build-id; where the plan has none, if it is the same file
   on disk.  A file with the planned path and another build-id is recorded as another build. */
#include "runtime/probe/probe.h"

#include <elf.h>

static const uint8_t *build_id_in(const uint8_t *notes, size_t size, uint32_t *bytes)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)(notes + at);
        size_t name = at + sizeof *note, data = name + ((note->n_namesz + 3ul) & ~3ul);
        size_t next = data + ((note->n_descsz + 3ul) & ~3ul);
        if (next > size || next < at)
            return NULL;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && bytes_equal(notes + name, "GNU", 4)) {
            *bytes = note->n_descsz;
            return notes + data;
        }
        at = next;
    }
    return NULL;
}

static const uint8_t *build_id(const struct module *module, const struct maps *maps, uint32_t *bytes)
{
    for (unsigned i = 0; i < module->segment_count; i++) {
        const ElfW(Phdr) *segment = &module->segments[i];
        uintptr_t start = module->bias + segment->p_vaddr;
        if (segment->p_type != PT_NOTE || !maps_has(maps, start, segment->p_filesz))
            continue;
        const uint8_t *found = build_id_in((const uint8_t *)start, segment->p_filesz, bytes);
        if (found)
            return found;
    }
    return NULL;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    if (text_equal(one, other))
        return true;
    return *one && system_call(SYS_newfstatat, AT_FDCWD, (long)one, (long)&a, 0, 0, 0) == 0 &&
           system_call(SYS_newfstatat, AT_FDCWD, (long)other, (long)&b, 0, 0, 0) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The module of the plan that a file is; *is_other: by its path, but not by its build-id. */
static const struct probe_plan_module *find_planned(const struct module *module, const struct maps *maps,
                                                    bool *is_other)
{
    uint32_t bytes = 0;
    const uint8_t *id = build_id(module, maps, &bytes);
    *is_other = false;
    for (uint64_t i = 0; i < plan.header->modules.count; i++) {
        const struct probe_plan_module *planned = &plan.modules[i];
        if (planned->build_id_bytes && id && bytes == planned->build_id_bytes &&
            bytes_equal(id, planned->build_id, bytes))
            return planned;
    }
    for (uint64_t i = 0; i < plan.header->modules.count; i++) {
        const struct probe_plan_module *planned = &plan.modules[i];
        if (is_same_file(module->path, (const char *)plan.header + planned->path)) {
            *is_other = planned->build_id_bytes != 0;
            return planned;
        }
    }
    return NULL;
}

/* Signals are blocked inside libc and the dynamic linker at times, and a trap would end the program then. */
static bool refuses_traps(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/')
            name = at + 1;
    return bytes_equal(name, "libc.so", 7) || bytes_equal(name, "libc-", 5) || bytes_equal(name, "ld-", 3) ||
           bytes_equal(name, "ld.so", 5) || bytes_equal(name, "libpthread", 10);
}

static void write_record(const struct placed *place)
{
    struct probe_segment *segment = file_segment(sizeof(struct probe_module), 0, ANY_PLACE, NULL);
    if (!segment)
        return;
    const size_t from = offsetof(struct probe_module, module);
    bytes_copy((uint8_t *)segment + from, (const uint8_t *)&place->result + from,
               sizeof place->result - from);
    file_finish(segment, PROBE_SEGMENT_MODULE);
}

/* A program may load and close a file any number of times: its place is used again. */
static struct placed *find_gone(const struct probe_plan_module *module)
{
    for (uint32_t i = 0; i < placed_count; i++)
        if (placed[i].is_gone && placed[i].module == module)
            return &placed[i];
    return NULL;
}

static bool is_same_result(const struct probe_module *a, const struct probe_module *b)
{
    return a->placing == b->placing && a->jumps == b->jumps && a->traps == b->traps &&
           a->left_out == b->left_out && a->error_number == b->error_number;
}

struct placed *modules_place(const struct module *module, const void *dynamic, struct maps *maps)
{
    bool is_other;
    const struct probe_plan_module *planned = find_planned(module, maps, &is_other);
    struct placed *again = planned ? find_gone(planned) : NULL;
    if (!planned || (!again && placed_count == MOST_PLACED))
        return NULL;
    struct placed *place = again ? again : &placed[placed_count];
    struct probe_module before = place->result;
    place->is_gone = true; /* until it is ready */
    place->module = planned;
    place->bias = module->bias;
    place->dynamic = dynamic;
    place->has_traps = false;
    place->refuses_traps = module->is_static || refuses_traps(module->path);
    for (size_t i = 0; i < sizeof place->result; i++)
        ((uint8_t *)&place->result)[i] = 0;
    place->result.module = (uint32_t)(planned - plan.modules);
    place->result.bias = module->bias;
    if (is_other) {
        place->result.placing = PROBE_OTHER_BUILD;
        place->result.left_out = planned->patch_count;
    } else
        patch_module(place, module, maps);
    if (!again || !is_same_result(&before, &place->result))
        write_record(place);
    __atomic_store_n(&place->is_gone, false, __ATOMIC_RELEASE);
    if (!again)
        __atomic_store_n(&placed_count, placed_count + 1, __ATOMIC_RELEASE);
    return place;
}

/* After fork: what is patched stays patched; the child's recording says so, too. */
void modules_record(void)
{
    for (uint32_t i = 0; i < placed_count; i++)
        write_record(&placed[i]);
}
