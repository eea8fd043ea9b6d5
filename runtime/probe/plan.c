/* The plan is mapped and checked: whatever passes is used without another look.  A plan may be damaged, or
   for another instruction set; then the program runs untouched. */
#include "runtime/probe/probe.h"

struct plan plan;

#ifdef __aarch64__
enum { OUR_ISA = PROBE_ISA_AARCH64, LEAST_JUMP = 4, LEAST_TRAP = 4, HAS_HOPS = 0 };
#else
enum { OUR_ISA = PROBE_ISA_X86_64, LEAST_JUMP = 5, LEAST_TRAP = 1, HAS_HOPS = 1 };
#endif
static const uint64_t MOST_COUNTERS = (uint64_t)1 << 28, MOST_SUBJECTS = ((uint64_t)1 << 28) - 1;
enum { MOST_GROUPS = 1 << 16, SHORT_JUMP_BYTES = 2 };

static const void *section(const struct probe_plan_header *header, const struct probe_plan_section *part,
                           uint64_t entry, bool *is_good)
{
    *is_good = *is_good && part->offset % 8 == 0 && part->offset <= header->size &&
               part->count <= (header->size - part->offset) / entry;
    return (const uint8_t *)header + part->offset;
}

static bool is_part(uint64_t first, uint64_t count, uint64_t all)
{
    return first <= all && count <= all - first;
}

static bool hop_is_good(const struct probe_plan_module *module, const struct probe_plan_patch *patch)
{
    uint64_t place = patch->address + SHORT_JUMP_BYTES + (uint64_t)(int64_t)patch->hop;
    return HAS_HOPS && patch->way == PROBE_BY_JUMP && patch->size >= SHORT_JUMP_BYTES &&
           patch->size <= PROBE_PATCH_BYTES - PROBE_HOP_BYTES && place >= module->low &&
           place < module->high && PROBE_HOP_BYTES <= module->high - place;
}

static bool patch_is_good(const struct probe_plan_module *module, const struct probe_plan_patch *patch)
{
    if (patch->address >= module->high || patch->size > PROBE_PATCH_BYTES ||
        patch->size > module->high - patch->address || patch->trampoline >= module->code_bytes ||
        (patch->way != PROBE_BY_JUMP && patch->way != PROBE_BY_TRAP))
        return false;
    if (patch->hop)
        return hop_is_good(module, patch);
    return patch->size >= (patch->way == PROBE_BY_JUMP ? LEAST_JUMP : LEAST_TRAP);
}

static bool module_is_good(const struct probe_plan_header *header, const struct probe_plan_module *module)
{
    if (!is_part(module->code, module->code_bytes, header->code.count) || module->code_bytes > INT32_MAX ||
        !is_part(module->first_patch, module->patch_count, header->patches.count) ||
        !is_part(module->first_fix, module->fix_count, header->fixes.count) ||
        module->build_id_bytes > sizeof module->build_id || module->path >= header->size ||
        module->low > module->high)
        return false;
    const char *path = (const char *)header + module->path, *end = (const char *)header + header->size;
    while (path < end && *path)
        path++;
    if (path == end)
        return false;
    uint64_t last = module->low;
    for (uint64_t i = 0; i < module->patch_count; i++) {
        const struct probe_plan_patch *patch = &plan.patches[module->first_patch + i];
        if (patch->address < last || !patch_is_good(module, patch))
            return false;
        last = patch->address + patch->size;
    }
    for (uint64_t i = 0; i < module->fix_count; i++) {
        const struct probe_plan_fix *fix = &plan.fixes[module->first_fix + i];
        uint64_t size = fix->kind <= PROBE_FIX_RUNTIME64 ? 8 : 4;
        if (fix->kind < PROBE_FIX_ADDRESS64 || fix->kind > PROBE_FIX_LOCAL_LOW12 ||
            !is_part(fix->at, size, module->code_bytes) ||
            (fix->kind == PROBE_FIX_RUNTIME64 && fix->target >= PROBE_ENTRIES) ||
            ((fix->kind == PROBE_FIX_LOCAL32 || fix->kind >= PROBE_FIX_LOCAL_HIGH12) &&
             fix->target >= PROBE_LOCALS))
            return false;
    }
    return true;
}

static bool is_good(const struct probe_plan_header *header, uint64_t size)
{
    bool good = bytes_equal(header->magic, PROBE_PLAN_MAGIC, sizeof header->magic) &&
                header->version == PROBE_PLAN_VERSION && header->isa == OUR_ISA && header->size == size &&
                header->counter_count <= MOST_COUNTERS && header->subjects.count <= MOST_SUBJECTS;
    plan.subjects = section(header, &header->subjects, sizeof *plan.subjects, &good);
    plan.modules = section(header, &header->modules, sizeof *plan.modules, &good);
    plan.patches = section(header, &header->patches, sizeof *plan.patches, &good);
    plan.fixes = section(header, &header->fixes, sizeof *plan.fixes, &good);
    plan.tallies = section(header, &header->tallies, sizeof *plan.tallies, &good);
    plan.code = section(header, &header->code, 1, &good);
    for (uint64_t i = 0; good && i < header->modules.count; i++)
        good = module_is_good(header, &plan.modules[i]);
    for (uint64_t i = 0; good && i < header->tallies.count; i++)
        good = plan.tallies[i].subject < header->subjects.count && plan.tallies[i].first >= 1 &&
               is_part(plan.tallies[i].first, PROBE_TALLY_WORDS, header->counter_count);
    for (uint64_t i = 0; good && i < header->subjects.count; i++)
        if (plan.subjects[i].kind == PROBE_ADDRESS && plan.subjects[i].group >= plan.group_count &&
            plan.subjects[i].group < MOST_GROUPS)
            plan.group_count = plan.subjects[i].group + 1;
    return good;
}

bool plan_open(const char *path)
{
    int file = system_open(path, O_RDONLY, 0);
    if (file < 0)
        return false;
    off_t size = (off_t)system_call(SYS_lseek, file, 0, SEEK_END, 0, 0, 0);
    const struct probe_plan_header *header =
        size >= (off_t)sizeof *header
            ? system_map(system_away((size_t)size), (size_t)size, PROT_READ, MAP_PRIVATE, file, 0)
            : NULL;
    system_close(file);
    if (header && is_good(header, (uint64_t)size)) {
        plan.header = header;
        return true;
    }
    if (header)
        system_unmap((void *)header, (size_t)size);
    return false;
}
