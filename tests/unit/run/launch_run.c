/* Starting programs (src/run/launch/launch.c) and waiting for them (src/run/launch/run.c). */
#include "able.h"
#include "run/launch/run.h"

#include "base/path.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const nothing[] = {NULL};

static void launch_shell(struct launch *launch, const char *script)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    launch_init(launch);
    launch->file = memory_format("/bin/sh");
    launch_add_words(launch, words);
    launch_inherit(launch, nothing);
}

static const char *assignment_of(const struct launch *launch, const char *name)
{
    size_t length = strlen(name);
    const char *found = NULL;
    for (size_t i = 0; i < launch->environment.count; i++) {
        const char *text = *ARRAY_AT(char *, &launch->environment, i);
        if (!strncmp(text, name, length) && text[length] == '=') {
            assert_null(found); /* once */
            found = text + length + 1;
        }
    }
    return found;
}

static void how_it_ends(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        int exit_status, end_signal;
    } cases[] = {{"exit 0", 0, 0}, {"exit 3", 3, 0}, {"kill -9 $$", -1, SIGKILL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct launch_run run;
        struct launch launch;
        struct error error = {0};
        assert_true(launch_run_begin(&run, &error));
        launch_shell(&launch, cases[i].script);
        assert_true(launch_run(&launch, &run, &error));
        assert_int_equal(run.exit_status, cases[i].exit_status);
        assert_int_equal(run.end_signal, cases[i].end_signal);
        assert_true(run.process > 0);
        assert_true(run.seconds > 0);
        launch_free(&launch);
        launch_run_forget(&run);
    }
}

static void what_cannot_be_run(void **state)
{
    (void)state;
    struct launch_run run;
    struct launch launch;
    struct error error = {0};
    assert_true(launch_run_begin(&run, &error));
    char *folder = memory_format("%s", run.folder);
    launch_init(&launch);
    launch.file = memory_format("/nowhere/program");
    launch_add_word(&launch, memory_format("program"));
    assert_false(launch_run(&launch, &run, &error));
    assert_non_null(strstr(error.text, "/nowhere/program"));
    assert_int_equal(access(folder, F_OK), 0);
    launch_free(&launch);
    launch_run_forget(&run);
    assert_int_equal(access(folder, F_OK), -1);
    launch_run_forget(&run); /* nothing is left to do */
    free(folder);
}

static void environments(void **state)
{
    (void)state;
    static const char *const without[] = {"ASSAY_TEST_OURS", NULL};
    struct launch launch;
    setenv("ASSAY_TEST_OURS", "old", 1);
    setenv("ASSAY_TEST_OURSELVES", "stays", 1);
    launch_init(&launch);
    launch_inherit(&launch, without);
    assert_null(assignment_of(&launch, "ASSAY_TEST_OURS"));
    launch_assign(&launch, memory_format("ASSAY_TEST_OURS=new"));
    assert_string_equal(assignment_of(&launch, "ASSAY_TEST_OURS"), "new");
    assert_string_equal(assignment_of(&launch, "ASSAY_TEST_OURSELVES"), "stays");
    launch_free(&launch);
}

/* The math library is loaded into a program that does not use it, by its name in place of $LIB. */
static void libraries_are_loaded_before_others(void **state)
{
    (void)state;
    static const char *const without[] = {"LD_PRELOAD", NULL};
    Dl_info facts;
    double (*function)(double) = sin;
    void *address;
    memcpy(&address, &function, sizeof address);
    if (!dladdr(address, &facts) || !strstr(path_name(facts.dli_fname), "libm"))
        unable("the mathematical library is not linked dynamically here");
    struct launch_run run;
    struct launch launch;
    struct error error = {0};
    assert_true(launch_run_begin(&run, &error));
    char *script = memory_format("cat /proc/self/maps > %s/maps 2> %s/complaints", run.folder, run.folder);
    char *real = realpath(facts.dli_fname, NULL);
    launch_shell(&launch, script);
    while (launch.environment.count)
        free(*ARRAY_AT(char *, &launch.environment, --launch.environment.count));
    setenv("LD_PRELOAD", "", 1);
    launch_inherit(&launch, without);
    assert_true(launch_preload(&launch, run.folder, "library.so", real, NULL, &error));
    char *wanted = memory_format("%s/$LIB/library.so", run.folder);
    assert_string_equal(assignment_of(&launch, "LD_PRELOAD"), wanted);
    assert_true(launch_run(&launch, &run, &error));
    assert_int_equal(run.exit_status, 0);
    char *path = memory_format("%s/maps", run.folder),
         *complaints = memory_format("%s/complaints", run.folder);
    char line[512];
    bool is_there = false;
    FILE *maps = fopen(path, "re");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        is_there |= strstr(line, path_name(real)) != NULL;
    fclose(maps);
    assert_true(is_there);
    struct stat size;
    assert_int_equal(stat(complaints, &size), 0);
    assert_int_equal(size.st_size, 0);
    free(path);
    free(complaints);
    free(wanted);
    free(script);
    free(real);
    launch_free(&launch);
    launch_run_forget(&run);

    /* Libraries that somebody else wants stay. */
    setenv("LD_PRELOAD", "/other.so:/more.so", 1);
    assert_true(launch_run_begin(&run, &error));
    launch_init(&launch);
    launch_inherit(&launch, without);
    assert_true(launch_preload(&launch, run.folder, "library.so", "/nowhere", "/nowhere32", &error));
    wanted = memory_format("%s/$LIB/library.so:/other.so:/more.so", run.folder);
    assert_string_equal(assignment_of(&launch, "LD_PRELOAD"), wanted);
    free(wanted);
    unsetenv("LD_PRELOAD");
    launch_free(&launch);
    launch_run_forget(&run);
}

struct outsider {
    uint32_t process;
    bool is_willing;
    char name[64]; /* of what runs while it prepares */
};

static bool look(void *context, uint32_t process, struct error *error)
{
    struct outsider *outsider = context;
    char *path = memory_format("/proc/%u/comm", process);
    FILE *file = fopen(path, "re");
    outsider->process = process;
    usleep(20000);
    if (file && !fgets(outsider->name, sizeof outsider->name, file))
        outsider->name[0] = 0;
    if (file)
        fclose(file);
    free(path);
    return outsider->is_willing || error_set(error, NULL, "no");
}

/* Whoever watches from outside is asked before the program begins, and may stop it. */
static void programs_wait_for_outsiders(void **state)
{
    (void)state;
    for (unsigned is_willing = 0; is_willing < 2; is_willing++) {
        struct outsider seen = {.is_willing = is_willing};
        struct launch_outsider outsider = {look, &seen};
        struct launch_run run;
        struct launch launch;
        struct error error = {0};
        assert_true(launch_run_begin(&run, &error));
        char *script = memory_format("echo x > %s/7.there; exit 5", run.folder);
        launch_shell(&launch, script);
        assert_int_equal(launch_run_from_outside(&launch, &run, &outsider, &error), is_willing);
        assert_int_equal(seen.process, run.process);
        assert_string_not_equal(seen.name, "sh\n");
        assert_true(strlen(seen.name) > 0);
        struct array paths = ARRAY_OF(char *);
        launch_run_list(&run, "", ".there", &paths);
        assert_int_equal(paths.count, is_willing);
        if (is_willing)
            assert_int_equal(run.exit_status, 5);
        else
            assert_string_equal(error.text, "no");
        for (size_t i = 0; i < paths.count; i++)
            free(*ARRAY_AT(char *, &paths, i));
        array_free(&paths);
        free(script);
        launch_free(&launch);
        launch_run_forget(&run);
    }
}

/* Of the program, its threads, and children that it waited for. */
static void what_it_used(void **state)
{
    (void)state;
    struct launch_run run;
    struct launch launch;
    struct error error = {0};
    assert_true(launch_run_begin(&run, &error));
    launch_shell(&launch, "sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'; exit 0");
    assert_true(launch_run(&launch, &run, &error));
    assert_true(run.usage.user > 0.001 && run.usage.user <= run.seconds + 0.02);
    assert_true(run.usage.kernel >= 0);
    assert_true(run.usage.minor_faults > 10);
    assert_true(run.usage.voluntary_switches > 0);
    assert_in_range(run.usage.peak_memory, 100 << 10, 1 << 30);
    launch_free(&launch);
    launch_run_forget(&run);
}

/* The program's own process first, then by number; files before an exec in order; empty ones are left out. */
static void recordings_are_listed_in_order(void **state)
{
    (void)state;
    struct launch_run run;
    struct launch launch;
    struct error error = {0};
    assert_true(launch_run_begin(&run, &error));
    char *script = memory_format("cd %s && for n in 9 100 99 $$; do echo x > rec.$n; done; echo x > "
                                 "rec.9.10; echo x > rec.9.2; > rec.5; "
                                 "echo x > else.7; mkdir rec.8; echo x > 7.end",
                                 run.folder);
    launch_shell(&launch, script);
    assert_true(launch_run(&launch, &run, &error));
    struct array paths = ARRAY_OF(char *);
    launch_run_list(&run, "rec.", "", &paths);
    char *own = memory_format("rec.%u", run.process);
    const char *const wanted[] = {own, "rec.9", "rec.9.2", "rec.9.10", "rec.99", "rec.100"};
    assert_int_equal(paths.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < paths.count; i++) {
        assert_string_equal(path_name(*ARRAY_AT(char *, &paths, i)), wanted[i]);
        free(*ARRAY_AT(char *, &paths, i));
    }
    array_free(&paths);
    paths = ARRAY_OF(char *);
    launch_run_list(&run, "", ".end", &paths);
    assert_int_equal(paths.count, 1);
    free(*ARRAY_AT(char *, &paths, 0));
    array_free(&paths);
    free(own);
    free(script);
    launch_free(&launch);
    launch_run_forget(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_it_ends),
        cmocka_unit_test(what_cannot_be_run),
        cmocka_unit_test(programs_wait_for_outsiders),
        cmocka_unit_test(what_it_used),
        cmocka_unit_test(environments),
        cmocka_unit_test(libraries_are_loaded_before_others),
        cmocka_unit_test(recordings_are_listed_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
