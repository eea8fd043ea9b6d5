/* Which instruction samples wait for (src/run/points): functions as text, with samples put on their lines by hand.

   Behind the bar of a line: how many samples stand there, and the kind of point that the line has to be, if any.
   No other line may be one. */
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
#include "code/read/read.h"
#include "code/structure/structure.h"
#include "model/tables.h"
#include "run/points/points.h"

struct point_case {
    const char *name;
    enum isa isa;
    const char *text;
};

/* Twenty quick instructions, so that samples on them tell how long a slow one takes. */
#define QUICK_X86                                                                                            \
    "add rsi, 1\nadd rsi, 2\nadd rsi, 3\nadd rsi, 4\nadd rsi, 5\nadd rsi, 6\nadd rsi, 7\nadd rsi, 8\n"       \
    "add rsi, 9\nadd rsi, 1\nadd rsi, 2\nadd rsi, 3\nadd rsi, 4\nadd rsi, 5\nadd rsi, 6\nadd rsi, 7\n"
#define QUICK_ARM                                                                                            \
    "add x9, x9, 1\nadd x9, x9, 2\nadd x9, x9, 3\nadd x9, x9, 4\nadd x9, x9, 5\nadd x9, x9, 6\n"             \
    "add x9, x9, 7\nadd x9, x9, 8\nadd x9, x9, 9\nadd x9, x9, 1\nadd x9, x9, 2\nadd x9, x9, 3\n"             \
    "add x9, x9, 4\nadd x9, x9, 5\nadd x9, x9, 6\nadd x9, x9, 7\n"

static const struct point_case cases[] = {
    {"a division, sampled behind it", isa_X86_64,
     "mov rax, [rdi] | 20\nxor edx, edx\ndiv rcx | 10 division\nadd rsi, rdx | 300\nadd rdi, 8 | 10\nmov rax, rsi\nret"},
    {"the one that waits for it, not the next", isa_X86_64,
     "sqrtsd xmm0, xmm1 | 0 root\nadd rdi, 8\nadd rsi, 8\naddsd xmm2, xmm0 | 300\naddsd xmm2, xmm1 | 20\nret"},
    {"a chain of additions behind a division is its own", isa_X86_64,
     "divsd xmm0, xmm1 | 0\naddsd xmm0, xmm2\naddsd xmm3, xmm0 | 300\nret | 20"},
    {"a lock at the start of a function", isa_X86_64,
     "lock add qword ptr [rdi], 1 | 20 atomic\nlea rax, [rsi + rsi * 2] | 300\nret"},
    {"a load that is far away", isa_X86_64, QUICK_X86 "mov rax, [rdi] | 0 load\nadd rax, rsi | 400\nret | 3"},
    {"a load in a function of few instructions may be quick", isa_X86_64,
     "mov rax, [rdi] | 0\nadd rax, rsi | 400\nret | 3"},
    {"a load beside others that take as long", isa_X86_64,
     QUICK_X86 "imul rsi, rsi | 100\nimul rsi, rsi | 100\nmov rax, [rdi] | 0\nadd rax, rsi | 400\nret | 3"},
    {"a load over a branch", isa_X86_64,
     QUICK_X86
     "cmp [rdi], rsi | 0 load\njne .Lother\nmov rax, [rdi + 8]\nret\n.Lother:\nmov eax, 1 | 400\nret | 3"},
    {"two ways, and nobody knows which", isa_X86_64,
     QUICK_X86
     "test rsi, rsi\nje .Lthen\nmov rax, [rdi]\njmp .Ljoin\n.Lthen:\nmov rax, [rdx]\n.Ljoin:\nadd rax, rsi | 400\nret | 3"},
    {"its own frame is near", isa_X86_64, QUICK_X86 "mov rax, [rsp - 16]\nadd rax, rsi | 400\nret | 3"},
    {"a store", isa_X86_64, QUICK_X86 "mov [rdi], rsi | 0 store\nmov eax, 1 | 400\nret | 3"},
    {"after a call, the time is the callee's", isa_X86_64, "div rcx\ncall f\nadd rsi, 2 | 400\nret"},
    {"few samples say nothing", isa_X86_64, "xor edx, edx\ndiv rcx\nadd rsi, rdx | 20\nret"},
    {"a small part of its function says nothing", isa_X86_64,
     "xor edx, edx | 300\ndiv rcx\nadd rsi, rdx | 60\nadd rsi, 1 | 300\nret"},
    {"a fence", isa_X86_64, "mov [rdi], rsi\nmfence | 0 serial\nret | 300"},
    {"the clock", isa_X86_64, "rdtsc | 0 serial\nshl rdx, 32 | 300\nret | 20"},
    {"a gather", isa_X86_64,
     "vgatherdpd ymm0, [rdi + xmm1 * 8], ymm2 | 0 gather\nvaddpd ymm3, ymm0, ymm3 | 300\nret"},
    {"a division", isa_AARCH64,
     "ldr x3, [x0]\nudiv x3, x3, x1 | 0 division\nadd x2, x2, x3 | 300\nmov x0, x2 | 20\nret"},
    {"a division of floats, and its user", isa_AARCH64,
     "fdiv d0, d0, d1 | 0 float division\nadd x0, x0, 8\nfadd d2, d2, d0 | 300\nret | 10"},
    {"an exclusive load", isa_AARCH64, "ldadd x1, x2, [x0] | 0 atomic\nadd x3, x3, x2 | 300\nret"},
    {"a barrier", isa_AARCH64, "str x1, [x0]\ndmb ish | 0 serial\nmov x0, 1 | 300\nret"},
    {"the base of a thread's variables is read quickly", isa_AARCH64,
     "mrs x0, tpidr_el0\nadd x0, x0, 8 | 300\nret"},
    {"a load that is far away", isa_AARCH64,
     QUICK_ARM "ldr x3, [x0] | 0 load\nadd x0, x3, x9 | 400\nret | 3"},
    {"a load in a function of few instructions may be quick", isa_AARCH64,
     "ldr x3, [x0]\nadd x0, x3, x9 | 400\nret | 3"},
    {"its own frame is near", isa_AARCH64, QUICK_ARM "ldr x3, [sp, 16]\nadd x0, x3, x9 | 400\nret | 3"},
};

enum { MOST_LINES = 64 };
struct line {
    char code[80], kind[24];
    unsigned samples;
};

/* Instructions of a case; labels stand in their text alone. */
static unsigned cut(const char *text, struct line *lines, FILE *out)
{
    unsigned count = 0;
    char *copy = strdup(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *bar = strchr(line, '|');
        if (bar)
            *bar++ = 0;
        fprintf(out, "%s\n", line);
        if (line[0] == '.')
            continue;
        assert_true(count < MOST_LINES);
        lines[count] = (struct line){0};
        snprintf(lines[count].code, sizeof lines->code, "%s", line);
        if (bar)
            sscanf(bar, "%u %23[^\n]", &lines[count].samples, lines[count].kind);
        count++;
    }
    free(copy);
    return count;
}

static bool read_model(struct model *model, const char *path, enum isa isa)
{
    struct error error = {0};
    model_init(model);
    if (read_file(model, path, &(struct read_options){.isa = isa, .threads = 1}, &error) &&
        structure_build(model, &(struct structure_options){.threads = 1, .path_limit = 4}, &error))
        return true;
    if (!strstr(error.text, "not installed"))
        fail_msg("%s", error.text);
    return false;
}

static void add_samples(struct model *model, const struct line *lines, unsigned count)
{
    uint64_t all = 0;
    uint32_t first = model_block(model, model_function(model, 1)->first_block)->first_instruction;
    assert_int_equal(model_function(model, 1)->instruction_count, count);
    for (unsigned i = 0; i < count; i++) {
        if (!lines[i].samples)
            continue;
        all += lines[i].samples;
        *(struct sample_row *)model_add(&model->samples) =
            (struct sample_row){.function = 1,
                                .instruction = first + i,
                                .count = lines[i].samples,
                                .seconds = 1e-3 * lines[i].samples};
    }
    *(struct sampled_run *)model_add(&model->runs) =
        (struct sampled_run){.samples = all, .sampled_seconds = 1e-3 * (double)all};
    *(struct run_function *)model_add(&model->run_functions) = (struct run_function){.run = 1, .function = 1};
}

static unsigned check(const struct model *model, const struct point_case *one, const struct line *lines,
                      unsigned count)
{
    unsigned failures = 0;
    uint32_t first = model_block(model, model_function(model, 1)->first_block)->first_instruction;
    for (unsigned i = 0; i < count; i++) {
        const char *kind = "";
        for (uint32_t k = 0; k < model->run_points.count; k++)
            if (model_run_point(model, k)->instruction == first + i)
                kind = point_kind_word(model_run_point(model, k)->kind);
        if (!strcmp(kind, lines[i].kind))
            continue;
        print_error("%s: %s is '%s', not '%s'\n", one->name, lines[i].code, kind, lines[i].kind);
        failures++;
    }
    return failures;
}

/* Failures of a case; -1: the assembler for it is missing. */
static int run_case(const struct point_case *one)
{
    char path[] = "/tmp/assay-points-XXXXXX.s";
    struct line lines[MOST_LINES];
    struct machine *machines[isa_COUNT] = {NULL};
    struct model model;
    int descriptor = mkstemps(path, 2), failures = -1;
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fputs(one->isa == isa_X86_64 ? ".intel_syntax noprefix\n" : ".arch armv8.2-a+sve\n", file);
    fputs(".text\n.globl f\n.type f, %function\nf:\n", file);
    unsigned count = cut(one->text, lines, file);
    fputs(".size f, .-f\n", file);
    assert_int_equal(fclose(file), 0);
    if (read_model(&model, path, one->isa)) {
        add_samples(&model, lines, count);
        points_find(&model, machines);
        failures = (int)check(&model, one, lines, count);
    }
    model_free(&model);
    unlink(path);
    return failures;
}

static void samples_go_to_the_slow_instruction(void **state)
{
    (void)state;
    unsigned failures = 0;
    bool is_lacking = false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int found = run_case(&cases[i]);
        is_lacking = is_lacking || found < 0;
        failures += found > 0 ? (unsigned)found : 0;
    }
    assert_int_equal(failures, 0);
    if (is_lacking)
        lacking("an assembler for x86-64 or AArch64");
}

/* What a kind says is whole: no text is missing. */
static void every_kind_has_its_words(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < point_kind_COUNT; kind++) {
        const struct point_text *text = points_text((enum point_kind)kind);
        assert_true(text->name && *text->name);
        assert_true(text->finding && text->finding[strlen(text->finding) - 1] == '.');
        assert_true(text->remedy && text->remedy[strlen(text->remedy) - 1] == '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_go_to_the_slow_instruction),
                                       cmocka_unit_test(every_kind_has_its_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
