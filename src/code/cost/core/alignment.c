/* Vectors that cross lines of the cache, with the worst alignment of the data.

   The bounds of loads and stores assume that data lies as well as it can. Where it does not, a load across a
   line takes another turn (`load-line`) and a store some cycles more (`store-crossing`; measured on Golden
   Cove: streams of 64-byte stores take 1 cycle each where they are aligned and 2.7 to 3.2 where they are not,
   of 32 bytes 0.5 and 1.8 to 2.1). Alignment is a property of the data, not of the code, so the worst case is
   a second figure beside the prediction.

   Accesses at known distances from each other are a group: where one begins decides for all of them. Each
   place in a line is tried. An access crosses in as many of its iterations as its step from one to the next
   makes it; the group counts at the place where its crossings take longest. Accesses of instructions that
   fail on unaligned data (movaps) are aligned, and so fix the others of their group. Data is aligned to its
   elements, of which four bytes are assumed; accesses of less than 16 bytes do not cross. */
#include "code/cost/core/core.h"

#include <math.h>

enum { SHORTEST = 16, ELEMENT = 4, MOST_VECTORS = 64, MOST_LINE = 128 };

struct vector {
    const struct cost_reference *reference;
    int64_t offset; /* from the first one of its group */
    int64_t step;   /* from one iteration to the next */
    unsigned group; /* number of its first one */
};

static bool find_step(const struct cost_addresses *addresses, const struct cost_place *place, int64_t *step)
{
    struct cost_place before = *place;
    return cost_earlier_place(addresses, &before) && cost_is_apart(&before, place, step) && *step;
}

static unsigned list_vectors(const struct cost_addresses *addresses, unsigned line,
                             struct vector vectors[MOST_VECTORS])
{
    unsigned count = 0;
    for (size_t i = 0; i < addresses->references.count && count < MOST_VECTORS; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, &addresses->references, i);
        struct vector vector = {.reference = reference, .group = count};
        if (!reference->is_vector || reference->bytes < SHORTEST || reference->bytes > line ||
            !find_step(addresses, &reference->place, &vector.step))
            continue;
        for (unsigned group = 0; group < count && vector.group == count; group++)
            if (vectors[group].group == group &&
                cost_is_apart(&vectors[group].reference->place, &reference->place, &vector.offset))
                vector.group = group;
        if (vector.group == count)
            vector.offset = 0;
        vectors[count++] = vector;
    }
    return count;
}

/* Part of the iterations in which a vector crosses a line, if its group begins at a place in it. */
static double crossing(const struct vector *vector, unsigned place, unsigned line)
{
    unsigned count = 0;
    for (unsigned i = 0; i < line; i++) {
        uint64_t at = place + (uint64_t)vector->offset + (uint64_t)vector->step * i;
        count += at % line + vector->reference->bytes > line;
    }
    return (double)count / line;
}

struct crossings {
    double loads, stores; /* cycles */
};

static bool fits(const struct vector *vectors, unsigned count, unsigned group, unsigned place)
{
    for (unsigned i = group; i < count; i++) {
        const struct vector *vector = &vectors[i];
        if (vector->group == group && vector->reference->is_aligned &&
            (place + (uint64_t)vector->offset) % vector->reference->bytes)
            return false;
    }
    return true;
}

static struct crossings cross_at(const struct cost_block *block, const struct vector *vectors, unsigned count,
                                 unsigned group, unsigned place)
{
    const struct machine_core *core = &block->machine->core;
    struct crossings crossings = {0};
    for (unsigned i = group; i < count; i++) {
        const struct cost_reference *reference = vectors[i].reference;
        if (vectors[i].group != group)
            continue;
        if (reference->loads && core->load_line)
            crossings.loads += crossing(&vectors[i], place, core->load_line) *
                               cost_load_crossing(block->machine, reference->bytes);
        if (reference->stores && core->store_line)
            crossings.stores += crossing(&vectors[i], place, core->store_line) * core->store_crossing;
    }
    return crossings;
}

void cost_unaligned(const struct cost_block *block, struct cost_scratch *scratch, double *loads,
                    double *stores)
{
    const struct machine_core *core = &block->machine->core;
    unsigned line = core->load_line > core->store_line ? core->load_line : core->store_line;
    struct vector vectors[MOST_VECTORS];
    *loads = *stores = 0;
    if (!line || line > MOST_LINE || (!core->load_line && !(core->store_crossing > 0)))
        return;
    cost_find_dependences(block, scratch);
    unsigned count = list_vectors(&scratch->addresses, line, vectors);
    for (unsigned group = 0; group < count; group++) {
        struct crossings worst = {0}, best = {.loads = INFINITY};
        if (vectors[group].group != group)
            continue;
        for (unsigned place = 0; place < line; place += ELEMENT) {
            if (!fits(vectors, count, group, place))
                continue;
            struct crossings crossings = cross_at(block, vectors, count, group, place);
            if (crossings.loads + crossings.stores > worst.loads + worst.stores)
                worst = crossings;
            best.loads = fmin(best.loads, crossings.loads);
        }
        /* The crossings that no place avoids are in the bound of the loads. */
        *loads += fmax(worst.loads - best.loads, 0) * isfinite(best.loads);
        *stores += worst.stores;
    }
}
