/* The files of counters/: numbers of events are those that libpfm4 has for the same names.

   libpfm4 knows the processors of the instruction set that it was built for, so each half of the files is
   checked on its own kind of computer. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/sample/counters.h"

/* `name = EVENT … raw NUMBER …: sentence` of a file, for each of its units; how many could be compared. */
static unsigned compare_line(const char *path, char *units, const char *line)
{
    char event[120], copy[160], *rest = NULL;
    unsigned long long number;
    unsigned compared = 0;
    const char *raw = strstr(line, " raw "), *equals = strstr(line, " = ");
    if (!equals || !raw)
        return 0;
    assert_int_equal(sscanf(equals, " = %100s", event), 1);
    assert_int_equal(sscanf(raw, " raw %llx", &number), 1);
    snprintf(copy, sizeof copy, "%s", units);
    for (char *unit = strtok_r(copy, " ", &rest); unit; unit = strtok_r(NULL, " ", &rest)) {
        char name[200];
        struct sample_wish wish = {0};
        const char *why = NULL;
        snprintf(name, sizeof name, "%s::%s", unit, event);
        if (!counters_encode(name, &wish, &why))
            continue; /* of another instruction set */
        if (wish.config != number)
            print_error("%s: %s is %llx, not %llx\n", path, name, (unsigned long long)wish.config, number);
        assert_int_equal(wish.config, number);
        compared++;
    }
    return compared;
}

static void test_numbers(void **state)
{
    (void)state;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    DIR *folder = opendir(COUNTERS);
    unsigned compared = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[4096], line[400], units[160] = "";
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", COUNTERS, entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
            if (!strncmp(line, "pmu ", 4))
                snprintf(units, sizeof units, "%.*s", (int)strcspn(line + 4, "\n"), line + 4);
            else
                compared += compare_line(path, units, line);
        }
        fclose(file);
    }
    closedir(folder);
    assert_true(compared >= 6);
}

/* What a runner carries has numbers, and processors that it is for. */
static void test_lists(void **state)
{
    (void)state;
    static const char *const folders[] = {COUNTERS};
    static const enum isa isas[] = {isa_X86_64, isa_AARCH64};
    for (unsigned i = 0; i < 2; i++) {
        struct counter_tree tree;
        struct error error = {0};
        assert_true(counters_read_for(&tree, isas[i], folders, 1, &error));
        assert_true(tree.lines.count >= 2);
        for (size_t k = 0; k < tree.lines.count; k++) {
            const struct counter_line *line = ARRAY_AT(struct counter_line, &tree.lines, k);
            assert_non_null(line->counts);
            assert_non_null(line->processors);
            assert_int_equal(line->processors->isa, isas[i]);
            assert_true(line->wish.config > 0);
        }
        counters_free(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
