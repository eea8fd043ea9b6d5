/* Values of general registers and of places in memory are followed through one iteration as sums of what it
   found at its start.  What they are at its end says how each of them moves: by nothing, by a constant, by a
   distance that is always the same though the code does not tell it (a register that nothing in the loop
   changes is added), or in another way.  How an address moves is the sum of how its symbols move.

   cost/addresses.c follows registers too, to prove that a load meets a store: it must be exact, and knows
   whole registers plus constants only.  Patterns of access are no proof but what happens nearly always, so
   here a counter of 32 bits does not wrap, stores through other pointers do not change what was loaded from a
   place that stays, and sums of several registers count.  The facts of instructions that both need come from
   one place: the accesses and the step of machine_cost.

   A place in memory is named by the sum that is its address.  Equal sums are the same place, so that a
   variable kept on the stack, or behind a pointer that stays, is followed like a register; that is all there
   is in code that was not optimised.  A place whose address moves holds data: what is loaded from there
   varies, by what was loaded.  A call changes the registers that the ABI lets it change, and no place.

   What an instruction makes that is no sum gets a symbol of its own, with the symbols that it depends on: it
   stays if they all stay.  The product of two sums strides if one stays and the other steps.  Symbols number
   at most one for an instruction and one for an access, terms of a sum at most MOST_TERMS: the work is linear
   in the length of the path. */
#include "quality/motion.h"

#include "quality/linear.h"

#include <string.h>

/* Chains of symbols that wait for each other, such as pointers handed on from register to register, are
   resolved one link a round, in the best case many. */
enum { MOST_ROUNDS = 8, MOST_DEPENDED = 6 };

enum symbol_kind { symbol_REGISTER, symbol_PLACE, symbol_MADE, symbol_PRODUCT };

struct motion_symbol {
    enum symbol_kind kind;
    bool is_changed; /* REGISTER, PLACE: end says what it is at the end of an iteration */
    bool is_wild;    /* MADE: depends on more than depended says */
    bool is_settled;
    unsigned depended_count;
    uint32_t depended[MOST_DEPENDED];
    struct motion_sum place; /* PLACE: address; PRODUCT: one side */
    struct motion_sum end;   /* PRODUCT: the other side */
    struct motion motion;
};

struct following {
    const struct subject *subject;
    const uint16_t *resource_of;
    struct array symbols; /* of struct motion_symbol: those of registers first, by resource */
    struct motion_sum values[MOST_RESOURCES];
    uint32_t *table; /* symbols of places by hash of the address; 0: empty */
    uint32_t mask;
    struct motion_reference *references;
    unsigned reference_count;
};

static struct motion_symbol *symbol_at(const struct following *following, uint32_t symbol)
{
    return ARRAY_AT(struct motion_symbol, &following->symbols, symbol);
}

static uint32_t new_symbol(struct following *following, enum symbol_kind kind)
{
    struct motion_symbol *symbol = array_add(&following->symbols);
    symbol->kind = kind;
    return (uint32_t)following->symbols.count - 1;
}

static struct motion_sum sum_of_symbol(uint32_t symbol)
{
    return (struct motion_sum){.terms = {{symbol, 1}}, .count = 1};
}

static int64_t plus(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one + (uint64_t)other);
}

static int64_t times(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one * (uint64_t)other);
}

static void depend(struct motion_symbol *symbol, const struct motion_sum *sum)
{
    for (unsigned i = 0; i < sum->count; i++) {
        unsigned k = 0;
        while (k < symbol->depended_count && symbol->depended[k] != sum->terms[i].symbol)
            k++;
        if (k < symbol->depended_count)
            continue;
        if (symbol->depended_count == MOST_DEPENDED)
            symbol->is_wild = true;
        else
            symbol->depended[symbol->depended_count++] = sum->terms[i].symbol;
    }
}

/* one + factor × other; a new symbol where that has too many terms. */
static struct motion_sum add(struct following *following, const struct motion_sum *one,
                             const struct motion_sum *other, int64_t factor)
{
    struct motion_sum sum = {.constant = plus(one->constant, times(other->constant, factor))};
    unsigned i = 0, k = 0;
    while (i < one->count || k < other->count) {
        struct motion_term term;
        if (k == other->count || (i < one->count && one->terms[i].symbol < other->terms[k].symbol)) {
            term = one->terms[i++];
        } else {
            term = (struct motion_term){other->terms[k].symbol, times(other->terms[k].factor, factor)};
            if (i < one->count && one->terms[i].symbol == term.symbol)
                term.factor = plus(term.factor, one->terms[i++].factor);
            k++;
        }
        if (!term.factor)
            continue;
        if (sum.count == MOST_TERMS) {
            uint32_t made = new_symbol(following, symbol_MADE);
            depend(symbol_at(following, made), one);
            depend(symbol_at(following, made), other);
            return sum_of_symbol(made);
        }
        sum.terms[sum.count++] = term;
    }
    return sum;
}

static struct motion_sum scaled(struct following *following, const struct motion_sum *sum, int64_t factor)
{
    return add(following, &(struct motion_sum){0}, sum, factor);
}

/* Of two sums; of a constant and a sum it is a sum. */
static struct motion_sum multiply(struct following *following, const struct motion_sum *one,
                                  const struct motion_sum *other)
{
    if (!one->count)
        return scaled(following, other, one->constant);
    if (!other->count)
        return scaled(following, one, other->constant);
    uint32_t product = new_symbol(following, symbol_PRODUCT);
    symbol_at(following, product)->place = *one;
    symbol_at(following, product)->end = *other;
    return sum_of_symbol(product);
}

static struct motion_sum value_of(const struct following *following, uint16_t resource)
{
    return resource ? following->values[resource] : (struct motion_sum){0};
}

static void set_value(struct following *following, uint16_t resource, const struct motion_sum *value)
{
    if (resource)
        following->values[resource] = *value;
}

bool motion_is_apart(const struct motion_sum *one, const struct motion_sum *other)
{
    if (one->count != other->count)
        return false;
    for (unsigned i = 0; i < one->count; i++)
        if (one->terms[i].symbol != other->terms[i].symbol || one->terms[i].factor != other->terms[i].factor)
            return false;
    return true;
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

/* The symbol of what is at an address.  There are fewer places than the table has room for: see begin. */
static uint32_t place_at(struct following *following, const struct motion_sum *address)
{
    uint32_t at = hash(address) & following->mask;
    for (; following->table[at]; at = (at + 1) & following->mask) {
        const struct motion_symbol *symbol = symbol_at(following, following->table[at]);
        if (symbol->place.constant == address->constant && motion_is_apart(&symbol->place, address))
            return following->table[at];
    }
    uint32_t made = new_symbol(following, symbol_PLACE);
    symbol_at(following, made)->place = *address;
    symbol_at(following, made)->end = sum_of_symbol(made);
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

static struct motion_sum address_of(struct following *following, unsigned item,
                                    const struct cost_access *access)
{
    struct motion_sum sum = {.constant = access->displacement};
    if (access->is_relative) {
        const struct subject_item *row = &following->subject->items[item];
        uint64_t target = model_instruction(following->subject->model, row->instruction)->target;
        /* Without a target the place is the instruction's own. */
        sum.constant = target != NO_ADDRESS ? (int64_t)target : -1 - (int64_t)item;
        return sum;
    }
    struct motion_sum base = value_of(following, access->base), index = value_of(following, access->index);
    sum = add(following, &sum, &base, 1);
    return add(following, &sum, &index, access->scale ? access->scale : 1);
}

/* Something that depends on all that the instruction reads, and on what it loads. */
static struct motion_sum made_by(struct following *following, unsigned item,
                                 const struct motion_reference *references, unsigned count)
{
    const struct subject_item *row = &following->subject->items[item];
    uint32_t made = new_symbol(following, symbol_MADE);
    for (unsigned i = 0; i < row->use_count; i++) {
        uint16_t resource = following->resource_of[row->uses[i].register_];
        if (row->uses[i].access & access_READ && resource && !row->uses[i].is_address)
            depend(symbol_at(following, made), &following->values[resource]);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct cost_access *access =
            &ARRAY_AT(struct cost_item, &following->subject->work->items, item)->cost->accesses[i];
        if (!access->loads)
            continue;
        struct motion_sum value = load(following, &references[i].place);
        depend(symbol_at(following, made), &value);
    }
    return sum_of_symbol(made);
}

static struct motion_sum operand_value(struct following *following, const struct linear_part *part,
                                       const struct motion_reference *references)
{
    struct motion_sum value = {0};
    if (part->kind == linear_REGISTER)
        value = value_of(following, part->resource);
    else if (part->kind == linear_MEMORY) {
        struct motion_sum place = references[part->access].place;
        place.constant = plus(place.constant, part->offset);
        value = load(following, &place);
    }
    return value;
}

/* The sum that an instruction computes. */
static struct motion_sum computed(struct following *following, const struct linear_result *result,
                                  const struct motion_reference *references)
{
    struct motion_sum sum = {.constant = result->constant};
    for (unsigned i = 0; i < result->part_count; i++) {
        const struct linear_part *part = &result->parts[i];
        struct motion_sum value = operand_value(following, part, references);
        if (part->is_product) {
            struct motion_sum other = operand_value(following, &result->parts[++i], references);
            value = multiply(following, &value, &other);
        }
        sum = add(following, &sum, &value, part->factor);
    }
    return sum;
}

static void clobber(struct following *following)
{
    const struct subject *subject = following->subject;
    struct motion_sum made = sum_of_symbol(new_symbol(following, symbol_MADE));
    symbol_at(following, made.terms[0].symbol)->is_wild = true;
    for (unsigned i = 0; i < subject->registers->clobbered_count; i++)
        set_value(following, subject->registers->clobbered[i], &made);
}

static void follow_item(struct following *following, unsigned item)
{
    const struct subject *subject = following->subject;
    const struct machine_cost *cost = ARRAY_AT(struct cost_item, &subject->work->items, item)->cost;
    struct motion_reference *references = &following->references[following->reference_count];
    struct linear_result results[MOST_LINEAR_RESULTS];
    struct motion_sum sums[MOST_LINEAR_RESULTS], made;
    for (unsigned i = 0; i < cost->access_count; i++)
        references[i] = (struct motion_reference){
            .item = item, .position = i, .place = address_of(following, item, &cost->accesses[i])};
    following->reference_count += cost->access_count;
    unsigned count = linear_results(subject, item, results);
    for (unsigned i = 0; i < count; i++)
        sums[i] = computed(following, &results[i], references);
    bool stores_sum = false;
    unsigned written = 0;
    for (unsigned i = 0; i < count; i++) {
        stores_sum |= results[i].is_stored;
        written += !results[i].is_stored;
    }
    bool is_made = cost->write_count > written;
    for (unsigned i = 0; i < cost->access_count && !stores_sum; i++)
        is_made |= cost->accesses[i].stores;
    if (is_made) {
        made = made_by(following, item, references, cost->access_count);
        for (unsigned i = 0; i < cost->write_count; i++)
            set_value(following, cost->writes[i], &made);
        for (unsigned i = 0; i < cost->access_count && !stores_sum; i++)
            if (cost->accesses[i].stores)
                store(following, &references[i].place, &made);
    }
    for (unsigned i = 0; i < count; i++) {
        if (results[i].is_stored) {
            struct motion_sum place = references[results[i].access].place;
            place.constant = plus(place.constant, results[i].offset);
            store(following, &place, &sums[i]);
        } else {
            set_value(following, results[i].resource, &sums[i]);
        }
    }
    if (cost->is_call)
        clobber(following);
}

/* How a sum moves, where that of all its symbols is known. */
static bool motion_of_sum(const struct following *following, const struct motion_sum *sum,
                          struct motion *motion)
{
    *motion = (struct motion){0};
    for (unsigned i = 0; i < sum->count; i++) {
        const struct motion_symbol *symbol = symbol_at(following, sum->terms[i].symbol);
        if (!symbol->is_settled)
            return false;
        if (symbol->motion.kind > motion->kind)
            motion->kind = symbol->motion.kind;
        motion->is_loaded |= symbol->motion.is_loaded;
        motion->step = plus(motion->step, times(symbol->motion.step, sum->terms[i].factor));
    }
    if (motion->kind == motion_STEPS && !motion->step)
        motion->kind = motion_STILL;
    if (motion->kind != motion_STEPS)
        motion->step = 0;
    return true;
}

/* A register or a place, from what it is at the end of an iteration. */
static bool motion_of_end(const struct following *following, uint32_t number,
                          const struct motion_symbol *symbol, struct motion *motion)
{
    struct motion_sum rest = {.constant = symbol->end.constant};
    int64_t own = 0;
    for (unsigned i = 0; i < symbol->end.count; i++) {
        if (symbol->end.terms[i].symbol == number)
            own = symbol->end.terms[i].factor;
        else
            rest.terms[rest.count++] = symbol->end.terms[i];
    }
    if (!motion_of_sum(following, &rest, motion))
        return false;
    if (!own) /* it trails behind the others, or is set anew */
        return true;
    if (own != 1 || motion->kind != motion_STILL) {
        motion->kind = motion_VARIES;
        motion->step = 0;
    } else if (rest.count) {
        motion->kind = motion_STRIDES;
    } else if (rest.constant) {
        *motion = (struct motion){.kind = motion_STEPS, .step = rest.constant};
    }
    return true;
}

static bool motion_of_product(const struct following *following, const struct motion_symbol *symbol,
                              struct motion *motion)
{
    struct motion one, other;
    if (!motion_of_sum(following, &symbol->place, &one) || !motion_of_sum(following, &symbol->end, &other))
        return false;
    bool is_loaded = one.is_loaded || other.is_loaded;
    bool is_still = one.kind == motion_STILL && other.kind == motion_STILL;
    bool strides = (one.kind == motion_STILL && other.kind < motion_VARIES) ||
                   (other.kind == motion_STILL && one.kind < motion_VARIES);
    *motion = (struct motion){.kind = is_still  ? motion_STILL
                                      : strides ? motion_STRIDES
                                                : motion_VARIES,
                              .is_loaded = is_loaded};
    return true;
}

static bool motion_of_made(const struct following *following, const struct motion_symbol *symbol,
                           struct motion *motion)
{
    bool varies = symbol->is_wild;
    *motion = (struct motion){0};
    for (unsigned i = 0; i < symbol->depended_count; i++) {
        const struct motion_symbol *depended = symbol_at(following, symbol->depended[i]);
        if (!depended->is_settled)
            return false;
        varies |= depended->motion.kind != motion_STILL;
        motion->is_loaded |= depended->motion.is_loaded;
    }
    motion->kind = varies ? motion_VARIES : motion_STILL;
    return true;
}

static bool settle(const struct following *following, uint32_t number)
{
    struct motion_symbol *symbol = symbol_at(following, number);
    struct motion *motion = &symbol->motion, place;
    switch (symbol->kind) {
    case symbol_REGISTER:
        return !symbol->is_changed || motion_of_end(following, number, symbol, motion);
    case symbol_PLACE:
        if (!motion_of_sum(following, &symbol->place, &place))
            return false;
        if (place.kind == motion_STILL)
            return !symbol->is_changed || motion_of_end(following, number, symbol, motion);
        *motion = (struct motion){.kind = motion_VARIES, .is_loaded = true};
        return true;
    case symbol_MADE:
        return motion_of_made(following, symbol, motion);
    case symbol_PRODUCT:
        return motion_of_product(following, symbol, motion);
    }
    return true;
}

/* What still waits for itself after all rounds varies; by what was loaded where a load is among what it waits
   for: the pointer to the next element of a list. */
static void settle_cycles(const struct following *following)
{
    for (uint32_t i = 0; i < following->symbols.count; i++) {
        struct motion_symbol *symbol = symbol_at(following, i);
        if (!symbol->is_settled)
            symbol->motion =
                (struct motion){.kind = motion_VARIES, .is_loaded = symbol->kind == symbol_PLACE};
    }
    bool has_changed = true;
    for (unsigned round = 0; round < MOST_ROUNDS && has_changed; round++) {
        has_changed = false;
        for (uint32_t i = 0; i < following->symbols.count; i++) {
            struct motion_symbol *symbol = symbol_at(following, i);
            bool is_loaded = symbol->motion.is_loaded;
            if (symbol->is_settled || is_loaded)
                continue;
            for (unsigned k = 0; k < symbol->depended_count; k++)
                is_loaded |= symbol_at(following, symbol->depended[k])->motion.is_loaded;
            for (unsigned k = 0; k < symbol->end.count; k++)
                is_loaded |= symbol_at(following, symbol->end.terms[k].symbol)->motion.is_loaded;
            for (unsigned k = 0; k < symbol->place.count; k++)
                is_loaded |= symbol_at(following, symbol->place.terms[k].symbol)->motion.is_loaded;
            symbol->motion.is_loaded = is_loaded;
            has_changed |= is_loaded;
        }
    }
    for (uint32_t i = 0; i < following->symbols.count; i++)
        symbol_at(following, i)->is_settled = true;
}

static void settle_all(struct following *following)
{
    bool has_changed = true;
    for (unsigned round = 0; round < MOST_ROUNDS && has_changed; round++) {
        has_changed = false;
        for (uint32_t i = 0; i < following->symbols.count; i++) {
            struct motion_symbol *symbol = symbol_at(following, i);
            if (symbol->is_settled)
                continue;
            symbol->is_settled = settle(following, i);
            has_changed |= symbol->is_settled;
        }
    }
    settle_cycles(following);
}

static void begin(struct following *following, const struct subject *subject)
{
    unsigned accesses = 0, size = 16;
    unsigned resources = subject->work->costs.resource_count;
    *following = (struct following){.subject = subject,
                                    .resource_of = subject->work->costs.resource_of,
                                    .symbols = ARRAY_OF(struct motion_symbol)};
    array_add_many(&following->symbols, resources);
    for (unsigned i = 0; i < resources; i++)
        following->values[i] = sum_of_symbol(i);
    for (unsigned i = 0; i < subject->item_count; i++)
        accesses += ARRAY_AT(struct cost_item, &subject->work->items, i)->cost->access_count;
    /* An access names at most three places: its own, and the halves of a pair. */
    while (size < 6 * accesses)
        size *= 2;
    following->mask = size - 1;
    following->table = arena_get(subject->arena, size * sizeof *following->table);
    following->references = arena_get(subject->arena, (accesses + 1) * sizeof *following->references);
}

const struct motion_reference *motion_follow(const struct subject *subject, unsigned *count)
{
    struct following following;
    begin(&following, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        follow_item(&following, i);
    for (unsigned i = 1; i < subject->work->costs.resource_count; i++) {
        struct motion_symbol *symbol = symbol_at(&following, i);
        symbol->end = following.values[i];
        symbol->is_changed = symbol->end.count != 1 || symbol->end.constant ||
                             symbol->end.terms[0].symbol != i || symbol->end.terms[0].factor != 1;
    }
    settle_all(&following);
    for (unsigned i = 0; i < following.reference_count; i++)
        motion_of_sum(&following, &following.references[i].place, &following.references[i].motion);
    array_free(&following.symbols);
    *count = following.reference_count;
    return following.references;
}
