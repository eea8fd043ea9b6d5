/* Trampolines are put into memory, within reach of the code, and fixed.

   AArch64: branches reach 128 MB.  Where no room is within reach of all the code of a file, the code is
   halved, and halved again, and each part gets a copy of all trampolines near it: a patch goes to the nearest
   copy. A branch of a copy that does not reach its target becomes a trap, whose handler goes on at the target
   (traps.c): that happens to branches between distant parts of very large files alone, and to patches that
   are near no copy.  x86: 2 GB, which is enough for any file. */
#include "runtime/probe/probe.h"

enum { MOST_HALVINGS = 4, MARGIN = 1 << 20 };

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
    uint64_t local = (uintptr_t)&probe_locals + 8 * fix->target - system_thread_pointer();
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

static void make_copy(struct placed *place, uint8_t *trampolines)
{
    const struct probe_plan_module *module = place->module;
    bytes_copy(trampolines, plan.code + module->code, module->code_bytes);
    for (uint64_t i = 0; i < module->fix_count; i++) {
        const struct probe_plan_fix *fix = &plan.fixes[module->first_fix + i];
        if (apply(fix, trampolines + fix->at, place->bias))
            continue;
        write32(trampolines + fix->at, PROBE_TRAP);
        place->has_traps = true;
    }
    __builtin___clear_cache((char *)trampolines, (char *)trampolines + place->trampolines_bytes);
}

static bool is_near(const struct placed *place, uintptr_t trampolines, uintptr_t low, uintptr_t high)
{
    return trampolines < low ? high - trampolines <= PROBE_REACH - MARGIN
                        : trampolines + place->trampolines_bytes - low <= PROBE_REACH - MARGIN;
}

/* A copy for the code from low to high, or copies for its parts. */
static long cover(struct placed *place, struct maps *maps, uintptr_t low, uintptr_t high, unsigned halvings)
{
    for (unsigned i = 0; i < place->copy_count; i++)
        if (is_near(place, place->copies[i], low, high))
            return 0;
    if (place->copy_count == MOST_COPIES)
        return 0;
    uint8_t *trampolines = maps_room(maps, low, high, place->trampolines_bytes, PROBE_REACH - MARGIN);
    if (trampolines) {
        make_copy(place, trampolines);
        place->copies[place->copy_count++] = (uintptr_t)trampolines;
        return system_protect((uintptr_t)trampolines, place->trampolines_bytes, PROT_READ | PROT_EXEC);
    }
    if (halvings == MOST_HALVINGS)
        return 0;
    uintptr_t middle = low + (high - low) / 2;
    long result = cover(place, maps, low, middle, halvings + 1);
    return system_failed(result) ? result : cover(place, maps, middle, high, halvings + 1);
}

long trampolines_place(struct placed *place, struct maps *maps)
{
    const struct probe_plan_module *module = place->module;
    place->trampolines_bytes = (module->code_bytes + page_bytes - 1) / page_bytes * page_bytes;
    return cover(place, maps, place->bias + module->low, place->bias + module->high, 0);
}

uintptr_t trampolines_near(const struct placed *place, const struct probe_plan_patch *patch, uintptr_t jump)
{
    for (unsigned i = 0; i < place->copy_count; i++) {
        uintptr_t trampoline = place->copies[i] + patch->trampoline;
        uint64_t distance = trampoline > jump ? trampoline - jump : jump - trampoline;
        if (distance < PROBE_REACH - MARGIN)
            return trampoline;
    }
    return 0;
}

uintptr_t trampolines_target(const struct placed *place, uintptr_t address, bool *is_call)
{
    for (unsigned i = 0; i < place->copy_count; i++) {
        uint64_t at = address - place->copies[i];
        if (at >= place->module->code_bytes)
            continue;
        for (uint64_t k = 0; k < place->module->fix_count; k++) {
            const struct probe_plan_fix *fix = &plan.fixes[place->module->first_fix + k];
            if (fix->at != at || fix->kind != PROBE_FIX_BRANCH26)
                continue;
            *is_call = read32(plan.code + place->module->code + at) >> 31; /* bl */
            return place->bias + fix->target;
        }
    }
    return 0;
}

void trampolines_forget(struct placed *place)
{
    for (unsigned i = 0; i < place->copy_count; i++)
        system_unmap((void *)place->copies[i], place->trampolines_bytes);
    place->copy_count = 0;
}
