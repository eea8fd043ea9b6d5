/* The store: a model, its virtual tables and its database say the same; macros; only reading is allowed; the
 * shell. */
#include "store_fixture.h"

#include "model/tables.h"
#include "cli/shell.h"

#include <pthread.h>
#include <stdatomic.h>

/* Whether all columns of a table or view are the same in memory and on disk. */
static void check_same_table(const struct fixture *fixture, const char *name)
{
    char *query = memory_format("select * from %s", name);
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(store_connection(fixture->file), query, -1, &statement, NULL),
                     SQLITE_OK);
    struct {
        char data[1024];
        size_t size;
    } order = {{0}, 0};
    for (int i = 1; i <= sqlite3_column_count(statement); i++)
        order.size += (size_t)snprintf(order.data + order.size, sizeof order.data - order.size, "%s%d",
                                       i > 1 ? "," : "", i);
    sqlite3_finalize(statement);
    char *sorted = memory_format("%s order by %s", query, order.data);
    check_same(fixture, sorted);
    free(sorted);
    free(query);
}

static void test_memory_and_file_agree(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < table_count; i++)
        check_same_table(fixture, table_descriptions[i].name);
    sqlite3_stmt *views = NULL;
    sqlite3_prepare_v2(store_connection(fixture->file), "select name from sqlite_schema where type = 'view'",
                       -1, &views, NULL);
    unsigned count = 0;
    for (; sqlite3_step(views) == SQLITE_ROW; count++)
        check_same_table(fixture, (const char *)sqlite3_column_text(views, 0));
    sqlite3_finalize(views);
    assert_true(count >= 5);
    check_answer(fixture->file, "pragma integrity_check", NULL, "3:ok|\n");
}

static void test_values(void **state)
{
    struct fixture *fixture = *state;
    struct store *stores[] = {fixture->memory, fixture->file};
    for (unsigned i = 0; i < 2; i++) {
        check_answer(stores[i],
                     "select displacement, value, scale from operands where encoding = 1 order by position",
                     NULL, "1:-9223372036854775808|1:9223372036854775807|5:|\n1:-1|1:-129|5:|\n");
        check_answer(stores[i], "select address, section from functions where id = 3", NULL, "5:|5:|\n");
        check_answer(stores[i], "select target from code where id = 1", NULL, "1:-6|\n");
        check_answer(stores[i], "select text from encodings where id = 2", NULL, "3:it's \\ff\\c3\\a4|\n");
        check_answer(stores[i], "select name, last_instruction, ends from blocks where id = 3", NULL,
                     "3:B3|1:8|3:branch|\n");
        check_answer(stores[i], "select path_count, parent from loops", NULL, "1:9223372036854775807|5:|\n");
        check_answer(stores[i], "select bytes, text from gaps, problems", NULL, "4:|3:|\n");
        check_answer(stores[i], "select id, block, address, text, bytes from instructions where id = 3", NULL,
                     "1:3|1:2|1:4128|3:it's \\ff\\c3\\a4|4:\\90\\00|\n");
        check_answer(stores[i], "select distinct typeof(kind), kind from edges order by 2", NULL,
                     "3:text|3:fall|\n3:text|3:taken|\n");
    }
}

static void test_searches_agree(void **state)
{
    static const char *const queries[] = {
        "select id from blocks where function = 2 order by id",
        "select id from blocks where function is null",
        "select id from blocks where function = null",
        "select id from blocks where function > 1 order by id",
        "select id from blocks where function < 2 order by id",
        "select id from blocks where function between 1 and 2 order by id desc",
        "select id from blocks where function = '1' order by id",
        "select id from blocks where function in (2, 1, null, 'x') order by id",
        "select id from blocks where id = 2.0",
        "select id from blocks where id > 1.5 and id < 4.5 order by id",
        "select id from blocks where id >= -5 and id <= 99999999999 order by id",
        "select id from blocks where id = 9223372036854775807",
        "select id from blocks where id > 'x' order by id",
        "select rowid from functions where rowid = 2",
        "select id from functions where name = 'zebra' order by id",
        "select id from functions where name = 'ZEBRA' collate nocase order by id",
        "select id from functions where name >= 'alpha' and name < 'zebra'",
        "select id from functions where name > 'b' order by name, id",
        "select id from functions where name = 5",
        "select name, id from functions order by name, id",
        "select id from functions where address = 4096",
        "select id from functions where address > 0 order by address",
        "select function, count(*) from blocks group by function order by 1",
        "select b.id, count(*) from blocks b join code i on i.block = b.id group by b.id order by 1",
        "select source, target from edges where source = 2 order by 2, kind",
        "select e.source from edges e join blocks b on b.id = e.target where b.function = 2 order by 1",
        "select id from instructions where block = 5 order by id",
        "select id, name from instructions where function = 2 order by id",
        "select id from instructions where address = 4128",
        "select count(*) from instructions where id > 3 and id <= 8",
        "select f.name, g.callee from functions f left join calls g on g.caller = f.id order by f.id, 2",
        "select i.id, o.position, o.value from code i join operands o using (encoding) order by 1, 2",
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        check_same(*state, queries[i]);
    struct fixture *fixture = *state;
    check_answer(fixture->memory, "select id from blocks where function = 2 order by id", NULL,
                 "1:5|\n1:6|\n1:7|\n");
    check_answer(fixture->memory, "select id from blocks where function is null", NULL, "1:4|\n");
}

static void test_paper_scripts(void **state)
{
    static const char *const count_script =
        "select 'No of setf : ' || count(*) from blocks, instructions where blocks.function=FUNCTION and "
        "instructions.block=blocks.id and instructions.name='setf';";
    static const char *const size_script = "select 'Size: ' || size || ' Number: ' || count(*) from (select "
                                           "blocks.name, count(*) as size from blocks, "
                                           "instructions where instructions.block=blocks.id and "
                                           "blocks.function=FUNCTION group by blocks.name order by "
                                           "size) group by size;";
    struct fixture *fixture = *state;
    struct store *stores[] = {fixture->memory, fixture->file};
    struct store_choice choice = {.function = 2};
    for (unsigned i = 0; i < 2; i++) {
        /* blocks 5, 6, 7: encodings 3 1 | 1 2 3 | 2 3 1 */
        check_answer(stores[i], count_script, &choice, "3:No of setf : 3|\n");
        check_answer(stores[i], size_script, &choice, "3:Size: 2 Number: 1|\n3:Size: 3 Number: 2|\n");
        check_answer(stores[i], count_script, NULL,
                     "error: the SQL uses FUNCTION, but none is selected: give --function NAME");
    }
}

/* ---- macros ---- */

static void test_macros(void **state)
{
    static const struct {
        const char *given, *prepared;
    } cases[] = {
        {"select FUNCTION", "select :FUNCTION"},
        {"select FUNCTION+LOOP,BLOCK-PROGRAM", "select :FUNCTION+:LOOP,:BLOCK-:PROGRAM"},
        {"select 'FUNCTION'", "select 'FUNCTION'"},
        {"select 'it''s FUNCTION' || LOOP", "select 'it''s FUNCTION' || :LOOP"},
        {"select 1 as \"LOOP\"", "select 1 as \"LOOP\""},
        {"select 1 as [BLOCK], 2 as `LOOP`", "select 1 as [BLOCK], 2 as `LOOP`"},
        {"select 1 as \"a\"\"LOOP\"", "select 1 as \"a\"\"LOOP\""},
        {"select 1 -- FUNCTION\n, LOOP", "select 1 -- FUNCTION\n, :LOOP"},
        {"select 1 /* FUNCTION ' */, LOOP /* ; */", "select 1 /* FUNCTION ' */, :LOOP /* ; */"},
        {"select 1 /* FUNCTION", "select 1 /* FUNCTION"},
        {"select 1 - -LOOP", "select 1 - -:LOOP"},
        {"select function from blocks", "select function from blocks"},
        {"select 1 as MY_FUNCTION, 2 as FUNCTIONS, 3 as LOOP2",
         "select 1 as MY_FUNCTION, 2 as FUNCTIONS, 3 as LOOP2"},
        {"select blocks.FUNCTION from blocks", "select blocks.FUNCTION from blocks"},
        {"select blocks . FUNCTION from blocks", "select blocks . FUNCTION from blocks"},
        {"select BLOCK.id from blocks BLOCK where 0", NULL},
        {"select :FUNCTION, $x, @y, ?1", "select :FUNCTION, $x, @y, ?1"},
        {"select x'00' || LOOP, .5 + 1e3, 0x1f", "select x'00' || :LOOP, .5 + 1e3, 0x1f"},
        {"select 1;;; select 2", "select 1"},
        {"select ';', \";\" ; select 2", NULL},
    };
    struct store_choice choice = {.function = 1, .loop = 2, .block = 3, .program = 4};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sqlite3_stmt *statement;
        struct error error = {0};
        const char *rest;
        bool good = store_prepare(fixture->memory, cases[i].given, &choice, &statement, &rest, &error);
        assert_int_equal(good, statement != NULL);
        assert_int_equal(good, !error.set);
        if (cases[i].prepared) {
            assert_true(good);
            assert_string_equal(sqlite3_sql(statement), cases[i].prepared);
        }
        sqlite3_finalize(statement);
    }
    check_answer(fixture->memory, "select FUNCTION, LOOP, BLOCK, PROGRAM", &choice, "1:1|1:2|1:3|1:4|\n");
    check_answer(fixture->memory, " -- nothing\n /* at all */ ", &choice, "nothing");
    check_answer(fixture->memory, "", &choice, "nothing");
    check_answer(fixture->memory, "; select 1", &choice, "nothing");
    choice.loop = 0;
    choice.may_be_null = 1u << STORE_LOOP;
    check_answer(fixture->memory, "select LOOP is null, FUNCTION", &choice, "1:1|1:1|\n");
    check_answer(fixture->memory, "select 'unfinished", &choice,
                 "error: SQL: unrecognized token: \"'unfinished\"");
}

static void test_rest_and_completeness(void **state)
{
    struct fixture *fixture = *state;
    const char *text = "select ';' ; -- first;\n select 2; ", *rest = text;
    sqlite3_stmt *statement;
    struct error error = {0};
    assert_true(store_prepare(fixture->memory, text, NULL, &statement, &rest, &error));
    sqlite3_finalize(statement);
    assert_string_equal(rest, " -- first;\n select 2; ");
    assert_true(store_prepare(fixture->memory, rest, NULL, &statement, &rest, &error));
    assert_string_equal(sqlite3_sql(statement), " -- first;\n select 2");
    sqlite3_finalize(statement);
    assert_string_equal(rest, " ");

    assert_true(store_is_complete("select 1;"));
    assert_true(store_is_complete("select 1; -- so"));
    assert_false(store_is_complete("select ';'"));
    assert_false(store_is_complete("select 1; select"));
    assert_false(store_is_complete("select ';"));
    assert_false(store_is_complete(""));
    assert_false(store_is_complete("-- ;"));
}

/* ---- guards ---- */

static void test_only_reading_is_allowed(void **state)
{
    struct fixture *fixture = *state;
    static const char *const denied[] = {
        "insert into functions (id) values (99)",
        "delete from functions",
        "update functions set name = 'x'",
        "drop table functions",
        "create table x (a)",
        "create temp table x (a)",
        "create temp view x as select 1",
        "create index x on functions (size)",
        "alter table functions add column x",
        "attach '/tmp/assay-attached.db' as other",
        "attach ':memory:' as other",
        "detach main",
        "vacuum",
        "vacuum into '/tmp/assay-attached.db'",
        "begin immediate",
        "savepoint x",
        "analyze",
        "pragma query_only = off",
        "pragma journal_mode = wal",
        "pragma user_version = 7",
        "pragma writable_schema = on",
        "pragma trusted_schema = on",
        "pragma temp_store_directory = '/tmp'",
        "select load_extension('x')",
        "create virtual table x using model(functions)",
    };
    struct store *stores[] = {fixture->memory, fixture->file};
    for (unsigned s = 0; s < 2; s++) {
        for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++) {
            char *text = answer(stores[s], denied[i], NULL);
            if (!strstr(text, "error:") && !strstr(text, "failed:"))
                fail_msg("was allowed: %s (%s)", denied[i], text);
            free(text);
        }
        check_answer(stores[s], "select count(*) from functions", NULL, "1:3|\n");
        check_answer(stores[s],
                     "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) "
                     "select sum(i) from n",
                     NULL, "1:15|\n");
        check_answer(stores[s], "select count(*) > 5 from pragma_table_info('functions')", NULL, "1:1|\n");
        check_answer(stores[s], "select value from json_each('[1,2]')", NULL, "1:1|\n1:2|\n");
    }
    assert_int_equal(access("/tmp/assay-attached.db", F_OK), -1);
}

static atomic_bool is_answered;

/* Again and again: one that comes before the query runs is lost. */
static void *interrupt_until_answered(void *store)
{
    while (!is_answered) {
        usleep(10000);
        store_interrupt(store);
    }
    return NULL;
}

static void test_interrupt(void **state)
{
    struct fixture *fixture = *state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_until_answered, fixture->file), 0);
    check_answer(fixture->file,
                 "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n", NULL,
                 "failed: interrupted");
    is_answered = true;
    pthread_join(thread, NULL);
    check_answer(fixture->file, "select 1", NULL, "1:1|\n");
}

/* ---- the shell, without a terminal ---- */

struct shell_run {
    struct store *store;
    FILE *stream;
};

static bool run_line(void *context, const char *sql, const struct store_choice *choice, struct error *error)
{
    const struct shell_run *run = context;
    return store_run(run->store, NULL, sql, choice, print_to, run->stream, error);
}

static void test_shell(void **state)
{
    struct fixture *fixture = *state;
    static const char script[] =
        ".choose function alpha\nselect FUNCTION,\n  count(*)\nfrom blocks where function = "
        "FUNCTION; select 'b';\n.choose function zebra\n.choose loop 1\nselect LOOP;\n"
        "select nonsense;\n.unknown\n.schema files\n.tables\nselect 9\n";
    char path[128], *text;
    snprintf(path, sizeof path, "%s/script", fixture->directory);
    write_file(path, script, strlen(script));
    assert_non_null(freopen(path, "r", stdin));
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    struct shell_run run = {fixture->memory, stream};
    struct shell shell = {.store = fixture->memory, .output = stream, .run = run_line, .context = &run};
    struct error error = {0};
    assert_true(shell_run(&shell, &error));
    fclose(stream);
    assert_int_equal(shell.choice.function, 2);
    assert_non_null(strstr(text, "1:2|1:3|\n3:b|\n"));
    assert_non_null(strstr(text, "several functions"));
    assert_non_null(strstr(text, "1:1|\n"));
    assert_non_null(strstr(text, "no such column: nonsense"));
    assert_non_null(strstr(text, "unknown command .unknown"));
    assert_non_null(strstr(text, "create table files"));
    assert_non_null(strstr(text, "\ninstructions\n"));
    assert_non_null(strstr(text, "1:9|\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_memory_and_file_agree, start, stop),
        cmocka_unit_test_setup_teardown(test_values, start, stop),
        cmocka_unit_test_setup_teardown(test_searches_agree, start, stop),
        cmocka_unit_test_setup_teardown(test_paper_scripts, start, stop),
        cmocka_unit_test_setup_teardown(test_macros, start, stop),
        cmocka_unit_test_setup_teardown(test_rest_and_completeness, start, stop),
        cmocka_unit_test_setup_teardown(test_only_reading_is_allowed, start, stop),
        cmocka_unit_test_setup_teardown(test_interrupt, start, stop),
        cmocka_unit_test_setup_teardown(test_shell, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
