/* Switch statements with a known number of labels, compiled by the installed compilers for all their ISAs,
   must have exactly that many targets, none of them guessed.  A missing compiler or option is skipped; the
   host's own compiler must be there. */
/* last build only: the compilers take the time */
#include "code/read/read.h"
#include "code/structure/structure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Labels are first, first + 1, … without those whose number is a multiple of hole (0: none is left out). */
struct sample {
    const char *name, *parameter, *selector; /* selector: the expression that is switched on */
    int first, count, hole;
    bool is_in_loop;
    bool is_computed; /* not a switch but a goto through a table of labels */
};

static const struct sample samples[] = {
    {"dense", "int x", "x", 0, 24, 0, false},
    {"offset", "int x", "x", 100, 31, 0, false},
    {"holes", "int x", "x", 7, 40, 3, false},
    {"negative", "int x", "x", -13, 27, 0, false},
    {"wide", "long x", "x", 3, 30, 0, false},
    {"big", "unsigned x", "x", 0, 300, 0, false},
    {"letters", "unsigned char x", "x", 'a', 26, 0, false},
    {"masked", "unsigned x", "x & 31", 0, 32, 0, false},
    {"bytes", "const unsigned char *x", "x[i]", 10, 60, 0, true},
    {"nibbles", "const unsigned char *x", "x[i] & 15", 0, 16, 0, true},
    {"field", "struct node *x", "x->kind", 1, 35, 5, false},
    {"chain", "struct node *x", "(x = x->next)->kind", 0, 20, 0, true},
    {"computed", "unsigned x", "x & 15", 0, 16, 0, false, true},
};
enum { SAMPLES = sizeof samples / sizeof samples[0], MOST_LABELS = 300 };

static bool is_hole(const struct sample *sample, int number)
{
    return sample->hole && number > 0 && number + 1 < sample->count && number % sample->hole == 0;
}

static int label_count(const struct sample *sample)
{
    int labels = 0;
    for (int i = 0; i < sample->count; i++)
        labels += !is_hole(sample, i);
    return labels;
}

static void write_computed(FILE *file, const struct sample *sample)
{
    fprintf(file, "int %s(%s, int n) {\n    int s = n;\n    static const void *const labels[] = {",
            sample->name, sample->parameter);
    for (int i = 0; i < sample->count; i++)
        fprintf(file, "&&l%d, ", i);
    fprintf(file, "};\n    goto *labels[%s];\n", sample->selector);
    for (int i = 0; i < sample->count; i++)
        fprintf(file, "l%d: s += f%d(s); goto end;\n", i, i);
    fprintf(file, "end: return s;\n}\n");
}

static void write_sample(FILE *file, const struct sample *sample)
{
    fprintf(file, "int %s(%s, int n) {\n    int s = n;\n", sample->name, sample->parameter);
    if (sample->is_in_loop)
        fprintf(file, "    for (int i = 0; i < n; i++)\n");
    fprintf(file, "    switch (%s) {\n", sample->selector);
    for (int i = 0; i < sample->count; i++) {
        if (!is_hole(sample, i))
            fprintf(file, "    case %d: s += f%d(s); break;\n", sample->first + i, i);
    }
    fprintf(file, "    default: s -= g(s); break;\n    }\n    return s;\n}\n");
}

/* Every label calls another function, so that no two bodies can be one. */
static void write_source(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "struct node { struct node *next; int kind; };\n"
                  "#define CALLED(name) __attribute__((noinline)) int name(int x) "
                  "{ __asm__ volatile(\"\" : \"+r\"(x)); return x + __LINE__; }\n"
                  "CALLED(g)\n");
    for (int i = 0; i < MOST_LABELS; i++)
        fprintf(file, "CALLED(f%d)\n", i);
    for (size_t i = 0; i < SAMPLES; i++) {
        if (samples[i].is_computed)
            write_computed(file, &samples[i]);
        else
            write_sample(file, &samples[i]);
    }
    fprintf(file, "void _start(void) {}\n");
    fclose(file);
}

/* Edges are sorted by their source. */
static int count_targets(const struct model *model, uint32_t block)
{
    size_t low = 0, high = model->edges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model_edge(model, (uint32_t)middle)->source < block)
            low = middle + 1;
        else
            high = middle;
    }
    int targets = 0;
    for (; low < model->edges.count && model_edge(model, (uint32_t)low)->source == block; low++)
        targets += model_edge(model, (uint32_t)low)->kind == edge_kind_SWITCH;
    return targets;
}

static int failures;
static void complain(const char *what, const char *name, const char *message, long number)
{
    print_error("%s: %s %s (%ld)\n", what, name, message, number);
    failures++;
}

static void check_function(const struct model *model, const struct function *function, const char *what)
{
    const char *name = model_text(model, function->name);
    const struct sample *sample = NULL;
    for (size_t i = 0; i < SAMPLES; i++) {
        if (!strcmp(name, samples[i].name))
            sample = &samples[i];
    }
    if (!sample)
        return;
    int switches = 0, labels = label_count(sample);
    for (uint32_t block = function->first_block; block < function->first_block + function->block_count;
         block++) {
        uint8_t ends = model_block(model, block)->ends;
        if (ends == block_end_INDIRECT)
            complain(what, name, "has an indirect jump without targets at",
                     (long)model_block(model, block)->address);
        if (ends != block_end_SWITCH)
            continue;
        int targets = count_targets(model, block);
        /* Holes lead to the default.  Where a mask makes the default unreachable, the last label may take its
           place, before the table. */
        bool is_masked = strchr(sample->selector, '&');
        if (targets != labels + (sample->hole != 0) && !(is_masked && targets == labels - 1))
            complain(what, name, "has a wrong number of targets", targets);
        switches++;
    }
    if (switches == 0)
        complain(what, name, "has no switch; blocks", function->block_count);
}

static void check_file(const char *path, const char *what)
{
    struct model model;
    struct error error = {0};
    model_init(&model);
    if (!read_file(&model, path, &(struct read_options){.without_debug = true}, &error) ||
        !structure_build(&model, &(struct structure_options){.threads = 2}, &error))
        fail_msg("%s: %s", what, error.text);
    int found = 0;
    for (uint32_t id = 1; id < model.functions.count; id++) {
        check_function(&model, model_function(&model, id), what);
        for (size_t i = 0; i < SAMPLES; i++)
            found += !strcmp(model_text(&model, model_function(&model, id)->name), samples[i].name);
    }
    assert_int_equal(found, SAMPLES);
    for (size_t i = 1; i < model.problems.count; i++) {
        const struct problem *problem = model_problem(&model, (uint32_t)i);
        if (problem->kind == problem_kind_TABLE || problem->kind == problem_kind_INDIRECT)
            complain(what, model_text(&model, problem->text), "at", (long)problem->address);
    }
    model_free(&model);
}

/* compile makes an object, link a program of it. */
struct toolchain {
    const char *name, *compile, *link;
};

static const struct toolchain toolchains[] = {
    {"gcc", "gcc", "gcc"},
#ifndef __x86_64__
    {"gcc x86-64", "x86_64-linux-gnu-gcc", "x86_64-linux-gnu-gcc"},
#endif
    {"clang x86-64", "clang --target=x86_64-linux-gnu", "x86_64-linux-gnu-gcc"},
    {"gcc i386", "x86_64-linux-gnu-gcc -m32", "x86_64-linux-gnu-gcc -m32"},
    {"clang i386", "clang --target=i386-linux-gnu", "x86_64-linux-gnu-gcc -m32"},
#ifndef __aarch64__
    {"gcc aarch64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"},
#endif
    {"clang aarch64", "clang --target=aarch64-linux-gnu", "aarch64-linux-gnu-gcc"},
};

static const struct {
    const char *compile, *link;
} modes[] = {
    {"-O0 -fno-pic", "-no-pie -static"}, {"-O0 -fPIC", "-shared"}, {"-O1 -fPIE", "-pie"},
    {"-O2 -fno-pic", "-no-pie -static"}, {"-O2 -fPIC", "-shared"}, {"-O3 -fPIE", "-pie"},
};

static bool runs(const char *command)
{
    return system(command) == 0;
}

static void check_toolchain(const struct toolchain *toolchain, const char *directory, bool is_needed)
{
    char *object = memory_format("%s/a.o", directory), *program = memory_format("%s/a.out", directory);
    int checked = 0;
    for (size_t mode = 0; mode < sizeof modes / sizeof modes[0]; mode++) {
        char *what = memory_format("%s %s", toolchain->name, modes[mode].compile);
        char *compile = memory_format("%s %s -w -c %s/a.c -o %s 2>/dev/null", toolchain->compile,
                                      modes[mode].compile, directory, object);
        char *link = memory_format("%s %s -nostdlib -w %s -o %s 2>/dev/null", toolchain->link,
                                   modes[mode].link, object, program);
        if (runs(compile)) {
            check_file(object, what);
            checked++;
            if (runs(link))
                check_file(program, what);
        }
        free(what);
        free(compile);
        free(link);
    }
    if (is_needed)
        assert_true(checked > 0);
    free(object);
    free(program);
}

static void test_compilers(void **unused)
{
    (void)unused;
    char directory[] = "/tmp/assay-switches-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char *source = memory_format("%s/a.c", directory), *remove = memory_format("rm -r %s", directory);
    write_source(source);
    for (size_t i = 0; i < sizeof toolchains / sizeof toolchains[0]; i++)
        check_toolchain(&toolchains[i], directory, i == 0);
    assert_true(runs(remove));
    assert_int_equal(failures, 0);
    free(source);
    free(remove);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compilers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
