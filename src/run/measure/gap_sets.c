/* Data that falls into few sets of the first cache.

   Bits 6 to 11 of an address choose among 64 groups of sets on all processors that Assay knows; the bits
   above are changed by the translation of addresses and stay out of it.  An access that used few of these
   groups has only their share of the cache; if it touched more lines than that, they push each other out,
   though the cache has room for all.  So do streams that walk side by side at the same offset in their pages,
   if they are more than the cache has lines for one offset. */
#include "run/measure/gap_subject.h"

#include <math.h>

enum { LINE = 64, GROUPS = 64, MOST_SETS = 16 };

/* What an iteration waits if these accesses go to the second cache. */
static double cost(const struct gap_subject *subject, double chained, double others)
{
    struct gap_level first = gap_level(subject->machine, 0), next = gap_level(subject->machine, 1);
    if ((chained > 0 && !(next.latency > 0)) || (others > 0 && !(next.bytes_per_cycle > 0)))
        return NAN;
    double transfer = others > 0 ? others * LINE / next.bytes_per_cycle : 0;
    return fmax(transfer - subject->predicted, 0) +
           (chained > 0 ? chained * fmax(next.latency - first.latency, 0) : 0);
}

static bool is_crowded(const struct gap_access *access, uint64_t cache_lines)
{
    return access->is_measured && access->sets && access->sets <= MOST_SETS &&
           access->lines > cache_lines * access->sets / GROUPS && access->lines <= cache_lines;
}

/* Accesses that walk at the same offset as this one, it included. */
static unsigned companions(const struct gap_subject *subject, const struct gap_access *access)
{
    unsigned count = 0;
    for (size_t i = 0; i < subject->accesses.count; i++) {
        const struct gap_access *other = gap_access(subject, i);
        bool is_same_line = other != access && other->minimum / LINE == access->minimum / LINE;
        count += other->is_measured && other->is_regular && other->stride == access->stride &&
                 other->minimum / LINE % GROUPS == access->minimum / LINE % GROUPS && !is_same_line;
    }
    return count;
}

bool gap_sets(const struct gap_subject *subject, struct gap_evidence *evidence)
{
    if (!subject->machine->cache_count || subject->gap <= subject->least)
        return false;
    uint64_t lines = subject->machine->caches[0].bytes / LINE;
    double chained = 0, others = 0;
    unsigned sets = 0;
    uint32_t instruction = 0;
    for (size_t i = 0; i < subject->accesses.count; i++) {
        const struct gap_access *access = gap_access(subject, i);
        bool is_side_by_side = access->is_measured && access->is_regular && access->stride &&
                               access->stride < LINE && companions(subject, access) > lines / GROUPS;
        if (!is_crowded(access, lines) && !is_side_by_side)
            continue;
        bool is_chain = access->is_in_chain && !access->is_store;
        /* A line that was pushed out is fetched again for each of its elements. */
        *(is_chain ? &chained : &others) += access->per_iteration;
        sets = is_side_by_side ? 1 : access->sets > sets ? access->sets : sets;
        instruction = instruction ? instruction : access->instruction;
    }
    if (!sets)
        return false;
    double cycles = cost(subject, chained, others);
    *evidence = (struct gap_evidence){.certainty = isnan(cycles) ? gap_certainty_LIKELY
                                                                 : gap_certainty_of(subject, cycles),
                                      .cycles = cycles,
                                      .value = sets,
                                      .reference = GROUPS,
                                      .instruction = instruction};
    return isnan(cycles) || cycles > 0;
}
