/* A module of the plan meets its file in memory: its code is patched to jump to the trampolines
   (trampolines.c).

   Nothing is believed: each patch is made only where the bytes are those that the plan has.  Code pages are
   writable for the time of patching; they are not executable then, unless they have to be, because other
   threads may run code of the same file.  Guarded pages (BTI) do not stay guarded: a patched function does
   not start with a landing pad.

   Where no copy of the trampolines is within reach of a patch, a trap takes its place. */
#include "runtime/probe/probe.h"

struct placed placed[MOST_PLACED];
uint32_t placed_count;

enum { SHORT_JUMP = 0xeb, SHORT_JUMP_BYTES = 2 }; /* x86 */
enum { JOINED_BYTES = 1 << 16 }; /* patches that are nearer than that are made writable together */

static void write32(uint8_t *at, uint32_t value)
{
    __builtin_memcpy(at, &value, sizeof value);
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
        at[i] = PROBE_TRAP;
#endif
}

static void write_trap(uint8_t *at)
{
#ifdef __aarch64__
    write32(at, PROBE_TRAP);
#else
    at[0] = PROBE_TRAP;
#endif
}

/* Where the jump of a patch is: a short jump may lead to it. */
static uint8_t *jump_of(const struct placed *place, const struct probe_plan_patch *patch)
{
    uint8_t *at = (uint8_t *)(place->bias + patch->address);
    return patch->hop ? at + SHORT_JUMP_BYTES + patch->hop : at;
}

static void write_patch(const struct placed *place, const struct probe_plan_patch *patch, uintptr_t trampoline)
{
    uint8_t *at = (uint8_t *)(place->bias + patch->address), *jump = jump_of(place, patch);
    write_jump(jump, trampoline, patch->hop ? PROBE_HOP_BYTES : patch->size);
    if (patch->hop) {
        at[0] = SHORT_JUMP;
        at[1] = (uint8_t)patch->hop;
    }
}

/* Where a jump leads; 0: there can be none. */
static uintptr_t jump_target(const struct placed *place, const struct probe_plan_patch *patch)
{
    const uint8_t *jump = jump_of(place, patch);
    if (patch->way != PROBE_BY_JUMP ||
        (patch->hop && !bytes_equal(jump, patch->original + patch->size, PROBE_HOP_BYTES)))
        return 0;
    return trampolines_near(place, patch, (uintptr_t)jump);
}

static void patch_one(struct placed *place, const struct probe_plan_patch *patch)
{
    uint8_t *at = (uint8_t *)(place->bias + patch->address);
    struct probe_module *record = &place->result;
    if (!bytes_equal(at, patch->original, patch->size)) {
        record->placing = PROBE_OTHER_BYTES;
        record->left_out++;
        return;
    }
    uintptr_t trampoline = jump_target(place, patch);
    if (trampoline) {
        write_patch(place, patch, trampoline);
        record->jumps++;
    } else if (place->refuses_traps) {
        record->placing = record->placing == PROBE_PLACED ? PROBE_NO_TRAPS : record->placing;
        record->left_out++;
    } else {
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

/* Patches first … end-1 lie near each other, in one segment.  Those with a hop come last: it may lead after
   the jump of another. */
static long patch_range(struct placed *place, uint64_t first, uint64_t end, int protection)
{
    const struct probe_plan_patch *patches = &plan.patches[place->module->first_patch];
    uintptr_t low, high;
    span_of(place, first, end, &low, &high);
    low = low / page_bytes * page_bytes;
    high = (high + page_bytes - 1) / page_bytes * page_bytes;
    long result = system_protect(low, high - low, protection | PROT_WRITE);
    if (system_failed(result)) /* memory must not be both */
        result = system_protect(low, high - low, PROT_READ | PROT_WRITE);
    if (system_failed(result)) { /* some pages may have changed */
        system_protect(low, high - low, protection);
        return result;
    }
    for (uint64_t i = first; i < end; i++)
        if (!patches[i].hop)
            patch_one(place, &patches[i]);
    for (uint64_t i = first; i < end; i++)
        if (patches[i].hop)
            patch_one(place, &patches[i]);
    result = system_protect(low, high - low, protection);
    __builtin___clear_cache((char *)low, (char *)high);
    return result;
}

static void patch_all(struct placed *place, const struct module *module)
{
    const struct probe_plan_patch *patches = &plan.patches[place->module->first_patch];
    uint64_t count = place->module->patch_count;
    for (uint64_t first = 0, end; first < count; first = end) {
        uintptr_t address = place->bias + patches[first].address;
        int protection = protection_of(module, address);
        end = first + 1;
        place->is_writable |= protection >= 0 && protection & PROT_WRITE;
        if (protection < 0 || !(protection & PROT_EXEC)) {
            place->result.placing = PROBE_OTHER_BYTES;
            place->result.left_out++;
            continue;
        }
        while (end < count && patches[end].address - patches[end - 1].address < JOINED_BYTES &&
               protection_of(module, place->bias + patches[end].address) == protection)
            end++;
        long result = patch_range(place, first, end, protection);
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
    struct probe_module *record = &place->result;
    record->placing = PROBE_PLACED;
    if (!wanted->patch_count || !wanted->code_bytes)
        return;
    long result = trampolines_place(place, maps);
    if (system_failed(result) || !place->copy_count) {
        record->placing = PROBE_NO_ROOM;
        record->error_number = system_failed(result) ? (uint32_t)-result : 0;
        record->left_out = wanted->patch_count;
        trampolines_forget(place);
        return;
    }
    record->trampolines = place->copies[0];
    patch_all(place, module);
}
