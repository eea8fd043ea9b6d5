/* The ledger: made once, shared by processes, refused where it is not one, and whole after failures. */
#include "ledger/ledger.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/assay-ledger-XXXXXX";
static char path[100];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/ledger.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct ledger *opened(bool to_write)
{
    struct error error = {0};
    struct ledger *ledger = ledger_open(path, to_write, &error);
    if (!ledger)
        fail_msg("%s", error.text);
    return ledger;
}

static void refused(bool to_write, const char *words)
{
    struct error error = {0};
    assert_null(ledger_open(path, to_write, &error));
    if (!strstr(error.text, words) || !strstr(error.text, path))
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static bool add_user(struct ledger *ledger, const char *name, double share, struct error *error)
{
    return ledger_do(ledger, error, "INSERT INTO users (name, share) VALUES (?, ?)", "tr", name, share);
}

static int64_t count_users(struct ledger *ledger)
{
    struct ledger_rows rows;
    struct error error = {0};
    int64_t count = -1;
    assert_true(ledger_ask(ledger, &rows, &error, "SELECT count(*) FROM users", ""));
    while (ledger_next(&rows))
        count = ledger_integer(&rows, 0);
    assert_true(ledger_end(&rows, &error));
    return count;
}

static void test_rows(void **state)
{
    (void)state;
    struct error error = {0};
    struct ledger *ledger = opened(true);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_true(ledger_is_ledger(path));
    assert_true(add_user(ledger, "ada", 2.5, &error));
    assert_int_equal(ledger_last_id(ledger), 1);
    /* A name can be there once: the error is of this one call. */
    assert_false(add_user(ledger, "ada", 1, &error));
    assert_non_null(strstr(error.text, "UNIQUE"));
    memset(&error, 0, sizeof error);
    assert_true(add_user(ledger, "ben", 1, &error));
    struct ledger_rows rows, inner;
    int seen = 0;
    static const char all[] = "SELECT name, share, NULL FROM users ORDER BY name";
    assert_true(ledger_ask(ledger, &rows, &error, all, ""));
    while (ledger_next(&rows)) {
        assert_string_equal(ledger_text(&rows, 0), seen ? "ben" : "ada");
        assert_true(ledger_real(&rows, 1) == (seen ? 1 : 2.5));
        assert_true(isnan(ledger_real(&rows, 2)) && ledger_is_null(&rows, 2) && !ledger_text(&rows, 2));
        /* The same statement, while it is in use. */
        assert_true(ledger_ask(ledger, &inner, &error, all, ""));
        assert_true(ledger_next(&inner));
        assert_string_equal(ledger_text(&inner, 0), "ada");
        assert_true(ledger_end(&inner, &error));
        seen++;
    }
    assert_true(ledger_end(&rows, &error));
    assert_int_equal(seen, 2);
    assert_true(ledger_begin(ledger, &error));
    assert_true(add_user(ledger, "cleo", NAN, &error) == false); /* share may not be NULL */
    memset(&error, 0, sizeof error);
    assert_true(add_user(ledger, "cleo", 1, &error));
    ledger_undo(ledger);
    assert_int_equal(count_users(ledger), 2);
    /* A part that is undone leaves the rest of its transaction. */
    assert_true(ledger_begin(ledger, &error) && add_user(ledger, "cleo", 1, &error));
    assert_true(ledger_begin(ledger, &error) && add_user(ledger, "dan", 1, &error));
    ledger_undo(ledger);
    assert_true(ledger_begin(ledger, &error) && add_user(ledger, "eve", 1, &error) &&
                ledger_commit(ledger, &error));
    assert_int_equal(count_users(ledger), 4);
    assert_true(ledger_commit(ledger, &error));
    assert_true(ledger_do(ledger, &error, "DELETE FROM users WHERE name IN ('cleo', 'eve')", ""));
    ledger_undo(ledger); /* there is none: nothing happens */
    assert_int_equal(count_users(ledger), 2);
    ledger_close(ledger);
    ledger = opened(false);
    assert_int_equal(count_users(ledger), 2);
    assert_false(add_user(ledger, "dora", 1, &error));
    assert_non_null(strstr(error.text, "may not be written"));
    ledger_close(ledger);
}

static void test_schema(void **state)
{
    (void)state;
    char *schema = ledger_schema();
    for (unsigned i = 0; i < ledger_table_count; i++) {
        char words[100];
        snprintf(words, sizeof words, "CREATE TABLE IF NOT EXISTS %s (", ledger_tables[i].name);
        assert_non_null(strstr(schema, words));
        assert_string_equal(ledger_tables[i].columns[0].name, "id");
        for (unsigned j = 0; j < ledger_tables[i].count; j++)
            assert_true(*ledger_tables[i].columns[j].doc);
    }
    free(schema);
}

/* Several processes make one ledger and write to it at once: every row arrives. */
static void test_many_writers(void **state)
{
    (void)state;
    enum { PROCESSES = 6, ROWS = 40 };
    for (int i = 0; i < PROCESSES; i++)
        if (!fork()) {
            struct error error = {0};
            struct ledger *ledger = ledger_open(path, true, &error);
            bool is_good = ledger;
            for (int row = 0; is_good && row < ROWS; row++) {
                char name[40];
                snprintf(name, sizeof name, "user %d %d", i, row);
                is_good = ledger_begin(ledger, &error) && add_user(ledger, name, 1, &error) &&
                          ledger_commit(ledger, &error);
            }
            if (!is_good)
                fprintf(stderr, "%s\n", error.text);
            ledger_close(ledger);
            _exit(!is_good);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct ledger *ledger = opened(false);
    assert_int_equal(count_users(ledger), PROCESSES * ROWS);
    ledger_close(ledger);
}

static void test_news(void **state)
{
    (void)state;
    struct error error = {0};
    struct ledger *mine = opened(true), *other = opened(true);
    ledger_has_news(mine);
    assert_false(ledger_has_news(mine));
    assert_true(add_user(mine, "ada", 1, &error));
    assert_false(ledger_has_news(mine));
    assert_true(add_user(other, "ben", 1, &error));
    assert_true(ledger_has_news(mine));
    assert_false(ledger_has_news(mine));
    ledger_close(mine);
    ledger_close(other);
}

/* The lock is refused while another process has it, and free when that process was killed, even if a child
   of it lives on. */
static void test_lock(void **state)
{
    (void)state;
    int ready[2], life[2];
    assert_int_equal(pipe(ready) | pipe(life), 0);
    pid_t holder = fork();
    if (!holder) {
        struct error error = {0};
        struct ledger *ledger = ledger_open(path, true, &error);
        bool has_it = ledger && ledger_take_lock(ledger, &error);
        if (!fork()) {
            char byte;
            close(life[1]);
            _exit(read(life[0], &byte, 1) < 0);
        }
        if (write(ready[1], has_it ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    struct error error = {0};
    struct ledger *ledger = opened(true);
    assert_false(ledger_take_lock(ledger, &error));
    char words[60];
    snprintf(words, sizeof words, "process %ld", (long)holder);
    assert_non_null(strstr(error.text, words));
    assert_true(add_user(ledger, "ada", 1, &error)); /* rows may be added all the same */
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    memset(&error, 0, sizeof error);
    assert_true(ledger_take_lock(ledger, &error));
    assert_true(ledger_take_lock(ledger, &error));
    ledger_close(ledger);
    close(ready[0]), close(ready[1]), close(life[0]), close(life[1]);
}

static void write_file(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void test_refused(void **state)
{
    (void)state;
    refused(false, "no such ledger");
    assert_int_equal(mkdir(path, 0700), 0);
    refused(false, "not a file");
    rmdir(path);
    write_file("just some text, long enough", 27);
    refused(true, "not a ledger");
    refused(false, "not a ledger");
    unlink(path);
    sqlite3 *other;
    sqlite3_open(path, &other);
    sqlite3_exec(other, "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)", NULL, NULL, NULL);
    sqlite3_close(other);
    refused(true, "not a ledger");
    sqlite3_open(path, &other);
    sqlite3_exec(other, "PRAGMA application_id=0x41737379", NULL, NULL, NULL);
    sqlite3_close(other);
    refused(true, "database of a program");
    unlink(path);
    ledger_close(opened(true));
    sqlite3_open(path, &other);
    sqlite3_exec(other, "PRAGMA user_version=99", NULL, NULL, NULL);
    sqlite3_close(other);
    refused(true, "newer Assay");
    refused(false, "newer Assay");
}

/* A ledger that an older Assay made gets the tables that came later, and keeps its rows. */
static void test_older(void **state)
{
    (void)state;
    struct error error = {0};
    struct ledger *ledger = opened(true);
    assert_true(add_user(ledger, "ada", 1, &error));
    ledger_close(ledger);
    sqlite3 *other;
    sqlite3_open(path, &other);
    assert_int_equal(sqlite3_exec(other, "DROP TABLE search_variants", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    ledger = opened(true);
    assert_true(ledger_do(ledger, &error, "delete from search_variants", ""));
    struct ledger_rows rows;
    assert_true(ledger_ask(ledger, &rows, &error, "select count(*) from users", ""));
    assert_true(ledger_next(&rows));
    assert_int_equal(ledger_integer(&rows, 0), 1);
    assert_true(ledger_end(&rows, &error));
    ledger_close(ledger);
}

static void test_damage(void **state)
{
    (void)state;
    struct error error = {0};
    struct ledger *ledger = opened(true);
    for (int i = 0; i < 200; i++) {
        char name[20];
        snprintf(name, sizeof name, "user %d", i);
        assert_true(add_user(ledger, name, 1, &error));
    }
    ledger_close(ledger);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    int file = open(path, O_WRONLY);
    char nonsense[4096];
    memset(nonsense, 0x5a, sizeof nonsense);
    for (off_t at = 4096; at < facts.st_size; at += 4096)
        assert_int_equal(pwrite(file, nonsense, sizeof nonsense, at), sizeof nonsense);
    close(file);
    refused(true, "damaged");
}

/* No more room: the transaction is undone as a whole, and works when there is room again. */
static void test_full(void **state)
{
    (void)state;
    struct error error = {0};
    struct ledger *ledger = opened(true);
    assert_true(add_user(ledger, "ada", 1, &error));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit usual, small;
    getrlimit(RLIMIT_FSIZE, &usual);
    small = usual;
    small.rlim_cur = 600000;
    setrlimit(RLIMIT_FSIZE, &small);
    bool is_good = ledger_begin(ledger, &error);
    char name[20001];
    for (int i = 0; is_good && i < 100; i++) {
        memset(name, 'a' + i % 26, 20000);
        name[snprintf(name, 20, "%d", i)] = ' ';
        name[20000] = 0;
        is_good = add_user(ledger, name, 1, &error);
    }
    is_good = is_good && ledger_commit(ledger, &error);
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_false(is_good);
    assert_non_null(strstr(error.text, "nothing of this change was stored"));
    ledger_undo(ledger);
    memset(&error, 0, sizeof error);
    assert_int_equal(count_users(ledger), 1);
    assert_true(ledger_begin(ledger, &error) && add_user(ledger, "ben", 1, &error) &&
                ledger_commit(ledger, &error));
    ledger_close(ledger);
    ledger = opened(false);
    assert_int_equal(count_users(ledger), 2);
    ledger_close(ledger);
}

static void test_usual_place(void **state)
{
    (void)state;
    struct error error = {0};
    char data[120];
    snprintf(data, sizeof data, "%s/data/deeper", folder);
    unsetenv("ASSAY_LEDGER");
    setenv("XDG_DATA_HOME", data, 1);
    struct ledger *ledger = ledger_open(NULL, true, &error);
    assert_non_null(ledger);
    assert_non_null(strstr(ledger_path(ledger), "/data/deeper/assay/ledger.db"));
    ledger_close(ledger);
    setenv("ASSAY_LEDGER", path, 1);
    ledger = ledger_open(NULL, true, &error);
    assert_non_null(ledger);
    assert_string_equal(ledger_path(ledger), path);
    ledger_close(ledger);
}

/* A stranger's ledger in which a table is a virtual one of SQLite's own modules. */
static void test_virtual_tables(void **state)
{
    (void)state;
    sqlite3 *connection = NULL;
    struct error error = {0};
    ledger_close(opened(true));
    assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
    assert_int_equal(sqlite3_exec(connection,
                                  "drop table users; create virtual table users using fts4(name, share)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(connection);
    struct ledger *ledger = ledger_open(path, true, &error);
    assert_true(!ledger || !add_user(ledger, "somebody", 1, &error));
    assert_non_null(strstr(error.text, "no such module"));
    ledger_close(ledger);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_rows),         IN_FOLDER(test_virtual_tables), cmocka_unit_test(test_schema),
        IN_FOLDER(test_many_writers), IN_FOLDER(test_news),           IN_FOLDER(test_lock),
        IN_FOLDER(test_refused),      IN_FOLDER(test_older),          IN_FOLDER(test_damage),
        IN_FOLDER(test_full),         IN_FOLDER(test_usual_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
