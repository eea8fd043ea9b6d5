/* Which files of the plan are loaded: the dynamic linker's list of them is walked as debuggers do.

   A file is the one of the plan if it has the same build-id; where the plan has none, if it is the same file
   on disk.  A file with the planned path and another build-id is recorded as another build.  The list is
   walked again whenever the dynamic linker says that it changed (loading.c): files that are new are patched,
   files that are gone are forgotten, and their islets with them. */
#include "runtime/probe/probe.h"

#include <elf.h>
#include <sys/auxv.h>

struct seen { /* a file that was looked at */
    const void *dynamic;
    uintptr_t bias;
    bool is_there;
};
static struct seen *seen;
static size_t seen_count, seen_capacity;

static struct seen *find_seen(const struct link_map *map)
{
    for (size_t i = 0; i < seen_count; i++)
        if (seen[i].dynamic == map->l_ld && seen[i].bias == map->l_addr)
            return &seen[i];
    return NULL;
}

static void add_seen(const struct link_map *map)
{
    if (seen_count == seen_capacity) {
        size_t capacity = seen_capacity ? seen_capacity * 2 : 256;
        struct seen *larger = system_memory(capacity * sizeof *larger);
        if (!larger)
            return;
        bytes_copy(larger, seen, seen_count * sizeof *larger);
        if (seen)
            system_unmap(seen, seen_capacity * sizeof *seen);
        seen = larger;
        seen_capacity = capacity;
    }
    seen[seen_count++] = (struct seen){map->l_ld, map->l_addr, true};
}

static bool read_headers(const struct link_map *map, const struct maps *maps, struct module *module)
{
    module->bias = map->l_addr;
    module->path = map->l_name;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
    if (maps_has(maps, map->l_addr, sizeof *header) && bytes_equal(header->e_ident, ELFMAG, SELFMAG) &&
        maps_has(maps, map->l_addr + header->e_phoff, header->e_phnum * sizeof(ElfW(Phdr)))) {
        module->segments = (const ElfW(Phdr) *)(map->l_addr + header->e_phoff);
        module->segment_count = header->e_phnum;
        return true;
    }
    return false;
}

/* The program itself: the kernel says where its headers are, unless the dynamic linker was called by hand. */
static bool read_program(const struct link_map *map, const struct maps *maps, struct module *module)
{
    static char path[4096];
    long length =
        system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, sizeof path - 1, 0, 0);
    path[length > 0 ? length : 0] = '\0';
    module->path = path;
    module->bias = map->l_addr;
    module->segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    module->segment_count = (unsigned)getauxval(AT_PHNUM);
    for (unsigned i = 0; module->segments && i < module->segment_count; i++)
        if (module->segments[i].p_type == PT_DYNAMIC &&
            (const void *)(map->l_addr + module->segments[i].p_vaddr) == map->l_ld)
            return true;
    return read_headers(map, maps, module);
}

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

static void record(const struct placed *place)
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

static void look_at(const struct link_map *map, struct maps *maps, bool is_program)
{
    struct module module = {.bias = map->l_addr};
    bool is_other;
    if (!(is_program ? read_program(map, maps, &module) : read_headers(map, maps, &module)))
        return;
    if (plan.has_nodes)
        nodes_take(&module, maps);
    const struct probe_plan_module *planned = find_planned(&module, maps, &is_other);
    struct placed *again = planned ? find_gone(planned) : NULL;
    if (!planned || (!again && placed_count == MOST_PLACED))
        return;
    struct placed *place = again ? again : &placed[placed_count];
    struct probe_module before = place->result;
    place->is_gone = true; /* until it is ready */
    place->module = planned;
    place->bias = module.bias;
    place->dynamic = map->l_ld;
    place->has_traps = false;
    place->refuses_traps = refuses_traps(module.path);
    for (size_t i = 0; i < sizeof place->result; i++)
        ((uint8_t *)&place->result)[i] = 0;
    place->result.module = (uint32_t)(planned - plan.modules);
    place->result.bias = module.bias;
    if (is_other) {
        place->result.placing = PROBE_OTHER_BUILD;
        place->result.left_out = planned->patch_count;
    } else
        patch_module(place, &module, maps);
    if (!again || !is_same_result(&before, &place->result))
        record(place);
    __atomic_store_n(&place->is_gone, false, __ATOMIC_RELEASE);
    if (!again)
        __atomic_store_n(&placed_count, placed_count + 1, __ATOMIC_RELEASE);
    if (place->has_traps)
        traps_begin();
}

static void forget_gone(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i].is_there) {
            seen[kept++] = seen[i];
            continue;
        }
        for (uint32_t k = 0; k < placed_count; k++)
            if (placed[k].dynamic == seen[i].dynamic && placed[k].bias == seen[i].bias &&
                !placed[k].is_gone) {
                placed[k].is_gone = true;
                islets_forget(&placed[k]);
                traps_forget();
            }
    }
    seen_count = kept;
}

void modules_each(void (*visit)(const struct module *module, const struct maps *maps, void *context),
                  void *context)
{
    struct maps maps = {0};
    maps_read(&maps);
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        struct module module = {.bias = map->l_addr};
        if (map == _r_debug.r_map ? read_program(map, &maps, &module) : read_headers(map, &maps, &module))
            visit(&module, &maps, context);
    }
    maps_free(&maps);
}

/* As glibc 2.35 and later extend it: a list for each namespace of dlmopen. */
struct debug_list {
    struct r_debug base;
    const struct debug_list *next;
};

void modules_patch(void)
{
    struct maps maps = {0};
    bool has_maps = false;
    const struct debug_list *list = (const struct debug_list *)(const void *)&_r_debug;
    for (; list; list = list->base.r_version >= 2 ? list->next : NULL)
        if (list->base.r_state != RT_CONSISTENT)
            return; /* it will be */
    for (size_t i = 0; i < seen_count; i++)
        seen[i].is_there = false;
    list = (const struct debug_list *)(const void *)&_r_debug;
    for (; list; list = list->base.r_version >= 2 ? list->next : NULL)
        for (const struct link_map *map = list->base.r_map; map; map = map->l_next) {
            struct seen *known = find_seen(map);
            if (known) {
                known->is_there = true;
                continue;
            }
            if (!has_maps)
                maps_read(&maps);
            has_maps = true;
            look_at(map, &maps, map == _r_debug.r_map);
            add_seen(map);
        }
    forget_gone();
    maps_free(&maps);
}

/* After fork: what is patched stays patched; the child's recording says so, too. */
void modules_record(void)
{
    for (uint32_t i = 0; i < placed_count; i++)
        record(&placed[i]);
}
