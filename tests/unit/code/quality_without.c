/* Cycles of a path with some instructions changed, on loops of Skylake whose answers are known by hand. Words
   after | of a line change that instruction: gone, passes, trace, memory, waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "able.h"
#include "code/flow/flow.h"
#include "code/quality/without.h"
#include "code/read/read.h"
#include "code/structure/structure.h"

enum { MOST_LINES = 32 };

/* A loop, and what it takes as it is, changed, and by its longest chain alone when it is changed. */
struct changed_case {
    const char *name, *text;
    double cycles, changed, chain;
};

static const struct changed_case cases[] = {
    /* Who reads a value that is gone finds it there: the product starts afresh, and xmm0 is no chain.  What
       the front end takes for seven µops is in proportion for six. */
    {"the maker of a value is gone",
     "movsd xmm0, [rsi]|gone\nmulsd xmm0, xmm1\nmulsd xmm0, xmm1\nmovsd [rdi], xmm0\nadd rsi, 8\nadd rdi, "
     "8\ncmp rsi, "
     "rdx\njne .Lloop",
     2, 2.0 * 6 / 7, 1},
    /* xmm0 keeps what it was: two products after another, and the same in the next iteration. */
    {"nothing is left of it",
     "movsd xmm0, [rsi]|trace\nmulsd xmm0, xmm1\nmulsd xmm0, xmm1\nmovsd [rdi], xmm0\nadd rsi, 8\nadd rdi, "
     "8\ncmp rsi, "
     "rdx\njne .Lloop",
     2, 8, 8},
    /* A sum of products of itself: 4 + 4 cycles, without the product 4. */
    {"a step of a chain passes its value on",
     "mulsd xmm0, xmm1|passes\naddsd xmm0, xmm2\nadd rsi, 8\ncmp rsi, rdx\njne .Lloop", 8, 4, 4},
    /* The same through another register. */
    {"a step of a chain passes its value on to another register",
     "vmulsd xmm3, xmm0, xmm1|passes\nvaddsd xmm0, xmm3, xmm2\nadd rsi, 8\ncmp rsi, rdx\njne .Lloop", 8, 4,
     4},
    /* First of the block: it hangs on what the iteration before made last. */
    {"a chain over the end of the block",
     "vmulsd xmm3, xmm0, xmm1|passes\nvaddsd xmm0, xmm3, xmm2\ndec rdx\njne .Lloop", 8, 4, 4},
    /* Six loads, two a cycle; the additions are done by four ports. */
    {"operands of registers",
     "add rax, [rsi]|memory\nadd rcx, [rsi+8]|memory\nadd r8, [rsi+16]|memory\nadd r9, [rsi+24]|memory\nadd "
     "r10, "
     "[rsi+32]|memory\nadd r11, [rsi+40]|memory\nadd rdi, 8\ncmp rdi, rdx\njne .Lloop",
     3, 2, 1},
    /* Through memory 5 cycles and 4 of the sum; out of a register the 4. */
    {"a value need not wait for memory",
     "movsd xmm0, [rsi]|waiting\naddsd xmm0, [rdi]\nmovsd [rsi], xmm0\nadd rdi, 8\ncmp rdi, rdx\njne .Lloop",
     9, 4, 4},
    /* An address that moves by something unknown once its step is gone meets no store of another iteration.
     */
    {"an address whose step is gone",
     "movsd xmm0, [rsi]\naddsd xmm0, xmm1\nmovsd [rsi], xmm0\nadd rsi, 8|gone\ndec rdx\njne .Lloop", 1.25, 1,
     1},
};

static void read_text(struct model *model, const struct changed_case *changed, char words[MOST_LINES][16])
{
    char path[] = "/tmp/assay-without-XXXXXX.s";
    int descriptor = mkstemps(path, 2);
    struct error error = {0};
    assert_true(descriptor >= 0);
    close(descriptor);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(".intel_syntax noprefix\n.text\n.globl f\n.type f, @function\n.p2align 6\nf:\n.Lloop:\n", file);
    char *copy = strdup(changed->text), *rest = copy, *line;
    for (unsigned i = 0; (line = strsep(&rest, "\n")); i++) {
        assert_true(i < MOST_LINES);
        char *bar = strchr(line, '|');
        snprintf(words[i], sizeof words[i], "%s", bar ? bar + 1 : "");
        fprintf(file, "%.*s\n", bar ? (int)(bar - line) : (int)strlen(line), line);
    }
    fputs("ret\n.size f, .-f\n", file);
    assert_int_equal(fclose(file), 0);
    free(copy);
    model_init(model);
    bool is_read = read_file(model, path, &(struct read_options){.isa = isa_X86_64, .threads = 1}, &error);
    unlink(path);
    if (!is_read && strstr(error.text, "not installed")) {
        model_free(model);
        lacking("an assembler for x86-64 is not installed");
    }
    assert_true(is_read);
    assert_true(structure_build(model, &(struct structure_options){.threads = 1, .path_limit = 4}, &error));
    flow_build(model, &(struct flow_options){.threads = 1});
}

static void change(struct without *without, unsigned item, const char *word)
{
    static const struct {
        const char *word;
        void (*change)(struct without *without, unsigned item);
    } changes[] = {{"gone", without_item},
                   {"passes", without_work},
                   {"trace", without_trace},
                   {"memory", without_memory},
                   {"waiting", without_waiting}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (!strcmp(word, changes[i].word)) {
            changes[i].change(without, item);
            return;
        }
    assert_string_equal(word, "");
}

static bool is_near(const char *name, const char *what, double got, double wanted)
{
    if (fabs(got - wanted) < 0.01)
        return true;
    print_error("%s: %s %.2f, not %.2f\n", name, what, got, wanted);
    return false;
}

static bool run_case(const struct changed_case *changed, const struct machine *machine)
{
    struct model model;
    char words[MOST_LINES][16];
    struct subject subject;
    struct without without;
    struct array paths = ARRAY_OF(struct loop_path);
    struct subject_work *work = calloc(1, sizeof *work);
    read_text(&model, changed, words);
    loop_paths_list(&model, 1, &paths);
    assert_int_equal(paths.count, 1);
    assert_true(subject_take(&subject, work, &model, machine, ARRAY_AT(struct loop_path, &paths, 0)));
    bool is_right = is_near(changed->name, "takes", subject.path->cycles, changed->cycles);
    without_begin(&without, &subject);
    for (unsigned i = 0; i < subject.item_count; i++)
        change(&without, i, words[i]);
    is_right &= is_near(changed->name, "changed takes", without_cycles(&without), changed->changed);
    is_right &= is_near(changed->name, "has a chain of", without_chain(&without), changed->chain);
    /* The subject's own block is as it was. */
    is_right &= is_near(changed->name, "then takes", subject.work->prediction.cycles, changed->cycles);
    array_free(&paths);
    subject_work_end(work);
    free(work);
    model_free(&model);
    return is_right;
}

static void check_changes(void **state)
{
    const char *directories[] = {MACHINES};
    struct error error = {0};
    struct machine *machine = machine_load("skylake", directories, 1, &error);
    unsigned wrong = 0;
    (void)state;
    assert_non_null(machine);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        wrong += !run_case(&cases[i], machine);
    machine_free(machine);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
