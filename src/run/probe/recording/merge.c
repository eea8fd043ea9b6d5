/* What threads recorded of a subject adds up.

   Counts, sums and buckets are added, of the bitmaps of lines and pages each bit that any thread set is set.
   Lists of frequent values (the space-saving algorithm) are merged so that their bounds stay true: a value
   that one list lacks was seen by that thread at most as often as the list's last value, if the list is full,
   and never otherwise. */
#include "run/probe/recording/parts.h"

#include <stdlib.h>
#include <string.h>

static uint64_t added(uint64_t left, uint64_t right)
{
    return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

static unsigned __int128 wide(const uint64_t words[2])
{
    return (unsigned __int128)words[1] << 64 | words[0];
}

/* is_less compares minimum and maximum: they may be signed or the bits of doubles. */
typedef bool order(uint64_t left, uint64_t right);

static bool unsigned_order(uint64_t left, uint64_t right)
{
    return left < right;
}
static bool signed_order(uint64_t left, uint64_t right)
{
    return (int64_t)left < (int64_t)right;
}
static double as_double(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static bool float_order(uint64_t left, uint64_t right)
{
    return as_double(left) < as_double(right);
}

static void merge_spread(struct recorded_spread *into, const struct probe_distribution *from, order *is_less)
{
    if (!from->count)
        return;
    if (!into->count || is_less(from->minimum, into->minimum))
        into->minimum = from->minimum;
    if (!into->count || is_less(into->maximum, from->maximum))
        into->maximum = from->maximum;
    into->count = added(into->count, from->count);
    into->sum += wide(from->sum);
    into->square += wide(from->square);
    into->far_count += from->far_count;
    into->far_sum += from->far_sum;
    for (unsigned i = 0; i < PROBE_BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
}

/* ---- frequent values ---- */

static int by_count(const void *left, const void *right)
{
    const struct probe_frequency *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static int find(const struct probe_frequency *values, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++)
        if (values[i].value == value)
            return (int)i;
    return -1;
}

/* At most this often was a value seen that the list does not have. */
static uint64_t most_unlisted(const struct probe_frequency *values, unsigned count, unsigned room)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < count; i++)
        least = values[i].count < least ? values[i].count : least;
    return count < room ? 0 : least;
}

static void raise(struct probe_frequency *value, uint64_t by)
{
    value->count = added(value->count, by);
    value->error = added(value->error, by);
}

static void merge_frequent(struct recorded_frequent *into, const struct probe_frequency *from, unsigned room)
{
    struct probe_frequency values[2 * PROBE_FREQUENT], listed[PROBE_FREQUENT];
    unsigned count = into->count, listed_count = 0;
    for (unsigned i = 0; i < room; i++)
        if (from[i].count && find(listed, listed_count, from[i].value) < 0)
            listed[listed_count++] = (struct probe_frequency){
                from[i].value, from[i].count, from[i].error < from[i].count ? from[i].error : from[i].count};
    if (!listed_count)
        return;
    bool is_first = !count;
    uint64_t unlisted_here = most_unlisted(into->values, count, room);
    uint64_t unlisted_there = most_unlisted(listed, listed_count, room);
    memcpy(values, into->values, count * sizeof *values);
    for (unsigned i = 0; i < into->count; i++)
        if (find(listed, listed_count, values[i].value) < 0)
            raise(&values[i], unlisted_there);
    for (unsigned i = 0; i < listed_count; i++) {
        int at = find(into->values, into->count, listed[i].value);
        if (at >= 0) {
            values[at].count = added(values[at].count, listed[i].count);
            values[at].error = added(values[at].error, listed[i].error);
        } else {
            values[count] = listed[i];
            raise(&values[count++], is_first ? 0 : unlisted_here);
        }
    }
    into->distinct = into->distinct > count ? into->distinct : count;
    qsort(values, count, sizeof *values, by_count);
    into->count = count < room ? count : room;
    memcpy(into->values, values, into->count * sizeof *values);
}

/* ---- subjects ---- */

static void *merged(struct recorded *recorded, uint32_t subject, size_t size)
{
    if (!recorded->subjects[subject])
        recorded->subjects[subject] = arena_get(&recorded->memory, size);
    return recorded->subjects[subject];
}

static void merge_span(struct recorded_span *into, const struct probe_span_slot *from)
{
    into->abandoned = added(into->abandoned, from->abandoned);
    into->bursts = added(into->bursts, from->bursts);
    into->open = added(into->open, from->open);
    into->self += from->self;
    into->total += from->total;
    merge_spread(&into->time, &from->time, unsigned_order);
}

static void merge_loop(struct recorded_loop *into, const struct probe_loop_slot *from)
{
    into->abandoned = added(into->abandoned, from->abandoned);
    into->bursts = added(into->bursts, from->bursts);
    into->open = added(into->open, from->open);
    into->cross = (__int128)((unsigned __int128)into->cross + wide(from->cross));
    merge_spread(&into->time, &from->time, unsigned_order);
    merge_spread(&into->iterations, &from->iterations, unsigned_order);
    merge_frequent(&into->frequent, from->frequent, sizeof from->frequent / sizeof *from->frequent);
}

static void merge_value(struct recorded_value *into, const struct probe_value_slot *from,
                        const struct probe_plan_subject *how)
{
    bool is_float = how->flags & PROBE_IS_FLOAT;
    into->distinct = from->distinct > into->distinct ? from->distinct : into->distinct;
    into->odd = added(into->odd, from->odd);
    merge_spread(&into->values, &from->values,
                 is_float                       ? float_order
                 : how->flags & PROBE_IS_SIGNED ? signed_order
                                                : unsigned_order);
    if (is_float && from->values.count) {
        into->sum += as_double(from->values.sum[0]);
        into->square += as_double(from->values.square[0]);
    }
    for (unsigned i = 0; i < PROBE_BUCKETS; i++)
        into->negative[i] += from->negative[i];
    merge_frequent(&into->frequent, from->frequent, PROBE_FREQUENT);
}

static void merge_address(struct recorded_address *into, const struct probe_address_slot *from)
{
    if (!from->count)
        return;
    if (!into->count || from->minimum < into->minimum)
        into->minimum = from->minimum;
    if (from->maximum > into->maximum)
        into->maximum = from->maximum;
    if (from->aliases)
        into->alias_subject = from->alias_subject;
    into->count = added(into->count, from->count);
    into->line_splits = added(into->line_splits, from->line_splits);
    into->page_splits = added(into->page_splits, from->page_splits);
    into->aliases = added(into->aliases, from->aliases);
    for (unsigned i = 0; i < 8; i++)
        into->alignment[i] = added(into->alignment[i], from->alignment[i]);
    for (unsigned i = 0; i < PROBE_SETS; i++)
        into->sets[i] = added(into->sets[i], from->sets[i]);
    for (unsigned i = 0; i < PROBE_LINE_WORDS; i++) {
        into->lines[i] |= from->lines[i];
        into->pages[i] |= from->pages[i];
    }
    merge_frequent(&into->strides, from->strides, PROBE_STRIDES);
}

static void merge_branch(struct recorded_branch *into, const struct probe_branch_slot *from)
{
    into->count = added(into->count, from->count);
    into->taken = added(into->taken, from->taken);
    for (unsigned i = 0; i < 2; i++)
        into->misses[i] = added(into->misses[i], from->misses[i]);
}

void recorded_merge(struct recorded *recorded, const struct probe_plan_subject *how,
                    const struct probe_slot *slot)
{
    switch (how->kind) {
    case PROBE_SPAN:
        merge_span(merged(recorded, slot->subject, sizeof(struct recorded_span)), (const void *)slot);
        break;
    case PROBE_LOOP:
    case PROBE_COUNT_ONLY:
        merge_loop(merged(recorded, slot->subject, sizeof(struct recorded_loop)), (const void *)slot);
        break;
    case PROBE_VALUE:
        merge_value(merged(recorded, slot->subject, sizeof(struct recorded_value)), (const void *)slot, how);
        break;
    case PROBE_ADDRESS:
        merge_address(merged(recorded, slot->subject, sizeof(struct recorded_address)), (const void *)slot);
        break;
    case PROBE_BRANCH:
        merge_branch(merged(recorded, slot->subject, sizeof(struct recorded_branch)), (const void *)slot);
        break;
    default:
        recorded->damaged++;
    }
}

bool recorded_merge_tally(struct recorded *recorded, uint32_t subject,
                          const uint64_t words[PROBE_TALLY_WORDS])
{
    bool is_used = false;
    for (unsigned i = 0; i < PROBE_TALLY_WORDS; i++)
        is_used |= words[i] != 0;
    if (!is_used)
        return false;
    struct recorded_loop *loop = merged(recorded, subject, sizeof *loop);
    if (!loop->tally)
        loop->tally = arena_get(&recorded->memory, PROBE_TALLY_WORDS * sizeof *loop->tally);
    for (unsigned i = 0; i < PROBE_TALLY_WORDS; i++)
        loop->tally[i] = added(loop->tally[i], words[i]);
    return true;
}

void recorded_merge_enough(struct recorded *recorded, uint32_t subject)
{
    struct recorded_loop *loop = merged(recorded, subject, sizeof *loop);
    loop->is_partial = true;
}

bool recorded_merge_sums(struct recorded *recorded, uint32_t subject, uint64_t entries, uint64_t iterations)
{
    if (!entries)
        return false;
    struct recorded_loop *loop = merged(recorded, subject, sizeof *loop);
    loop->summed = added(loop->summed, entries);
    loop->summed_iterations = added(loop->summed_iterations, iterations);
    return true;
}
