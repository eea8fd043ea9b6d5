/* What a call left behind, against what the original left: written pages word by word, and results.

   What lies below the stack pointer of the call is dead and not compared, nor are arguments on the stack, which
   belong to the function.  A word that differs is judged by what it is: the objects of the codelet say so where
   the debug information did; of a word that nobody knows, numbers of an ordinary size are taken as what they
   look like, first as a double, then as two floats; all else must be the same bits.

   Numbers are compared twice: relative to themselves, and in units in the last place of the largest element of what
   they are part of, because sums that cancel lose digits in any order of adding. */
#include "runtime/replay/replay.h"

static const double no_bound = 1e308 * 10;

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

static double error_of(double expected, double found)
{
    bool is_nan = expected != expected, is_other_nan = found != found;
    if (is_nan || is_other_nan)
        return is_nan && is_other_nan ? 0 : no_bound;
    if (expected == found)
        return 0;
    double a = magnitude(expected), b = magnitude(found), larger = a > b ? a : b;
    return larger > 1.7e308 ? no_bound : magnitude(expected - found) / larger;
}

static double as_double(uint64_t bits)
{
    double value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
}

static double as_float(uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    float value;
    __builtin_memcpy(&value, &half, 4);
    return (double)value;
}

/* An exponent that numbers of programs have, and pointers, small integers and texts do not. */
static bool is_like_double(uint64_t bits)
{
    uint64_t exponent = bits >> 52 & 0x7ff;
    return bits << 1 == 0 || (exponent > 1023 - 400 && exponent < 1023 + 400);
}

static bool is_like_float(uint32_t bits)
{
    uint32_t exponent = bits >> 23 & 0xff;
    return bits << 1 == 0 || (exponent > 127 - 60 && exponent < 127 + 60);
}

static bool is_like_floats(uint64_t bits)
{
    return is_like_float((uint32_t)bits) && is_like_float((uint32_t)(bits >> 32));
}

enum { NO_OBJECT = -1 };

/* What the debug information knows at an address. */
static int64_t object_at(uint64_t address)
{
    uint64_t low = 0, high = replay.header->objects.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (replay.objects[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NO_OBJECT;
    const struct codelet_object *object = &replay.objects[low - 1];
    if (object->size ? address - object->address >= object->size
                     : replay_region_at(object->address) != replay_region_at(address))
        return NO_OBJECT;
    return (int64_t)low - 1;
}

static enum codelet_kind kind_of(int64_t object)
{
    return object == NO_OBJECT ? codelet_UNKNOWN : (enum codelet_kind)replay.objects[object].kind;
}

static enum codelet_kind guess(enum codelet_kind kind, uint64_t expected, uint64_t found)
{
    if (kind != codelet_UNKNOWN)
        return kind;
    if (is_like_double(expected) && is_like_double(found))
        return codelet_DOUBLE;
    return is_like_floats(expected) && is_like_floats(found) ? codelet_FLOAT : codelet_UNKNOWN;
}

/* --- the largest element --- */
/* A group is what the debug information knows as one thing, else a page. The scale of a group is its largest
   number among those that the original changed. */
static double *object_scales;

static double magnitude_as(enum codelet_kind kind, uint64_t word)
{
    double low = magnitude(as_float(word)), high = magnitude(as_float(word >> 32));
    if (kind == codelet_DOUBLE)
        return magnitude(as_double(word));
    return kind != codelet_FLOAT ? 0 : low > high ? low : high;
}

static double larger_scale(double scale, double size)
{
    return size == size && size < no_bound && size > scale ? size : scale;
}

/* One unit in the last place of numbers of that size. */
static double last_place(enum codelet_kind kind, double scale)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &scale, 8);
    bits &= UINT64_C(0x7ff) << 52;
    double power;
    __builtin_memcpy(&power, &bits, 8);
    return kind == codelet_FLOAT ? power * 0x1p-23 : power * 0x1p-52;
}

/* Half of the digits: numbers that differ by more are other numbers. */
static double last_digits(enum codelet_kind kind)
{
    return kind == codelet_FLOAT ? 0x1p12 : 0x1p26;
}

struct deviation {
    double relative, ulps; /* to the larger of the two; in last places of the scale */
};

static void deviate(struct deviation *deviation, enum codelet_kind kind, double expected, double found, double scale)
{
    double relative = error_of(expected, found), place;
    if (relative > deviation->relative)
        deviation->relative = relative;
    scale = larger_scale(larger_scale(scale, magnitude(expected)), magnitude(found));
    place = last_place(kind, scale);
    double ulps = relative >= no_bound || !(place > 0) ? (relative > 0 ? no_bound : 0) : magnitude(expected - found) / place;
    if (ulps > deviation->ulps)
        deviation->ulps = ulps;
}

static struct deviation deviation_of(enum codelet_kind kind, uint64_t expected, uint64_t found, double scale)
{
    struct deviation deviation = {0, 0};
    if (kind == codelet_DOUBLE)
        deviate(&deviation, kind, as_double(expected), as_double(found), scale);
    else if (kind == codelet_FLOAT)
        for (unsigned shift = 0; shift < 64; shift += 32) {
            if ((uint32_t)(expected >> shift) != (uint32_t)(found >> shift))
                deviate(&deviation, kind, as_float(expected >> shift), as_float(found >> shift), scale);
        }
    else
        deviation.relative = deviation.ulps = no_bound;
    return deviation;
}

static void compare_word(uint64_t address, enum codelet_kind kind, uint64_t expected, uint64_t found, double scale)
{
    struct replay_answer *answer = &replay.answer;
    const struct replay_plan *plan = replay.plan;
    answer->compared++;
    if (expected == found)
        return;
    kind = guess(kind, expected, found);
    struct deviation deviation = deviation_of(kind, expected, found, scale);
    bool is_beyond = !((plan->tolerance > 0 && deviation.relative <= plan->tolerance) ||
                       (plan->ulps > 0 && deviation.ulps <= plan->ulps));
    if (!answer->differing || (is_beyond && !answer->beyond)) {
        answer->first_address = address;
        answer->expected = expected;
        answer->found = found;
        answer->first_kind = kind;
    }
    answer->differing++;
    answer->beyond += is_beyond;
    answer->far += deviation.ulps > last_digits(kind);
    answer->strange += deviation.relative >= no_bound;
    if (deviation.relative < no_bound && deviation.relative > answer->largest_error)
        answer->largest_error = deviation.relative;
    if (deviation.ulps < no_bound && deviation.ulps > answer->largest_ulps)
        answer->largest_ulps = deviation.ulps;
}

/* Bits of a register that a result has. */
static uint64_t kept_bits(uint64_t word, unsigned bytes)
{
    return bytes >= 8 ? word : word & ((UINT64_C(1) << 8 * bytes) - 1);
}

static void compare_results(void)
{
    const struct codelet_header *header = replay.header;
    const uint64_t *expected = (const uint64_t *)&replay.original_results;
    const uint64_t *found = (const uint64_t *)&replay_context.results;
    if (header->result_count > CODELET_MOST_RESULTS)
        return;
    for (unsigned i = 0; i < header->result_count; i++) {
        const struct codelet_result *result = &header->results[i];
        unsigned word = result->slot < codelet_FIRST_VECTOR
                            ? result->slot
                            : 2 + 2 * (unsigned)(result->slot - codelet_FIRST_VECTOR);
        for (unsigned done = 0; done < result->bytes; done += 8, word++) {
            uint64_t a = kept_bits(expected[word], result->bytes - done);
            uint64_t b = kept_bits(found[word], result->bytes - done);
            uint64_t beyond = replay.answer.beyond, differing = replay.answer.differing;
            compare_word(0, (enum codelet_kind)result->kind, a, b, 0);
            if (replay.answer.beyond > beyond || (replay.answer.differing > differing && !differing)) {
                replay.answer.has_result_difference = 1;
                replay.answer.first_slot = result->slot;
            }
        }
    }
}

static bool is_dead(uint64_t address)
{
    const struct codelet_header *header = replay.header;
    return address >= header->stack_start && address < header->stack_pointer + header->stack_arguments;
}

/* What the original left in a written page; NULL: zeros. */
static const uint64_t *expected_in(uint64_t place)
{
    return place < replay.result_count ? (const uint64_t *)(replay.results + place * replay.page_size)
                                       : replay_initial(replay.written[place]);
}

/* Adds a page to the scales of objects; the scale of what nobody knows in it. */
static double scale_page(uint64_t place)
{
    uint64_t page = replay.written[place];
    const uint64_t *expected = expected_in(place), *initial = replay_initial(page);
    double unknown = 0;
    for (uint64_t word = 0; expected && word < replay.page_size / 8; word++) {
        if (expected[word] == (initial ? initial[word] : 0) || is_dead(page + word * 8))
            continue;
        int64_t object = object_at(page + word * 8);
        double size = magnitude_as(guess(kind_of(object), expected[word], expected[word]), expected[word]);
        double *scale = object == NO_OBJECT ? &unknown : &object_scales[object];
        *scale = larger_scale(*scale, size);
    }
    return unknown;
}

static void compare_page(uint64_t place)
{
    uint64_t page = replay.written[place];
    const uint64_t *words = (const uint64_t *)page, *expected = expected_in(place);
    double unknown = scale_page(place);
    for (uint64_t word = 0; word < replay.page_size / 8; word++) {
        uint64_t wanted = expected ? expected[word] : 0, address = page + word * 8;
        if (is_dead(address))
            continue;
        if (words[word] == wanted) {
            replay.answer.compared++;
            continue;
        }
        int64_t object = object_at(address);
        compare_word(address, kind_of(object), wanted, words[word],
                     object == NO_OBJECT ? unknown : object_scales[object]);
    }
}

void replay_compare(void)
{
    struct replay_answer *answer = &replay.answer;
    answer->compared = answer->differing = answer->beyond = answer->far = answer->strange = 0;
    answer->largest_error = answer->largest_ulps = 0;
    object_scales = replay_memory((replay.header->objects.count + 1) * sizeof *object_scales);
    compare_results();
    for (uint64_t i = 0; i < replay.written_count; i++)
        scale_page(i);
    for (uint64_t i = 0; i < replay.written_count; i++)
        compare_page(i);
}

/* The original once more, after replay_restore. */
bool replay_is_same_again(void)
{
    for (uint64_t i = 0; i < replay.result_count; i++) {
        const uint64_t *words = (const uint64_t *)replay.written[i];
        const uint64_t *expected = (const uint64_t *)(replay.results + i * replay.page_size);
        for (uint64_t word = 0; word < replay.page_size / 8; word++)
            if (words[word] != expected[word] && !is_dead(replay.written[i] + word * 8)) {
                replay.answer.address = replay.written[i] + word * 8;
                return false;
            }
    }
    return true;
}

/* First those of the original, in order, with their results; after them those that only the variant writes. */
void replay_collect_written(void)
{
    uint64_t count = 0, next = replay.written_count;
    for (uint64_t i = 0; i < replay.page_count; i++)
        count += (replay.states[i] & (page_WRITTEN | page_RESULT)) == page_WRITTEN;
    uint64_t *list = replay_memory((next + count + 1) * sizeof *list);
    for (uint64_t i = 0; i < next; i++)
        list[i] = replay.written[i];
    for (uint64_t i = 0; i < replay.region_count; i++) {
        const struct codelet_region *region = &replay.regions[i];
        uint8_t *states = replay.states + replay.table[i].first_page;
        for (uint64_t page = region->start; page < region->end; page += replay.page_size, states++) {
            if ((*states & (page_WRITTEN | page_RESULT)) == page_WRITTEN)
                list[next++] = page;
            replay.answer.touched_pages += !replay.is_variant && *states & page_TOUCHED;
        }
    }
    replay.written = list;
    replay.written_count = next;
    replay.answer.written_pages = next;
}

void replay_keep_results(void)
{
    replay.original_results = replay_context.results;
    replay.result_count = replay.written_count;
    replay.results = replay_memory((replay.written_count + 1) * replay.page_size);
    for (uint64_t i = 0; i < replay.written_count; i++) {
        replay_copy_page(replay.results + i * replay.page_size, (const void *)replay.written[i]);
        *replay_state_at(replay.written[i]) |= page_RESULT;
    }
}

void replay_restore(void)
{
    for (uint64_t i = 0; i < replay.written_count; i++)
        replay_restore_page(replay.written[i]);
}

/* Pages that were dropped have no contents on either side. */
static uint64_t part_in_page(uint64_t address, uint64_t left)
{
    uint64_t most = replay.page_size - address % replay.page_size;
    return left < most ? left : most;
}

void replay_copy_in(void)
{
    for (uint32_t i = 0; i < replay.plan->copy_count; i++) {
        const struct replay_copy *copy = &replay.plan->copies[i];
        for (uint64_t at = 0, part; at < copy->size; at += part) {
            uint64_t address = copy->captured + at;
            part = part_in_page(address, copy->size - at);
            if (!replay_is_dropped(address / replay.page_size * replay.page_size))
                bytes_copy((void *)(copy->own + at), (const void *)address, part);
        }
    }
}

/* Only what the variant changed goes back: the rest may have been changed at its own place. */
static void copy_back(uint64_t address, const uint8_t *own, uint64_t size)
{
    const uint8_t *initial = replay_initial(address / replay.page_size * replay.page_size);
    uint8_t *state = replay_state_at(address);
    for (uint64_t at = 0; at < size; at++) {
        uint8_t before = initial ? initial[(address + at) % replay.page_size] : 0;
        if (own[at] != before) {
            *(uint8_t *)(address + at) = own[at];
            *state |= page_WRITTEN;
        }
    }
}

void replay_copy_out(void)
{
    for (uint32_t i = 0; i < replay.plan->copy_count; i++) {
        const struct replay_copy *copy = &replay.plan->copies[i];
        for (uint64_t at = 0, part; at < copy->size; at += part) {
            uint64_t address = copy->captured + at;
            part = part_in_page(address, copy->size - at);
            if (replay_state_at(address) && !replay_is_dropped(address / replay.page_size * replay.page_size))
                copy_back(address, (const uint8_t *)(copy->own + at), part);
        }
    }
}
