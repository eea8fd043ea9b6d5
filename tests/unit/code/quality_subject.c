/* Subjects of small loops whose answers are known by hand.

   A loop is assembly text.  What is said after | of a line must be true of that instruction: words for its
   purpose (data, address, control, stack, idle), its class (load, store, add, …), what it works on (fp64,
   int8, …, none), how much of it at a time (one, many), whether it counts in the vectorisation ratio (work,
   no-work), its operations (4-flops), and how its access moves (stride-one, stride=24, indirect, …). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "able.h"
#include "code/flow/flow.h"
#include "code/quality/subject.h"
#include "code/read/read.h"
#include "code/structure/structure.h"

struct loop_case {
    const char *name;
    enum isa isa;
    const char *machine;
    const char *before; /* the loop */
    const char *text;
};

static const struct loop_case cases[] = {
#include "quality_subject_cases.def"
};

enum { MOST_LINES = 64 };

/* The lines of a case, cut at their bars. */
struct lines {
    char *text;
    char *codes[MOST_LINES], *words[MOST_LINES];
    unsigned count;
};

static struct lines cut_lines(const char *text)
{
    struct lines lines = {.text = strdup(text)};
    char *rest = lines.text, *line;
    while ((line = strsep(&rest, "\n"))) {
        if (!line[strspn(line, " ")])
            continue;
        assert_true(lines.count < MOST_LINES);
        char *bar = strchr(line, '|');
        if (bar)
            *bar++ = 0;
        lines.codes[lines.count] = line;
        lines.words[lines.count++] = bar ? bar : line + strlen(line);
    }
    return lines;
}

static void write_listing(const char *path, const struct loop_case *loop, const struct lines *lines)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (loop->isa == isa_IA64) {
        fprintf(file, ".text\n.proc f#\n.global f#\nf:\n%s\n", loop->before);
    } else {
        fputs(loop->isa == isa_X86_64 ? ".intel_syntax noprefix\n" : ".arch armv8.2-a+sve\n", file);
        fprintf(file, ".text\n.globl f\n.type f, %%function\nf:\n%s\n", loop->before);
    }
    fputs(".Lloop:\n", file);
    for (unsigned i = 0; i < lines->count; i++)
        fprintf(file, "%s\n", lines->codes[i]);
    fputs(loop->isa == isa_IA64 ? "br.ret.sptk.many b0 ;;\n.endp f#\n" : "ret\n.size f, .-f\n", file);
    assert_int_equal(fclose(file), 0);
}

static const char *const purposes[] = {"data", "address", "control", "stack", "idle"};
static const char *const classes[] = {"load", "store", "add", "multiply", "fma", "divide", "other"};
static const char *const patterns[] = {"unknown", "stride-one", "constant-stride", "indirect", "invariant"};

static void describe(const struct subject *subject, unsigned number, char *text, size_t size)
{
    const struct subject_item *item = &subject->items[number];
    int at = snprintf(text, size, " %s %s %s%u %s used=%u %s %u-flops %s", purposes[item->purpose],
                      classes[item->vector_class], item->is_fp ? "fp" : "int", item->element_bits,
                      item->is_vectorised ? "many" : "one", item->used_bits,
                      item->is_vectorisable ? "work" : "no-work", item->flops,
                      item->is_arithmetic ? "arithmetic" : "plain");
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->item == number)
            at += snprintf(text + at, size - (size_t)at, " %s stride=%lld bytes=%u%s",
                           patterns[access->pattern], (long long)access->stride, access->bytes,
                           access->is_stack ? " on-stack" : "");
    }
    snprintf(text + at, size - (size_t)at, " ");
}

static unsigned check_words(const struct loop_case *loop, const char *code, const char *words,
                            const char *description)
{
    unsigned failures = 0;
    char *copy = strdup(words), *rest = copy, *word;
    while ((word = strsep(&rest, " "))) {
        char wanted[64];
        if (!*word)
            continue;
        snprintf(wanted, sizeof wanted, " %s ", word);
        if (strstr(description, wanted))
            continue;
        print_error("%s: %s is not %s:%s\n", loop->name, code, word, description);
        failures++;
    }
    free(copy);
    return failures;
}

static bool read_model(struct model *model, const char *path, enum isa isa)
{
    struct error error = {0};
    model_init(model);
    if (read_file(model, path, &(struct read_options){.isa = isa, .threads = 1}, &error)) {
        assert_true(
            structure_build(model, &(struct structure_options){.threads = 1, .path_limit = 4}, &error));
        flow_build(model, &(struct flow_options){.threads = 1});
        return true;
    }
    bool is_missing = strstr(error.text, "not installed");
    if (!is_missing)
        print_error("%s\n", error.text);
    assert_true(is_missing);
    return false;
}

static unsigned check_case(const struct loop_case *loop, struct subject *subject)
{
    struct lines lines = cut_lines(loop->text);
    unsigned failures = 0;
    if (subject->item_count != lines.count) {
        print_error("%s: %u items for %u lines\n", loop->name, subject->item_count, lines.count);
        failures++;
    }
    for (unsigned i = 0; i < lines.count && i < subject->item_count; i++) {
        char description[512];
        describe(subject, i, description, sizeof description);
        failures += check_words(loop, lines.codes[i], lines.words[i], description);
    }
    free(lines.text);
    return failures;
}

/* The one through all blocks. */
static struct loop_path *longest_path(const struct array *paths)
{
    struct loop_path *longest = ARRAY_AT(struct loop_path, paths, 0);
    for (size_t i = 1; i < paths->count; i++)
        if (ARRAY_AT(struct loop_path, paths, i)->blocks > longest->blocks)
            longest = ARRAY_AT(struct loop_path, paths, i);
    return longest;
}

/* Failures of a case; -1 where the assembler for it is missing. */
static int run_case(const struct loop_case *loop)
{
    const char *directories[] = {MACHINES};
    char path[] = "/tmp/assay-subject-XXXXXX.s";
    struct model model;
    struct error error = {0};
    struct lines lines = cut_lines(loop->text);
    int descriptor = mkstemps(path, 2), failures = -1;
    assert_true(descriptor >= 0);
    close(descriptor);
    write_listing(path, loop, &lines);
    free(lines.text);
    if (read_model(&model, path, loop->isa)) {
        struct machine *machine = machine_load(loop->machine, directories, 1, &error);
        struct subject_work *work = calloc(1, sizeof *work);
        struct array paths = ARRAY_OF(struct loop_path);
        struct subject subject;
        if (!machine)
            print_error("%s: %s\n", loop->machine, error.text);
        assert_non_null(machine);
        if (model.loops.count != 2)
            print_error("%s: not one loop\n", loop->name);
        assert_int_equal(model.loops.count, 2);
        loop_paths_list(&model, 1, &paths);
        assert_true(paths.count);
        assert_true(subject_take(&subject, work, &model, machine, longest_path(&paths)));
        failures = (int)check_case(loop, &subject);
        array_free(&paths);
        subject_work_end(work);
        free(work);
        machine_free(machine);
    }
    model_free(&model);
    unlink(path);
    return failures;
}

static void check_isa(enum isa isa)
{
    unsigned failures = 0, done = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].isa != isa)
            continue;
        int result = run_case(&cases[i]);
        done += result >= 0;
        failures += result > 0 ? (unsigned)result : 0;
    }
    if (!done)
        lacking("an assembler for this instruction set is not installed");
    assert_int_equal(failures, 0);
}

static void check_x86(void **state)
{
    (void)state;
    check_isa(isa_X86_64);
}

static void check_aarch64(void **state)
{
    (void)state;
    check_isa(isa_AARCH64);
}

static void check_ia64(void **state)
{
    (void)state;
    check_isa(isa_IA64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_x86),
        cmocka_unit_test(check_aarch64),
        cmocka_unit_test(check_ia64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
