/* The script of a job: it runs once, whoever else has its tag, and its result can be read or does not count.
 */
#include "base/child.h"
#include "plan/schedule/engine/script.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char spool[] = "/tmp/assay-it's a spool-XXXXXX";

static int make_spool(void **state)
{
    (void)state;
    return mkdtemp(spool) ? 0 : 1;
}

static int remove_spool(void **state)
{
    (void)state;
    pid_t process = fork();
    if (!process)
        execlp("rm", "rm", "-rf", spool, (char *)NULL);
    return waitpid(process, NULL, 0) == process ? 0 : 1;
}

static int run(const char *tag, const char *command, const char *folder)
{
    struct error error = {0};
    struct engine_job job = {.tag = tag, .name = "it's\n# SBATCH", .folder = folder, .command = command};
    char *path = script_write(spool, &job, &error);
    if (!path)
        fail_msg("%s", error.text);
    struct child_answer answer;
    struct child_job sh = {.words = (const char *[]){"sh", path, NULL},
                           .limits = {UINT64_C(1) << 32, 1 << 20, 1 << 20, 600}};
    assert_true(child_run(&sh, &answer, &error));
    int status = answer.end == child_end_DONE ? 0 : answer.end == child_end_FAILED ? answer.status : -1;
    child_answer_free(&answer);
    unlink(path);
    free(path);
    return status;
}

static void read_file(const char *tag, const char *name, char *text, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", spool, tag, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void write_end(const char *tag, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", spool, tag);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/end", spool, tag);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void runs_once_and_tells_how(void **state)
{
    (void)state;
    struct engine_status status;
    struct script_begin begin;
    assert_int_equal(script_look(spool, "a-1", &status, NULL), script_UNCLAIMED);
    assert_int_equal(run("a-1", "pwd; echo 'one'\"'\"$((1+1)) >&2; cat; exit 3", "/usr"), 3);
    assert_int_equal(script_look(spool, "a-1", &status, &begin), script_ENDED);
    assert_int_equal(status.exit_status, 3);
    assert_true(status.started > 1e9 && status.ended >= status.started && status.cpu_seconds >= 0);
    assert_true(begin.process > 1 && begin.host[0] && begin.time == status.started);
    char text[1000];
    read_file("a-1", "output", text, sizeof text);
    assert_string_equal(text, "/usr\none'2\n");
    assert_int_equal(run("a-1", "echo again", "/"), 75);
    read_file("a-1", "output", text, sizeof text);
    assert_string_equal(text, "/usr\none'2\n");
}

static void failures_have_a_status(void **state)
{
    (void)state;
    struct engine_status status;
    assert_int_equal(run("signal", "kill -9 $$", "/"), 137);
    assert_int_equal(script_look(spool, "signal", &status, NULL), script_ENDED);
    assert_int_equal(status.exit_status, 137);
    assert_int_not_equal(run("folder", "true", "/no/such/folder"), 0);
    assert_int_equal(script_look(spool, "folder", &status, NULL), script_ENDED);
    assert_int_not_equal(status.exit_status, 0);
    assert_int_equal(run("syntax", "if", "/"), 2);
}

static void who_revokes_is_sure(void **state)
{
    (void)state;
    struct engine_status status;
    bool has_begun;
    assert_true(script_revoke(spool, "never", &has_begun));
    assert_int_equal(run("never", "echo ran", "/"), 75);
    assert_int_equal(script_look(spool, "never", &status, NULL), script_REVOKED);
    assert_true(script_revoke(spool, "never", &has_begun));
    assert_int_equal(run("late", "true", "/"), 0);
    assert_false(script_revoke(spool, "late", &has_begun));
    assert_true(has_begun);
    assert_false(script_revoke("/no/such/spool", "late", &has_begun));
    assert_false(has_begun);
}

static void damaged_results_do_not_count(void **state)
{
    (void)state;
    static const char good[] =
        "status 0\nstarted 5.25\nended 7\n0m0.000000s 0m0.01s\n1m2.5s 0m0.5s\ndone\n   ";
    struct engine_status status;
    write_end("end", good);
    assert_int_equal(script_look(spool, "end", &status, NULL), script_ENDED);
    assert_true(status.cpu_seconds == 63 && status.started == 5.25 && status.ended == 7);
    for (size_t length = 0; length < sizeof good - 4; length++) {
        char part[sizeof good];
        memcpy(part, good, length);
        part[length] = 0;
        write_end("end", part);
        assert_int_equal(script_look(spool, "end", &status, NULL), script_CLAIMED);
    }
    static const char *const bad[] = {"status 256\nstarted 1\nended 2\n0m0s 0m0s\n0m0s 0m0s\ndone\n",
                                      "status 0\nstarted nan\nended 2\n0m0s 0m0s\n0m0s 0m0s\ndone\n",
                                      "status 0\nstarted 1\nended inf\n0m0s 0m0s\n0m0s 0m0s\ndone\n",
                                      "status 0\nstarted 1\nended 2\n0m0s 0m0s\n0m-1s 0m0s\ndone\n"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_end("end", bad[i]);
        assert_int_equal(script_look(spool, "end", &status, NULL), script_CLAIMED);
    }
}

static void tags_are_plain(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ".", "..", "-x", "a/b", "a b", "a\n", "ä", "$x", "a'b"};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(script_is_tag(bad[i]));
    assert_true(script_is_tag("assay-1f.2_X"));
    struct error error = {0};
    assert_null(script_write(spool, &(struct engine_job){"../x", "n", "/", "true"}, &error));
    assert_true(error.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_once_and_tells_how), cmocka_unit_test(failures_have_a_status),
        cmocka_unit_test(who_revokes_is_sure),     cmocka_unit_test(damaged_results_do_not_count),
        cmocka_unit_test(tags_are_plain),
    };
    return cmocka_run_group_tests(tests, make_spool, remove_spool);
}
