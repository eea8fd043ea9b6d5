/* Which files are loaded: the dynamic linker's list of them is walked as debuggers do.

   The list is walked again whenever the dynamic linker says that it changed (loading.c): files that are new
   are patched, files that are gone are forgotten, and their trampolines with them. */
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

static void look_at(const struct link_map *map, struct maps *maps, bool is_program)
{
    struct module module = {.bias = map->l_addr};
    if (!(is_program ? read_program(map, maps, &module) : read_headers(map, maps, &module)))
        return;
    if (plan.has_nodes)
        nodes_take(&module, maps);
    const struct placed *place = modules_place(&module, map->l_ld, maps);
    if (place && place->has_traps)
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
                trampolines_forget(&placed[k]);
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
