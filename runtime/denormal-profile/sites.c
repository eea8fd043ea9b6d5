/* The table of counts, by instruction and phase.

   Open addressing without locks: an entry is claimed by writing its key into an array beside the recording,
   from zero, in one atomic step; nothing is ever removed.  Keys hold the address above 16 bits of the phase:
   addresses of programs have 47 bits unless they ask for more. */
#include "profile.h"

enum { PHASE_BITS = 16, MOST_PROBES = 512 };

static uint32_t hash_key(uint64_t key)
{
    key ^= key >> 29;
    key *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(key >> 40);
}

static struct profile_site *claim(uint32_t place, uintptr_t address, uint32_t phase)
{
    struct profile_site *site = &profile_mapping.sites[place];
    site->phase = phase;
    site->address = address;
    __atomic_fetch_add(&profile_mapping.header->sites.used, 1, __ATOMIC_RELAXED);
    if (!modules_has(address))
        modules_refresh();
    return site;
}

struct profile_site *site_at(uintptr_t address)
{
    uint32_t phase = phase_now();
    uint64_t key = (uint64_t)address << PHASE_BITS | phase;
    uint32_t place = hash_key(key);
    for (unsigned i = 0; i < MOST_PROBES; i++, place++) {
        place %= SITE_CAPACITY;
        uint64_t found = __atomic_load_n(&profile_mapping.site_keys[place], __ATOMIC_RELAXED);
        if (found == 0) {
            if (__atomic_compare_exchange_n(&profile_mapping.site_keys[place], &found, key, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return claim(place, address, phase);
        }
        if (found == key)
            return &profile_mapping.sites[place];
    }
    __atomic_fetch_add(&profile_mapping.header->sites.lost, 1, __ATOMIC_RELAXED);
    return NULL;
}

struct profile_site *site_next(const struct profile_site *site)
{
    uint32_t place = site ? (uint32_t)(site - profile_mapping.sites) + 1 : 0;
    for (; place < SITE_CAPACITY; place++)
        if (profile_mapping.site_keys[place])
            return &profile_mapping.sites[place];
    return NULL;
}

void add_number(double *sum, double value)
{
    uint64_t old, new;
    double total;
    __atomic_load((uint64_t *)(void *)sum, &old, __ATOMIC_RELAXED);
    do {
        memcpy(&total, &old, sizeof total);
        total += value;
        memcpy(&new, &total, sizeof new);
    } while (!__atomic_compare_exchange((uint64_t *)(void *)sum, &old, &new, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}
