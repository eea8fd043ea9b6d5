/* Child processes, for programs and for our own work: how they end, what they return, what they leave
   behind. */
#include "able.h"
#include "base/child.h"
#include "base/memory_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/assay-child-XXXXXX";

static const struct child_limits usual = {
    .memory = UINT64_C(1) << 30, .file_size = 1 << 20, .output = 1 << 20, .seconds = 600};

static struct child_answer run_job(const struct child_job *job)
{
    struct child_answer answer;
    struct error error = {0};
    if (!child_run(job, &answer, &error))
        fail_msg("%s", error.text);
    return answer;
}

static struct child_answer run_shell(const char *script, struct child_limits limits)
{
    return run_job(
        &(struct child_job){.words = (const char *[]){"sh", "-c", script, NULL}, .limits = limits});
}

static void check_end(const char *script, struct child_limits limits, enum child_end end, int status)
{
    struct child_answer answer = run_shell(script, limits);
    assert_int_equal(answer.end, end);
    assert_int_equal(answer.status, status);
    if (end == child_end_SLOW || end == child_end_DONE || end == child_end_CRASHED)
        assert_int_equal(child_met_limit(&answer), end != child_end_DONE && status != SIGSEGV);
    child_answer_free(&answer);
}

static void check_output(const char *script, const char *output, const char *messages)
{
    struct child_answer answer = run_shell(script, usual);
    assert_int_equal(answer.end, child_end_DONE);
    assert_string_equal(answer.output.data, output);
    assert_string_equal(answer.messages.data, messages);
    assert_int_equal(answer.output.count, strlen(output));
    assert_int_equal(answer.messages.count, strlen(messages));
    child_answer_free(&answer);
}

static void test_streams(void **state)
{
    (void)state;
    check_output("echo out; echo err >&2", "out\n", "err\n");
    check_output("cat", "", "");
    check_output(":", "", "");
    setenv("LANGUAGE", "de", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    check_output("echo $LC_ALL$LANGUAGE", "C\n", "");
    assert_string_equal(getenv("LC_ALL"), "de_DE.UTF-8");
    unsetenv("LC_ALL");
    unsetenv("LANGUAGE");
}

static void test_words_are_words(void **state)
{
    (void)state;
    const char *const words[] = {"echo", "$HOME; exit", "*", "", NULL};
    struct child_answer answer = run_job(&(struct child_job){.words = words, .limits = usual});
    assert_string_equal(answer.output.data, "$HOME; exit * \n");
    child_answer_free(&answer);
}

static void test_ends(void **state)
{
    (void)state;
    check_end("exit 3", usual, child_end_FAILED, 3);
    check_end("kill -SEGV $$", usual, child_end_CRASHED, SIGSEGV);
    const char *const words[] = {"assay-no-such-program", NULL};
    struct child_answer answer = run_job(&(struct child_job){.words = words, .limits = usual});
    assert_int_equal(answer.end, child_end_MISSING);
    child_answer_free(&answer);
}

static void test_what_cannot_be_executed(void **state)
{
    (void)state;
    const char *const words[] = {folder, NULL};
    struct child_answer answer;
    struct error error = {0};
    assert_false(child_run(&(struct child_job){.words = words, .limits = usual}, &answer, &error));
    assert_non_null(strstr(error.text, folder));
    assert_non_null(strstr(error.text, strerror(EACCES)));
}

static void test_time(void **state)
{
    (void)state;
    struct child_limits limits = usual;
    limits.seconds = 1;
    check_end("sleep 1000", limits, child_end_SLOW, 0);
    check_end("trap '' TERM INT; while :; do :; done", limits, child_end_SLOW, 0);
    /* What it starts counts, too. */
    check_end("sh -c 'sleep 1000' & wait", limits, child_end_SLOW, 0);
    char pipe[300], script[400];
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snprintf(script, sizeof script, "cat %s", pipe);
    check_end(script, limits, child_end_SLOW, 0);
}

static void test_output(void **state)
{
    (void)state;
    struct child_limits limits = usual;
    struct child_answer answer = run_shell("cat /dev/zero", limits);
    assert_int_equal(answer.end, child_end_LARGE);
    assert_true(child_met_limit(&answer));
    child_answer_free(&answer);
    limits.output = 3;
    check_end("printf abc", limits, child_end_DONE, 0);
    answer = run_shell("printf abcd", limits);
    assert_int_equal(answer.end, child_end_LARGE);
    child_answer_free(&answer);
    /* Messages without end are read and forgotten: the program ends as it does. */
    answer = run_shell("head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 5", usual);
    assert_int_equal(answer.end, child_end_FAILED);
    assert_int_equal(answer.status, 5);
    assert_true(answer.messages.count > 1000 && answer.messages.count < 1000000);
    child_answer_free(&answer);
}

/* More than an array keeps on the heap. */
static void test_large_output(void **state)
{
    (void)state;
    struct child_limits limits = usual;
    limits.output = 20 << 20;
    struct child_answer answer = run_shell("head -c 10000000 /dev/zero", limits);
    assert_int_equal(answer.end, child_end_DONE);
    assert_int_equal(answer.output.count, 10000000);
    child_answer_free(&answer);
}

static int work_with_memory(void *context)
{
    volatile char *memory = malloc(*(size_t *)context);
    if (memory)
        memory[0] = 1;
    return memory ? 0 : 7;
}

/* Emulators of user programs take no limits on memory. */
static bool has_memory_limits(void)
{
    pid_t process = fork();
    if (process == 0) {
        size_t size = (size_t)1 << 30;
        setrlimit(RLIMIT_AS, &(struct rlimit){size, size});
        _exit(work_with_memory(&size));
    }
    int status = 0;
    waitpid(process, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status);
}

static void test_file_sizes(void **state)
{
    (void)state;
    char script[400];
    snprintf(script, sizeof script, "exec dd if=/dev/zero of=%s/large bs=1000000 count=3 2>/dev/null",
             folder);
    check_end(script, usual, child_end_CRASHED, SIGXFSZ);
}

static void test_memory_of_programs(void **state)
{
    (void)state;
    if (!has_memory_limits())
        unable("the emulator takes no limits of memory");
    struct child_limits limits = usual;
    limits.memory = 64 << 20;
    struct child_answer answer = run_shell("exec dd if=/dev/zero of=/dev/null bs=100000000 count=1", limits);
    assert_int_equal(answer.end, child_end_FAILED);
    assert_true(child_met_limit(&answer));
    child_answer_free(&answer);
    limits.memory = 256 << 20;
    check_end("exec dd if=/dev/zero of=/dev/null bs=100000000 count=1", limits, child_end_DONE, 0);
}

static int work_with_streams(void *context)
{
    char end;
    (void)context;
    bool is_empty = read(STDIN_FILENO, &end, 1) == 0;
    return dprintf(STDOUT_FILENO, "work") == 4 && is_empty ? 0 : 1;
}

static int work_that_fails(void *context)
{
    (void)context;
    return 9;
}

static void test_work(void **state)
{
    (void)state;
    struct child_answer answer = run_job(&(struct child_job){.work = work_with_streams, .limits = usual});
    assert_int_equal(answer.end, child_end_DONE);
    assert_string_equal(answer.output.data, "work");
    child_answer_free(&answer);
    /* First the one, then the other. */
    const char *const words[] = {"echo", "program", NULL};
    answer = run_job(&(struct child_job){.work = work_with_streams, .words = words, .limits = usual});
    assert_string_equal(answer.output.data, "workprogram\n");
    child_answer_free(&answer);
    answer = run_job(&(struct child_job){.work = work_that_fails, .words = words, .limits = usual});
    assert_int_equal(answer.end, child_end_FAILED);
    assert_int_equal(answer.status, 9);
    assert_int_equal(answer.output.count, 0);
    child_answer_free(&answer);
}

/* It is counted from what there is already. */
static void test_memory_of_work(void **state)
{
    (void)state;
    if (!has_memory_limits())
        unable("the emulator takes no limits of memory");
    for (int i = 0; i < 2; i++) {
        size_t size = (size_t)(i ? 2000 : 100) << 20;
        struct child_answer answer =
            run_job(&(struct child_job){.work = work_with_memory, .context = &size, .limits = usual});
        assert_int_equal(answer.end, i ? child_end_FAILED : child_end_DONE);
        assert_int_equal(answer.status, i ? 7 : 0);
        child_answer_free(&answer);
    }
}

static int count_entries(const char *path)
{
    int count = 0;
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void test_folder(void **state)
{
    (void)state;
    char place[300];
    snprintf(place, sizeof place, "%s/places", folder);
    assert_int_equal(mkdir(place, 0700), 0);
    setenv("TMPDIR", place, 1);
    static const char *const scripts[] = {"pwd; echo > file; echo > .other", "pwd; echo > file; kill -9 $$",
                                          "pwd; echo > file; sleep 1000"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct child_limits limits = usual;
        if (strstr(scripts[i], "sleep"))
            limits.seconds = 5; /* long enough for the rest of it on a busy machine */
        const char *const words[] = {"sh", "-c", scripts[i], NULL};
        struct child_answer answer =
            run_job(&(struct child_job){.words = words, .place = child_place_PRIVATE, .limits = limits});
        assert_memory_equal(answer.output.data, place, strlen(place));
        assert_int_equal(count_entries(place), 0);
        child_answer_free(&answer);
    }
    setenv("TMPDIR", "/nowhere/at/all", 1);
    struct child_answer answer;
    struct error error = {0};
    const char *const words[] = {"true", NULL};
    assert_false(child_run(&(struct child_job){.words = words, .place = child_place_PRIVATE, .limits = usual},
                           &answer, &error));
    assert_non_null(strstr(error.text, "TMPDIR"));
    unsetenv("TMPDIR");
}

/* Whether the process is there, but for a zombie. */
static bool is_running(pid_t process)
{
    char path[40], text[200] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *name_end = length ? strrchr(text, ')') : NULL;
    return name_end && name_end[2] != 'Z' && name_end[2] != 'X';
}

static bool ends_soon(pid_t process)
{
    for (int i = 0; i < 3000 && is_running(process); i++)
        usleep(10000);
    return !is_running(process);
}

static void test_nothing_stays(void **state)
{
    (void)state;
    struct child_answer answer = run_shell("sleep 1000 >/dev/null 2>&1 & echo $!", usual);
    assert_int_equal(answer.end, child_end_DONE);
    pid_t left = atoi(answer.output.data);
    assert_true(left > 1);
    assert_true(ends_soon(left));
    child_answer_free(&answer);
}

/* A process that waits for a child is killed: the child ends, and its folder goes. */
static void test_end_of_the_parent(void **state)
{
    (void)state;
    char place[300], script[700];
    snprintf(place, sizeof place, "%s/parents", folder);
    assert_int_equal(mkdir(place, 0700), 0);
    snprintf(script, sizeof script, "echo $$ > %s/pid.new; mv %s/pid.new %s/pid; exec sleep 1000", folder,
             folder, folder);
    pid_t parent = fork();
    if (parent == 0) {
        setenv("TMPDIR", place, 1);
        struct child_answer answer;
        struct error error = {0};
        const char *const words[] = {"sh", "-c", script, NULL};
        child_run(&(struct child_job){.words = words, .place = child_place_PRIVATE, .limits = usual}, &answer,
                  &error);
        _exit(0);
    }
    char path[300];
    snprintf(path, sizeof path, "%s/pid", folder);
    FILE *file = NULL;
    for (int i = 0; i < 3000 && !(file = fopen(path, "re")); i++)
        usleep(10000);
    assert_non_null(file);
    int child = 0;
    assert_int_equal(fscanf(file, "%d", &child), 1);
    fclose(file);
    assert_true(is_running(child));
    assert_int_equal(count_entries(place), 1);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    assert_true(ends_soon(child));
    for (int i = 0; i < 3000 && count_entries(place); i++)
        usleep(10000);
    assert_int_equal(count_entries(place), 0);
}

static void test_files_in_memory(void **state)
{
    (void)state;
    struct memory_file input, output;
    struct error error = {0};
    assert_true(memory_file_make(&input, "text", 4, &error));
    assert_true(memory_file_make(&output, NULL, 0, &error));
    const char *const words[] = {"cp", input.path, output.path, NULL};
    struct child_answer answer = run_job(&(struct child_job){.words = words, .limits = usual});
    assert_int_equal(answer.end, child_end_DONE);
    child_answer_free(&answer);
    char text[10] = "";
    assert_int_equal(pread(output.descriptor, text, sizeof text, 0), 4);
    assert_string_equal(text, "text");
    memory_file_close(&input);
    memory_file_close(&output);
    assert_int_equal(output.descriptor, -1);
}

/* In a process without standard streams: neither pipes nor files take their numbers. */
static void test_closed_streams(void **state)
{
    (void)state;
    pid_t process = fork();
    if (process == 0) {
        for (int i = 0; i < 3; i++)
            close(i);
        struct memory_file input;
        struct child_answer answer = {0};
        struct error error = {0};
        if (!memory_file_make(&input, "text", 4, &error))
            _exit(1);
        const char *const words[] = {"cat", input.path, NULL};
        if (!child_run(&(struct child_job){.words = words, .limits = usual}, &answer, &error))
            _exit(2);
        _exit(answer.end == child_end_DONE && !strcmp(answer.output.data, "text") ? 0 : 3);
    }
    int status;
    waitpid(process, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A script in a folder that leaves a mark, and its folder in PATH in several ways. */
static void test_programs_of_others(void **state)
{
    (void)state;
    char *before = strdup(getenv("PATH")), here[4096], path[5000];
    FILE *script = NULL;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("tools", 0700), 0);
    for (int i = 0; i < 2; i++) {
        script = fopen(i ? "tools/true" : "true", "we");
        fputs("#!/bin/sh\necho wrong\n", script);
        fclose(script);
        assert_int_equal(chmod(i ? "tools/true" : "true", 0700), 0);
    }
    static const char *const fronts[] = {".:", ":", "tools:", "./tools:", "tools/../:"};
    const char *const words[] = {"true", NULL};
    for (size_t i = 0; i <= sizeof fronts / sizeof *fronts; i++) {
        bool is_alone = i == sizeof fronts / sizeof *fronts;
        snprintf(path, sizeof path, "%s%s", is_alone ? "." : fronts[i], is_alone ? "" : before);
        setenv("PATH", path, 1);
        struct child_answer answer = run_job(&(struct child_job){.words = words, .limits = usual});
        assert_int_equal(answer.end, child_end_DONE);
        assert_string_equal(answer.output.data, "");
        child_answer_free(&answer);
        char *found = child_find_program("true");
        assert_int_equal(*found, '/');
        free(found);
    }
    snprintf(path, sizeof path, "%s/tools", folder);
    setenv("PATH", path, 1);
    struct child_answer answer = run_job(&(struct child_job){.words = words, .limits = usual});
    assert_string_equal(answer.output.data, "wrong\n");
    child_answer_free(&answer);
    assert_null(child_find_program("no-such-program"));
    setenv("PATH", before, 1);
    free(before);
    assert_int_equal(chdir(here), 0);
}

static int become_echo(void *context)
{
    (void)context;
    child_execute((const char *const[]){"echo", "@file", NULL});
}

static void test_words_that_name_files_of_options(void **state)
{
    (void)state;
    struct child_answer answer;
    const char *const words[] = {"echo", "-D", "@file", NULL};
    struct child_job jobs[] = {{.words = words, .limits = usual}, {.work = become_echo, .limits = usual}};
    struct error error = {0};
    assert_false(child_run(&jobs[0], &answer, &error));
    assert_non_null(strstr(error.text, "@file"));
    answer = run_job(&jobs[1]);
    assert_int_equal(answer.end, child_end_FAILED);
    assert_string_equal(answer.output.data, "");
    child_answer_free(&answer);
}

static void test_the_current_directory(void **state)
{
    (void)state;
    char here[4096], shown[5000];
    assert_non_null(getcwd(here, sizeof here));
    check_output("pwd", "/\n", "");
    const char *const words[] = {"pwd", "-P", NULL};
    struct child_answer answer =
        run_job(&(struct child_job){.words = words, .place = child_place_PRESENT, .limits = usual});
    snprintf(shown, sizeof shown, "%s\n", here);
    assert_string_equal(answer.output.data, shown);
    child_answer_free(&answer);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    const char *const words[] = {"rm", "-r", folder, NULL};
    struct child_answer answer = run_job(&(struct child_job){.words = words, .limits = usual});
    child_answer_free(&answer);
    return answer.end == child_end_DONE ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_words_are_words),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_what_cannot_be_executed),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_large_output),
        cmocka_unit_test(test_file_sizes),
        cmocka_unit_test(test_memory_of_programs),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_memory_of_work),
        cmocka_unit_test(test_folder),
        cmocka_unit_test(test_nothing_stays),
        cmocka_unit_test(test_end_of_the_parent),
        cmocka_unit_test(test_programs_of_others),
        cmocka_unit_test(test_words_that_name_files_of_options),
        cmocka_unit_test(test_the_current_directory),
        cmocka_unit_test(test_files_in_memory),
        cmocka_unit_test(test_closed_streams),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
