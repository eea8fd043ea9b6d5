/* Work on a stranger's text in a process of its own: what it can do there, what comes back, and which limit
   it met. */
#include "able.h"
#include "base/apart.h"
#include "base/child.h"
#include "base/confine.h"
#include "base/desk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what a confined process can do ---- */

static bool is_refused(long result)
{
    return result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
}

static void *nothing(void *context)
{
    return context;
}

static pid_t tested;  /* the process of the test */
static int inherited; /* a file that it has open for writing */

static bool has_landlock; /* devices and processes are out of sight */
static char target[64];

/* One character for each trial: '.' where it was refused. */
static bool try_forbidden(void *context, FILE *out, struct error *error)
{
    (void)context, (void)error;
    static char *const words[] = {"true", NULL};
    struct rlimit wide = {RLIM_INFINITY, RLIM_INFINITY};
    const bool refused[] = {
        is_refused(execve("/bin/true", words, NULL)),
        is_refused(fork()),
        is_refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)),
        is_refused(socket(AF_INET, SOCK_STREAM, 0)),
        is_refused(socket(AF_UNIX, SOCK_STREAM, 0)),
        is_refused(open(target, O_WRONLY)),
        is_refused(open(target, O_RDWR)),
        is_refused(open("/tmp/assay-apart-new", O_WRONLY | O_CREAT, 0600)),
        is_refused(open(target, O_RDONLY | O_TRUNC)),
        is_refused(unlink(target)),
        is_refused(rename(target, "/tmp/assay-apart-other")),
        is_refused(link(target, "/tmp/assay-apart-other")),
        is_refused(symlink(target, "/tmp/assay-apart-other")),
        is_refused(mkdir("/tmp/assay-apart-new", 0700)),
        is_refused(chmod(target, 0777)),
        is_refused(kill(tested, 0)),
        is_refused(kill(-1, 0)),
        is_refused(ptrace(PTRACE_ATTACH, tested, NULL, NULL)),
        is_refused(setrlimit(RLIMIT_AS, &wide)),
        is_refused(syscall(SYS_io_uring_setup, 1, NULL)),
        is_refused(syscall(SYS_process_vm_writev, tested, NULL, 0, NULL, 0, 0)),
        is_refused(mprotect(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096,
                            PROT_READ | PROT_EXEC)),
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED,
        write(inherited, "x", 1) < 0,
        has_landlock ? is_refused(open("/dev/tty", O_RDONLY)) : true,
        has_landlock ? is_refused(open("/proc/1/status", O_RDONLY)) : true,
    };
    for (size_t i = 0; i < sizeof refused; i++)
        putc(refused[i] ? '.' : (int)('a' + i), out);
    return true;
}

static bool try_allowed(void *context, FILE *out, struct error *error)
{
    (void)context, (void)error;
    pthread_t thread;
    char text[8] = "";
    int file = open(target, O_RDONLY), unnamed = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    void *memory = malloc(64 << 20);
    const bool good[] = {
        file >= 0 && read(file, text, 4) == 4 && !strcmp(text, "text"),
        unnamed < 0 || (write(unnamed, "x", 1) == 1 && !ftruncate(unnamed, 0)),
        memory && memset(memory, 1, 64 << 20),
        !pthread_create(&thread, NULL, nothing, NULL) && !pthread_join(thread, NULL),
    };
    free(memory);
    for (size_t i = 0; i < sizeof good; i++)
        putc(good[i] ? '.' : (int)('a' + i), out);
    return true;
}

/* What work printed; its error, if there is any. */
static char *printed(struct apart apart, struct error *error, bool *done)
{
    char *text = NULL;
    size_t size = 0;
    apart.out = open_memstream(&text, &size);
    apart.what = "the work";
    *done = apart_run(&apart, error);
    fclose(apart.out);
    return text;
}

static int try_to_confine(void *context)
{
    (void)context;
    return !confine();
}

static bool can_confine(void)
{
    struct child_job job = {.work = try_to_confine, .limits = {.memory = 1 << 30, .seconds = 60}};
    struct child_answer answer;
    struct error error = {0};
    assert_true(child_run(&job, &answer, &error));
    bool can = answer.end == child_end_DONE;
    child_answer_free(&answer);
    return can;
}

static void check_all_dots(bool (*work)(void *context, FILE *out, struct error *error))
{
    struct error error = {0};
    bool done;
    if (!can_confine())
        unable("this kernel has no seccomp");
    char *text = printed((struct apart){.work = work}, &error, &done);
    assert_true(done);
    assert_int_equal(strspn(text, "."), strlen(text));
    assert_true(*text);
    free(text);
}

static void test_forbidden(void **state)
{
    (void)state;
    check_all_dots(try_forbidden);
    assert_int_equal(access(target, R_OK), 0);
}

static void test_allowed(void **state)
{
    (void)state;
    check_all_dots(try_allowed);
}

/* ---- what comes back ---- */

struct numbers {
    long first, second;
};
static struct numbers numbers;

static bool print_much(void *context, FILE *out, struct error *error)
{
    const int *count = context;
    (void)error;
    for (int i = 0; i < *count; i++)
        fprintf(out, "%d\n", i);
    numbers = (struct numbers){*count, 2};
    return true;
}

static void test_output(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 200000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int count = counts[i];
        struct error error = {0};
        bool done;
        numbers = (struct numbers){0};
        char *text = printed((struct apart){.work = print_much,
                                            .context = &count,
                                            .result = &numbers,
                                            .result_size = sizeof numbers},
                             &error, &done),
             *expected = NULL;
        size_t size;
        FILE *stream = open_memstream(&expected, &size);
        print_much(&count, stream, &error);
        fclose(stream);
        assert_true(done);
        assert_string_equal(text, expected);
        assert_int_equal(numbers.first, count);
        assert_int_equal(numbers.second, 2);
        free(text);
        free(expected);
    }
}

static bool fail_midway(void *context, FILE *out, struct error *error)
{
    (void)context;
    fputs("first", out);
    return error_set(error, "file", "is wrong");
}

static bool crash(void *context, FILE *out, struct error *error)
{
    (void)context, (void)error;
    fputs("lost", out);
    signal(SIGILL, SIG_DFL); /* cmocka catches it */
    raise(SIGILL);
    return true;
}

static bool never_end(void *context, FILE *out, struct error *error)
{
    (void)context, (void)out, (void)error;
    for (volatile int i = 0;; i++)
        ;
    return true;
}

static bool eat(void *context, FILE *out, struct error *error)
{
    (void)context, (void)out, (void)error;
    for (;;)
        memset(memory_get(1 << 20), 1, 1 << 20);
    return true;
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

static void check_failure(struct apart apart, const char *output, const char *words)
{
    struct error error = {0};
    bool done;
    char *text = printed(apart, &error, &done);
    assert_false(done);
    if (output)
        assert_string_equal(text, output);
    if (!strstr(error.text, words))
        fail_msg("'%s' is not in: %s", words, error.text);
    free(text);
}

static void test_failures(void **state)
{
    (void)state;
    int many = 1000000;
    check_failure((struct apart){.work = fail_midway}, "first", "file: is wrong");
    check_failure((struct apart){.work = print_much, .context = &many, .most_output = 1 << 20}, NULL,
                  "the work writes more than 1 MB");
    check_failure((struct apart){.work = crash}, "", "the work ended its process by signal 4");
    check_failure((struct apart){.work = never_end, .seconds = 1, .setting = "LIMIT"}, "",
                  "the work did not end within 1 s, which is its limit (LIMIT sets it)");
    check_failure((struct apart){.work = never_end, .must_end = at_once}, "", "interrupted");
    if (can_confine()) /* qemu-user has neither */
        check_failure((struct apart){.work = eat, .memory = 256 << 20}, "",
                      "the work needs more than the 256 MB that it may have");
}

/* ---- the desk ---- */

static void *open_subject(void *context, const char *subject, struct error *error)
{
    if (!strcmp(subject, "absent")) {
        error_set(error, subject, "is not there");
        return NULL;
    }
    return context;
}

static void answer_word(void *context, void *opened, const struct desk_question *question, FILE *out)
{
    assert_ptr_equal(context, opened);
    struct error ignored = {0};
    char word[20];
    snprintf(word, sizeof word, "%.*s", (int)question->size, question->text);
    if (!strcmp(word, "crash"))
        crash(NULL, out, &ignored);
    if (!strcmp(word, "end"))
        _exit(0);
    while (!strcmp(word, "flood"))
        fputs("more than anybody wants, ", out);
    if (!strcmp(word, "loop"))
        never_end(NULL, out, &ignored);
    if (!strcmp(word, "eat"))
        eat(NULL, out, &ignored);
    if (!strcmp(word, "forbidden"))
        try_forbidden(NULL, out, &ignored);
    else
        fprintf(out, "%s: %s", question->subject, word);
}

static bool is_never(void *context)
{
    (void)context;
    return false;
}

static void check_desk(struct desk *desk, const char *subject, const char *word, bool (*must_end)(void *),
                       enum desk_end end, const char *expected)
{
    struct array answer = ARRAY_OF(char);
    struct error error = {0};
    unsigned seconds = end == desk_end_LATE ? 1 : 300;
    assert_int_equal(desk_ask(desk, &(struct desk_question){subject, word, strlen(word)}, seconds, must_end,
                              NULL, &answer, &error),
                     end);
    if (end == desk_end_DONE)
        assert_int_equal(answer.count, strlen(expected));
    if (end == desk_end_DONE)
        assert_memory_equal(answer.data, expected, answer.count);
    else
        assert_string_equal(error.text, expected);
    array_free(&answer);
}

static void test_desk(void **state)
{
    (void)state;
    int context;
    struct error error = {0};
    bool can = can_confine();
    struct desk *desk = desk_open(
        &(struct desk_options){
            .open = open_subject, .answer = answer_word, .context = &context, .memory = 256 << 20},
        &error);
    assert_non_null(desk);
    check_desk(desk, "file", "word", is_never, desk_end_DONE, "file: word");
    check_desk(desk, "absent", "word", is_never, desk_end_REFUSED, "absent: is not there");
    check_desk(desk, "file", "crash", is_never, desk_end_BROKEN, "");
    check_desk(desk, "file", "end", is_never, desk_end_BROKEN, "");
    check_desk(desk, "file", "flood", is_never, desk_end_BROKEN, "");
    check_desk(desk, "file", "loop", is_never, desk_end_LATE, "");
    check_desk(desk, "file", "loop", at_once, desk_end_KILLED, "");
    if (can) {
        check_desk(desk, "file", "eat", is_never, desk_end_BROKEN, "");
        check_desk(desk, "file", "forbidden", is_never, desk_end_DONE, "..........................");
    }
    for (int i = 0; i < 200; i++) /* more than there are places */
        check_desk(desk, "file", "word", is_never, desk_end_DONE, "file: word");
    desk_close(desk);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
}

static int make_target(void **state)
{
    (void)state;
    tested = getpid();
    has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
    inherited = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    strcpy(target, "/tmp/assay-apart-XXXXXX");
    int file = mkstemp(target);
    return file < 0 || write(file, "text", 4) != 4 || close(file);
}

static int remove_target(void **state)
{
    (void)state;
    return unlink(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forbidden), cmocka_unit_test(test_allowed), cmocka_unit_test(test_output),
        cmocka_unit_test(test_failures),  cmocka_unit_test(test_desk),
    };
    return cmocka_run_group_tests(tests, make_target, remove_target);
}
