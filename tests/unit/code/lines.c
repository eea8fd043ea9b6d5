/* Lines of two texts (src/code/diff/lines.c): against the longest common subsequence by the textbook's table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "code/diff/lines.h"

enum { LONGEST = 14 };

static unsigned longest_common(const char *a, const char *b)
{
    unsigned best[LONGEST + 1][LONGEST + 1] = {{0}};
    size_t m = strlen(a), n = strlen(b);
    for (size_t i = 1; i <= m; i++)
        for (size_t k = 1; k <= n; k++) {
            unsigned more = best[i - 1][k] > best[i][k - 1] ? best[i - 1][k] : best[i][k - 1];
            best[i][k] = a[i - 1] == b[k - 1] ? best[i - 1][k - 1] + 1 : more;
        }
    return best[m][n];
}

/* A line for each letter. */
static void spread(const char *letters, char *text)
{
    for (; *letters; letters++) {
        *text++ = *letters;
        *text++ = '\n';
    }
    *text = 0;
}

static void check_pair(const char *a, const char *b)
{
    char old[2 * LONGEST + 1], new[2 * LONGEST + 1];
    spread(a, old);
    spread(b, new);
    struct line_map map = lines_match(old, new, 2 * LONGEST);
    unsigned found = 0;
    uint32_t last = 0;
    assert_int_equal(map.count, strlen(a));
    for (uint32_t line = 1; line <= map.count; line++) {
        uint32_t to = lines_find(&map, line);
        if (!to)
            continue;
        assert_true(to > last && to <= strlen(b));
        assert_int_equal(a[line - 1], b[to - 1]);
        last = to;
        found++;
    }
    assert_int_equal(found, longest_common(a, b));
    assert_int_equal(lines_find(&map, 0), 0);
    assert_int_equal(lines_find(&map, map.count + 1), 0);
    lines_free(&map);
}

static void make_letters(char *text, unsigned *state)
{
    *state = *state * 1103515245 + 12345;
    size_t length = (*state >> 16) % (LONGEST + 1);
    for (size_t i = 0; i < length; i++) {
        *state = *state * 1103515245 + 12345;
        text[i] = (char)('a' + (*state >> 16) % 4);
    }
    text[length] = 0;
}

static void as_many_as_the_table_finds(void **state)
{
    (void)state;
    char a[LONGEST + 1], b[LONGEST + 1];
    unsigned seed = 7;
    for (unsigned i = 0; i < 20000; i++) {
        make_letters(a, &seed);
        make_letters(b, &seed);
        check_pair(a, b);
    }
}

static void a_line_goes_with_its_body(void **state)
{
    (void)state;
    struct line_map map =
        lines_match("{\n for\n  b\n for\n  c\n}\n", "{\n for\n  a\n for\n  b\n for\n  c\n}\n", 100);
    const uint32_t expected[] = {1, 4, 5, 6, 7, 8};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(lines_find(&map, i + 1), expected[i]);
    lines_free(&map);
}

static void too_many_edits_leave_beginning_and_end(void **state)
{
    (void)state;
    struct line_map map = lines_match("a\nb\nx\ny\nz\nc\n", "a\nb\n1\ny\n2\n3\nc", 2);
    const uint32_t expected[] = {1, 2, 0, 0, 0, 7};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(lines_find(&map, i + 1), expected[i]);
    lines_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_many_as_the_table_finds),
                                       cmocka_unit_test(a_line_goes_with_its_body),
                                       cmocka_unit_test(too_many_edits_leave_beginning_and_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
