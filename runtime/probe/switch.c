/* Patches are taken back while the program runs: those of a loop whose tally has seen enough, so that the
   rest of the run costs nothing.

   Other threads may be about to execute the very bytes, so they are not changed where they are: the page is
   copied, the copy is changed, and then the copy takes the page's place at once (mremap).  A thread finds
   either the jump or what was there before it, and both do the same for the program.  Trampolines stay: some
   thread may be in them.  Where a patch cannot be taken back, it stays and goes on counting. */
#include "runtime/probe/probe.h"

#include <errno.h>

static int switch_lock;
static bool is_switched[PROBE_MOST_SWITCHED]; /* by tally */

static uintptr_t page_of(uintptr_t address)
{
    return address / page_bytes * page_bytes;
}

/* A page that the program writes to, or a patch on two pages: it stays. */
static bool can_switch(const struct placed *place, const struct probe_plan_patch *patch)
{
    uintptr_t at = place->bias + patch->address;
    return !place->is_writable && patch->size && patch->size <= PROBE_PATCH_BYTES &&
           page_of(at) == page_of(at + patch->size - 1);
}

static bool take_back(const struct placed *place, const struct probe_plan_patch *patch)
{
    uintptr_t at = place->bias + patch->address, page = page_of(at);
    if (bytes_equal((const void *)at, patch->original, patch->size))
        return true; /* it was never made */
    uint8_t *copy = system_memory(page_bytes);
    if (!copy)
        return false;
    bytes_copy(copy, (const void *)page, page_bytes);
    bytes_copy(copy + (at - page), patch->original, patch->size);
    __builtin___clear_cache((char *)copy, (char *)copy + page_bytes);
    long result = system_protect((uintptr_t)copy, page_bytes, PROT_READ | PROT_EXEC);
    if (!system_failed(result))
        result = system_call(SYS_mremap, (long)copy, (long)page_bytes, (long)page_bytes,
                             MREMAP_MAYMOVE | MREMAP_FIXED, (long)page, 0);
    if (system_failed(result))
        system_unmap(copy, page_bytes);
    else
        __builtin___clear_cache((char *)page, (char *)page + page_bytes);
    return !system_failed(result);
}

/* Patches of a tally of one order; false: some stays. */
static bool each(uint64_t tally, enum probe_switching order,
                 bool (*does)(const struct placed *place, const struct probe_plan_patch *patch))
{
    bool does_all = true;
    for (uint32_t i = 0; i < placed_count; i++) {
        const struct probe_plan_module *module = placed[i].module;
        for (uint64_t k = 0; module && !placed[i].is_gone && k < module->patch_count; k++) {
            const struct probe_plan_patch *patch = &plan.patches[module->first_patch + k];
            if (patch->switching == order && patch->tally == tally)
                does_all &= does(&placed[i], patch);
        }
    }
    return does_all;
}

void switch_off(uint64_t tally)
{
    if (tally >= PROBE_MOST_SWITCHED || __atomic_load_n(&is_switched[tally], __ATOMIC_RELAXED))
        return;
    uint64_t mask = system_block_signals();
    lock_take(&switch_lock);
    if (!is_switched[tally] && file_is_ours()) {
        __atomic_store_n(&is_switched[tally], true, __ATOMIC_RELAXED);
        if (each(tally, PROBE_SWITCHED_FIRST, can_switch) && each(tally, PROBE_SWITCHED_FIRST, take_back))
            each(tally, PROBE_SWITCHED_LAST, take_back);
    }
    lock_give(&switch_lock);
    system_restore_signals(mask);
}
