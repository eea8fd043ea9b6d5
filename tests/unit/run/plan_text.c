/* Plans as text: what is read is what was written, mistakes are named with their line, and wishes mean the
   right rows of a small model. */
#include "flow_fixture.h"
#include "run/probe/plan/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct error problem;

static bool read_plan(struct probe_choice *choice, const char *text)
{
    problem = (struct error){0};
    probe_choice_init(choice);
    return plan_text_read(choice, text, strlen(text), "plan.txt", &problem);
}

static char *written(const struct probe_choice *choice)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    plan_text_write(choice, NULL, out);
    fclose(out);
    return text;
}

static void comes_back(const char *text, const char *expected)
{
    struct probe_choice choice;
    assert_true(read_plan(&choice, text));
    char *first = written(&choice);
    probe_choice_free(&choice);
    assert_string_equal(first, expected);
    assert_true(read_plan(&choice, first));
    char *second = written(&choice);
    assert_string_equal(first, second);
    probe_choice_free(&choice);
    free(first);
    free(second);
}

static void what_is_written_is_what_was_read(void **unused)
{
    (void)unused;
    comes_back("", "");
    comes_back("# only a comment\n\n   \t\n", "");
    comes_back("functions", "functions\n");
    comes_back("functions ^solve_[0-9]+$  # a comment\r\n", "functions ^solve_[0-9]+$\n");
    comes_back("functions operator#x\n", "functions operator#x\n");
    comes_back("loops\nloops solve\nloops src/solve.f90:40\nloop 12\n",
               "loops\nloops solve\nloops src/solve.f90:40\nloop 12\n");
    comes_back(
        "calls memcpy|dgemm_\nvalues a b(int, char)\naddresses loop 3\naddresses 4\naddresses f.c:7",
        "calls memcpy|dgemm_\nvalues a b(int, char)\naddresses loop 3\naddresses loop 4\naddresses f.c:7\n");
    comes_back("at 0x1234 x3\nat 0X1234:x3\nat f.c:40 i\nat f.c:40:i\nat\tmy file.c:7\tn\n",
               "at 0x1234 x3\nat 0x1234 x3\nat f.c:40 i\nat f.c:40 i\nat my file.c:7 n\n");
    comes_back("keep-all\nno-clock\nfunctions f\nbuild-id 00ff\n",
               "no-clock\nkeep-all\nbuild-id 00ff\nfunctions f\n");
    comes_back("functions all\nfile /lib/x y.so\nbuild-id ab\nfunctions one\nfile b.so\nloops\n",
               "functions all\nfile /lib/x y.so\nbuild-id ab\nfunctions one\nfile b.so\nloops\n");
}

static void says(const char *text, const char *message)
{
    struct probe_choice choice;
    assert_false(read_plan(&choice, text));
    assert_string_equal(problem.text, message);
    probe_choice_free(&choice);
}

static void mistakes_are_named_with_their_line(void **unused)
{
    (void)unused;
    says("functions f\n\nlops g\n", "plan.txt:3: a plan has no word lops; did you mean loops?");
    says("frobnicate\n", "plan.txt:1: a plan has no word frobnicate; it has functions, loops, loop, calls, "
                         "values, addresses, at, file, build-id, no-clock and keep-all");
    says("loop twelve",
         "plan.txt:1: loop needs the number of a loop, not twelve (assay loops lists them; loops "
         "takes names)");
    says("loop 99999999999999999999", "plan.txt:1: loop needs the number of a loop, not 99999999999999999999 "
                                      "(assay loops lists them; loops takes names)");
    says("addresses", "plan.txt:1: addresses needs a loop, such as loop 12 or solve.f90:40, not nothing");
    says("values", "plan.txt:1: values needs the name of a function");
    says("at 0x1234",
         "plan.txt:1: at needs a place and a name, such as 0x1234:x3 or solve.f90:40:i, not 0x1234");
    says("at f.c:40",
         "plan.txt:1: at needs a place and a name, such as 0x1234:x3 or solve.f90:40:i, not f.c:40");
    says("file", "plan.txt:1: file needs a path");
    says("build-id xyz", "plan.txt:1: build-id needs a number in hexadecimal, not xyz");
    says("no-clock please", "plan.txt:1: no-clock takes nothing, not please");
}

static void a_binary_file_is_not_a_plan(void **unused)
{
    (void)unused;
    struct probe_choice choice;
    probe_choice_init(&choice);
    problem = (struct error){0};
    assert_false(plan_text_read(&choice, "loops\nx\0y", 9, "plan.txt", &problem));
    assert_string_equal(problem.text, "plan.txt:2: the line has a zero byte: this is not a plan");
    probe_choice_free(&choice);
}

/* ---- rows ---- */

static void add_function(struct model *model, const char *name, enum origin origin)
{
    struct function *row = model_add(&model->functions);
    *row = (struct function){.program = 1, .origin = origin, .block_count = origin != origin_PLT};
    row->name = model_string(model, name);
}

static void add_loop(struct model *model, uint32_t function, uint32_t parent, uint32_t first, uint32_t last)
{
    struct loop *row = model_add(&model->loops);
    *row = (struct loop){.function = function, .parent = parent, .first_line = first, .last_line = last};
    row->file = model_file_id(model, "/home/me/src/f.c");
    row->is_innermost = 1;
    if (parent)
        model_loop(model, parent)->is_innermost = 0;
}

static void add_call(struct model *model, uint32_t instruction, uint32_t callee, enum call_kind kind)
{
    *(struct call *)model_add(&model->calls) =
        (struct call){.caller = 1, .instruction = instruction, .callee = callee, .kind = kind};
}

/* Functions: 1 solve, 2 solver, 3 _ZN1a1bEi (a::b(int)), 4 daxpy_, 5 memcpy@plt, 6 and 7 parts of daxpy_.
   Loops: 1 (10-30), in it 2 (15-20) and 3 (22-25); 4 (15-18) of another function. */
static void make_model(struct model *model)
{
    model_init(model);
    struct program *program = model_add(&model->programs);
    program->isa = isa_AARCH64;
    program->path = model_string(model, "prog");
    program->build_id = model_string(model, "00ff");
    add_function(model, "solve", origin_SYMBOL);
    add_function(model, "solver", origin_SYMBOL);
    add_function(model, "_ZN1a1bEi", origin_SYMBOL);
    add_function(model, "daxpy_", origin_SYMBOL);
    add_function(model, "memcpy@plt", origin_PLT);
    add_function(model, "daxpy_.constprop.0", origin_SYMBOL);
    add_function(model, "daxpy_.cold", origin_SYMBOL);
    add_loop(model, 1, 0, 10, 30);
    add_loop(model, 1, 1, 15, 20);
    add_loop(model, 1, 1, 22, 25);
    add_loop(model, 2, 0, 15, 18);
    add_call(model, 7, 5, call_kind_IMPORT);
    add_call(model, 8, 2, call_kind_DIRECT);
    add_call(model, 9, 5, call_kind_TAIL);
}

/* Rows as a text: "f 1 2 l 3 c 7 v 1 a 2". */
static void means(const char *plan, enum probe_choice_result finding, const char *expected)
{
    struct model model;
    struct probe_choice choice;
    struct probe_found found;
    char text[200] = "";
    make_model(&model);
    assert_true(read_plan(&choice, plan));
    assert_int_equal(probe_choice_find(&model, &choice, &found, &problem), finding);
    const struct array *rows[] = {&found.functions, &found.loops, &found.calls, &found.value_functions,
                                  &found.address_loops};
    for (unsigned k = 0; k < 5 && finding == PROBE_FOUND; k++) {
        for (size_t i = 0; i < rows[k]->count; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%c%u ", "flcva"[k],
                     *ARRAY_AT(uint32_t, rows[k], i));
    }
    assert_string_equal(finding == PROBE_FOUND ? text : problem.text, expected);
    probe_found_free(&found);
    probe_choice_free(&choice);
    model_free(&model);
}

static void wishes_mean_rows(void **unused)
{
    (void)unused;
    means("functions solve", PROBE_FOUND, "f1 ");
    means("functions solv", PROBE_FOUND, "f1 f2 ");
    means("functions solver\nfunctions solve", PROBE_FOUND, "f1 f2 ");
    means("functions", PROBE_FOUND, "f1 f2 f3 f4 f6 f7 ");
    means("functions a::b", PROBE_FOUND, "f3 ");
    means("functions DAXPY", PROBE_FOUND, "f4 f6 ");
    means("values a::b(int)", PROBE_FOUND, "v3 ");
    means("loops", PROBE_FOUND, "l2 l3 l4 ");
    means("loops solve", PROBE_FOUND, "l1 l2 l3 ");
    means("loops f.c:16", PROBE_FOUND, "l2 l4 ");
    means("loops src/f.c:12", PROBE_FOUND, "l1 ");
    means("loops /home/me/src/f.c:22", PROBE_FOUND, "l3 ");
    means("loop 3\naddresses loop 2", PROBE_FOUND, "l3 a2 ");
    means("addresses f.c:24", PROBE_FOUND, "a3 ");
    means("calls memcpy", PROBE_FOUND, "c7 ");
    means("calls", PROBE_FOUND, "c7 ");
    means("calls memcpy|solver", PROBE_FOUND, "c7 c8 ");
    means("build-id 00FF\nloop 1", PROBE_FOUND, "l1 ");
    means("file prog\nfunctions solve", PROBE_FOUND, "f1 ");
}

static void wishes_that_mean_nothing_say_so(void **unused)
{
    (void)unused;
    means("functions slove", PROBE_MISSING, "plan.txt:1: no function is called slove; did you mean solve?");
    means("loop 1\nfunctions memcpy", PROBE_MISSING,
          "plan.txt:2: memcpy is a function of another file: measure its calls, or name that file, too");
    means("loops daxpy", PROBE_MISSING, "plan.txt:1: daxpy has no loops");
    means("loop 5", PROBE_MISSING, "plan.txt:1: no loop has number 5 (assay loops lists them)");
    means("loops f.c:40", PROBE_MISSING, "plan.txt:1: no loop has line f.c:40");
    means("loops g.c:40", PROBE_MISSING, "plan.txt:1: no source file is called g.c; did you mean f.c?");
    means("loops e/f.c:16", PROBE_MISSING, "plan.txt:1: no source file is called e/f.c");
    means("calls solve", PROBE_MISSING,
          "plan.txt:1: no call of solve was found (calls through pointers are unknown)");
    means("at 0x10 x3", PROBE_MISSING, "plan.txt:1: 0x10 is not the address of an instruction in a function");
    means("build-id 1234\nloop 1", PROBE_BROKEN,
          "plan.txt:1: the plan is for another build of prog: build-id 1234, and the file has 00ff");
    means("file other\nbuild-id 1234\nloop 1", PROBE_BROKEN, "plan.txt:2: other was not read");
    means("file other\nfunctions solve", PROBE_MISSING,
          "plan.txt:2: no function is called solve or matches it as a regular expression");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_was_read),
        cmocka_unit_test(mistakes_are_named_with_their_line), cmocka_unit_test(a_binary_file_is_not_a_plan),
        cmocka_unit_test(wishes_mean_rows), cmocka_unit_test(wishes_that_mean_nothing_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
