/* Analyses: their headers, where they are found, those that are shipped. */
#include "store_fixture.h"

#include "store/finding_rows.h"
#include "store/findings.h"

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
        "-- shows: histogram\n-- isa: ia64 x86-64\nselect 1 -- odd: this is no header\n");
    assert_false(analysis.error.set);
    assert_string_equal(analysis.name, "block-sizes");
    assert_string_equal(analysis.title, "Sizes");
    assert_string_equal(analysis.group, "a b");
    assert_string_equal(analysis.does, "counts.");
    assert_int_equal(analysis.needs[STORE_FUNCTION], NEED_OPTIONAL);
    assert_int_equal(analysis.needs[STORE_LOOP], NEED_REQUIRED);
    assert_int_equal(analysis.needs[STORE_BLOCK], NEED_NONE);
    assert_int_equal(analysis.shows, SHOWS_HISTOGRAM);
    assert_int_equal(analysis.isas, 1 << isa_IA64 | 1 << isa_X86_64);
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
    check_malformed("-- parameter: Name 1 doc", "expected a name");
    check_malformed("-- parameter: name", "NAME DEFAULT SENTENCE");
    check_malformed("-- shows: pie", "histogram");
    check_malformed("-- isa: vax", "'vax'");
    check_malformed("-- isa: ", "isa is empty");
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
    const char *directories[] = {NULL, "/nowhere", PROJECT "/data/analyses"};
    struct array list;
    analyses_find(&list, directories, 3);
    assert_true(list.count >= 7);
    for (size_t i = 0; i < list.count; i++) {
        const struct analysis *analysis = array_at(&list, i);
        for (int64_t function = 0; function <= 2 && !analysis->is_script; function++) {
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
}

/* Groups are in the order of the menus, those that only the user knows after, those without one last. */
static void test_menus(void **state)
{
    (void)state;
    struct analysis first = {.name = "b", .group = "statistics"},
                    second = {.name = "a", .group = "histograms"}, own = {.name = "a", .group = "mine"},
                    none = {.name = "a"}, same = {.name = "c", .group = "mine"};
    assert_true(analyses_compare_menus(&first, &second) < 0);
    assert_true(analyses_compare_menus(&second, &own) < 0);
    assert_true(analyses_compare_menus(&own, &none) < 0);
    assert_true(analyses_compare_menus(&none, &own) > 0);
    assert_true(analyses_compare_menus(&own, &same) < 0);
    assert_int_equal(analyses_compare_menus(&own, &own), 0);
    assert_string_equal(analyses_group_title("statistics"), "Statistics");
    assert_string_equal(analyses_group_title("mine"), "mine");
    assert_string_equal(analyses_group_title(NULL), "Others");
}

static void test_isa(void **state)
{
    struct fixture *fixture = *state;
    struct analysis all = {.name = "x"}, right = {.isas = 1 << isa_X86_64 | 1 << isa_IA64},
                    wrong = {.isas = 1 << isa_IA64};
    char *meant, *found;
    assert_true(analysis_is_meant_for(&all, fixture->file, &meant, &found));
    assert_true(analysis_is_meant_for(&right, fixture->memory, &meant, &found));
    assert_false(analysis_is_meant_for(&wrong, fixture->file, &meant, &found));
    assert_string_equal(meant, "ia64");
    assert_string_equal(found, "x86-64");
    free(meant);
    free(found);
}

/* Runs an analysis of the text and keeps what it finds; what is printed is nothing. */
static bool add_findings(void *context, sqlite3_stmt *statement, struct error *error)
{
    FILE *rows = tmpfile();
    assert_non_null(rows);
    bool good = finding_rows_print(statement, rows, error);
    rewind(rows);
    good = good && findings_add(context, rows, error);
    fclose(rows);
    return good;
}

static uint64_t keep(struct fixture *fixture, const char *header, const char *sql, int64_t function,
                     bool commit)
{
    struct analysis analysis;
    char *text = memory_format("-- title: T\n-- does: d\n%s%s", header, sql);
    analysis_parse(&analysis, "x/finder.sql", text);
    struct store_choice choice = {.function = function};
    struct error error = {0};
    uint64_t count = 0;
    struct findings *findings = findings_begin(fixture->path, &analysis, &choice, &error);
    assert_non_null(findings);
    if (!analysis_run(fixture->file, &analysis, &choice, NULL, 0, add_findings, findings, &error))
        fail_msg("%s", error.text);
    if (commit)
        assert_true(findings_commit(findings, &count, &error));
    else
        findings_abandon(findings);
    analysis_free(&analysis);
    free(text);
    return count;
}

#define FINDINGS                                                                                             \
    "select analysis, function, loop, block, instruction, file, line, text from findings order by id"
#define OPTIONAL_FUNCTION "-- needs: FUNCTION optional\n"

static void test_findings(void **state)
{
    struct fixture *fixture = *state;
    check_answer(fixture->file, FINDINGS, NULL, "");
    /* What is not said follows from the instruction or the block; a name that is not unique stays a name. */
    assert_int_equal(
        keep(fixture, "",
             "select 4 as instruction_id, 'a.c' as file, 7 as line, 'it''s' as word, null as absent, "
             "2.5 as share;",
             0, true),
        1);
    check_answer(fixture->file, FINDINGS, NULL,
                 "3:finder|1:1|5:|1:2|1:4|3:a.c|1:7|3:word=it's; share=2.5|\n");
    assert_int_equal(
        keep(fixture, "", "select 'alpha' as function, 3 as n union all select 'zebra', 4", 0, true), 2);
    check_answer(fixture->file, FINDINGS, NULL,
                 "3:finder|1:2|5:|5:|5:|5:|5:|3:n=3|\n3:finder|5:|5:|5:|5:|5:|5:|3:function=zebra; n=4|\n");
    assert_int_equal(keep(fixture, "",
                          "select 1 as loop, 'B2' as block; select 'zebra' as function, 2 as function_id", 0,
                          true),
                     2);
    check_answer(fixture->file, FINDINGS, NULL,
                 "3:finder|1:1|1:1|5:|5:|5:|5:|3:block=B2|\n3:finder|1:2|5:|5:|5:|5:|5:|5:|\n");
    /* With a function chosen only its findings are replaced, if the analysis looked at the choice. */
    static const char both[] = "select id as function_id, 'new' as what from functions where id < 3 and "
                               "(FUNCTION is null or id = FUNCTION)";
    keep(fixture, OPTIONAL_FUNCTION, both, 0, true);
    keep(fixture, OPTIONAL_FUNCTION, "select 2 as function_id, 'newer' as what, FUNCTION as chosen", 2, true);
    check_answer(
        fixture->file, FINDINGS, NULL,
        "3:finder|1:1|5:|5:|5:|5:|5:|3:what=new|\n3:finder|1:2|5:|5:|5:|5:|5:|3:what=newer; chosen=2|\n");
    keep(fixture, "", "select 2 as function_id", 2, false);
    check_answer(fixture->file, "select count(*) from findings", NULL, "1:2|\n");
    keep(fixture, "", "select 1 as n where 0", 2, true);
    check_answer(fixture->file, FINDINGS, NULL, "");
    check_answer(fixture->file, "pragma integrity_check", NULL, "3:ok|\n");
}

static void test_findings_that_fail(void **state)
{
    struct fixture *fixture = *state;
    struct analysis analysis;
    analysis_parse(&analysis, "x/finder.sql",
                   "-- title: T\n-- does: d\nselect 1 as loop; select abs(-9223372036854775807 - 1)");
    keep(fixture, "", "select 2 as function_id", 0, true);
    struct store_choice choice = {0};
    struct error error = {0};
    struct findings *findings = findings_begin(fixture->path, &analysis, &choice, &error);
    assert_non_null(findings);
    assert_false(analysis_run(fixture->file, &analysis, &choice, NULL, 0, add_findings, findings, &error));
    assert_non_null(strstr(error.text, "overflow"));
    findings_abandon(findings);
    check_answer(fixture->file, "select function, loop from findings", NULL, "1:2|5:|\n");
    error = (struct error){0};
    assert_null(findings_begin("/nowhere/at all.db", &analysis, &choice, &error));
    assert_non_null(strstr(error.text, "cannot be opened for writing"));
    analysis_free(&analysis);
}

/* The process that an analysis ran in may hand over anything. */
static void test_rows_that_are_damaged(void **state)
{
    struct fixture *fixture = *state;
    struct analysis analysis;
    sqlite3_stmt *statement;
    analysis_parse(&analysis, "x/finder.sql", "-- title: T\n-- does: d\nselect 1");
    assert_int_equal(sqlite3_prepare_v2(store_connection(fixture->file),
                                        "select 'alpha' as function, 'a.c' as file, 3 as line, 'x' as text "
                                        "union all select 'beta', null, 4, 'y'",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    struct error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    assert_true(finding_rows_print(statement, out, &error));
    fclose(out);
    sqlite3_finalize(statement);
    unsigned good = 0, seed = 1;
    for (unsigned round = 0; round < 2000; round++) {
        char *damaged = memory_get(size);
        memcpy(damaged, bytes, size);
        size_t length = round % 2 ? size : round / 2 % size;
        for (unsigned i = 0; i < round % 5; i++) {
            seed = seed * 1103515245 + 12345;
            damaged[(seed >> 8) % size] = (char)(seed >> 24);
        }
        FILE *rows = length ? fmemopen(damaged, length, "r") : tmpfile();
        struct findings *findings =
            findings_begin(fixture->path, &analysis, &(struct store_choice){0}, &error);
        assert_non_null(findings);
        good += findings_add(findings, rows, &error);
        findings_abandon(findings);
        error = (struct error){0};
        fclose(rows);
        free(damaged);
    }
    assert_in_range(good, 1, 1999);
    free(bytes);
    analysis_free(&analysis);
}

static void copy_file(const char *from, const char *to)
{
    size_t size;
    char *data = read_file(from, &size);
    write_file(to, data, size);
    free(data);
}

/* A process that was killed while it wrote leaves a journal.  Reading says so and changes nothing; undoing it
   is asked for. */
static void test_writing_cut_short(void **state)
{
    struct fixture *fixture = *state;
    char *copy = memory_format("%s/copy.db", fixture->directory);
    char *copied_journal = memory_format("%s-journal", copy),
         *journal = memory_format("%s-journal", fixture->path);
    sqlite3 *writer;
    store_close(fixture->file);
    fixture->file = NULL;
    assert_int_equal(sqlite3_open_v2(fixture->path, &writer, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(writer,
                     "pragma cache_size=1; begin; delete from functions; "
                     "insert into findings (text) with recursive n (n) as (select 1 union all select n + 1 "
                     "from n where n < 500) select hex(zeroblob(2000)) from n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    copy_file(fixture->path, copy);
    copy_file(journal, copied_journal);
    sqlite3_close(writer);
    struct error error = {0};
    size_t size, size_after;
    char *before = read_file(copy, &size);
    assert_null(store_open_file(copy, &error));
    assert_non_null(strstr(error.text, "assay recover"));
    char *after = read_file(copy, &size_after);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    bool was_cut_short = false;
    error = (struct error){0};
    if (!store_recover(copy, &was_cut_short, &error) || !was_cut_short)
        fail_msg("%s", error.text);
    struct store *store = store_open_file(copy, &error);
    if (!store)
        fail_msg("%s", error.text);
    check_answer(store, "select count(*) from functions", NULL, "1:3|\n");
    check_answer(store, "select count(*) from findings", NULL, "1:0|\n");
    check_answer(store, "pragma integrity_check", NULL, "3:ok|\n");
    store_close(store);
    assert_int_equal(access(copied_journal, F_OK), -1);
    assert_true(store_recover(copy, &was_cut_short, &error));
    assert_false(was_cut_short);
    free(journal);
    free(copied_journal);
    free(copy);
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
        cmocka_unit_test_setup_teardown(test_menus, start, stop),
        cmocka_unit_test_setup_teardown(test_isa, start, stop),
        cmocka_unit_test_setup_teardown(test_findings, start, stop),
        cmocka_unit_test_setup_teardown(test_findings_that_fail, start, stop),
        cmocka_unit_test_setup_teardown(test_rows_that_are_damaged, start, stop),
        cmocka_unit_test_setup_teardown(test_writing_cut_short, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
