/* Four questions to a loop that could be vectorised by what its iterations do.

   How many iterations? motion/trips.c, and short_loop.c where their number is unknown.

   May an iteration load what an earlier one stored? Places of loads and stores are sums of values before the
   loop. Two that differ by a constant answer it. If both contain the same pointer, and one of them an unknown
   distance besides (x[i - T]), they may meet. Different pointers may overlap too, but compilers check that
   when the loop is entered, unless there are too many of them (GCC checks ten pairs).

   Can the compiler see where accesses go? A subscript of unsigned int wraps around at 2^32: the element
   after a[i + k] is not always a[i + 1 + k]. Then the address is computed from 32 bits in every iteration,
   where a subscript that cannot wrap around would be a pointer or a counter of 64 bits:

       mov eax, edx; add edx, 1; movss xmm0, [rsi + 4*rax]        add w4, w2, w3; ldr s1, [x0, x4, lsl #2]

   Signed subscripts may not wrap around, so compilers do not care; they extend the sign.

   Does it stay what it is? A pointer in memory that stores may change is loaded again in every iteration, and
   so is a limit. */
#include "code/quality/vector/doubts.h"

#include "code/quality/motion/motion.h"
#include "code/quality/values.h"
#include "code/quality/vector/short_loop.h"

#include <string.h>

enum { MOST_STEPS = 5, MOST_PAIRS = 10, MOST_STREAMS = 32, NARROW = 32 };

/* ---- Subscripts that wrap around. ---- */

static const struct operand *general_operand(const struct subject *subject, const struct subject_item *item,
                                             uint32_t register_row)
{
    uint32_t full = model_full_register(subject->model, register_row);
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_REGISTER && operand->access & access_WRITE && operand->register_ &&
            model_full_register(subject->model, operand->register_) == full)
            return model_register(subject->model, full)->kind == register_kind_GENERAL ? operand : NULL;
    }
    return NULL;
}

static bool extends_with_zeros(const struct subject *subject, const struct subject_item *item)
{
    const char *text = model_text(subject->model, item->row->text);
    return text && strstr(text, "uxtw");
}

static uint32_t narrow_source(const struct values *values, uint32_t item, uint32_t register_row,
                              unsigned steps);

/* The same for each register that a 64-bit value is made of. */
static uint32_t narrow_part(const struct values *values, uint32_t item, unsigned steps)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    uint32_t found = subject->item_count;
    if (row->row->load_bytes || row->row->operation == operation_EXTEND)
        return found;
    for (unsigned i = 0; i < row->operand_count && found == subject->item_count; i++) {
        const struct operand *operand = &row->operands[i];
        bool is_read = operand->kind == operand_kind_REGISTER && operand->access & access_READ;
        if (is_read && operand->register_ && (operand->bits > NARROW || extends_with_zeros(subject, row)))
            found = narrow_source(values, item, operand->register_, steps);
        if (operand->kind != operand_kind_ADDRESS)
            continue;
        if (operand->base_register)
            found = narrow_source(values, item, operand->base_register, steps);
        if (operand->index_register && found == subject->item_count)
            found = narrow_source(values, item, operand->index_register, steps);
    }
    return found;
}

/* The item of the loop that made the value of a register by 32-bit arithmetic; item_count: none. */
static uint32_t narrow_source(const struct values *values, uint32_t item, uint32_t register_row,
                              unsigned steps)
{
    const struct subject *subject = values->subject;
    struct value_source source = values_of_register(values, item, register_row);
    if (source.item == VALUE_OUTSIDE || source.item == item || !steps)
        return subject->item_count;
    const struct subject_item *row = &subject->items[source.item];
    const struct operand *written = general_operand(subject, row, register_row);
    if (!written || row->row->load_bytes)
        return subject->item_count;
    if (written->bits == NARROW)
        return source.item;
    return narrow_part(values, source.item, steps - 1);
}

/* Accesses that step by a constant, from an index of 32 bits that is filled up with zeros. */
static uint32_t find_wrapping(const struct subject *subject)
{
    struct values values;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        const struct subject_item *item = &subject->items[access->item];
        bool steps = (access->pattern == access_pattern_STRIDE_ONE ||
                      access->pattern == access_pattern_CONSTANT_STRIDE) &&
                     item->purpose == purpose_DATA && !access->is_stack;
        for (unsigned k = 0; steps && k < item->operand_count; k++) {
            const struct operand *operand = &item->operands[k];
            if (operand->kind != operand_kind_MEMORY)
                continue;
            uint32_t found = subject->item_count;
            if (operand->index_register &&
                (model_register(subject->model, operand->index_register)->bits > NARROW ||
                 extends_with_zeros(subject, item)))
                found = narrow_source(&values, access->item, operand->index_register, MOST_STEPS);
            if (found == subject->item_count && operand->base_register)
                found = narrow_source(&values, access->item, operand->base_register, MOST_STEPS);
            if (found < subject->item_count)
                return found;
        }
    }
    return subject->item_count;
}

/* ---- Loads of what was stored. ---- */

/* Compares two places term by term: what both contain, and what only one of them has. A term with factor 1 is
   a pointer, or an offset in bytes. */
struct comparison {
    bool shares_pointer, has_own[2], has_own_pointer[2];
};

static struct comparison compare(const struct motion_sum *one, const struct motion_sum *other)
{
    struct comparison found = {0};
    unsigned i = 0, k = 0;
    while (i < one->count || k < other->count) {
        const struct motion_term *a = i < one->count ? &one->terms[i] : NULL;
        const struct motion_term *b = k < other->count ? &other->terms[k] : NULL;
        if (a && b && a->symbol == b->symbol) {
            found.shares_pointer |= a->factor == 1 && b->factor == 1;
            found.has_own[0] |= a->factor != b->factor;
            i++;
            k++;
            continue;
        }
        bool is_other = !a || (b && b->symbol < a->symbol);
        const struct motion_term *own = is_other ? b : a;
        found.has_own[is_other] = true;
        found.has_own_pointer[is_other] |= own->factor == 1;
        i += !is_other;
        k += is_other;
    }
    return found;
}

static uint64_t between(int64_t one, int64_t other)
{
    return one < other ? (uint64_t)other - (uint64_t)one : (uint64_t)one - (uint64_t)other;
}

/* Whether a load reads, within so many iterations, what the store wrote in an earlier one. */
static bool meets(const struct motion_reference *load, const struct motion_reference *store, unsigned bytes,
                  unsigned lanes)
{
    enum { NEAR = 256 };
    if (motion_is_apart(&load->place, &store->place)) {
        int64_t place = load->place.constant;
        for (unsigned i = 1; i < lanes; i++) {
            place = (int64_t)((uint64_t)place + (uint64_t)load->motion.step);
            if (between(place, store->place.constant) < bytes)
                return true;
        }
        return false;
    }
    struct comparison found = compare(&load->place, &store->place);
    bool has_pointer = found.has_own_pointer[0] || found.has_own_pointer[1] || found.shares_pointer;
    if (!has_pointer) /* static arrays */
        return between(load->place.constant, store->place.constant) < NEAR;
    return found.shares_pointer && !(found.has_own_pointer[0] && found.has_own_pointer[1]);
}

static const struct cost_access *access_of(const struct subject *subject,
                                           const struct motion_reference *reference)
{
    return &ARRAY_AT(struct cost_item, &subject->work->items, reference->item)
                ->cost->accesses[reference->position];
}

struct streams {
    const struct motion_reference *rows[MOST_STREAMS];
    bool is_stored[MOST_STREAMS];
    unsigned count;
};

static void note_stream(struct streams *streams, const struct motion_reference *reference, bool is_stored)
{
    unsigned i = 0;
    while (i < streams->count && !motion_is_apart(&streams->rows[i]->place, &reference->place))
        i++;
    if (i == MOST_STREAMS)
        return;
    if (i == streams->count) {
        streams->rows[streams->count] = reference;
        streams->is_stored[streams->count++] = false;
    }
    streams->is_stored[i] |= is_stored;
}

static bool has_many_pairs(const struct streams *streams)
{
    unsigned stores = 0, all = 0;
    for (unsigned i = 0; i < streams->count; i++) {
        if (!streams->rows[i]->place.count)
            continue; /* static: the compiler knows which array it is */
        all++;
        stores += streams->is_stored[i];
    }
    return stores && stores * (all - stores) + stores * (stores - 1) / 2 > MOST_PAIRS;
}

static bool is_written(const struct subject *subject, uint32_t wanted)
{
    uint32_t full = model_full_register(subject->model, wanted);
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; u < subject->items[i].use_count; u++) {
            const struct register_use *use = &subject->items[i].uses[u];
            if (use->access != access_READ && model_full_register(subject->model, use->register_) == full)
                return true;
        }
    return false;
}

/* Whether a load starts from the invariant pointer of this store and uses another index. A delay line, whose
   iterations need values that earlier ones stored, looks like that, and so do two parts of one array. */
static bool shares_base(const struct subject *subject, const struct subject_access *store)
{
    const struct operand *stored = subject_item_memory(&subject->items[store->item]);
    if (!stored || !stored->base_register || !stored->index_register ||
        is_written(subject, stored->base_register))
        return false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct operand *loaded = subject_item_memory(&subject->items[subject->accesses[i].item]);
        if (subject->accesses[i].loads && loaded && loaded->base_register == stored->base_register &&
            loaded->index_register && loaded->index_register != stored->index_register)
            return true;
    }
    return false;
}

static void find_meetings(struct vector_doubts *doubts, const struct subject *subject, unsigned lanes)
{
    struct streams streams = {.count = 0};
    unsigned count;
    bool has_stores = false;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].stores &&
            subject->items[subject->accesses[i].item].purpose == purpose_DATA) {
            has_stores = true;
            doubts->may_meet = doubts->may_meet || shares_base(subject, &subject->accesses[i]);
        }
    if (!has_stores)
        return;
    const struct motion_reference *references = motion_follow_further(subject, &count);
    for (unsigned i = 0; i < count; i++) {
        const struct cost_access *one = access_of(subject, &references[i]);
        if (subject->items[references[i].item].purpose != purpose_DATA ||
            references[i].motion.kind != motion_STEPS)
            continue;
        note_stream(&streams, &references[i], one->stores);
        for (unsigned k = 0; one->stores && k < count && !doubts->may_meet; k++) {
            const struct cost_access *other = access_of(subject, &references[k]);
            doubts->may_meet = other->loads && subject->items[references[k].item].purpose == purpose_DATA &&
                               references[k].motion.kind == motion_STEPS &&
                               references[k].motion.step == references[i].motion.step &&
                               meets(&references[k], &references[i], one->bytes, lanes);
        }
    }
    doubts->has_many = subject->compiler->language != language_FORTRAN && has_many_pairs(&streams);
}

/* A pointer or a limit that is loaded from the same place in every iteration: the compiler expects that a
   store changes it, and knows neither the places nor the number of iterations before the loop starts. */
static uint32_t find_reload(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        enum item_purpose purpose = subject->items[access->item].purpose;
        if (access->loads && !access->is_stack && access->pattern == access_pattern_INVARIANT &&
            (purpose == purpose_ADDRESS || purpose == purpose_CONTROL))
            return access->item;
    }
    return subject->item_count;
}

void doubts_find(struct vector_doubts *doubts, const struct subject *subject, unsigned lanes)
{
    *doubts = (struct vector_doubts){.trips = subject->trips};
    doubts->seems_short = !doubts->trips && short_loop_shows(subject);
    doubts->reloads = find_reload(subject);
    doubts->wraps = find_wrapping(subject);
    find_meetings(doubts, subject, lanes);
}
