/* Hash indexes and maps of numbers beside plain lists: keys of many shapes, equal hashes, growth. */
#include "base/hash_index.h"
#include "base/number_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { KEYS = 3000 };

static uint64_t random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return hash_mix(*state, *state >> 32);
}

static uint32_t find(const struct hash_index *index, const uint64_t *keys, uint64_t hash, uint64_t key,
                     size_t *slot)
{
    *slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(index, hash, slot)) != UINT32_MAX;)
        if (keys[place] == key)
            return place;
    return UINT32_MAX;
}

static uint32_t find_in_list(const uint64_t *keys, size_t count, uint64_t key)
{
    for (uint32_t i = 0; i < count; i++)
        if (keys[i] == key)
            return i;
    return UINT32_MAX;
}

/* Adds keys as long as there is room, and looks for all of them, and others, on the way. */
static void compare(uint64_t most, unsigned shift, uint64_t hash_mask)
{
    struct hash_index index = {0};
    uint64_t *keys = memory_get(KEYS * sizeof *keys), state = most + shift;
    size_t count = 0, slot;
    for (unsigned i = 0; i < 2 * KEYS; i++) {
        uint64_t key = random_number(&state) % most << shift;
        uint32_t expected = find_in_list(keys, count, key);
        assert_int_equal(find(&index, keys, key & hash_mask, key, &slot), expected);
        if (expected != UINT32_MAX || count == KEYS)
            continue;
        hash_index_add(&index, key & hash_mask, (uint32_t)count);
        keys[count++] = key;
    }
    assert_int_equal(index.count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(find(&index, keys, keys[i] & hash_mask, keys[i], &slot), i);
    hash_index_free(&index);
    assert_null(index.slots);
    free(keys);
}

static void beside_a_list(void **unused)
{
    (void)unused;
    compare(100, 0, UINT64_MAX);
    compare(2000, 0, UINT64_MAX);
    compare(2000, 48, UINT64_MAX);
    compare(UINT64_MAX, 0, UINT64_MAX);
}

static void equal_hashes(void **unused)
{
    (void)unused;
    compare(300, 0, 0);
    compare(UINT64_MAX, 0, 7);
}

static void nothing_is_found_in_nothing(void **unused)
{
    (void)unused;
    struct hash_index index = {0};
    size_t slot = SIZE_MAX;
    assert_int_equal(hash_index_next(&index, 0, &slot), UINT32_MAX);
    hash_index_free(&index);
}

static void places_change(void **unused)
{
    (void)unused;
    uint64_t keys[] = {5, 6, 5};
    struct hash_index index = {0};
    size_t slot;
    hash_index_add(&index, 5, 0);
    hash_index_add(&index, 6, 1);
    assert_int_equal(find(&index, keys, 5, 5, &slot), 0);
    hash_index_set(&index, slot, 2);
    assert_int_equal(find(&index, keys, 5, 5, &slot), 2);
    assert_int_equal(find(&index, keys, 6, 6, &slot), 1);
    hash_index_free(&index);
}

/* Growing keeps at least a quarter free, so that every search ends. */
static void grows(void **unused)
{
    (void)unused;
    struct hash_index index = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        hash_index_add(&index, i, i);
        assert_true(index.count == i + 1 && 4 * index.count <= 3 * index.slot_count);
    }
    for (uint32_t i = 0; i < 100000; i++) {
        size_t slot = SIZE_MAX;
        uint32_t place;
        while ((place = hash_index_next(&index, i, &slot)) != i)
            assert_int_not_equal(place, UINT32_MAX);
    }
    hash_index_free(&index);
}

static void numbers_by_number(void **unused)
{
    (void)unused;
    struct number_map map = {0};
    uint32_t *expected = memory_get(KEYS * sizeof *expected);
    uint64_t state = 1;
    for (uint32_t i = 1; i < 4 * KEYS; i++) {
        uint64_t key = random_number(&state) % KEYS;
        uint32_t *number = number_map_at(&map, key << 40);
        assert_int_equal(*number, expected[key]);
        if (i % 3) /* a key may stay 0 */
            *number = expected[key] = i;
    }
    assert_true(map.count <= KEYS);
    free(expected);
    number_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_a_list),
        cmocka_unit_test(equal_hashes),
        cmocka_unit_test(nothing_is_found_in_nothing),
        cmocka_unit_test(places_change),
        cmocka_unit_test(grows),
        cmocka_unit_test(numbers_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
