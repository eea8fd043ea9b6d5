/* Which files may be read because others name them. */
#include "base/trust.h"
#include "base/memory_file.h"
#include "code/read/listing/dependencies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_folder.h"

/* home/ has project/ with a .git, and project/build/ with a Makefile and the program; away/ is beside. */
static int set_up(void **state)
{
    static const char *const folders[] = {"home",
                                          "home/.ssh",
                                          "home/other",
                                          "home/project",
                                          "home/project/.git",
                                          "home/project/.env",
                                          "home/project/src",
                                          "home/project/build",
                                          "away",
                                          "shared",
                                          "shared/mine"};
    static const char *const files[] = {"home/.ssh/id",
                                        "home/other/a.c",
                                        "home/project/src/a.c",
                                        "home/project/.env/a.c",
                                        "home/project/build/p",
                                        "home/project/build/Makefile",
                                        "home/p",
                                        "away/a.c",
                                        "shared/Makefile",
                                        "shared/a.c",
                                        "shared/mine/p"};
    if (make_folder(state))
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (mkdir(place(folders[i]), 0755))
            return -1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i], "");
    setenv("HOME", place("home"), 1);
    return chmod(place("shared"), 0777) || chdir(place("away")) ||
                   symlink(place("home/other/a.c"), place("home/project/src/link.c")) ||
                   symlink(place("home/project/build/p"), place("away/p"))
               ? -1
               : 0;
}

static bool allows(const char *named, const char *file, bool is_all)
{
    struct trust trust;
    trust_begin(&trust, is_all);
    trust_add_file(&trust, place(named));
    bool may = trust_allows(&trust, *file == '/' ? file : place(file));
    assert_int_equal(trust.refused.count, !may && !access(*file == '/' ? file : place(file), F_OK));
    trust_free(&trust);
    return may;
}

static void test_folders(void **state)
{
    (void)state;
    assert_true(allows("home/project/build/p", "home/project/build/p", false));
    assert_true(
        allows("home/project/build/p", "home/project/src/a.c", false)); /* the topmost with a marker */
    assert_true(allows("home/project/build/p", "away/a.c", false));     /* the current directory */
    assert_true(allows("away/p", "home/project/src/a.c", false));       /* where a link leads */
    assert_true(allows("home/p", "home/other/a.c", false));
    assert_false(allows("home/project/build/p", "home/other/a.c", false));
    assert_false(allows("home/project/build/p", "home/project/src/link.c", false));
    assert_false(allows("home/project/build/p", "home/project/src/../../other/a.c", false));
    assert_false(allows("home/project/build/p", "home/project/.env/a.c", false));
    assert_false(allows("home/p", "home/.ssh/id", false));
    assert_false(allows("home/p", "home/nothing", false));
    assert_false(allows("shared/mine/p", "shared/a.c", false)); /* everybody can put a Makefile there */
    assert_false(allows("home/p", "/etc/passwd", false));
    assert_false(allows("home/p", "/proc/self/environ", false));
    assert_true(allows("home/p", "/usr/bin/env", false));
    assert_true(allows("home/p", "/etc/passwd", true));
    assert_true(trust_allows(NULL, "/usr/bin/env"));
    assert_false(trust_allows(NULL, place("away/a.c")));
}

static void test_a_named_folder(void **state)
{
    (void)state;
    struct trust trust;
    trust_begin(&trust, false);
    assert_false(trust_allows(&trust, place("home/other/a.c")));
    assert_false(trust_allows(&trust, place("home/project/src/link.c"))); /* the same file */
    assert_int_equal(trust.refused.count, 1);
    trust_add_folder(&trust, place("home/other"));
    assert_true(trust_allows(&trust, place("home/other/a.c")));
    trust_add_folder(&trust, "/");
    assert_false(trust_allows(&trust, "/etc/passwd"));
    trust_free(&trust);
}

static bool rule_allows(const char *format, const char *name)
{
    struct trust trust;
    struct memory_file rule;
    struct error error = {0};
    char text[1000];
    snprintf(text, sizeof text, format, name);
    trust_begin(&trust, false);
    assert_true(memory_file_make(&rule, text, strlen(text), &error));
    bool may = dependencies_allow(&rule, "/proc/self/fd/5", &trust, "a.s", &error);
    assert_int_equal(may, !error.set);
    memory_file_close(&rule);
    trust_free(&trust);
    return may;
}

static void test_rules(void **state)
{
    (void)state;
    const char *own = place("away/a.c");
    assert_true(rule_allows("a.o: /proc/self/fd/5\n", ""));
    assert_true(rule_allows("a.o: /proc/self/fd/5 \\\n %s\n", own));
    assert_true(rule_allows("a.o: %s /usr/bin/env \\\n /proc/self/fd/5\n", own));
    assert_false(rule_allows("a.o: %s /etc/passwd\n", own));
    assert_false(rule_allows("a.o: %s \\\n etc/passwd\n", own));
    assert_false(rule_allows("a.o: /proc/self/fd/6\n", ""));
    assert_false(rule_allows("a.o: %s\n", place("away/none")));
    /* Names with ends of lines could pass for others. */
    assert_false(rule_allows("a.o: %s\n\n", own));
    assert_false(rule_allows("a.o: %s\\ \\\n /usr/bin/env\n", own));
    assert_false(rule_allows("a.o: %s\n /usr/bin/env\n", own));
    assert_false(rule_allows("a.o: %s", own));
    assert_false(rule_allows("%s", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_a_named_folder),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
