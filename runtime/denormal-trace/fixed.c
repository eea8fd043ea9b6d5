/* Variables at fixed addresses: globals, statics, members of COMMON blocks.

   The list of arrays has addresses in the file; Valgrind knows where the file is mapped, and is asked again
   after something executable was mapped. */
#include "arrays.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_tooliface.h"

/* Fixed addresses: sorted by where they begin. */
struct region {
    Addr start, end;
    UInt data, array;
};
static struct region *regions;
static UInt region_count;
static Bool modules_are_stale = True;

static Int compare_regions(const void *left, const void *right)
{
    const struct region *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : a->end > b->end ? -1 : a->end < b->end;
}

static UInt fixed_kind(HChar kind)
{
    return kind == ARRAY_LIST_COMMON   ? TRACE_ARRAY_COMMON
           : kind == ARRAY_LIST_GLOBAL ? TRACE_ARRAY_GLOBAL
                                       : TRACE_ARRAY_STATIC;
}

void arrays_mark_pages(Addr start, SizeT bytes)
{
    SizeT pages = bytes >> PAGE_BITS;
    if (pages > PAGE_ENTRIES)
        pages = PAGE_ENTRIES;
    for (SizeT page = 0; page <= pages + 1; page++) {
        Addr address = start + (page << PAGE_BITS);
        if (address >> PAGE_BITS > (start + (bytes ? bytes - 1 : 0)) >> PAGE_BITS)
            break;
        pages_of_interest[(address >> PAGE_BITS) & (PAGE_ENTRIES - 1)] |= PAGE_HAS_ARRAY;
    }
}

static void find_modules(void)
{
    for (UInt i = 0; i < list.module_count; i++)
        list.modules[i].is_loaded = False;
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info; info = VG_(next_DebugInfo)(info))
        for (UInt i = 0; i < list.module_count; i++) {
            struct list_module *module = &list.modules[i];
            const HChar *path = VG_(DebugInfo_get_filename)(info);
            if (module->is_loaded || !path || VG_(strcmp)(path, module->path) != 0)
                continue;
            module->is_loaded = True;
            module->bias = VG_(DebugInfo_get_text_bias)(info);
        }
}

static void add_region(const struct list_variable *variable, const struct list_place *place, UInt data)
{
    const struct list_data *facts = &list.data[data];
    ULong bytes = array_list_bytes(facts);
    if (facts->is_part || place->how != 'a' || facts->how != 'a' || facts->indirect >= 0 || bytes == 0)
        return;
    Addr start = (Addr)place->value + (Addr)list.modules[variable->module].bias + facts->offset;
    regions[region_count++] = (struct region){start, start + bytes, data + 1, 0};
    arrays_mark_pages(start, bytes);
}

static void refresh_modules(void)
{
    modules_are_stale = False;
    find_modules();
    if (!regions)
        regions = VG_(malloc)("trace.regions", (list.data_count + 1) * sizeof *regions);
    region_count = 0;
    UInt last = list.variable_count;
    for (UInt i = 0; i < list.fixed_count; i++) {
        const struct list_variable *variable = &list.variables[list.fixed[i]];
        if (list.fixed[i] == last || !list.modules[variable->module].is_loaded)
            continue;
        last = list.fixed[i];
        for (UInt d = 0; d < variable->data_count; d++)
            add_region(variable, &list.places[variable->first_place], variable->first_data + d);
    }
    VG_(ssort)(regions, region_count, sizeof *regions, compare_regions);
}

void arrays_refresh(void)
{
    if (modules_are_stale)
        refresh_modules();
}

static struct region *region_at(Addr address)
{
    /* Variables that overlap (views of one COMMON block) are few: looking back a little finds the outer one.
     */
    enum { LOOK_BACK = 8 };
    UInt low = 0, high = region_count;
    while (low < high) {
        UInt middle = low + (high - low) / 2;
        if (regions[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (UInt back = 0; back < LOOK_BACK && low > back; back++)
        if (address < regions[low - 1 - back].end)
            return &regions[low - 1 - back];
    return NULL;
}

UInt fixed_array_at(Addr address, Addr *start, Addr *end)
{
    struct region *region = region_at(address);
    if (!region)
        return 0;
    if (!region->array) {
        const struct list_variable *variable = &list.variables[list.data[region->data - 1].variable];
        region->array = array_of_variable(region->data, region->start, region->end - region->start,
                                          fixed_kind(variable->kind), 0);
    }
    *start = region->start;
    *end = region->end;
    return region->array;
}

static void mapped(Addr address, SizeT bytes, Bool is_readable, Bool is_writable, Bool is_executable,
                   ULong debug)
{
    (void)address;
    (void)bytes;
    (void)is_readable;
    (void)is_writable;
    (void)debug;
    if (is_executable)
        modules_are_stale = True;
}

/* Code that goes is written down while it is still known: something may have happened there. */
static void unmapped(Addr address, SizeT bytes)
{
    Bool is_code = False;
    if (bytes < 1 << PAGE_BITS)
        return;
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info && !is_code;
         info = VG_(next_DebugInfo)(info)) {
        Addr start = VG_(DebugInfo_get_text_avma)(info);
        is_code = start < address + bytes && address < start + VG_(DebugInfo_get_text_size)(info);
    }
    if (is_code) {
        recording_modules();
        modules_are_stale = True;
    }
    arrays_forget_answers();
    shadow_clear(address, bytes);
}

void fixed_initialise(void)
{
    VG_(track_new_mem_mmap)(mapped);
    VG_(track_new_mem_startup)(mapped);
    VG_(track_die_mem_munmap)(unmapped);
}
