/* Memory: everything is given back but the program itself; then the codelet's pages come to their addresses,
   private copies of the file, so that nothing is read before it is used. Memory of our own comes from the
   addresses that the plan names. */
#include "runtime/replay/replay.h"

#include <errno.h>

enum { MAPS_TEXT = 1 << 16 };

static uint64_t next_memory;

static uint64_t number(const char **text)
{
    uint64_t value = 0;
    for (;; ++*text) {
        char c = **text;
        if (c >= '0' && c <= '9')
            value = value * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (uint64_t)(c - 'a' + 10);
        else
            return value;
    }
}

void replay_leave_memory(void)
{
    static char text[MAPS_TEXT + 1];
    int file = system_open("/proc/self/maps", O_RDONLY, 0);
    size_t size = 0;
    for (long got = 1; file >= 0 && got > 0 && size < MAPS_TEXT; size += got > 0 ? (size_t)got : 0)
        got = system_read(file, text + size, MAPS_TEXT - size);
    if (file < 0 || size == MAPS_TEXT)
        replay_fail(replay_step_ROOM, file);
    system_close(file);
    uint64_t own_start = (uint64_t)replay_image_start, own_end = (uint64_t)replay_image_end;
    for (const char *line = text; *line;) {
        uint64_t start = number(&line);
        line += *line == '-';
        uint64_t end = number(&line);
        while (*line && *line != '\n')
            line++;
        line += *line == '\n';
        if ((end <= own_start || start >= own_end) && (int64_t)start > 0)
            system_unmap((void *)start, end - start);
    }
}

void *replay_memory(uint64_t bytes)
{
    const struct replay_plan *plan = replay.plan;
    if (!next_memory)
        next_memory = plan->memory;
    bytes = (bytes + 65535) / 65536 * 65536;
    if (bytes > plan->memory_size || next_memory - plan->memory > plan->memory_size - bytes)
        replay_fail(replay_step_MEMORY, -ENOMEM);
    long result = system_call(SYS_mmap, (long)next_memory, (long)bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (result != (long)next_memory)
        replay_fail(replay_step_MEMORY, system_failed(result) ? result : -EEXIST);
    next_memory += bytes;
    return (void *)result;
}

static int rights_of(const struct codelet_region *region)
{
    return (region->rights & codelet_READ ? PROT_READ : 0) | (region->rights & codelet_WRITE ? PROT_WRITE : 0) |
           (region->rights & codelet_EXECUTE ? PROT_EXEC : 0);
}

static void map_at(uint64_t address, uint64_t bytes, int rights, int flags, int file, uint64_t offset)
{
    long result = system_call(SYS_mmap, (long)address, (long)bytes, rights, flags | MAP_PRIVATE | MAP_NORESERVE,
                              file, (long)offset);
    if (result != (long)address) {
        replay.answer.address = address;
        replay_fail(replay_step_MAPS, system_failed(result) ? result : -EEXIST);
    }
}

static bool is_heap(const struct codelet_region *region)
{
    const char *name = (const char *)replay.file + replay.header->names.offset + region->name;
    return text_equal(name, "[heap]");
}

/* The captured regions and the reserve, by address. */
static void list_regions(void)
{
    const struct codelet_region *captured = replay.regions;
    uint64_t count = replay.header->regions.count, at = 0;
    struct codelet_region *list = replay_memory((count + 1) * sizeof *list);
    uint64_t reserve = replay_reserve();
    for (uint64_t i = 0; i <= count; i++) {
        if (at == i && (i == count || captured[i].start > replay_reserve_start())) {
            list[at].start = replay_reserve_start();
            list[at].end = list[at].start + reserve;
            list[at].kind = codelet_ANONYMOUS;
            list[at].rights = codelet_READ | codelet_WRITE;
            at++;
        }
        if (i < count) {
            if (is_heap(&captured[i]))
                replay_note_heap(captured[i].end);
            list[at++] = captured[i];
        }
    }
    replay.regions = list;
    replay.region_count = at;
}

/* Every region first, empty; then the stretches over it. */
void replay_map(void)
{
    list_regions();
    replay.table = replay_memory(replay.region_count * sizeof *replay.table);
    uint64_t pages = 0;
    for (uint64_t i = 0; i < replay.region_count; i++) {
        const struct codelet_region *region = &replay.regions[i];
        replay.table[i].facts = region;
        replay.table[i].first_page = pages;
        pages += (region->end - region->start) / replay.page_size;
        if (region->kind != codelet_UNREADABLE && region->start != replay_reserve_start())
            map_at(region->start, region->end - region->start, rights_of(region),
                   MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    }
    replay.page_count = pages;
    replay.states = replay_memory(pages + 1);
}

/* A descriptor of the codelet, after replay_map. */
void replay_map_contents(int file)
{
    const struct codelet_header *header = replay.header;
    for (uint64_t i = 0; i < header->stretches.count; i++) {
        const struct codelet_stretch *stretch = &replay.stretches[i];
        const struct replay_region *region = replay_region_at(stretch->address);
        if (stretch->offset && region && region->facts->kind != codelet_UNREADABLE)
            map_at(stretch->address, stretch->bytes, rights_of(region->facts), MAP_FIXED, file, stretch->offset);
    }
}

const struct replay_region *replay_region_at(uint64_t address)
{
    uint64_t low = 0, high = replay.region_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (replay.regions[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < replay.region_count && replay.regions[low].start <= address ? &replay.table[low] : NULL;
}

uint8_t *replay_state_at(uint64_t address)
{
    const struct replay_region *region = replay_region_at(address);
    return region ? &replay.states[region->first_page + (address - region->facts->start) / replay.page_size] : NULL;
}

static const struct codelet_stretch *stretch_at(uint64_t address)
{
    uint64_t low = 0, high = replay.header->stretches.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (replay.stretches[middle].address + replay.stretches[middle].bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct codelet_stretch *found = &replay.stretches[low];
    return low < replay.header->stretches.count && found->address <= address ? found : NULL;
}

const void *replay_initial(uint64_t page)
{
    const struct codelet_stretch *stretch = stretch_at(page);
    return stretch && stretch->offset ? replay.file + stretch->offset + (page - stretch->address) : NULL;
}

bool replay_is_dropped(uint64_t page)
{
    const struct codelet_stretch *stretch = stretch_at(page);
    return stretch && !stretch->offset;
}

void replay_copy_page(void *to, const void *from)
{
    uint64_t *target = to;
    const uint64_t *source = from;
    for (uint64_t i = 0; i < replay.page_size / 8; i++)
        target[i] = source ? source[i] : 0;
}

void replay_restore_page(uint64_t page)
{
    replay_copy_page((void *)page, replay_initial(page));
}
