/* The address of each access of the path is known as "a register at the start of the iteration, plus a
   constant" (code/cost/core/addresses.h). Every access gets that address, whatever its own instruction has,
   and at the end each such register gets one step: as far as the path moves it, times the iterations that the
   block does. The step goes to the last instruction that writes the register, or, if none is left, to one
   without a step; a step costs nothing. Accesses after it are moved back by the step.

   A register that moves by an unknown distance and whose instruction was removed moves far: a place that was
   new in every iteration must not become a fixed one. */
#include "code/quality/altered.h"

#include <math.h>
#include <string.h>

static const int64_t far_away = INT64_C(1) << 24;

static const struct cost_addresses *addresses_of(const struct altered *altered)
{
    return &altered->subject->work->scratch.addresses;
}

static const uint32_t *index_references(const struct subject *subject)
{
    const struct array *references = &subject->work->scratch.addresses.references;
    uint32_t *first = arena_get(subject->arena, (subject->item_count + 1) * sizeof *first);
    size_t at = 0;
    for (unsigned item = 0; item <= subject->item_count; item++) {
        while (at < references->count && ARRAY_AT(struct cost_reference, references, at)->item < item)
            at++;
        first[item] = (uint32_t)at;
    }
    return first;
}

void altered_begin(struct altered *altered, const struct subject *subject, unsigned iterations,
                   uint64_t address)
{
    subject_find_dependences(subject);
    *altered = (struct altered){.subject = subject, .iterations = iterations, .address = address};
    altered->room = 2 * subject->item_count + 16;
    altered->items = arena_get(subject->arena, altered->room * sizeof *altered->items);
    altered->references = index_references(subject);
}

/* The access of the path by an item that matches this one; skips those in taken. */
static const struct cost_reference *find_reference(const struct altered *altered, unsigned item,
                                                   const struct cost_access *access, unsigned *taken)
{
    for (uint32_t i = altered->references[item]; i < altered->references[item + 1]; i++) {
        const struct cost_reference *reference =
            ARRAY_AT(struct cost_reference, &addresses_of(altered)->references, i);
        unsigned bit = i - altered->references[item] < 8 ? 1U << (i - altered->references[item]) : 0;
        if (*taken & bit || (access->loads && !reference->loads) || (access->stores && !reference->stores))
            continue;
        *taken |= bit;
        return reference;
    }
    return NULL;
}

static void place_accesses(const struct altered *altered, struct machine_cost *cost, unsigned item)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < cost->access_count; i++) {
        struct cost_access *access = &cost->accesses[i];
        access->is_relative |= altered->is_apart && access->loads;
        const struct cost_reference *reference = find_reference(altered, item, access, &taken);
        if (!reference || access->is_relative || !reference->place.is_known ||
            reference->place.base >= MOST_RESOURCES || reference->place.index >= MOST_RESOURCES)
            continue;
        access->base = (uint16_t)reference->place.base;
        access->index = (uint16_t)reference->place.index;
        access->scale = reference->place.scale;
        access->displacement = reference->place.offset;
    }
}

static bool keeps_step(const struct machine_cost *cost)
{
    return !cost->step.to || cost->uses_stack_engine;
}

static void make_room(struct altered *altered)
{
    struct cost_item *items = arena_get(altered->subject->arena, 2 * altered->room * sizeof *items);
    memcpy(items, altered->items, altered->count * sizeof *items);
    altered->items = items;
    altered->room *= 2;
}

void altered_put(struct altered *altered, const struct machine_cost *cost, unsigned item)
{
    if (altered->count >= MOST_ALTERED) {
        altered->is_full = true;
        return;
    }
    if (altered->count == altered->room)
        make_room(altered);
    if (cost->access_count || !keeps_step(cost)) {
        struct machine_cost *own = arena_get(altered->subject->arena, sizeof *own);
        *own = *cost;
        place_accesses(altered, own, item);
        cost = own;
    }
    /* Code of the path that lies elsewhere is reached by a jump. */
    const struct cost_item *before = altered->subject->work->items.data;
    enum { LINE = 64 };
    if (altered->count && item > altered->last && item &&
        before[item].address != before[item - 1].address + before[item - 1].cost->size)
        altered->address = (altered->address / LINE + 2) * LINE;
    altered->last = item;
    altered->items[altered->count++] =
        (struct cost_item){.cost = cost,
                           .id = before[item].id,
                           .address = altered->address,
                           .target = altered->is_apart ? 0 : before[item].target};
    altered->address += cost->size;
    altered->size += cost->size;
}

void altered_keep(struct altered *altered, unsigned item)
{
    altered_put(altered, ARRAY_AT(struct cost_item, &altered->subject->work->items, item)->cost, item);
}

static bool writes(const struct machine_cost *cost, uint16_t resource)
{
    for (unsigned i = 0; i < cost->write_count; i++)
        if (cost->writes[i] == resource)
            return true;
    return false;
}

/* How far the path moves a register per iteration; false if unknown. */
static bool find_step(const struct altered *altered, uint16_t resource, int64_t *step)
{
    const struct cost_addresses *addresses = addresses_of(altered);
    *step = 0;
    if (addresses->stamps[resource] != addresses->epoch)
        return true;
    *step = addresses->values[resource].offset;
    return addresses->values[resource].symbol == resource;
}

/* A writable cost of the block. */
static struct machine_cost *own(struct altered *altered, unsigned position)
{
    struct machine_cost *copy = arena_get(altered->subject->arena, sizeof *copy);
    *copy = *altered->items[position].cost;
    altered->items[position].cost = copy;
    return copy;
}

static void move_back(struct altered *altered, unsigned from, uint16_t resource, int64_t step)
{
    for (unsigned i = from; i < altered->count; i++)
        for (unsigned a = 0; a < altered->items[i].cost->access_count; a++) {
            const struct cost_access *access = &altered->items[i].cost->accesses[a];
            int64_t times = (access->base == resource) + (access->index == resource ? access->scale : 0);
            if (times && !access->is_relative)
                own(altered, i)->accesses[a].displacement -= times * step;
        }
}

/* The one step of a register in an iteration of the block. */
static void put_step(struct altered *altered, uint16_t resource)
{
    int64_t step;
    bool is_known = find_step(altered, resource, &step);
    unsigned place = altered->count;
    for (unsigned i = 0; i < altered->count; i++) {
        if (!writes(altered->items[i].cost, resource))
            continue;
        if (!is_known)
            return;
        place = i;
        if (!altered->items[i].cost->uses_stack_engine)
            own(altered, i)->step = (struct cost_step){.to = resource, .from = resource};
    }
    step = is_known && step < far_away && step > -far_away ? step * altered->iterations : far_away;
    if (!step)
        return;
    for (unsigned i = altered->count; place == altered->count && i--;)
        if (!altered->items[i].cost->step.to)
            place = i;
    if (place == altered->count || altered->items[place].cost->uses_stack_engine)
        return;
    own(altered, place)->step = (struct cost_step){.to = resource, .from = resource, .constant = step};
    move_back(altered, place + 1, resource, step);
}

/* Kept items have the steps of the path's iteration: these are removed before the new ones are added. */
static void put_steps(struct altered *altered)
{
    uint8_t seen[MOST_RESOURCES] = {0};
    uint16_t bases[MOST_RESOURCES];
    unsigned count = 0;
    for (unsigned i = 0; i < altered->count; i++) {
        const struct machine_cost *cost = altered->items[i].cost;
        if (!keeps_step(cost))
            own(altered, i)->step = (struct cost_step){0};
        for (unsigned a = 0; a < cost->access_count; a++) {
            uint16_t both[] = {cost->accesses[a].base, cost->accesses[a].index};
            for (unsigned k = 0; k < 2; k++) {
                if (!both[k] || seen[both[k]] || cost->accesses[a].is_relative)
                    continue;
                seen[both[k]] = 1;
                bases[count++] = both[k];
            }
        }
    }
    for (unsigned i = 0; i < count; i++)
        put_step(altered, bases[i]);
}

double altered_cycles(struct altered *altered)
{
    const struct subject *subject = altered->subject;
    if (altered->is_full || !altered->count)
        return NAN;
    put_steps(altered);
    struct cost_block block = {.machine = subject->machine,
                               .items = altered->items,
                               .count = altered->count,
                               .size = altered->size,
                               .mode = cost_LOOP};
    struct cost_prediction prediction;
    cost_predict(&block, subject->spare, cost_ANSWER, &prediction);
    if (prediction.limit == core_part_NONE || !(prediction.cycles > 0))
        return NAN;
    return prediction.cycles / altered->iterations;
}
