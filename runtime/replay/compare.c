/* What a call left behind, against what the original left: written pages word by word, and results.

   What lies below the stack pointer of the call is dead and not compared, nor are arguments on the stack, which
   belong to the function.  A word that differs is judged by what it is: the objects of the codelet say so where
   the debug information did; of a word that nobody knows, numbers of an ordinary size are taken as what they
   look like, first as a double, then as two floats; all else must be the same bits. */
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

static double error_of_doubles(uint64_t expected, uint64_t found)
{
    double a, b;
    __builtin_memcpy(&a, &expected, 8);
    __builtin_memcpy(&b, &found, 8);
    return error_of(a, b);
}

static double error_of_floats(uint64_t expected, uint64_t found)
{
    double worst = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t left = (uint32_t)(expected >> 32 * i), right = (uint32_t)(found >> 32 * i);
        float a, b;
        __builtin_memcpy(&a, &left, 4);
        __builtin_memcpy(&b, &right, 4);
        double error = left == right ? 0 : error_of((double)a, (double)b);
        worst = error > worst ? error : worst;
    }
    return worst;
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

static enum codelet_kind kind_at(uint64_t address)
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
        return codelet_UNKNOWN;
    const struct codelet_object *object = &replay.objects[low - 1];
    if (object->size ? address - object->address >= object->size
                     : replay_region_at(object->address) != replay_region_at(address))
        return codelet_UNKNOWN;
    return (enum codelet_kind)object->kind;
}

static double error_as(enum codelet_kind *kind, uint64_t expected, uint64_t found)
{
    if (*kind == codelet_UNKNOWN && is_like_double(expected) && is_like_double(found))
        *kind = codelet_DOUBLE;
    else if (*kind == codelet_UNKNOWN && is_like_floats(expected) && is_like_floats(found))
        *kind = codelet_FLOAT;
    if (*kind == codelet_DOUBLE)
        return error_of_doubles(expected, found);
    return *kind == codelet_FLOAT ? error_of_floats(expected, found) : no_bound;
}

static void compare_word(uint64_t address, enum codelet_kind kind, uint64_t expected, uint64_t found)
{
    struct replay_answer *answer = &replay.answer;
    answer->compared++;
    if (expected == found)
        return;
    double error = error_as(&kind, expected, found);
    bool is_beyond = !(replay.plan->tolerance > 0 && error <= replay.plan->tolerance);
    if (!answer->differing || (is_beyond && !answer->beyond)) {
        answer->first_address = address;
        answer->expected = expected;
        answer->found = found;
        answer->first_kind = kind;
    }
    answer->differing++;
    answer->beyond += is_beyond;
    if (error < no_bound && error > answer->largest_error)
        answer->largest_error = error;
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
            compare_word(0, (enum codelet_kind)result->kind, a, b);
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

void replay_compare(void)
{
    struct replay_answer *answer = &replay.answer;
    answer->compared = answer->differing = answer->beyond = 0;
    answer->largest_error = 0;
    compare_results();
    for (uint64_t i = 0; i < replay.written_count; i++) {
        uint64_t page = replay.written[i];
        const uint64_t *words = (const uint64_t *)page;
        const uint64_t *expected = i < replay.result_count
                                       ? (const uint64_t *)(replay.results + i * replay.page_size)
                                       : replay_initial(page);
        for (uint64_t word = 0; word < replay.page_size / 8; word++)
            if (!is_dead(page + word * 8)) {
                uint64_t wanted = expected ? expected[word] : 0;
                if (words[word] == wanted)
                    answer->compared++;
                else
                    compare_word(page + word * 8, kind_at(page + word * 8), wanted, words[word]);
            }
    }
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
