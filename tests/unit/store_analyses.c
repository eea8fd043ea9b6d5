/* Analyses: their headers, where they are found, those that are shipped. */
#include "store_fixture.h"

#include "store/analyses.h"

static void check_malformed(const char *text, const char *words)
{
    struct analysis analysis;
    analysis_parse(&analysis, "some/where.sql", text);
    if (!strstr(analysis.error.text, words) || !strstr(analysis.error.text, "some/where.sql"))
        fail_msg("'%s' does not say '%s'", analysis.error.text, words);
    analysis_free(&analysis);
}

static void test_analysis_headers(void **state)
{
    (void)state;
    struct analysis analysis;
    analysis_parse(
        &analysis, "x/block-sizes.sql",
        "-- title: Sizes\n--group:a b\n\n-- free text\n-- does:  counts. \n-- needs: FUNCTION optional\n"
        "-- needs: LOOP\n-- parameter: least 1 the least\n-- parameter: word 'a b' some words\n"
        "-- shows: histogram\nselect 1 -- odd: this is no header\n");
    assert_false(analysis.error.set);
    assert_string_equal(analysis.name, "block-sizes");
    assert_string_equal(analysis.title, "Sizes");
    assert_string_equal(analysis.group, "a b");
    assert_string_equal(analysis.does, "counts.");
    assert_int_equal(analysis.needs[STORE_FUNCTION], NEED_OPTIONAL);
    assert_int_equal(analysis.needs[STORE_LOOP], NEED_REQUIRED);
    assert_int_equal(analysis.needs[STORE_BLOCK], NEED_NONE);
    assert_int_equal(analysis.shows, SHOWS_HISTOGRAM);
    assert_int_equal(analysis.parameters.count, 2);
    assert_string_equal(ARRAY_AT(struct analysis_parameter, &analysis.parameters, 1)->initial, "a b");
    assert_string_equal(ARRAY_AT(struct analysis_parameter, &analysis.parameters, 1)->doc, "some words");
    analysis_free(&analysis);

    check_malformed("", "title");
    check_malformed("select 1", "title");
    check_malformed("-- title: x\nselect 1", "does");
    check_malformed("-- title: x\n-- titel: y", "where.sql:2: unknown field 'titel'");
    check_malformed("-- title: x\n\n-- title: y", "where.sql:3: title is given twice");
    check_malformed("-- title:", "where.sql:1: title is empty");
    check_malformed("-- needs: function", "FUNCTION");
    check_malformed("-- needs: LOOP maybe", "optional");
    check_malformed("-- parameter: Name 1 doc", "name of small letters");
    check_malformed("-- parameter: name", "NAME DEFAULT SENTENCE");
    check_malformed("-- shows: pie", "histogram");
}

static void run_analysis(struct store *store, const struct analysis *analysis, int64_t function, char **text)
{
    struct store_choice choice = {.function = function};
    struct error error = {0};
    size_t size;
    FILE *stream = open_memstream(text, &size);
    if (!analysis_run(store, analysis, &choice, NULL, 0, print_to, stream, &error))
        fail_msg("%s: %s", analysis->path, error.text);
    fclose(stream);
    assert_null(strstr(*text, "failed:"));
}

static void test_shipped_analyses(void **state)
{
    struct fixture *fixture = *state;
    const char *root = getenv("ROOT"); /* tests/run sets it */
    if (!root)
        skip();
    char *directory = memory_format("%s/analyses", root);
    const char *directories[] = {NULL, "/nowhere", directory};
    struct array list;
    analyses_find(&list, directories, 3);
    assert_true(list.count >= 7);
    for (size_t i = 0; i < list.count; i++) {
        const struct analysis *analysis = array_at(&list, i);
        for (int64_t function = 0; function <= 2; function++) {
            char *from_memory, *from_file;
            run_analysis(fixture->memory, analysis, function, &from_memory);
            run_analysis(fixture->file, analysis, function, &from_file);
            assert_string_equal(from_memory, from_file);
            free(from_memory);
            free(from_file);
        }
        if (i)
            assert_true(strcmp(ARRAY_AT(struct analysis, &list, i - 1)->name, analysis->name) < 0);
    }
    char *text;
    run_analysis(fixture->memory, analyses_named(&list, "block-sizes"), 0, &text);
    assert_string_equal(text, "3:2|1:2|\n3:3|1:4|\n");
    free(text);
    run_analysis(fixture->memory, analyses_named(&list, "block-sizes"), 1, &text);
    assert_string_equal(text, "3:2|1:1|\n3:3|1:2|\n");
    free(text);
    analyses_free(&list);
    free(directory);
}

static void test_own_analyses(void **state)
{
    struct fixture *fixture = *state;
    char first[128], second[128], path[256];
    snprintf(first, sizeof first, "%s/first", fixture->directory);
    snprintf(second, sizeof second, "%s/second", fixture->directory);
    mkdir(first, 0700);
    mkdir(second, 0700);
    static const char mine[] =
        "-- title: Mine\n-- does: answers\n-- parameter: n 2 a number\n"
        "-- parameter: t 'a b' a text\nselect :n + 1, :t, id from functions where id <= :n";
    snprintf(path, sizeof path, "%s/same.sql", first);
    write_file(path, mine, strlen(mine));
    snprintf(path, sizeof path, "%s/same.sql", second);
    write_file(path, "-- title: Other\n-- does: nothing", 32);
    snprintf(path, sizeof path, "%s/broken.sql", second);
    write_file(path, "\0", 1);
    const char *directories[] = {first, second};
    struct array list;
    analyses_find(&list, directories, 2);
    assert_int_equal(list.count, 2);
    const struct analysis *broken = analyses_named(&list, "broken"), *same = analyses_named(&list, "same");
    assert_true(broken->error.set);
    assert_string_equal(same->title, "Mine");
    assert_null(analyses_named(&list, "other"));

    struct analysis_value value = {"n", "1"}, hostile = {"t", "'; drop table functions; --"},
                          unknown = {"x", "1"};
    struct error error = {0};
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_true(analysis_run(fixture->file, same, NULL, &value, 1, print_to, stream, &error));
    assert_true(analysis_run(fixture->file, same, NULL, &hostile, 1, print_to, stream, &error));
    assert_false(analysis_run(fixture->file, same, NULL, &unknown, 1, print_to, stream, &error));
    assert_non_null(strstr(error.text, "no parameter 'x'"));
    error = (struct error){0};
    assert_false(analysis_run(fixture->file, broken, NULL, NULL, 0, print_to, stream, &error));
    fclose(stream);
    assert_string_equal(text, "1:2|3:a b|1:1|\n1:3|3:'; drop table functions; --|1:1|\n"
                              "1:3|3:'; drop table functions; --|1:2|\n");
    free(text);
    analyses_free(&list);
    remove_files(first);
    remove_files(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_analysis_headers, start, stop),
        cmocka_unit_test_setup_teardown(test_shipped_analyses, start, stop),
        cmocka_unit_test_setup_teardown(test_own_analyses, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
