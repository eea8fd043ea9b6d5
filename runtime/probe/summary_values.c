/* Events become slots: distributions, frequent values, addresses, outcomes of branches.

   Frequent values: a table of a few values with their counts.  While no more values than places were seen,
   the counts are exact.  Then a new value takes the place of the least frequent one and its count, which
   becomes the error of the new one's (the "space-saving" algorithm): a value that is more frequent than the
   least count is in the table for sure.

   Doubles are added and multiplied by hand (real_…), because code that runs inside probes must not touch
   floating-point registers.  Results are rounded towards zero, so a sum of n values is off by a relative n *
   2^-53 at most. */
#include "runtime/probe/numbers.h"
#include "runtime/probe/summary_file.h"

#include <stdbool.h>

unsigned probe_bucket(uint64_t value)
{
    return bucket_of(value);
}

uint64_t probe_bucket_low(unsigned bucket)
{
    if (bucket < 8)
        return bucket;
    unsigned highest = (bucket - 8) / 4 + 3;
    return highest > 63 ? UINT64_MAX : (uint64_t)(4 + (bucket & 3)) << (highest - 2);
}

static bool is_found(struct probe_frequency *frequent, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size && frequent[i].count; i++)
        if (frequent[i].value == value) {
            frequent[i].count++;
            /* Frequent ones move to the front, where they are found sooner. */
            if (i > 0 && frequent[i].count > frequent[i - 1].count) {
                struct probe_frequency before = frequent[i - 1];
                frequent[i - 1] = frequent[i];
                frequent[i] = before;
            }
            return true;
        }
    return false;
}

/* How many values were seen, as far as the table knows: its size + 1 stands for more. */
static unsigned count_frequent(struct probe_frequency *frequent, unsigned size, uint64_t value)
{
    unsigned least = 0, used = 0;
    if (is_found(frequent, size, value))
        return 0;
    while (used < size && frequent[used].count)
        used++;
    if (used < size) {
        frequent[used] = (struct probe_frequency){.value = value, .count = 1};
        return used + 1;
    }
    for (unsigned i = 1; i < size; i++)
        if (frequent[i].count <= frequent[least].count)
            least = i;
    frequent[least].value = value;
    frequent[least].error = frequent[least].count++;
    return size + 1;
}

void probe_count_frequent(struct probe_frequency *frequent, unsigned size, uint64_t value)
{
    count_frequent(frequent, size, value);
}

/* Doubles by their bits. */

static const uint64_t SIGN = (uint64_t)1 << 63, FRACTION = ((uint64_t)1 << 52) - 1;
enum { EXPONENT_LIMIT = 2047 };

static unsigned exponent_of(uint64_t bits)
{
    return (unsigned)(bits >> 52) & EXPONENT_LIMIT;
}

static uint64_t widen_float(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    unsigned exponent = bits >> 23 & 255;
    uint64_t fraction = bits & 0x7fffff;
    if (exponent == 255)
        return sign | (uint64_t)EXPONENT_LIMIT << 52 | fraction << 29;
    if (exponent == 0) {
        if (!fraction)
            return sign;
        unsigned shift = (unsigned)__builtin_clz((unsigned)fraction) - 8;
        return sign | (uint64_t)(897 - shift) << 52 | (fraction << (29 + shift) & FRACTION);
    }
    return sign | (uint64_t)(exponent + 896) << 52 | fraction << 29;
}

static uint64_t digits_of(uint64_t bits)
{
    return exponent_of(bits) ? (bits & FRACTION) | (FRACTION + 1) : bits & FRACTION;
}

static int scale_of(uint64_t bits)
{
    return exponent_of(bits) ? (int)exponent_of(bits) : 1;
}

/* significand * 2^(scale - 1075), the significand below 2^63. */
static uint64_t real_pack(uint64_t sign, uint64_t value, int scale)
{
    if (!value)
        return sign;
    int excess = 11 - __builtin_clzll(value); /* to a significand of 53 bits */
    if (scale + excess < 1)
        excess = 1 - scale;
    value = excess > 63 ? 0 : excess >= 0 ? value >> excess : value << -excess;
    scale += excess;
    if (scale >= EXPONENT_LIMIT)
        return sign | (uint64_t)EXPONENT_LIMIT << 52;
    return sign | (value > FRACTION ? (uint64_t)scale << 52 : 0) | (value & FRACTION);
}

static uint64_t real_add(uint64_t a, uint64_t b)
{
    if ((a & ~SIGN) < (b & ~SIGN)) {
        uint64_t c = a;
        a = b;
        b = c;
    }
    if (exponent_of(a) == EXPONENT_LIMIT)
        return a;
    int gap = scale_of(a) - scale_of(b);
    uint64_t large = digits_of(a) << 9, small = gap > 62 ? 0 : digits_of(b) << 9 >> gap;
    return real_pack(a & SIGN, (a ^ b) & SIGN ? large - small : large + small, scale_of(a) - 9);
}

static uint64_t real_square(uint64_t a)
{
    if (exponent_of(a) == EXPONENT_LIMIT)
        return a & ~SIGN;
    unsigned __int128 product = (unsigned __int128)digits_of(a) * digits_of(a);
    return real_pack(0, (uint64_t)(product >> 44), 2 * scale_of(a) - 1075 + 44);
}

/* Bits of doubles in the order of their values, as signed numbers. */
static int64_t ordered(uint64_t bits)
{
    return bits & SIGN ? -(int64_t)(bits & ~SIGN) : (int64_t)bits;
}

static void see_real(struct probe_value_slot *slot, uint64_t bits)
{
    struct probe_distribution *values = &slot->values;
    unsigned exponent = exponent_of(bits);
    if (exponent == EXPONENT_LIMIT) {
        slot->odd++;
        return;
    }
    bool is_first = values->count++ == 0;
    if (is_first || ordered(bits) < ordered(values->minimum))
        values->minimum = bits;
    if (is_first || ordered(bits) > ordered(values->maximum))
        values->maximum = bits;
    values->sum[0] = real_add(values->sum[0], bits);
    values->square[0] = real_add(values->square[0], real_square(bits));
    int bucket = (int)exponent - 1023 + 128;
    bucket = !(bits & ~SIGN) ? 0 : bucket < 1 ? 1 : bucket > 255 ? 255 : bucket;
    count_bucket(bits & SIGN ? &slot->negative[bucket] : &values->buckets[bucket]);
}

static void see_whole(struct probe_value_slot *slot, bool is_signed, uint64_t bits)
{
    struct probe_distribution *values = &slot->values;
    bool is_negative = is_signed && bits >> 63, is_first = values->count++ == 0;
    uint64_t magnitude = is_negative ? -bits : bits, flip = is_signed ? SIGN : 0;
    if (is_first || (bits ^ flip) < (values->minimum ^ flip))
        values->minimum = bits;
    if (is_first || (bits ^ flip) > (values->maximum ^ flip))
        values->maximum = bits;
    if (is_signed)
        add_signed(values->sum, (int64_t)bits);
    else
        add_wide(values->sum, bits);
    add_product(values->square, magnitude, magnitude);
    unsigned bucket = bucket_of(magnitude);
    count_bucket(is_negative ? &slot->negative[bucket] : &values->buckets[bucket]);
}

void probe_see(struct probe_value_slot *slot, const struct probe_plan_subject *how, uint64_t bits)
{
    unsigned spare = how->width >= 1 && how->width < 8 ? 64 - 8u * how->width : 0;
    bool is_signed = how->flags & PROBE_IS_SIGNED;
    if (how->flags & PROBE_IS_FLOAT)
        bits = how->width == 4 ? widen_float((uint32_t)bits) : bits;
    else if (is_signed)
        bits = (uint64_t)((int64_t)(bits << spare) >> spare);
    else
        bits = bits << spare >> spare;
    unsigned seen = count_frequent(slot->frequent, PROBE_FREQUENT, bits);
    slot->distinct = seen > slot->distinct ? seen : slot->distinct;
    if (how->flags & PROBE_IS_FLOAT)
        see_real(slot, bits);
    else
        see_whole(slot, is_signed, bits);
}

/* Addresses. */

/* Two rounds: after one, numbers in equal steps fall on cells more evenly than chance, and whoever estimates
   how many there were takes the share of empty cells for chance. */
static void mark(uint64_t *bits, uint64_t number)
{
    uint64_t hash = number * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u >> (64 - 15);
    bits[hash / 64] |= (uint64_t)1 << hash % 64;
}

static void compare_with_stores(struct probe_address_slot *slot, const struct probe_plan_subject *how,
                                struct probe_group *group, uint64_t address)
{
    struct probe_group_store *place = &group->places[address >> 3 & (PROBE_GROUP_PLACES - 1)];
    if (how->flags & PROBE_IS_STORE) {
        *place = (struct probe_group_store){address, ++group->stores, slot->slot.subject};
    } else if (place->number && group->stores - place->number < PROBE_RECENT &&
               (place->address ^ address) >> 12) {
        slot->aliases++;
        slot->alias_subject = place->subject;
    }
}

void probe_touch(struct probe_address_slot *slot, const struct probe_plan_subject *how,
                 struct probe_group *group, uint64_t address)
{
    unsigned zeros = address ? (unsigned)__builtin_ctzll(address) : 7, width = how->width ? how->width : 1;
    bool is_first = slot->count++ == 0;
    if (is_first || address < slot->minimum)
        slot->minimum = address;
    if (address > slot->maximum)
        slot->maximum = address;
    if (!is_first)
        count_frequent(slot->strides, PROBE_STRIDES, address - slot->last);
    if (is_first || (address ^ slot->last) >> 6)
        slot->sets[address >> 6 & (PROBE_SETS - 1)]++;
    slot->last = address;
    slot->alignment[zeros < 7 ? zeros : 7]++;
    uint64_t end = address + width - 1;
    slot->line_splits += (address ^ end) >> 6 != 0;
    slot->page_splits += (address ^ end) >> 12 != 0;
    mark(slot->lines, address >> 6);
    mark(slot->pages, address >> 12);
    if (group)
        compare_with_stores(slot, how, group, address);
}

/* A counter that was never used guesses "taken". */
static void guess(uint8_t *counter, bool is_taken, uint64_t *misses)
{
    enum { START = 2, MOST = 3 };
    unsigned state = (*counter ^ START) & MOST;
    *misses += (state >= START) != is_taken;
    if (is_taken && state < MOST)
        state++;
    else if (!is_taken && state)
        state--;
    *counter = (uint8_t)(state ^ START);
}

void probe_decide(struct probe_branch_slot *slot, uint64_t *history, bool is_taken)
{
    slot->count++;
    slot->taken += is_taken;
    guess(&slot->counters[0][slot->history % PROBE_HISTORIES], is_taken, &slot->misses[0]);
    guess(&slot->counters[1][*history % PROBE_HISTORIES], is_taken, &slot->misses[1]);
    slot->history = slot->history << 1 | is_taken;
    *history = *history << 1 | is_taken;
}
