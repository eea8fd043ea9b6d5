/* Codelets: which call is chosen, where the replay program may live, and damaged files, each byte of header
   and tables in turn: all are read, or refused with one error, and nothing is touched outside. */
#include "change/optimise/replay/calls.h"
#include "codelet_example.h"
#include "change/optimise/replay/codelet.h"
#include "change/optimise/replay/draft.h"
#include "change/optimise/replay/placing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void test_the_call_in_the_middle_of_the_time(void **state)
{
    (void)state;
    const uint64_t quick_ones[] = {5, 1, 1, 1, 1, 100, 90, 95, 1};
    assert_int_equal(calls_choose(quick_ones, 9), 8); /* the 95: by number most are quick, by time few are */
    const uint64_t one_slow[] = {10, 11, 12, 1000};
    assert_int_equal(calls_choose(one_slow, 4), 4);
    const uint64_t alike[] = {0, 7, 7, 7, 7};
    assert_int_equal(calls_choose(alike, 5), 3);
    assert_int_equal(calls_choose(alike, 1), 0);
    assert_int_equal(calls_choose(NULL, 0), 0);
}

static void test_holes(void **state)
{
    (void)state;
    const struct codelet_region regions[] = {{.start = 0x555555554000, .end = 0x555555560000},
                                             {.start = 0x555555560000, .end = 0x555555600000},
                                             {.start = 0x7ffff7000000, .end = 0x7ffff8000000}};
    struct hole near = placing_near(regions, 3, 0x555555555000);
    assert_true(near.size >= 4 << 20);
    assert_true(near.start + near.size < 0x555555554000 && 0x555555554000 - near.start < (120 << 20));
    assert_int_equal(near.start >> 32, (near.start + near.size - 1) >> 32);
    struct hole rest = placing_largest(regions, 3, near);
    assert_true(rest.size > UINT64_C(1) << 40);
    for (int i = 0; i < 3; i++)
        assert_true(rest.start >= regions[i].end || rest.start + rest.size <= regions[i].start);
    assert_true(rest.start >= near.start + near.size || rest.start + rest.size <= near.start);
}

static void look(const struct codelet *codelet)
{
    bool is_doubtful;
    uint64_t bytes;
    codelet_find(codelet, "a", "x.c", &is_doubtful);
    codelet_symbol_at(codelet, 12345);
    codelet_contents(codelet);
    codelet_memory(codelet, 100 * 4096, &bytes);
    assert_non_null(codelet_text(codelet, codelet->header->function));
}

static void test_what_was_written_is_read(void **state)
{
    (void)state;
    struct draft draft;
    struct codelet codelet;
    struct error error = {0};
    make(&draft);
    uint64_t page = draft.header.page_size, bytes = 0;
    assert_true(codelet_open_file(draft.file, "unit", &codelet, &error));
    assert_int_equal(codelet_contents(&codelet), page);
    assert_int_equal(((const char *)codelet_memory(&codelet, 100 * page, &bytes))[5], 1);
    assert_null(codelet_memory(&codelet, 101 * page, &bytes));
    assert_null(codelet_memory(&codelet, 105 * page, &bytes));
    bool is_doubtful;
    assert_int_equal(codelet_find(&codelet, "b", NULL, &is_doubtful)->address, 101 * page);
    assert_null(codelet_find(&codelet, "c", NULL, &is_doubtful));
    codelet_close(&codelet);
    draft_free(&draft);
}

static void test_damage(void **state)
{
    (void)state;
    struct draft draft;
    make(&draft);
    uint64_t size = draft.header.file_size, refused = 0, taken = 0;
    char *sound = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, draft.file, 0);
    assert_true(sound != MAP_FAILED);
    uint64_t tables = draft.header.regions.offset;
    for (uint64_t place = 0; place < size; place++) {
        if (place == sizeof draft.header)
            place = tables; /* pages and registers may be anything */
        static const char changes[] = {1, (char)0x80, (char)0xff};
        for (unsigned i = 0; i < sizeof changes; i++) {
            struct codelet codelet;
            struct error error = {0};
            sound[place] = (char)(sound[place] ^ changes[i]);
            if (codelet_open_file(draft.file, "unit", &codelet, &error)) {
                taken++;
                look(&codelet);
                codelet_close(&codelet);
            } else {
                refused++;
                assert_true(error.set && !strchr(error.text, '\n'));
            }
            sound[place] = (char)(sound[place] ^ changes[i]);
        }
    }
    assert_true(refused > 500 && taken > 500);
    munmap(sound, size);
    for (uint64_t shorter = 0; shorter < size; shorter += 61) {
        struct codelet codelet;
        struct error error = {0};
        assert_int_equal(ftruncate(draft.file, (off_t)(size - shorter - 1)), 0);
        assert_false(codelet_open_file(draft.file, "unit", &codelet, &error));
        assert_true(error.set);
    }
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_call_in_the_middle_of_the_time), cmocka_unit_test(test_holes),
        cmocka_unit_test(test_what_was_written_is_read), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
