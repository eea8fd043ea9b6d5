/* Registers are followed through an iteration as "value at the start, plus a constant", so that an address
   becomes base + index × scale + offset with symbols for unknown parts. Two addresses with the same symbols
   are a known distance apart; others are assumed to be different places, because overlap by chance is not a
   property of the code.

   To go back one iteration, each symbol is replaced by the value of its register at the end of that
   iteration. If the symbols stay the same, the address moves by a constant per iteration, and a division
   gives the iteration whose store the load reads.

   Where the index of a table is loaded, as in a histogram, only the data tells whether two iterations in a
   row go to the same element. They are assumed not to; with `repeats` all of them do.

   Harnesses that measure blocks of other people's programs give all registers but those of the stack, and all
   memory, one value, so accesses through different registers meet. With `is_alike` that value is followed like
   any other, from registers that have it at the start of each iteration and from plain loads of LEAST_ALIKE
   bytes: it is an address that fits. What a store changed before such a load is not followed.

   A store waits in a buffer until it has retired and the cache takes it; afterwards loads read its bytes from
   the cache as usual. So a load looks back over MOST_STORES stores at most: the buffers of the machines we
   know hold 36 to 76 (Agner Fog; Intel's and Arm's optimisation guides).

   On some cores (`forward-pieces`) the pieces of a wide load may come from different stores, and a load
   within a store gets its value only from certain places in it (measured on Neoverse V1: 16 bytes from two
   stores of 8 are forwarded, 8 bytes from two stores of 4 are not, nor is the second byte of a store of 4).
   The two registers of a pair are such pieces where the pair as a whole is not forwarded.

   Some cores rename memory: a load of a stored value gets the register itself. They do it for general
   registers of four bytes or more whose addresses are a base and a displacement, and not for the load of an
   instruction that computes on memory with another register or with flags (measured on Golden Cove: a counter
   `add [rdi], 1` counts once a cycle, `add [rdi], rax` once in 7, as does one with an index or relative to
   the instruction). */
#include "code/cost/core/addresses.h"

#include "code/cost/core/core.h"

#include <string.h>

enum { MOST_STORES = 64, MOST_LEVELS = 4, LEAST_ALIKE = 4 };

/* Symbols of places that are the same in every iteration: the start of the program, which addresses relative
   to an instruction are counted from, and after it a place for each item whose target is unknown. */
static const uint32_t fixed_symbol = UINT32_C(1) << 31;
/* A mark in symbols of values that come from loaded data. */
static const uint32_t data_symbol = UINT32_C(1) << 30;
/* The value that registers and memory hold alike. */
static const uint32_t alike_symbol = UINT32_MAX;

static struct place_value value_of(const struct cost_addresses *addresses, uint16_t resource)
{
    if (!resource)
        return (struct place_value){0};
    if (addresses->stamps[resource] == addresses->epoch)
        return addresses->values[resource];
    bool is_alike = addresses->is_alike && addresses->stays_alike[resource];
    return (struct place_value){.symbol = is_alike ? alike_symbol : resource};
}

static void set_value(struct cost_addresses *addresses, uint16_t resource, struct place_value value)
{
    addresses->stamps[resource] = addresses->epoch;
    addresses->values[resource] = value;
}

static bool is_data(uint32_t symbol)
{
    return symbol & data_symbol && symbol < fixed_symbol;
}

/* Whether loaded data is the index of a table. */
static bool is_in_table(const struct cost_place *place)
{
    return is_data(place->index) && !is_data(place->base);
}

bool cost_writes_table(const struct cost_addresses *addresses)
{
    for (size_t i = 0; i < addresses->references.count; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, &addresses->references, i);
        if (reference->stores && is_in_table(&reference->place))
            return true;
    }
    return false;
}

/* Whether what an instruction makes depends on data that the iteration has loaded. */
static bool makes_data(const struct cost_addresses *addresses, const struct machine_cost *cost)
{
    if (machine_cost_loads(cost))
        return true;
    for (unsigned i = 0; i < cost->flow_count; i++) {
        uint16_t from = cost->flows[i].from;
        if (from != RESOURCE_MEMORY && addresses->stamps[from] == addresses->epoch &&
            is_data(addresses->values[from].symbol))
            return true;
    }
    return false;
}

static int64_t sum(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one + (uint64_t)other);
}

static int64_t times(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one * (uint64_t)other);
}

/* Equal places get equal records: an index with scale 1 may take the place of the base. */
static void settle(struct cost_place *place)
{
    if (!place->index)
        place->scale = 0;
    if (place->scale == 1 && place->index < place->base) {
        uint32_t index = place->index;
        place->index = place->base;
        place->base = index;
    }
    if (place->scale == 1 && !place->base) {
        place->base = place->index;
        place->index = 0;
        place->scale = 0;
    }
}

/* In code that is repeated without a branch, a place relative to the instruction moves with its copies. */
static struct cost_place relative_place(const struct cost_block *block, uint32_t item)
{
    uint64_t target = block->items[item].target;
    return (struct cost_place){.base = target ? fixed_symbol : fixed_symbol + 1 + item,
                               .is_known = block->mode == cost_LOOP,
                               .offset = (int64_t)target};
}

static struct cost_place place_of(const struct cost_addresses *addresses, const struct cost_access *access,
                                  const struct cost_block *block, uint32_t item)
{
    if (access->is_relative)
        return relative_place(block, item);
    struct place_value base = value_of(addresses, access->base), index = value_of(addresses, access->index);
    struct cost_place place = {
        .base = base.symbol,
        .index = addresses->repeats && base.symbol && is_data(index.symbol) ? data_symbol : index.symbol,
        .scale = access->scale,
        .is_known = true,
        .offset = sum(sum(access->displacement, base.offset), times(index.offset, access->scale))};
    settle(&place);
    return place;
}

static void step_values(struct cost_addresses *addresses, const struct machine_cost *cost)
{
    const struct cost_step *step = &cost->step;
    struct place_value stepped = value_of(addresses, step->from);
    stepped.offset = sum(stepped.offset, step->constant);
    uint32_t mark = makes_data(addresses, cost) ? data_symbol : 0;
    for (unsigned i = 0; i < cost->write_count; i++)
        set_value(addresses, cost->writes[i],
                  (struct place_value){.symbol = mark | addresses->symbol_count++});
    if (addresses->is_alike && cost->is_plain_load && cost->write_count == 1 &&
        cost->accesses[0].bytes >= LEAST_ALIKE)
        set_value(addresses, cost->writes[0], (struct place_value){.symbol = alike_symbol});
    if (step->to)
        set_value(addresses, step->to, stepped);
}

/* A new iteration: registers hold what they held before. */
static void begin_iteration(struct cost_addresses *addresses)
{
    addresses->symbol_count = MOST_RESOURCES;
    addresses->epoch++;
}

/* Registers that start alike, and are so again at the end of an iteration. */
static void find_alike(const struct cost_block *block, struct cost_addresses *addresses)
{
    memcpy(addresses->stays_alike, addresses->starts_alike, sizeof addresses->stays_alike);
    for (bool is_stable = false; !is_stable;) {
        is_stable = true;
        begin_iteration(addresses);
        for (unsigned i = 0; i < block->count; i++)
            step_values(addresses, block->items[i].cost);
        for (uint16_t resource = 0; resource < MOST_RESOURCES; resource++) {
            if (!addresses->stays_alike[resource])
                continue;
            struct place_value value = value_of(addresses, resource);
            addresses->stays_alike[resource] = value.symbol == alike_symbol && !value.offset;
            is_stable &= addresses->stays_alike[resource];
        }
    }
}

bool cost_is_apart(const struct cost_place *one, const struct cost_place *other, int64_t *bytes)
{
    *bytes = (int64_t)((uint64_t)other->offset - (uint64_t)one->offset);
    return one->is_known && other->is_known && one->base == other->base && one->index == other->index &&
           one->scale == other->scale;
}

/* The value of a symbol one iteration earlier; false if it did not exist there. */
static bool earlier(const struct cost_addresses *addresses, uint32_t symbol, struct place_value *value)
{
    *value = (struct place_value){.symbol = symbol};
    if (symbol >= MOST_RESOURCES)
        return symbol >= fixed_symbol;
    *value = value_of(addresses, (uint16_t)symbol);
    return true;
}

bool cost_earlier_place(const struct cost_addresses *addresses, struct cost_place *place)
{
    struct place_value base, index;
    if (!earlier(addresses, place->base, &base) || !earlier(addresses, place->index, &index))
        return false;
    place->base = base.symbol;
    place->index = index.symbol;
    place->offset = sum(place->offset, sum(base.offset, times(index.offset, place->scale)));
    settle(place);
    return true;
}

void cost_follow(struct cost_addresses *addresses, const struct machine_cost *const *costs, unsigned count)
{
    begin_iteration(addresses);
    for (unsigned i = 0; i < count; i++)
        step_values(addresses, costs[i]);
}

void cost_enter_place(const struct cost_addresses *entry, struct cost_place *place)
{
    struct place_value base, index;
    if (!earlier(entry, place->base, &base) || !earlier(entry, place->index, &index))
        return;
    place->base = base.symbol;
    place->index = index.symbol;
    place->offset = sum(place->offset, sum(base.offset, times(index.offset, place->scale)));
    settle(place);
}

static bool overlaps(int64_t apart, unsigned load_bytes, unsigned store_bytes)
{
    return apart > -(int64_t)load_bytes && apart < (int64_t)store_bytes;
}

struct search {
    struct cost_addresses *addresses;
    const struct cost_reference *references;
    const struct cost_reference *load; /* or a piece of it */
    unsigned position;                 /* of the first reference of the load's instruction */
    unsigned count;
    unsigned visits; /* stores left to look at */
    unsigned piece;  /* bytes of a load that may come from another store; 0: all come from one */
};

/* Whether a load `apart` bytes after the start of a store gets its value from the store buffer. */
static bool forwards(const struct search *search, int64_t apart, unsigned store_bytes)
{
    if (apart < 0 || apart + search->load->bytes > store_bytes)
        return false;
    unsigned part = store_bytes / 2 < search->piece ? store_bytes / 2 : search->piece;
    return !part || apart % part == 0;
}

static void found(struct search *search, const struct cost_reference *store, int64_t apart, uint32_t distance)
{
    struct cost_meeting *meeting = array_push(&search->addresses->meetings);
    *meeting = (struct cost_meeting){
        .load = search->load->item,
        .store = store->item,
        .distance = distance,
        .fits = forwards(search, apart, store->bytes),
        .is_vector = search->load->is_vector || store->is_vector,
        .is_renamed = search->load->may_be_renamed && store->may_be_renamed,
    };
}

/* The last of the first `before` references that stores to the place. */
static bool find_at(struct search *search, const struct cost_place *place, unsigned before, uint32_t distance)
{
    for (unsigned i = before; i-- && search->visits;) {
        const struct cost_reference *store = &search->references[i];
        int64_t apart;
        if (!store->stores)
            continue;
        search->visits--;
        if (cost_is_apart(&store->place, place, &apart) &&
            overlaps(apart, search->load->bytes, store->bytes)) {
            found(search, store, apart, distance);
            return true;
        }
    }
    return false;
}

/* The load's place moves by step per iteration backwards, the store's does not: the fewest further iterations
   until they overlap. */
static bool first_overlap(int64_t apart, int64_t step, unsigned load_bytes, unsigned store_bytes, int64_t *n)
{
    /* Wanted: the least n ≥ 1 with -load_bytes < apart + n × step < store_bytes. */
    if (step < 0) {
        int64_t mirrored = -apart + (int64_t)store_bytes - (int64_t)load_bytes;
        apart = mirrored;
        step = -step;
    }
    /* Upwards now, in a range of the same width. */
    int64_t missing = -(int64_t)load_bytes + 1 - apart;
    *n = missing <= step ? 1 : (missing + step - 1) / step;
    return *n <= MOST_STORES && overlaps(apart + *n * step, load_bytes, store_bytes);
}

static void find_moving(struct search *search, const struct cost_place *place, int64_t step, uint32_t level)
{
    const struct cost_reference *best = NULL;
    int64_t best_n = 0, best_apart = 0;
    const int64_t far = INT64_C(1) << 40;
    unsigned looks = MOST_STORES;
    for (unsigned i = search->count; i-- && looks;) {
        const struct cost_reference *store = &search->references[i];
        int64_t apart, n;
        if (!store->stores)
            continue;
        looks--;
        if (!cost_is_apart(&store->place, place, &apart) || apart > far || apart < -far || step > far ||
            step < -far || !first_overlap(apart, step, search->load->bytes, store->bytes, &n))
            continue;
        if (!best || n < best_n) {
            best = store;
            best_n = n;
            best_apart = apart + n * step;
        }
    }
    if (best)
        found(search, best, best_apart, level + (uint32_t)best_n);
}

static void find_store(struct search *search)
{
    struct cost_place place = search->load->place;
    search->visits = MOST_STORES;
    if (!place.is_known || find_at(search, &place, search->position, 0))
        return;
    if (search->addresses->repeats && is_in_table(&place)) {
        find_at(search, &place, search->count, 1);
        return;
    }
    for (uint32_t level = 1; level <= MOST_LEVELS && search->visits; level++) {
        struct cost_place before = place;
        if (!cost_earlier_place(search->addresses, &place) || find_at(search, &place, search->count, level))
            return;
        int64_t step;
        if (cost_is_apart(&before, &place, &step)) {
            if (step)
                find_moving(search, &place, step, level);
            return;
        }
    }
}

/* The stores of one piece of a load; of each half, where it is a pair that needs that. */
static void find_piece(struct search *search, struct cost_reference piece)
{
    struct array *meetings = &search->addresses->meetings;
    size_t before = meetings->count;
    search->load = &piece;
    find_store(search);
    if (meetings->count == before || !piece.is_pair || piece.bytes > search->piece ||
        ARRAY_AT(struct cost_meeting, meetings, before)->fits)
        return;
    meetings->count = before;
    piece.bytes /= 2;
    find_store(search);
    piece.place.offset = sum(piece.place.offset, piece.bytes);
    find_store(search);
}

static void find_stores(struct search *search, unsigned number)
{
    struct cost_reference piece = search->references[number];
    unsigned left = piece.bytes;
    piece.is_pair &= left <= search->piece;
    /* Loads of an instruction come before its stores. */
    for (search->position = number;
         search->position && search->references[search->position - 1].item == piece.item;)
        search->position--;
    while (search->piece && left > search->piece) {
        piece.bytes = (uint16_t)search->piece;
        find_piece(search, piece);
        piece.place.offset = sum(piece.place.offset, piece.bytes);
        left -= piece.bytes;
    }
    piece.bytes = (uint16_t)left;
    find_piece(search, piece);
}

/* Whether memory renaming can apply to an access. */
static bool renames(const struct machine_cost *cost, const struct cost_access *access)
{
    enum { LEAST_BYTES = 4 };
    if (!access->base || access->index || access->is_vector || access->bytes < LEAST_BYTES)
        return false;
    for (unsigned i = 0; access->loads && access->stores && i < cost->flow_count; i++)
        if (cost->flows[i].way == way_REGISTER && cost->flows[i].to == RESOURCE_MEMORY)
            return false;
    return true;
}

void cost_find_meetings(const struct cost_block *block, struct cost_addresses *addresses)
{
    bool loads = false, stores = false;
    addresses->references.width = sizeof(struct cost_reference);
    addresses->meetings.width = sizeof(struct cost_meeting);
    addresses->references.count = addresses->meetings.count = 0;
    if (addresses->is_alike)
        find_alike(block, addresses);
    begin_iteration(addresses);
    for (unsigned i = 0; i < block->count; i++) {
        const struct machine_cost *cost = block->items[i].cost;
        for (unsigned a = 0; a < cost->access_count; a++) {
            const struct cost_access *access = &cost->accesses[a];
            loads |= access->loads;
            stores |= access->stores;
            struct cost_reference *reference = array_push(&addresses->references);
            *reference = (struct cost_reference){.item = i,
                                                 .bytes = access->bytes,
                                                 .loads = access->loads,
                                                 .stores = access->stores,
                                                 .is_vector = access->is_vector,
                                                 .is_pair = access->is_pair,
                                                 .lanes = access->lanes,
                                                 .is_aligned = access->is_aligned,
                                                 .may_be_renamed = renames(cost, access),
                                                 .place = place_of(addresses, access, block, i)};
        }
        step_values(addresses, cost);
    }
    if (!loads || !stores)
        return;
    struct search search = {.addresses = addresses,
                            .references = addresses->references.data,
                            .piece = block->machine->core.forward_piece,
                            .count = (unsigned)addresses->references.count};
    for (unsigned i = 0; i < search.count; i++)
        if (search.references[i].loads)
            find_stores(&search, i);
}

void cost_addresses_free(struct cost_addresses *addresses)
{
    array_free(&addresses->references);
    array_free(&addresses->meetings);
}
