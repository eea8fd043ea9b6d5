/* Stores: a limited number per cycle. A store that is wider than the path to the cache takes one cycle for
   each piece (256 bits on Sandy Bridge and Ivy Bridge, whose paths have 128: Intel's optimisation guide).

   Lines. Stores go to the cache in the order of the code. From Ice Lake on, Intel's cores take two per cycle,
   but only two consecutive ones in the same line (Intel's optimisation guide; measured on Golden Cove: a, b,
   a, b in two lines takes 4 cycles, a, a, b, b takes 2). Stores at unknown distances are assumed to be in
   different lines, as in different arrays. Stores at known distances are assumed to share a line if possible,
   as in aligned data.

   Gaps. Compilers keep a register for each piece of an array, `str q1,[x3,x0]; str q0,[x5,x0]` where x0 grows
   by 32: nothing in the loop says that x5 is x3 + 16. But each of the two would leave holes of 16 bytes,
   which the other fills. So neighbouring stores that move together and leave holes are taken for pieces of
   one array.

   Lines of their own. A store whose address is loaded, or one element that moves by a line or more, does not
   share a line with the stores before it. On Neoverse V1 such a store takes a cycle, and 1.4 beside loads
   (`store-own-line`; measured: a scatter over 256 lines 1.5 to 1.65 cycles, over one line 1.0). */
#include "code/cost/core/core.h"
#include "code/cost/core/repetition.h"

#include <math.h>

enum { FRACTIONS = 1024 }; /* parts of a store: the number per cycle may be a fraction */
enum { MOST_STEPS = 4 };   /* from a load to an address */
enum { LONGEST_ELEMENT = 8 };

static bool may_share_line(const struct cost_reference *one, const struct cost_place *place, unsigned bytes,
                           unsigned line)
{
    int64_t apart;
    if (!cost_is_apart(&one->place, place, &apart))
        return false;
    if (apart >= (int64_t)line || apart <= -(int64_t)line)
        return false;
    return apart >= 0 ? apart + bytes <= line : -apart + one->bytes <= line;
}

/* Bytes that a place moves on by in an iteration; 0: it stays, or nobody knows. */
static int64_t stride_of(const struct cost_addresses *addresses, const struct cost_place *place)
{
    struct cost_place before = *place;
    int64_t stride;
    bool is_known = cost_earlier_place(addresses, &before) && cost_is_apart(place, &before, &stride);
    return is_known ? (stride < 0 ? -stride : stride) : 0;
}

/* Whether two stores are pieces of one array, as far as the holes that they leave tell. */
static bool fill_gaps(const struct cost_addresses *addresses, const struct cost_reference *one,
                      const struct cost_reference *other, unsigned line)
{
    int64_t stride = stride_of(addresses, &one->place);
    return one->item < other->item && stride && stride <= (int64_t)line && one->bytes == other->bytes &&
           one->bytes + other->bytes <= stride && stride == stride_of(addresses, &other->place);
}

static uint32_t ports_of(const struct cost_item *item)
{
    uint32_t ports = 0;
    for (unsigned i = 0; i < item->port_count; i++)
        ports |= item->ports[i].ports;
    return ports;
}

/* Whether other instructions need the pipes that take the data of this store. */
static bool is_disturbed(const struct cost_block *block, const struct cost_reference *store)
{
    uint32_t pipes = ports_of(&block->items[store->item]) & block->machine->core.store_ports;
    for (unsigned i = 0; i < block->count; i++)
        if (!machine_cost_stores(block->items[i].cost) && ports_of(&block->items[i]) & pipes)
            return true;
    return false;
}

/* The cycle that stores are put into. */
struct way {
    const struct cost_reference *last; /* the store before; NULL for none */
    double free;                       /* stores that its cycle can still take */
    uint64_t cycles;
};

static void store_iteration(const struct cost_block *block, const struct cost_addresses *addresses,
                            struct way *way)
{
    const struct machine_core *core = &block->machine->core;
    bool is_first = true;
    for (size_t i = 0; i < addresses->references.count; i++) {
        const struct cost_reference *store = ARRAY_AT(struct cost_reference, &addresses->references, i);
        if (!store->stores)
            continue;
        struct cost_place place = store->place;
        bool is_known = !is_first || cost_earlier_place(addresses, &place);
        unsigned needs = cost_pieces(core->store_bytes, store->bytes);
        if (!way->last || way->free < needs || !is_known ||
            !(may_share_line(way->last, &place, store->bytes, core->store_line) ||
              (!is_first && fill_gaps(addresses, way->last, store, core->store_line) &&
               !is_disturbed(block, store)))) {
            way->free = block->machine->stores;
            way->cycles++;
        }
        way->free = needs < way->free ? way->free - needs : 0;
        way->last = store;
        is_first = false;
    }
}

/* An iteration starts with the last cycle of the iteration before full or not; all but the first follow the
   same store. */
static double cycles_of_lines(const struct cost_block *block, struct cost_scratch *scratch)
{
    struct cost_repetition repetition = {0};
    struct way way = {0};
    double cycles;
    cost_find_dependences(block, scratch);
    do {
        store_iteration(block, &scratch->addresses, &way);
    } while (!cost_repeats(&repetition, (uint64_t)(way.free * FRACTIONS), way.cycles, &cycles));
    return cycles;
}

static bool writes(const struct machine_cost *cost, uint16_t resource)
{
    for (unsigned i = 0; i < cost->write_count; i++)
        if (cost->writes[i] == resource)
            return true;
    return false;
}

/* The last item before this one that writes a resource, in this iteration or the one before; the number of
   items: none does. */
static unsigned find_writer(const struct cost_block *block, unsigned item, uint16_t resource)
{
    for (unsigned back = 1; resource && back <= block->count; back++) {
        unsigned writer = (item + block->count - back) % block->count;
        if (writes(block->items[writer].cost, resource))
            return writer;
    }
    return block->count;
}

/* Whether a register's value before an item changes from one iteration to the next, as far as a few steps
   tell: a pointer that is loaded again and again from one place does not. */
static bool is_moving(const struct cost_block *block, unsigned item, uint16_t resource, unsigned steps)
{
    unsigned writer = find_writer(block, item, resource);
    if (writer == block->count || !steps)
        return false;
    const struct machine_cost *cost = block->items[writer].cost;
    if (cost->step.to == resource)
        return cost->step.from == resource || is_moving(block, writer, cost->step.from, steps - 1);
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].to == resource && cost->flows[i].from != RESOURCE_MEMORY &&
            (cost->flows[i].from == resource || is_moving(block, writer, cost->flows[i].from, steps - 1)))
            return true;
    return false;
}

/* Whether a register's value before an item was loaded from a place that moves, directly or with a few
   operations in between. */
static bool was_loaded(const struct cost_block *block, unsigned item, uint16_t resource, unsigned steps)
{
    unsigned writer = find_writer(block, item, resource);
    if (writer == block->count || !steps)
        return false;
    const struct machine_cost *cost = block->items[writer].cost;
    if (cost->step.to == resource)
        return cost->step.from != resource && was_loaded(block, writer, cost->step.from, steps - 1);
    for (unsigned i = 0; i < cost->access_count; i++)
        if (cost->accesses[i].loads && (is_moving(block, writer, cost->accesses[i].base, MOST_STEPS) ||
                                        is_moving(block, writer, cost->accesses[i].index, MOST_STEPS)))
            return true;
    for (unsigned i = 0; i < cost->flow_count; i++)
        if (cost->flows[i].to == resource && cost->flows[i].way == way_REGISTER &&
            was_loaded(block, writer, cost->flows[i].from, steps - 1))
            return true;
    return false;
}

/* Whether a store before it in the iteration wrote the same line. */
static bool follows_in_line(const struct cost_addresses *addresses, size_t store, unsigned line)
{
    const struct cost_reference *reference = ARRAY_AT(struct cost_reference, &addresses->references, store);
    for (size_t i = 0; i < store; i++) {
        const struct cost_reference *before = ARRAY_AT(struct cost_reference, &addresses->references, i);
        if (before->stores && may_share_line(before, &reference->place, reference->bytes, line))
            return true;
    }
    return false;
}

/* Stores that share no line with those before them. */
static unsigned count_own_lines(const struct cost_block *block, struct cost_scratch *scratch)
{
    unsigned count = 0;
    bool loads = false;
    cost_find_dependences(block, scratch);
    const struct cost_addresses *addresses = &scratch->addresses;
    for (size_t i = 0; i < addresses->references.count; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, &addresses->references, i);
        loads |= reference->loads;
        if (!reference->stores)
            continue;
        const struct machine_cost *cost = block->items[reference->item].cost;
        bool is_own = reference->bytes <= LONGEST_ELEMENT &&
                      stride_of(addresses, &reference->place) >= (int64_t)block->machine->core.store_line;
        for (unsigned a = 0; a < cost->access_count && !is_own; a++)
            is_own = was_loaded(block, reference->item, cost->accesses[a].base, MOST_STEPS) ||
                     was_loaded(block, reference->item, cost->accesses[a].index, MOST_STEPS);
        count += is_own && !follows_in_line(addresses, i, block->machine->core.store_line);
    }
    return loads ? count : 0;
}

void cost_stores(const struct cost_block *block, struct cost_scratch *scratch, struct cost_bound *bound)
{
    double turns = 0, stores = 0;
    if (!(block->machine->stores > 0))
        return;
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        for (unsigned a = 0; a < cost->access_count; a++) {
            if (!cost->accesses[a].stores)
                continue;
            stores++;
            turns += cost_pieces(block->machine->core.store_bytes, cost->accesses[a].bytes);
            if (bound->marks)
                bound->marks[i] = 1;
        }
    }
    bound->cycles = turns / block->machine->stores;
    if (block->machine->core.store_line && stores > 1) {
        double cycles = cycles_of_lines(block, scratch);
        bound->cycles = cycles > bound->cycles ? cycles : bound->cycles;
    }
    if (block->machine->core.crowded_stores && stores)
        bound->cycles = fmax(bound->cycles, cost_store_groups(block, scratch));
    double own_line = block->machine->core.store_own_line;
    if (own_line > 0 && block->machine->core.store_line && stores && block->mode == cost_LOOP)
        bound->cycles = fmax(bound->cycles, own_line * count_own_lines(block, scratch));
}
