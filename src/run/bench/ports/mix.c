#include "run/bench/ports/mix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW_RESULTS = 6, MOST_RESULTS = 12, MOST_STORES = 16 };
/* Stores are so far from loads: not even close modulo a page. */
enum { APART = 0x5200, LINES = 3 * 64, NARROW = 16 };

static const char *const order_words[MIX_ORDERS] = {"", "|rows", "|blocks"};

bool mix_name(const struct mix_part *parts, unsigned count, enum mix_order order, char name[BENCH_NAME])
{
    int length = snprintf(name, BENCH_NAME, "pair");
    for (unsigned i = 0; i < count && length < BENCH_NAME; i++)
        length +=
            snprintf(name + length, BENCH_NAME - (size_t)length, "|%s|%u", parts[i].form, parts[i].instances);
    if (length < BENCH_NAME)
        length += snprintf(name + length, BENCH_NAME - (size_t)length, "%s", order_words[order]);
    return length < BENCH_NAME;
}

/* x87's stack moves, and MMX shares its registers. */
static bool is_x87_or_mmx(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].domain == domain_MMX)
            return true;
    return sample->description.encoding.element == element_X87;
}

static bool carries_flags(const struct bench_instruction *sample)
{
    bool reads = false, writes = false;
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].domain == domain_FLAGS) {
            reads |= slot_takes(&sample->slots[i]);
            writes |= sample->slots[i].writes;
        }
    return reads && writes;
}

static unsigned vector_bits(const struct bench_instruction *sample)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].domain == domain_VECTOR && sample->slots[i].bits > bits)
            bits = sample->slots[i].bits;
    return bits;
}

/* Legacy code beside instructions that leave upper halves in use. */
static bool switches(const struct bench_instruction *a, const struct bench_instruction *b)
{
    return a->isa == isa_X86_64 && vector_bits(a) && !a->description.encoding.is_avx && vector_bits(b) > 128;
}

static bool share_register(const struct bench_instruction *a, const struct bench_instruction *b)
{
    for (unsigned i = 0; i < a->slot_count; i++)
        for (unsigned j = 0; j < b->slot_count; j++) {
            const struct bench_slot *x = &a->slots[i], *y = &b->slots[j];
            if (x->is_fixed && y->is_fixed && x->domain == y->domain && x->domain < domain_BANKS &&
                x->number == y->number && (x->writes || y->writes))
                return true;
        }
    return false;
}

static bool get_along(const struct bench_instruction *a, const struct bench_instruction *b)
{
    return !(carries_flags(a) && carries_flags(b)) && !switches(a, b) && !switches(b, a) &&
           !share_register(a, b);
}

static bool accumulates(const struct bench_instruction *sample)
{
    for (unsigned i = 0; i < sample->slot_count; i++)
        if (sample->slots[i].writes && slot_takes(&sample->slots[i]) && !sample->slots[i].is_fixed &&
            sample->slots[i].role == role_OPERAND)
            return true;
    return false;
}

/* Instances that a register serves while its chain takes no longer than the mix. */
static unsigned most_served(const struct mix_part *part, double cycles)
{
    double latency = part->latency > 0 ? part->latency : FEW_RESULTS;
    return latency < cycles ? (unsigned)(cycles / latency) : 1;
}

static unsigned results_needed(const struct bench_instruction *sample, const struct mix_part *part,
                               double cycles)
{
    if (!accumulates(sample))
        return sample->description.encoding.store_bytes ? MOST_TURNS : FEW_RESULTS;
    unsigned served = most_served(part, 0.95 * cycles);
    unsigned needed = (part->instances + served - 1) / served;
    return needed > MOST_RESULTS ? MOST_RESULTS : needed;
}

static bool chain_fits(const struct bench_body *body, const struct mix_part *part, double cycles)
{
    unsigned served = (part->instances + body->count - 1) / body->count;
    return !accumulates(body->sample) || !(part->latency > 0) || served * part->latency < 1.02 * cycles;
}

static bool number_parts(struct bench_body *bodies, const struct mix_part *parts, unsigned count,
                         double cycles)
{
    for (unsigned i = 0; i < count; i++)
        if (!bench_number_sources(&bodies[i]))
            return false;
    for (unsigned i = 0; i < count; i++)
        if (!bench_number_bases(&bodies[i]))
            return false;
    for (unsigned i = 0; i < count; i++) {
        bench_number_results(&bodies[i]);
        if (!bodies[i].count || !chain_fits(&bodies[i], &parts[i], cycles))
            return false;
    }
    return true;
}

static bool is_division(const struct bench_instruction *sample)
{
    unsigned class = sample->description.encoding.class;
    return class == class_DIVIDE || class == class_SQRT;
}

/* A vector register that this instruction only reads, or writes; NO_SLOT: none. */
static unsigned vector_slot(const struct bench_instruction *sample, bool writes)
{
    for (unsigned i = sample->slot_count; i-- > 0;) {
        const struct bench_slot *slot = &sample->slots[i];
        bool fits = writes ? slot->writes : !slot->writes && slot_takes(slot);
        if (slot->domain == domain_VECTOR && fits && !slot->is_fixed && slot->leader == NO_SLOT &&
            slot->role == role_OPERAND && (writes || bench_slot_run(sample, i) == 1))
            return i;
    }
    return NO_SLOT;
}

/* Beside loads of vectors, vector registers that nobody writes are read more slowly on some cores (Neoverse
   V1: two additions a cycle, not four; with one source that is new, four).  So one source of each instance is
   what was loaded. */
static void read_what_is_loaded(struct bench_body *bodies, unsigned count)
{
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++) {
            const struct bench_instruction *load = bodies[a].sample, *reader = bodies[b].sample;
            unsigned result = vector_slot(load, true), source = vector_slot(reader, false);
            if (a == b || load->description.encoding.class != class_LOAD || is_division(reader) ||
                result == NO_SLOT || source == NO_SLOT)
                continue;
            for (unsigned i = 0; i < bodies[b].count; i++)
                bodies[b].numbers[i][source] = bodies[a].numbers[i % bodies[a].count][result];
        }
}

/* The part that is furthest after its share when so many instances of all are there. */
static unsigned furthest_behind(const struct mix_part *parts, unsigned count, const unsigned *done,
                                double share)
{
    unsigned next = 0;
    double most = -1e9;
    for (unsigned i = 0; i < count; i++) {
        double behind = share * parts[i].instances - done[i];
        if (done[i] < parts[i].instances && behind > most + 1e-9) {
            most = behind;
            next = i;
        }
    }
    return next;
}

static bool put_in_order(struct bench_planned *planned, struct bench_body *bodies,
                         const struct mix_part *parts, unsigned count, enum mix_order order)
{
    unsigned done[MOST_PARTS] = {0}, whole = 0, put = 0;
    for (unsigned i = 0; i < count; i++)
        whole += parts[i].instances;
    while (put < whole) {
        unsigned next = 0, row = order == order_ROWS ? 2 : 1;
        while (order == order_BLOCKS && done[next] == parts[next].instances)
            next++;
        if (order != order_BLOCKS)
            next = furthest_behind(parts, count, done, (put + 1.) / whole);
        for (; row && done[next] < parts[next].instances; row--, put++)
            if (!bench_put_instance(&bodies[next], done[next]++ % bodies[next].count))
                return false;
    }
    planned->instances = whole;
    return true;
}

/* Places of stores.  On a Neoverse V1 two stores a cycle go to one place of up to 16 bytes, or to three whole
   lines one after the other; to some places of one line, by turns, they take up to three times as long (four
   of 16 bytes 6 cycles, twelve 6, too).  On x86 displacements choose the places, within a line. */
static unsigned places_of(const struct bench_instruction *sample)
{
    unsigned stored = sample->description.encoding.store_bytes;
    if (sample->isa != isa_AARCH64 || !stored || bench_moves_pointer(sample))
        return MOST_STORES;
    return stored > NARROW && LINES % stored == 0 ? LINES / stored : 1;
}

unsigned mix_stores_in_row(const struct bench_instruction *sample)
{
    unsigned places = places_of(sample);
    return places < MOST_STORES ? places : 1;
}

static bool make(struct bench_planned *planned, enum isa isa, const struct bench_instruction *samples,
                 const struct mix_part *parts, unsigned count, enum mix_order order, double cycles,
                 unsigned bases)
{
    struct bench_bank bank;
    struct bench_body bodies[MOST_PARTS];
    bench_bank_begin(&bank, isa, &samples[0]);
    for (unsigned i = 0; i < count; i++) {
        struct bench_bank other;
        bench_bank_begin(&other, isa, &samples[i]);
        for (unsigned d = domain_GENERAL; d < domain_BANKS; d++)
            for (unsigned r = 0; r < 32; r++)
                bank.is_taken[d][r] |= other.is_taken[d][r];
        unsigned places = places_of(&samples[i]);
        bodies[i] =
            (struct bench_body){.planned = planned,
                                .sample = &samples[i],
                                .bank = &bank,
                                .most = results_needed(&samples[i], &parts[i], cycles),
                                .most_bases = places < bases ? places : bases,
                                .displacement = samples[i].description.encoding.store_bytes ? APART : 0};
        if (bench_moves_pointer(&samples[i]))
            planned->most_trips = 1;
    }
    if (!number_parts(bodies, parts, count, cycles))
        return false;
    read_what_is_loaded(bodies, count);
    return put_in_order(planned, bodies, parts, count, order);
}

/* What the runner's defaults must be for both. */
static void join_defaults(struct bench_planned *planned, const struct bench_instruction *sample)
{
    struct array single = ARRAY_OF(struct bench_planned);
    struct bench_planned *other = bench_planned_begin(&single, sample, bench_MIX, operands_EASY);
    if (other->vector_bytes > planned->vector_bytes)
        planned->vector_bytes = other->vector_bytes;
    if (other->memory)
        planned->memory = other->memory;
    bench_plan_free(&single);
}

bool mix_plan(struct array *planned, enum isa isa, const struct mix_part *parts, unsigned count,
              enum mix_order order, double cycles)
{
    struct bench_instruction samples[MOST_PARTS];
    char name[BENCH_NAME];
    if (!mix_name(parts, count, order, name))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (!bench_sample(&samples[i], isa, parts[i].form) || is_x87_or_mmx(&samples[i]))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (!get_along(&samples[i], &samples[j]))
                return false;
    }
    struct bench_planned *next = bench_planned_begin(planned, &samples[0], bench_MIX, operands_EASY);
    for (unsigned i = 1; i < count; i++)
        join_defaults(next, &samples[i]);
    for (unsigned i = 0; i < count && isa == isa_X86_64; i++)
        if (vector_bits(&samples[i]) && !samples[i].description.encoding.is_avx)
            next->vector_bytes = 16; /* upper halves stay clean */
    memcpy(next->name, name, sizeof name);
    for (unsigned bases = MOST_STORES; bases; bases /= 2) {
        if (make(next, isa, samples, parts, count, order, cycles, bases))
            return true;
        next->code.count = next->values.count = 0;
        next->instruction_count = 0;
    }
    bench_planned_free(next);
    planned->count--;
    return false;
}
