/* Workflow files: what they say, what is wrong with them and where, and the rows they become. */
#include "plan/schedule/workflow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/assay-workflow-XXXXXX";
static char path[100];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/flow.txt", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void write_flow(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_refused(const char *text, unsigned line, const char *words)
{
    struct workflow workflow;
    struct error error = {0};
    char place[150];
    write_flow(text);
    bool is_good = workflow_read(&workflow, path, 1e9, &error);
    workflow_free(&workflow);
    if (line)
        snprintf(place, sizeof place, "%s:%u", path, line);
    else
        snprintf(place, sizeof place, "%s", path);
    if (is_good || !strstr(error.text, words) || strncmp(error.text, place, strlen(place)) != 0)
        fail_msg("'%s' is not '%s' at %s", error.text, words, place);
}

static void test_values(void **state)
{
    (void)state;
    struct workflow workflow;
    struct error error = {0};
    write_flow("name = study      user = ada      share = 2.5      deadline = 2h      tries = 3\n"
               "[task align]\n"
               "command = sleep {processors}\n"
               "processors = 1..4    memory = 2G    scaling = amdahl 0.05\n"
               "outputs = warp.mif 20M\n"
               "[task apply]\n"
               "command = cat warp.mif    inputs = warp.mif    seconds = 1m    spans = yes    tries = 1\n"
               "[task last]\n"
               "command = true    after = apply, other/thing    deadline = 90s\n");
    if (!workflow_read(&workflow, path, 1e9, &error))
        fail_msg("%s", error.text);
    assert_string_equal(workflow.name, "study");
    assert_string_equal(workflow.user, "ada");
    assert_string_equal(workflow.folder, folder);
    assert_true(workflow.share == 2.5 && workflow.deadline == 1e9 + 7200 && !workflow.is_speculative);
    assert_int_equal(workflow.tasks.count, 3);
    const struct workflow_task *align = workflow.tasks.data, *apply = align + 1, *last = align + 2;
    assert_true(align->least == 1 && align->most == 4 && align->tries == 3 &&
                align->memory == 2048. * (1 << 20));
    assert_true(isnan(align->seconds) && apply->seconds == 60 && apply->spans && apply->tries == 1);
    /* Who reads a file waits for who writes it, and for as many bytes. */
    const struct workflow_need *need = apply->needs.data;
    assert_int_equal(apply->needs.count, 1);
    assert_true(need->task == 0 && need->bytes == 20. * (1 << 20));
    assert_int_equal(last->needs.count, 2);
    assert_true(last->deadline == 1e9 + 90);
    need = last->needs.data;
    assert_true(need[0].task == 1 && need[1].task == SIZE_MAX);
    workflow_free(&workflow);
}

static void test_mistakes(void **state)
{
    (void)state;
    check_refused("name = x\n", 0, "has no tasks");
    check_refused("[task a]\ncommand = true\n[task a]\ncommand = true\n", 3, "there already, in line 1");
    check_refused("[task a]\ncommand = true\nafter = b\n[task b]\ncommand = true\nafter = c\n"
                  "[task c]\ncommand = true\nafter = a\n",
                  0, "in a circle: ");
    check_refused("[task a]\ncommand = true\nafter = a\n", 3, "waits for itself");
    check_refused("[task first]\ncommand = true\n[task b]\ncommand = true\nafter = frist\n", 5,
                  "did you mean first?");
    check_refused("[task a]\ncommand = true\ninputs = nowhere.dat\n", 3, "does not exist, and no task");
    check_refused("[task a]\ncommand = true\noutputs = x\n[task b]\ncommand = true\noutputs = x\n", 6,
                  "written by task a, too");
    check_refused("[task a]\ncommand = true\npredictor = missing.txt x=y\n", 3, "there is no description");
    check_refused("[task a]\ncommand = true\nprocessors = 4..2\n", 3, "");
    check_refused("[task a]\ncommand = true\nprocessors = 0\n", 3, "");
    check_refused("[task a]\ncommand = true\nseconds = soon\n", 3, "");
    check_refused("[task a]\ncommand = true\nseconds = 0\n", 3, "above 0");
    check_refused("[task a]\ncommand = true\nscaling = amdahl 5\n", 3, "");
    check_refused("[task a]\ncommand = true\ndeadline = tomorrow\n", 3, "a deadline is");
    check_refused("[task a]\ncommand = true\nspans = maybe\n", 3, "yes or no");
    check_refused("[task a]\nseconds = 3\n", 1, "command");
    check_refused("[task]\ncommand = true\n", 1, "");
    check_refused("[task a/b]\ncommand = true\n", 1, "needs a name");
    check_refused("[task a]\ncommand = true\ncomand = true\n", 3, "command");
    check_refused("name = a/b\n[task a]\ncommand = true\n", 1, "a name has");
    check_refused("folder = nowhere\n[task a]\ncommand = true\n", 1, "there is no folder");
    check_refused("share = 0\n[task a]\ncommand = true\n", 1, "");
}

/* The circle is named, and only it. */
static void test_cycle_is_named(void **state)
{
    (void)state;
    struct workflow workflow;
    struct error error = {0};
    write_flow("[task far]\ncommand = true\nafter = a\n[task a]\ncommand = true\nafter = b\n"
               "[task b]\ncommand = true\nafter = a\n");
    assert_false(workflow_read(&workflow, path, 1e9, &error));
    assert_true(strstr(error.text, "a → b → a") || strstr(error.text, "b → a → b"));
    assert_null(strstr(error.text, "far"));
    workflow_free(&workflow);
}

static void test_times(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    double time;
    assert_true(workflow_parse_time("2h", 1e9, &time) && time == 1e9 + 7200);
    assert_true(workflow_parse_time("2001-09-10", 1e9, &time) && time == 1000080000);
    assert_true(workflow_parse_time("2001-09-10 06:30", 1e9, &time) && time == 1000080000 + 6.5 * 3600);
    /* 1e9 is 01:46:40. */
    assert_true(workflow_parse_time("02:00", 1e9, &time) && time == 1e9 + 800);
    assert_true(workflow_parse_time("1:00", 1e9, &time) && time == 1e9 - 2800 + 86400);
    assert_false(workflow_parse_time("2001-09-10 x", 1e9, &time));
    assert_false(workflow_parse_time("", 1e9, &time));
    assert_false(workflow_parse_time("25:00", 1e9, &time) && time > 2e9);
}

static int64_t ask(struct ledger *ledger, const char *sql)
{
    struct ledger_rows rows;
    struct error error = {0};
    int64_t value = -1;
    if (!ledger_ask(ledger, &rows, &error, sql, ""))
        fail_msg("%s", error.text);
    if (ledger_next(&rows))
        value = ledger_integer(&rows, 0);
    assert_true(ledger_end(&rows, &error));
    return value;
}

static void test_rows(void **state)
{
    (void)state;
    char name[120];
    struct error error = {0};
    struct workflow workflow;
    int64_t id;
    snprintf(name, sizeof name, "%s/ledger.db", folder);
    struct ledger *ledger = ledger_open(name, true, &error);
    assert_non_null(ledger);
    write_flow("name = one    user = ada    share = 3\n[task a]\ncommand = true    outputs = x 5K, y\n"
               "[task b]\ncommand = true    inputs = x    seconds = 7\n");
    assert_true(workflow_read(&workflow, path, 1e9, &error));
    assert_true(ledger_begin(ledger, &error) && workflow_add(&workflow, ledger, 1e9, &id, &error) &&
                ledger_commit(ledger, &error));
    assert_int_equal(ask(ledger, "SELECT count(*) FROM tasks WHERE state = 'waiting'"), 2);
    assert_int_equal(
        ask(ledger, "SELECT bytes FROM needs JOIN tasks ON tasks.id = needs.task WHERE name = 'b'"), 5120);
    assert_int_equal(ask(ledger, "SELECT count(*) FROM task_files"), 3);
    assert_int_equal(ask(ledger, "SELECT share FROM users WHERE name = 'ada'"), 3);
    assert_int_equal(ask(ledger, "SELECT count(*) FROM decisions WHERE kind = 'submit'"), 2);
    /* The same name a second time is refused, and leaves nothing. */
    assert_true(ledger_begin(ledger, &error));
    assert_false(workflow_add(&workflow, ledger, 1e9, &id, &error));
    assert_non_null(strstr(error.text, "was submitted already"));
    ledger_undo(ledger);
    workflow_free(&workflow);
    memset(&error, 0, sizeof error);
    write_flow("name = two\n[task c]\ncommand = true\nafter = one/b\n");
    assert_true(workflow_read(&workflow, path, 1e9, &error));
    assert_true(ledger_begin(ledger, &error) && workflow_add(&workflow, ledger, 1e9, &id, &error) &&
                ledger_commit(ledger, &error));
    assert_int_equal(ask(ledger,
                         "SELECT count(*) FROM needs JOIN tasks ON tasks.id = task JOIN tasks other ON "
                         "other.id = needed WHERE tasks.name = 'c' AND other.name = 'b'"),
                     1);
    workflow_free(&workflow);
    write_flow("name = three\n[task d]\ncommand = true\nafter = one/z\n");
    assert_true(workflow_read(&workflow, path, 1e9, &error));
    assert_true(ledger_begin(ledger, &error));
    assert_false(workflow_add(&workflow, ledger, 1e9, &id, &error));
    assert_non_null(strstr(error.text, "flow.txt:4"));
    assert_non_null(strstr(error.text, "no task one/z"));
    ledger_undo(ledger);
    workflow_free(&workflow);
    ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_cycle_is_named), cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
