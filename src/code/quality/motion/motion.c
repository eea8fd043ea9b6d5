/* Values of general registers and of places in memory are followed through one iteration as sums of what it
   found at its start. Their values at its end show how each of them moves: not at all, by a constant, by an
   unknown but constant distance (an invariant register is added), or in another way. An address moves by the
   sum of the moves of its symbols.

   code/cost/core/addresses.c follows registers too, to prove that a load reads a store. It must be exact, so
   it only knows whole registers plus constants. Access patterns need not be proven, only nearly always right.
   So here a counter of 32 bits does not wrap, stores through other pointers do not change values loaded from
   a fixed place, and sums of several registers count. The facts of instructions that both need come from one
   place: the accesses and the step of machine_cost.

   A place in memory is named by the sum that is its address. Equal sums are the same place, so a variable on
   the stack, or after an invariant pointer, is followed like a register. Unoptimised code has no other
   variables. A place whose address moves holds data: a value loaded from there varies with the data. A call
   changes the registers that the ABI lets it change, and no memory.

   A result that is not a sum gets a new symbol, with the symbols that it depends on: it is invariant if they
   all are. The product of two sums strides if one is invariant and the other steps. There is at most one
   symbol for an instruction and one for an access, terms of a sum at most MOST_TERMS: the work is linear in
   the length of the path. */
#include "code/quality/motion/linear.h"
#include "code/quality/motion/sums.h"

#include <string.h>

struct following {
    const struct subject *subject;
    bool looks_outside;
    struct motion_symbols symbols;
    uint32_t header[MOST_RESOURCES];  /* symbols of registers; 0: not yet made */
    uint8_t is_known[MOST_RESOURCES]; /* values has it */
    uint8_t is_still[MOST_RESOURCES]; /* nothing in the block writes it */
    struct motion_sum values[MOST_RESOURCES];
    uint32_t *table; /* symbols of places by hash of the address; 0: empty */
    uint32_t mask;
    struct motion_reference *references;
    unsigned reference_count;
    /* The current item. */
    uint32_t item;
    const struct motion_reference *own; /* its accesses */
    const struct linear_result *result;
    struct motion_watch *watches;
    unsigned watch_count;
    struct motion_sum (*watched)[2]; /* left and right of each */
};

static struct motion_symbol *symbol_at(const struct following *following, uint32_t symbol)
{
    return motion_symbol_at(&following->symbols, symbol);
}

/* The value of a register before the current item. */
static struct motion_sum value_of(struct following *following, uint16_t resource)
{
    if (!resource)
        return (struct motion_sum){0};
    if (following->is_known[resource])
        return following->values[resource];
    uint32_t instruction = following->subject->items[following->item].instruction;
    following->is_known[resource] = 1;
    if (following->looks_outside && following->is_still[resource]) {
        following->values[resource] =
            motion_outside(following->subject, &following->symbols, resource, instruction);
        return following->values[resource];
    }
    uint32_t symbol = motion_symbol_add(&following->symbols, symbol_REGISTER);
    symbol_at(following, symbol)->resource = resource;
    symbol_at(following, symbol)->instruction = instruction;
    following->header[resource] = symbol;
    following->values[resource] = motion_sum_of(symbol);
    return following->values[resource];
}

static void set_value(struct following *following, uint16_t resource, const struct motion_sum *value)
{
    following->is_known[resource] = 1;
    following->values[resource] = *value;
}

static uint32_t hash(const struct motion_sum *sum)
{
    uint64_t value = (uint64_t)sum->constant * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < sum->count; i++) {
        value ^= sum->terms[i].symbol + ((uint64_t)sum->terms[i].factor << 20);
        value *= UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)(value >> 32);
}

/* The symbol of the value at an address. The table has room for all places (see begin): no hash_index,
   which would grow for each path again. */
static uint32_t place_at(struct following *following, const struct motion_sum *address)
{
    uint32_t at = hash(address) & following->mask;
    for (; following->table[at]; at = (at + 1) & following->mask) {
        const struct motion_symbol *symbol = symbol_at(following, following->table[at]);
        if (symbol->place.constant == address->constant && motion_is_apart(&symbol->place, address))
            return following->table[at];
    }
    uint32_t made = motion_symbol_add(&following->symbols, symbol_PLACE);
    symbol_at(following, made)->place = *address;
    symbol_at(following, made)->end = motion_sum_of(made);
    following->table[at] = made;
    return made;
}

static struct motion_sum load(struct following *following, const struct motion_sum *address)
{
    return symbol_at(following, place_at(following, address))->end;
}

static void store(struct following *following, const struct motion_sum *address,
                  const struct motion_sum *value)
{
    struct motion_symbol *symbol = symbol_at(following, place_at(following, address));
    symbol->is_changed = true;
    symbol->end = *value;
}

/* Displacements of scalable machines count in vectors, as long as one register takes in memory. */
static int64_t scalable_displacement(const struct subject *subject, const struct subject_item *item)
{
    int64_t vectors = 0;
    unsigned registers = 0, length = subject->machine->core.vector_bits;
    unsigned bytes = item->row->load_bytes ? item->row->load_bytes : item->row->store_bytes;
    if (!item->row->is_scalable || !item->row->vector_bits)
        return 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            vectors = operand->value;
        else if (operand->kind == operand_kind_REGISTER &&
                 model_register(subject->model, operand->register_)->kind == register_kind_VECTOR)
            registers++;
    }
    if (length > item->row->vector_bits)
        bytes *= length / item->row->vector_bits;
    return registers ? vectors * (int64_t)(bytes / registers) : 0;
}

static struct motion_sum address_of(struct following *following, const struct cost_access *access)
{
    const struct subject_item *row = &following->subject->items[following->item];
    struct motion_sum sum = {
        .constant = motion_plus(access->displacement, scalable_displacement(following->subject, row))};
    if (access->is_relative) {
        uint64_t target = model_instruction(following->subject->model, row->instruction)->target;
        /* Without a target the place is the instruction's own. */
        sum.constant = target != NO_ADDRESS ? (int64_t)target : -1 - (int64_t)following->item;
        return sum;
    }
    struct motion_sum base = value_of(following, access->base), index = value_of(following, access->index);
    sum = motion_add(&following->symbols, &sum, &base, 1);
    return motion_add(&following->symbols, &sum, &index, access->scale ? access->scale : 1);
}

/* A symbol that depends on everything that the instruction reads and loads. */
static struct motion_sum made_by_item(struct following *following, const struct machine_cost *cost)
{
    const struct subject_item *row = &following->subject->items[following->item];
    const struct machine_costs *costs = &following->subject->work->costs;
    struct motion_sum value;
    uint32_t made = motion_symbol_add(&following->symbols, symbol_MADE);
    for (unsigned i = 0; i < row->use_count; i++) {
        const struct register_use *use = &row->uses[i];
        uint16_t resource = use->register_ < costs->register_count ? costs->resource_of[use->register_] : 0;
        if (!(use->access & access_READ) || !resource || (use->is_address && use->access == access_READ))
            continue;
        value = value_of(following, resource);
        motion_symbol_depend(symbol_at(following, made), &value);
    }
    for (unsigned i = 0; i < cost->access_count; i++) {
        if (!cost->accesses[i].loads)
            continue;
        value = load(following, &following->own[i].place);
        motion_symbol_depend(symbol_at(following, made), &value);
    }
    return motion_sum_of(made);
}

static struct motion_sum part_value(void *context, unsigned number)
{
    struct following *following = context;
    const struct linear_part *part = &following->result->parts[number];
    if (part->kind == linear_REGISTER)
        return value_of(following, part->resource);
    struct motion_sum place = following->own[part->access].place;
    place.constant = motion_plus(place.constant, part->offset);
    return load(following, &place);
}

static void clobber(struct following *following)
{
    const struct subject_registers *registers = following->subject->registers;
    uint32_t made = motion_symbol_add(&following->symbols, symbol_MADE);
    struct motion_sum value = motion_sum_of(made);
    symbol_at(following, made)->is_wild = true;
    for (unsigned i = 0; i < registers->clobbered_count; i++)
        set_value(following, registers->clobbered[i], &value);
}

/* Results that are not sums. */
static void make_rest(struct following *following, const struct machine_cost *cost, unsigned written,
                      bool stores_sum)
{
    bool is_made = cost->write_count > written;
    for (unsigned i = 0; i < cost->access_count && !stores_sum; i++)
        is_made |= cost->accesses[i].stores;
    if (!is_made)
        return;
    struct motion_sum made = made_by_item(following, cost);
    for (unsigned i = 0; i < cost->write_count; i++)
        set_value(following, cost->writes[i], &made);
    for (unsigned i = 0; i < cost->access_count && !stores_sum; i++)
        if (cost->accesses[i].stores)
            store(following, &following->own[i].place, &made);
}

static void follow_item(struct following *following)
{
    const struct subject *subject = following->subject;
    const struct machine_cost *cost =
        ARRAY_AT(struct cost_item, &subject->work->items, following->item)->cost;
    struct motion_reference *references = &following->references[following->reference_count];
    struct linear_instruction instruction = {
        .subject = subject, .item = &subject->items[following->item], .cost = cost};
    struct linear_result results[MOST_LINEAR_RESULTS];
    struct motion_sum sums[MOST_LINEAR_RESULTS];
    unsigned written = 0;
    for (unsigned i = 0; i < cost->access_count; i++)
        references[i] = (struct motion_reference){
            .item = following->item, .position = i, .place = address_of(following, &cost->accesses[i])};
    following->own = references;
    following->reference_count += cost->access_count;
    if (cost->is_call) { /* which leaves the stack pointer where it was */
        clobber(following);
        return;
    }
    unsigned count = linear_results(&instruction, results);
    for (unsigned i = 0; i < count; i++) {
        following->result = &results[i];
        sums[i] = motion_compute(&following->symbols, &results[i], part_value, following);
        written += !results[i].is_stored;
    }
    make_rest(following, cost, written, written < count);
    for (unsigned i = 0; i < count; i++) {
        if (!results[i].is_stored) {
            set_value(following, results[i].resource, &sums[i]);
            continue;
        }
        struct motion_sum place = references[results[i].access].place;
        place.constant = motion_plus(place.constant, results[i].offset);
        store(following, &place, &sums[i]);
    }
}

static void begin(struct following *following, const struct subject *subject, bool looks_outside)
{
    unsigned accesses = 0, size = 16;
    following->subject = subject;
    following->looks_outside = looks_outside;
    following->symbols = (struct motion_symbols){.rows = ARRAY_OF(struct motion_symbol)};
    following->reference_count = 0;
    array_reserve(&following->symbols.rows, subject->item_count * 2);
    array_add(&following->symbols.rows);
    memset(following->header, 0, sizeof following->header);
    memset(following->is_known, 0, sizeof following->is_known);
    memset(following->is_still, 1, sizeof following->is_still);
    for (unsigned i = 0; i < subject->item_count; i++) {
        const struct machine_cost *cost = ARRAY_AT(struct cost_item, &subject->work->items, i)->cost;
        accesses += cost->access_count;
        for (unsigned k = 0; k < cost->write_count; k++)
            following->is_still[cost->writes[k]] = 0;
        for (unsigned k = 0; cost->is_call && k < subject->registers->clobbered_count; k++)
            following->is_still[subject->registers->clobbered[k]] = 0;
    }
    /* An access names at most three places: its own, and the halves of a pair. */
    while (size < 6 * accesses)
        size *= 2;
    following->mask = size - 1;
    following->table = arena_get(subject->arena, size * sizeof *following->table);
    following->references = arena_get(subject->arena, (accesses + 1) * sizeof *following->references);
}

static void end_iteration(struct following *following)
{
    for (size_t i = 1; i < following->symbols.rows.count; i++) {
        struct motion_symbol *symbol = symbol_at(following, (uint32_t)i);
        if (symbol->kind != symbol_REGISTER)
            continue;
        symbol->is_changed = !following->is_still[symbol->resource];
        symbol->end = following->values[symbol->resource];
    }
}

/* Places in terms of values before the loop: registers that step separately by the same constant differ by
   their starting values. */
static struct motion_sum start_of(struct following *following, const struct motion_sum *place)
{
    struct motion_sum sum = {.constant = place->constant};
    for (unsigned i = 0; i < place->count; i++) {
        uint32_t number = place->terms[i].symbol;
        struct motion_symbol *symbol = symbol_at(following, number);
        struct motion_sum start = motion_sum_of(number);
        if (symbol->kind == symbol_REGISTER) {
            if (!symbol->has_start) {
                start = motion_outside(following->subject, &following->symbols, symbol->resource,
                                       symbol->instruction);
                symbol = symbol_at(following, number); /* symbols may have moved */
                symbol->place = start;
                symbol->has_start = true;
            }
            start = symbol->place;
        }
        sum = motion_add(&following->symbols, &sum, &start, place->terms[i].factor);
    }
    return sum;
}

static struct motion_sum operand_value(struct following *following, const struct operand *operand)
{
    const struct machine_costs *costs = &following->subject->work->costs;
    if (!operand || operand->kind == operand_kind_IMMEDIATE)
        return (struct motion_sum){.constant = operand ? operand->value : 0};
    uint16_t resource =
        operand->register_ < costs->register_count ? costs->resource_of[operand->register_] : 0;
    if (operand->value || !resource) { /* shifted, or the zero register */
        uint32_t made = motion_symbol_add(&following->symbols, symbol_MADE);
        symbol_at(following, made)->is_wild = resource != 0;
        return resource ? motion_sum_of(made) : (struct motion_sum){0};
    }
    return value_of(following, resource);
}

static void note_watched(struct following *following, bool is_after)
{
    for (unsigned i = 0; i < following->watch_count; i++) {
        const struct motion_watch *watch = &following->watches[i];
        if (watch->item != following->item || watch->is_after != is_after)
            continue;
        following->watched[i][0] = operand_value(following, watch->left);
        following->watched[i][1] = operand_value(following, watch->right);
        if (watch->is_negated)
            following->watched[i][1].constant = motion_times(following->watched[i][1].constant, -1);
    }
}

static void judge_watched(struct following *following)
{
    for (unsigned i = 0; i < following->watch_count; i++) {
        struct motion_watch *watch = &following->watches[i];
        struct motion_sum *sides = following->watched[i];
        struct motion motions[2];
        motion_of_sum(&following->symbols, &sides[0], &motions[0]);
        motion_of_sum(&following->symbols, &sides[1], &motions[1]);
        bool is_right = motions[0].kind == motion_STILL && motions[1].kind == motion_STEPS;
        if (!is_right && (motions[0].kind != motion_STEPS || motions[1].kind != motion_STILL))
            continue;
        struct motion_sum from = start_of(following, &sides[is_right]),
                          to = start_of(following, &sides[!is_right]);
        watch->is_known = motion_is_apart(&from, &to);
        watch->distance = (int64_t)((uint64_t)to.constant - (uint64_t)from.constant);
        watch->step = motions[is_right].step;
    }
}

static const struct motion_reference *follow(const struct subject *subject, bool looks_outside,
                                             struct motion_watch *watches, unsigned watch_count,
                                             unsigned *count)
{
    struct following following;
    begin(&following, subject, looks_outside);
    following.watches = watches;
    following.watch_count = watch_count;
    following.symbols.joins_uses = watch_count > 0;
    following.watched = arena_get(subject->arena, (watch_count + 1) * sizeof *following.watched);
    for (following.item = 0; following.item < subject->item_count; following.item++) {
        note_watched(&following, false);
        follow_item(&following);
        note_watched(&following, true);
    }
    end_iteration(&following);
    motion_settle(&following.symbols);
    judge_watched(&following);
    for (unsigned i = 0; i < following.reference_count; i++) {
        struct motion_reference *reference = &following.references[i];
        motion_of_sum(&following.symbols, &reference->place, &reference->motion);
        if (looks_outside && reference->motion.kind == motion_STEPS)
            reference->place = start_of(&following, &reference->place);
    }
    array_free(&following.symbols.rows);
    *count = following.reference_count;
    return following.references;
}

const struct motion_reference *motion_follow(const struct subject *subject, unsigned *count)
{
    return follow(subject, false, NULL, 0, count);
}

const struct motion_reference *motion_follow_further(const struct subject *subject, unsigned *count)
{
    return follow(subject, true, NULL, 0, count);
}

void motion_follow_watched(const struct subject *subject, struct motion_watch *watches, unsigned count)
{
    unsigned references;
    follow(subject, true, watches, count, &references);
}
