/* Compile commands taken apart, files of choices, variants as texts. */
#include "change/optimise/compile/choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/assay-compilation-XXXXXX";
static char source[100], database[100], settings[100];

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(source, sizeof source, "%s/solve.c", folder);
    snprintf(database, sizeof database, "%s/compile_commands.json", folder);
    snprintf(settings, sizeof settings, "%s/options", folder);
    write_file(source, "int x;\n");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(source);
    unlink(database);
    unlink(settings);
    return rmdir(folder);
}

static char *joined(const struct array *words)
{
    static char text[2000];
    *text = 0;
    for (size_t i = 0; i < words->count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, *ARRAY_AT(char *, words, i));
    }
    return text;
}

static void words_are_sorted_by_what_they_decide(void **state)
{
    (void)state;
    static const char *const words[] = {"ccache",
                                        "gcc",
                                        "-O2",
                                        "-Wall",
                                        "-g",
                                        "-Iinc",
                                        "-D",
                                        "N=4",
                                        "-MD",
                                        "-MF",
                                        "x.d",
                                        "-std=c11",
                                        "-fPIC",
                                        "-flto",
                                        "--param",
                                        "max-unroll-times=2",
                                        "-c",
                                        "solve.c",
                                        "-o",
                                        "solve.o",
                                        "-march=native",
                                        "-lm"};
    struct compilation compilation;
    struct error error = {0};
    assert_true(
        compilation_from_words(words, sizeof words / sizeof *words, folder, NULL, &compilation, &error));
    assert_string_equal(compilation.source, source);
    assert_int_equal(compilation.family, compiler_GCC);
    assert_int_equal(compilation.language, source_C);
    char expected[500];
    snprintf(expected, sizeof expected, "-I %s/inc -DN=4 -std=c11 -fPIC -iquote %s", folder, folder);
    assert_string_equal(joined(&compilation.meaning), expected);
    assert_string_equal(joined(&compilation.tuning), "-O2 --param=max-unroll-times=2 -march=native");
    compilation_free(&compilation);
}

static void refuses(const char *const *words, size_t count, const char *what)
{
    struct compilation compilation;
    struct error error = {0};
    assert_false(compilation_from_words(words, count, folder, NULL, &compilation, &error));
    if (!strstr(error.text, what))
        fail_msg("%s", error.text);
}

static void wrong_commands_are_told(void **state)
{
    (void)state;
    refuses((const char *const[]){"gcc", "-c"}, 2, "no source");
    refuses((const char *const[]){"gcc", "-c", "solve.c", "solve.c"}, 4, "2 sources");
    refuses((const char *const[]){"gcc", "-c", "nowhere.c"}, 3, "cannot be read");
    refuses((const char *const[]){"no-such-compiler", "-c", "solve.c"}, 3, "no such compiler");
    refuses((const char *const[]){"true", "-c", "solve.c"}, 3, "neither GCC nor clang");
    refuses((const char *const[]){"gcc", "@options", "solve.c"}, 3, "write them out");
    refuses(NULL, 0, "missing");
}

static void a_strangers_options_pass_a_list(void **state)
{
    (void)state;
    char text[3000];
    struct compilation compilation;
    struct error error = {0};
    snprintf(text, sizeof text,
             "[{\"directory\":\"%s\",\"file\":\"solve.c\",\"command\":\"/evil/bin/gcc -O3 -funroll-loops "
             "-fplugin=./evil.so -wrapper ./evil -B./evil -specs=evil -DN=3 @evil -include /etc/shadow "
             "-fmodule-mapper=|evil -mllvm -load=evil -Xclang -load -Iinc -mtune=native -c solve.c\"}]",
             folder);
    write_file(database, text);
    assert_true(compilation_from_commands_file(database, source, &compilation, &error));
    assert_string_not_equal(compilation.compiler, "/evil/bin/gcc");
    assert_string_equal(joined(&compilation.tuning), "-O3 -funroll-loops -mtune=native");
    assert_null(strstr(joined(&compilation.meaning), "evil"));
    assert_null(strstr(joined(&compilation.meaning), "shadow"));
    assert_non_null(strstr(joined(&compilation.meaning), "-DN=3"));
    assert_true(compilation.dropped >= 8);
    compilation_free(&compilation);
    snprintf(text, sizeof text,
             "[{\"directory\":\"%s\",\"file\":\"solve.c\",\"command\":\"./gcc.sh -c solve.c\"}]", folder);
    write_file(database, text);
    assert_false(compilation_from_commands_file(database, source, &compilation, &error));
    assert_non_null(strstr(error.text, "not a compiler that is known"));
}

static void debug_information_tells_the_compiler(void **state)
{
    (void)state;
    struct compilation compilation;
    struct error error = {0};
    assert_true(
        compilation_from_producer("GNU C17 12.2.0 -mlittle-endian -mabi=lp64 -g -O2 -fplugin=x -ffast-math",
                                  folder, "solve.c", &compilation, &error));
    assert_string_equal(joined(&compilation.tuning), "-O2 -ffast-math");
    assert_int_equal(compilation.dropped, 1);
    compilation_free(&compilation);
    assert_false(compilation_from_producer("rustc version 1.63", folder, "solve.c", &compilation, &error));
}

static const char choices_text[] =
    "[choice unroll]\nform = flag\nvalues = -funroll-loops, -fno-such-option-anywhere\n"
    "says = unroll\n\n[choice simd]\nform = pragma\nvalues = omp simd\nrisks = aliasing\n"
    "with = -fopenmp-simd\nsays = promise\n\n[choice gone]\nform = flag\n"
    "values = -fno-such-thing-either\nsays = nothing\n";

static void choices_are_read_and_asked(void **state)
{
    (void)state;
    write_file(settings, choices_text);
    struct choices choices;
    struct error error = {0};
    assert_true(choices_read(settings, &choices, &error));
    assert_int_equal(choices.list.count, 3);
    struct compilation compilation;
    static const char *const words[] = {"gcc", "-c", "solve.c"};
    assert_true(compilation_from_words(words, 3, folder, NULL, &compilation, &error));
    assert_true(choices_keep_taken(&choices, &compilation, &error));
    assert_int_equal(choices.list.count, 2);
    assert_int_equal(choices_at(&choices, 0)->value_count, 1);
    struct variant variant, again;
    assert_true(variant_parse(&choices, "unroll: -funroll-loops, simd: omp simd", &variant, &error));
    assert_int_equal(variant_risks(&choices, &variant), risk_ALIASING);
    struct array flags = variant_flags(&choices, &variant);
    assert_string_equal(joined(&flags), "-funroll-loops -fopenmp-simd");
    for (size_t i = 0; i < flags.count; i++)
        free(*ARRAY_AT(char *, &flags, i));
    array_free(&flags);
    char *text = variant_text(&choices, &variant);
    assert_true(variant_parse(&choices, text, &again, &error));
    assert_memory_equal(variant.values, again.values, 2);
    free(text);
    variant_free(&variant);
    variant_free(&again);
    assert_false(variant_parse(&choices, "unrol: -funroll-loops", &variant, &error));
    assert_non_null(strstr(error.text, "did you mean unroll"));
    compilation_free(&compilation);
    choices_free(&choices);
}

static void is_wrong(const char *text, const char *what)
{
    write_file(settings, text);
    struct choices choices;
    struct error error = {0};
    assert_false(choices_read(settings, &choices, &error));
    if (!strstr(error.text, what))
        fail_msg("%s", error.text);
}

static void wrong_choices_are_told_with_their_place(void **state)
{
    (void)state;
    is_wrong("[choice a]\nform = flag\nsays = x\n", "values");
    is_wrong("[choice a]\nform = flg\nvalues = -O2\nsays = x\n", ":2:");
    is_wrong("[choice a]\nform = flag\nvalues = O2\nsays = x\n", ":3:10: `O2`: a flag starts with -");
    is_wrong("[choice a]\nform = flag\nvalues = -O2, -O2\nsays = x\n", "twice");
    is_wrong("[choice a]\nform = flag\nvalues = -O2\nrisks = roundin\nsays = x\n",
             ":4:9: `roundin` is not a risk");
    is_wrong("[choice a]\nform = aligned\nvalues = 48\nsays = x\n", "power of two");
    is_wrong("", "no choices");
}

static void shipped_options_are_read(void **state)
{
    (void)state;
    for (int family = 0; family < compiler_FAMILIES; family++) {
        char path[300];
        struct choices choices;
        struct error error = {0};
        snprintf(path, sizeof path, PROJECT "/data/compiler-options/%s",
                 compiler_family_name((enum compiler_family)family));
        if (!choices_read(path, &choices, &error))
            fail_msg("%s", error.text);
        assert_true(choices.list.count > 30);
        choices_free(&choices);
    }
}

/* gcc and clang in a folder of links to ccache are two compilers; gcc and gcc-12 in /usr/bin are one. */
static void links_to_ccache_are_what_they_are_called(void **state)
{
    static const char *const names[] = {"ccache", "gcc-12", "a", "b", "c"};
    char paths[5][120];
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    write_file(paths[0], "");
    write_file(paths[1], "");
    assert_int_equal(symlink("ccache", paths[2]), 0);
    assert_int_equal(symlink("ccache", paths[3]), 0);
    assert_int_equal(symlink("gcc-12", paths[4]), 0);
    assert_true(compilation_is_same_compiler(paths[2], paths[2]));
    assert_false(compilation_is_same_compiler(paths[2], paths[3]));
    assert_true(compilation_is_same_compiler(paths[4], paths[1]));
    assert_false(compilation_is_same_compiler(paths[4], paths[2]));
    for (unsigned i = 0; i < 5; i++)
        unlink(paths[i]);
    assert_false(compilation_is_same_compiler(paths[4], paths[1]));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_sorted_by_what_they_decide, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(wrong_commands_are_told, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_strangers_options_pass_a_list, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(debug_information_tells_the_compiler, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(choices_are_read_and_asked, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(wrong_choices_are_told_with_their_place, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(links_to_ccache_are_what_they_are_called, make_folder, remove_folder),
        cmocka_unit_test(shipped_options_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
