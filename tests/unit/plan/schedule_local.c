/* The local engine: jobs run once, their ends are found again by another engine, killed ones are lost. */
#include "plan/schedule/engine.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char spool[] = "/tmp/assay-local-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(spool) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    /* A job that was cancelled may still be writing its last file. */
    char command[200];
    snprintf(command, sizeof command, "until rm -rf %s; do sleep 0.1; done 2>/dev/null", spool);
    return system(command);
}

static struct engine *opened(const char *hosts)
{
    struct error error = {0};
    struct engine *engine = engine_local.open(
        &(struct engine_settings){.hosts = hosts, .spool = spool, .session = "test"}, &error);
    if (!engine)
        fail_msg("%s", error.text);
    return engine;
}

static void start(struct engine *engine, const char *tag, const char *command)
{
    struct error error = {0};
    struct engine_place place = {.host = "a", .count = 1};
    struct engine_job job = {.tag = tag,
                             .name = tag,
                             .folder = spool,
                             .command = command,
                             .places = &place,
                             .place_count = 1,
                             .expected = NAN,
                             .memory = NAN,
                             .simulated = NAN};
    if (!engine_local.start(engine, &job, &error))
        fail_msg("%s", error.text);
}

static struct engine_status status_of(struct engine *engine, const char *tag)
{
    struct engine_status status;
    struct error error = {0};
    assert_true(engine_local.poll(engine, &tag, 1, &status, &error));
    return status;
}

static struct engine_status ended(struct engine *engine, const char *tag)
{
    struct engine_status status;
    while ((status = status_of(engine, tag)).state == engine_RUNNING || status.state == engine_QUEUED)
        engine_local.wait(engine, engine_local.now(engine) + 60);
    return status;
}

static unsigned lines_of(const char *name)
{
    char path[100];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/%s", spool, name);
    FILE *file = fopen(path, "r");
    for (int byte; file && (byte = getc(file)) != EOF;)
        count += byte == '\n';
    if (file)
        fclose(file);
    return count;
}

static void test_hosts(void **state)
{
    (void)state;
    struct error error = {0};
    struct array hosts;
    struct engine *engine = opened("a:2,b:3");
    assert_true(engine_local.hosts(engine, &hosts, &error));
    assert_int_equal(hosts.count, 2);
    const struct engine_host *host = hosts.data;
    assert_string_equal(host[1].name, "b");
    assert_true(host[0].processors == 2 && host[1].processors == 3 && host[0].state == engine_host_UP);
    engine_hosts_free(&hosts);
    engine_local.close(engine);
    static const char *const bad[] = {"", "a,", "a:0", "a:x", ":2", "a,a", "a:99999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&error, 0, sizeof error);
        assert_null(engine_local.open(&(struct engine_settings){.hosts = bad[i], .spool = spool}, &error));
        assert_non_null(strstr(error.text, "NAME:PROCESSORS"));
    }
    assert_ptr_equal(engine_find("local", &(struct error){0}), &engine_local);
    memset(&error, 0, sizeof error);
    assert_null(engine_find("nonesuch", &error));
    assert_non_null(strstr(error.text, "choose local, slurm or simgrid"));
}

static void test_ends(void **state)
{
    (void)state;
    struct engine *engine = opened("a:2");
    assert_int_equal(status_of(engine, "never").state, engine_UNKNOWN);
    start(engine, "fine", "echo hello; echo once >>once");
    struct engine_status status = ended(engine, "fine");
    assert_int_equal(status.state, engine_DONE);
    assert_int_equal(status.exit_status, 0);
    assert_true(status.ended >= status.started && status.started > 1e9);
    start(engine, "bad", "exit 7");
    status = ended(engine, "bad");
    assert_true(status.state == engine_DONE && status.exit_status == 7);
    /* The same tag again: the command does not run a second time. */
    start(engine, "fine", "echo once >>once");
    while (status_of(engine, "fine").state != engine_DONE)
        engine_local.wait(engine, engine_local.now(engine) + 1);
    sleep(1);
    assert_int_equal(lines_of("once"), 1);
    engine_local.close(engine);
}

/* A scheduler that is killed: its job goes on, and another engine finds it and its end. */
static void test_survives(void **state)
{
    (void)state;
    pid_t scheduler = fork();
    if (!scheduler) {
        struct engine *engine = opened("a:2");
        start(engine, "long", "while ! [ -e go ]; do sleep 0.05; done; exit 3");
        while (status_of(engine, "long").state != engine_RUNNING)
            usleep(10000);
        kill(getpid(), SIGKILL);
    }
    int how;
    assert_int_equal(waitpid(scheduler, &how, 0), scheduler);
    assert_true(WIFSIGNALED(how));
    struct engine *engine = opened("a:2");
    assert_int_equal(status_of(engine, "long").state, engine_RUNNING);
    char path[100];
    snprintf(path, sizeof path, "%s/go", spool);
    fclose(fopen(path, "w"));
    struct engine_status status = ended(engine, "long");
    assert_true(status.state == engine_DONE && status.exit_status == 3);
    engine_local.close(engine);
}

static void test_lost_and_cancelled(void **state)
{
    (void)state;
    struct error error = {0};
    struct engine *engine = opened("a:2");
    start(engine, "victim", "sleep 1000");
    struct engine_status status;
    while ((status = status_of(engine, "victim")).state != engine_RUNNING || !(status.started > 0))
        usleep(10000);
    kill(-(pid_t)atoi(status.job), SIGKILL);
    status = ended(engine, "victim");
    assert_int_equal(status.state, engine_LOST);
    assert_true(*status.why);
    start(engine, "stopped", "sleep 1000");
    while (status_of(engine, "stopped").state != engine_RUNNING)
        usleep(10000);
    assert_true(engine_local.cancel(engine, "stopped", &error));
    assert_int_equal(ended(engine, "stopped").state, engine_LOST);
    /* One that was never started can be revoked: it will not run. */
    assert_true(engine_local.cancel(engine, "revoked", &error));
    start(engine, "revoked", "echo no >>no");
    assert_int_equal(ended(engine, "revoked").state, engine_LOST);
    assert_int_equal(lines_of("no"), 0);
    engine_local.close(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_survives),
                                       cmocka_unit_test(test_lost_and_cancelled)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
