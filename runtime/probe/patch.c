/* A module of the plan meets its file in memory: islets are put within reach of its code and fixed, then the
   code is patched.

   Nothing is believed: each patch is made only where the bytes are those that the plan has.  Code pages are
   writable for the time of patching; they are not executable then, unless they have to be, because other
   threads may run code of the same file.  Guarded pages (BTI) do not stay guarded: a patched function does
   not start with a landing pad.

   AArch64: the branch of a patch, and those of an islet back into the code, reach 128 MB.  Where a branch of
   an islet does not reach, the patches whose control goes through it are left out; where only the patch's
   branch does not, a trap takes its place.  x86: 2 GB, which is enough for any file. */
#include "runtime/probe/probe.h"

struct placed placed[MOST_PLACED];
uint32_t placed_count;

#ifdef __aarch64__
static const uint64_t REACH = ((uint64_t)128 << 20) - 4096;
static const uint32_t TRAP = 0xd4200000 | 0xa55a << 5; /* brk */
#else
static const uint64_t REACH = ((uint64_t)1 << 31) - 4096;
enum { TRAP = 0xcc };
#endif
enum { SHORT_JUMP = 0xeb, SHORT_JUMP_BYTES = 2 }; /* x86 */
enum { JOINED_BYTES = 1 << 16 }; /* patches that are nearer than that are made writable together */

static uintptr_t thread_pointer(void)
{
    uintptr_t pointer;
#ifdef __aarch64__
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#else
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
#endif
    return pointer;
}

static uint32_t read32(const uint8_t *at)
{
    uint32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

static void write32(uint8_t *at, uint32_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static void write64(uint8_t *at, uint64_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
}

static bool fits(int64_t value, unsigned bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* False: what it refers to is out of reach. */
static bool apply(const struct probe_plan_fix *fix, uint8_t *at, uintptr_t bias)
{
    uintptr_t entry =
        fix->target == PROBE_ENTRY_FULL ? (uintptr_t)probe_entry_full : (uintptr_t)probe_entry_tally;
    uintptr_t target = bias + fix->target;
    uint64_t local = (uintptr_t)&probe_locals + 8 * fix->target - thread_pointer();
    int64_t distance;
    switch (fix->kind) {
    case PROBE_FIX_ADDRESS64:
        write64(at, target);
        return true;
    case PROBE_FIX_RUNTIME64:
        write64(at, entry);
        return true;
    case PROBE_FIX_RELATIVE32:
        distance = (int64_t)(target - ((uintptr_t)at + 4 + (uintptr_t)(intptr_t)fix->addend));
        write32(at, (uint32_t)distance);
        return fits(distance, 32);
    case PROBE_FIX_LOCAL32:
        write32(at, (uint32_t)local);
        return fits((int64_t)local, 32);
    case PROBE_FIX_BRANCH26:
        distance = (int64_t)(target - (uintptr_t)at);
        write32(at, (read32(at) & 0xfc000000) | ((uint32_t)(distance >> 2) & 0x03ffffff));
        return fits(distance, 28);
    case PROBE_FIX_PAGE21:
        distance = (int64_t)(target >> 12) - (int64_t)((uintptr_t)at >> 12);
        write32(at, (read32(at) & 0x9f00001f) | ((uint32_t)distance & 3) << 29 |
                        ((uint32_t)(distance >> 2) & 0x7ffff) << 5);
        return fits(distance, 21);
    case PROBE_FIX_LOCAL_HIGH12:
        write32(at, (read32(at) & ~(0xfffu << 10)) | (uint32_t)(local >> 12 & 0xfff) << 10);
        return local < 1 << 24;
    case PROBE_FIX_LOCAL_LOW12:
        write32(at, (read32(at) & ~(0xfffu << 10)) | (uint32_t)(local >> 3 & 0x1ff) << 10);
        return true;
    default:
        return false;
    }
}

/* Marks the patches whose islet contains an offset: the one that starts at or before it.  Islets lie in any
   order, so all patches are looked at; that happens to files of more than 128 MB alone. */
static void leave_out(const struct probe_plan_module *module, uint32_t at, uint8_t *left_out)
{
    uint32_t start = 0;
    const struct probe_plan_patch *patches = &plan.patches[module->first_patch];
    for (uint64_t i = 0; i < module->patch_count; i++)
        if (patches[i].islet <= at && patches[i].islet > start)
            start = patches[i].islet;
    for (uint64_t i = 0; i < module->patch_count; i++)
        if (patches[i].islet == start)
            left_out[i] = 1;
}

static void fix_islets(const struct placed *place, uint8_t *left_out)
{
    const struct probe_plan_module *module = place->module;
    uint8_t *islets = (uint8_t *)place->islets;
    bytes_copy(islets, plan.code + module->code, module->code_bytes);
    for (uint64_t i = 0; i < module->fix_count; i++) {
        const struct probe_plan_fix *fix = &plan.fixes[module->first_fix + i];
        if (!apply(fix, islets + fix->at, place->bias))
            leave_out(module, fix->at, left_out);
    }
}

static void write_jump(uint8_t *at, uintptr_t to, unsigned size)
{
    int64_t distance = (int64_t)(to - (uintptr_t)at);
#ifdef __aarch64__
    (void)size;
    write32(at, 0x14000000 | ((uint32_t)(distance >> 2) & 0x03ffffff));
#else
    at[0] = 0xe9;
    write32(at + 1, (uint32_t)(distance - 5));
    for (unsigned i = 5; i < size; i++)
        at[i] = TRAP;
#endif
}

static void write_trap(uint8_t *at)
{
#ifdef __aarch64__
    write32(at, TRAP);
#else
    at[0] = TRAP;
#endif
}

static bool reaches(uintptr_t from, uintptr_t to)
{
#ifdef __aarch64__
    return fits((int64_t)(to - from), 28);
#else
    return fits((int64_t)(to - from - 5), 32);
#endif
}

/* Where the jump of a patch is: a short jump may lead to it. */
static uint8_t *jump_of(const struct placed *place, const struct probe_plan_patch *patch)
{
    uint8_t *at = (uint8_t *)(place->bias + patch->address);
    return patch->hop ? at + SHORT_JUMP_BYTES + patch->hop : at;
}

static void write_patch(const struct placed *place, const struct probe_plan_patch *patch, uintptr_t islet)
{
    uint8_t *at = (uint8_t *)(place->bias + patch->address), *jump = jump_of(place, patch);
    write_jump(jump, islet, patch->hop ? PROBE_HOP_BYTES : patch->size);
    if (patch->hop) {
        at[0] = SHORT_JUMP;
        at[1] = (uint8_t)patch->hop;
    }
}

static bool can_jump(const struct placed *place, const struct probe_plan_patch *patch, uintptr_t islet)
{
    const uint8_t *jump = jump_of(place, patch);
    return patch->way == PROBE_BY_JUMP && reaches((uintptr_t)jump, islet) &&
           (!patch->hop || bytes_equal(jump, patch->original + patch->size, PROBE_HOP_BYTES));
}

static void patch_one(struct placed *place, const struct probe_plan_patch *patch, bool is_left_out)
{
    uint8_t *at = (uint8_t *)(place->bias + patch->address);
    uintptr_t islet = place->islets + patch->islet;
    struct probe_module *record = &place->result;
    if (!bytes_equal(at, patch->original, patch->size)) {
        record->placing = PROBE_OTHER_BYTES;
        record->left_out++;
    } else if (is_left_out)
        record->left_out++;
    else if (can_jump(place, patch, islet)) {
        write_patch(place, patch, islet);
        record->jumps++;
    } else if (place->refuses_traps)
        record->left_out++;
    else {
        write_trap(at);
        record->traps++;
        place->has_traps = true;
    }
}

static int protection_of(const struct module *module, uintptr_t address)
{
    for (unsigned i = 0; i < module->segment_count; i++) {
        const ElfW(Phdr) *segment = &module->segments[i];
        uintptr_t start = module->bias + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= start && address < start + segment->p_memsz)
            return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
                   (segment->p_flags & PF_X ? PROT_EXEC : 0);
    }
    return -1;
}

/* What the patches first … end-1 write to. */
static void span_of(const struct placed *place, uint64_t first, uint64_t end, uintptr_t *low, uintptr_t *high)
{
    const struct probe_plan_patch *patches = &plan.patches[place->module->first_patch];
    *low = UINTPTR_MAX;
    *high = 0;
    for (uint64_t i = first; i < end; i++) {
        uintptr_t at = place->bias + patches[i].address, jump = (uintptr_t)jump_of(place, &patches[i]);
        uintptr_t start = jump < at ? jump : at, stop = at + patches[i].size;
        if (patches[i].hop && jump + PROBE_HOP_BYTES > stop)
            stop = jump + PROBE_HOP_BYTES;
        *low = start < *low ? start : *low;
        *high = stop > *high ? stop : *high;
    }
}

/* Patches first … end-1 lie near each other, in one segment.  Those with a hop come last: it may lead behind
   the jump of another. */
static long patch_range(struct placed *place, uint64_t first, uint64_t end, int protection,
                        const uint8_t *left_out)
{
    const struct probe_plan_patch *patches = &plan.patches[place->module->first_patch];
    uintptr_t low, high;
    span_of(place, first, end, &low, &high);
    low = low / page_bytes * page_bytes;
    high = (high + page_bytes - 1) / page_bytes * page_bytes;
    long result = system_protect(low, high - low, protection | PROT_WRITE);
    if (system_failed(result)) /* memory must not be both */
        result = system_protect(low, high - low, PROT_READ | PROT_WRITE);
    if (system_failed(result))
        return result;
    for (uint64_t i = first; i < end; i++)
        if (!patches[i].hop)
            patch_one(place, &patches[i], left_out[i]);
    for (uint64_t i = first; i < end; i++)
        if (patches[i].hop)
            patch_one(place, &patches[i], left_out[i]);
    result = system_protect(low, high - low, protection);
    __builtin___clear_cache((char *)low, (char *)high);
    return result;
}

static void patch_all(struct placed *place, const struct module *module, const uint8_t *left_out)
{
    const struct probe_plan_patch *patches = &plan.patches[place->module->first_patch];
    uint64_t count = place->module->patch_count;
    for (uint64_t first = 0, end; first < count; first = end) {
        uintptr_t address = place->bias + patches[first].address;
        int protection = protection_of(module, address);
        end = first + 1;
        if (protection < 0 || !(protection & PROT_EXEC)) {
            place->result.placing = PROBE_OTHER_BYTES;
            place->result.left_out++;
            continue;
        }
        while (end < count && patches[end].address - patches[end - 1].address < JOINED_BYTES &&
               protection_of(module, place->bias + patches[end].address) == protection)
            end++;
        long result = patch_range(place, first, end, protection, left_out);
        if (system_failed(result)) {
            place->result.placing = PROBE_NOT_WRITABLE;
            place->result.error_number = (uint32_t)-result;
            place->result.left_out += end - first;
        }
    }
}

void patch_module(struct placed *place, const struct module *module, struct maps *maps)
{
    const struct probe_plan_module *wanted = place->module;
    uintptr_t low = place->bias + wanted->low, high = place->bias + wanted->high;
    struct probe_module *record = &place->result;
    if (!wanted->patch_count || !wanted->code_bytes) {
        record->placing = PROBE_PLACED;
        return;
    }
    place->islets_bytes = (wanted->code_bytes + page_bytes - 1) / page_bytes * page_bytes;
    uint8_t *islets = maps_room(maps, low, high, place->islets_bytes, REACH);
    uint8_t *left_out = islets ? system_memory(wanted->patch_count) : NULL;
    if (!left_out) {
        record->placing = PROBE_NO_ROOM;
        record->left_out = wanted->patch_count;
        return;
    }
    place->islets = (uintptr_t)islets;
    record->islets = place->islets;
    record->placing = PROBE_PLACED;
    fix_islets(place, left_out);
    __builtin___clear_cache((char *)islets, (char *)islets + place->islets_bytes);
    long result = system_protect(place->islets, place->islets_bytes, PROT_READ | PROT_EXEC);
    if (system_failed(result)) {
        record->placing = PROBE_NO_ROOM;
        record->error_number = (uint32_t)-result;
        record->left_out = wanted->patch_count;
    } else
        patch_all(place, module, left_out);
    system_unmap(left_out, wanted->patch_count);
}
