/* What stands in for libraries that were missing: linked here in every build, because most builds have all
   libraries. tests/least-proof builds Assay with nothing but them. */
#include "base/built.h"
#include "cli/line_editor.h"
#include "code/cost/macs/bundles.h"
#include "run/bench/ports/uses.h"
#include "model/demangle.h"
#include "code/read/aarch64/text.h"
#include "code/read/ia64/text.h"
#include "code/read/opcodes.h"
#include "show/report/common/drawing.h"
#include "script/judge.h"
#include "show/ui/ui.h"
#include "run/sample/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* One line: what it is about, what was missing, what brings it by both names, and what to do then. */
static void check_sentence(const char *text, enum feature feature)
{
    const struct feature_facts *facts = &features[feature];
    assert_non_null(strstr(text, facts->purpose));
    assert_non_null(strstr(text, facts->needs));
    assert_non_null(strstr(text, facts->debian));
    assert_non_null(strstr(text, facts->fedora));
    assert_non_null(strstr(text, "build it again"));
    assert_null(strchr(text, '\n'));
}

static void each_feature_has_its_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        struct error error = {0}, other = {0};
        assert_false(feature_missing((enum feature)i, &error));
        check_sentence(error.text, (enum feature)i);
        assert_int_equal(feature_needed((enum feature)i, &other), features[i].is_built);
        assert_int_equal(other.set, !features[i].is_built);
    }
}

static void rooms_refuse(void **state)
{
    (void)state;
    struct error ui = {0}, lua = {0}, graph = {0}, program = {0};
    bool is_own = false;
    assert_true(ui_is_own_address("::1", &is_own) && is_own && ui_is_token("x"));
    assert_null(ui_start(&(struct ui_options){0}, &ui));
    check_sentence(ui.text, feature_UI);
    assert_null(script_open(&(struct script_host){0}, &lua));
    check_sentence(lua.text, feature_LUA);
    struct drawing *drawing = drawing_new("title");
    drawing_node(drawing, "a", 0, "label", NULL, NULL);
    drawing_edge(drawing, "a", "a", NULL, NULL, NULL);
    assert_int_equal(drawing_size(drawing), 0);
    assert_false(drawing_knows_format("svg"));
    assert_false(drawing_write(drawing, "dot", stdout, &graph));
    check_sentence(graph.text, feature_GRAPHS);
    drawing_free(drawing);
    unsigned least = 0;
    assert_false(bundles_solve(&(struct bundle_program){0}, 1, 1, 1, &least, NULL, &program));
    check_sentence(program.text, feature_PROGRAMS);
    assert_false(uses_solve_program(&(struct uses_problem){0}, &(struct uses_answer){0}));
}

static void scripts_of_the_report_are_one_note(void **state)
{
    (void)state;
    struct analysis files[] = {{.kind = KIND_RULE}, {.kind = KIND_ANALYSIS}, {.kind = KIND_METRIC}};
    struct array list = {.data = files, .count = 3, .capacity = 3, .width = sizeof *files},
                 failures = ARRAY_OF(char *);
    script_judge(&(struct script_judging){.analyses = &list}, NULL);
    script_judge(&(struct script_judging){.analyses = &list}, &failures);
    assert_int_equal(failures.count, 1);
    char *note = *ARRAY_AT(char *, &failures, 0);
    assert_int_equal(strncmp(note, "2 metrics and rules", 19), 0);
    check_sentence(note, feature_LUA);
    free(note);
    array_free(&failures);
    failures = ARRAY_OF(char *);
    list = (struct array){.data = files + 1, .count = 1, .capacity = 1, .width = sizeof *files};
    script_judge(&(struct script_judging){.analyses = &list}, &failures);
    assert_int_equal(failures.count, 0);
}

static void code_names_and_counters(void **state)
{
    (void)state;
    struct error aarch64 = {0}, ia64 = {0}, x86 = {0};
    char text[8] = "left";
    assert_false(opcodes_know(isa_AARCH64, &aarch64));
    check_sentence(aarch64.text, feature_AARCH64);
    assert_false(opcodes_know(isa_IA64, &ia64));
    check_sentence(ia64.text, feature_IA64);
    assert_true(opcodes_know(isa_X86_64, &x86) && opcodes_know(isa_I386, &x86) && !x86.set);
    assert_false(aarch64_write_text(0x8b020020, text, sizeof text));
    assert_string_equal(text, "");
    assert_false(ia64_write_text('M', 0, 0, text, sizeof text));
    char *name = demangle_name("__bugs_MOD_total");
    assert_string_equal(name, "bugs::total");
    free(name);
    assert_null(demangle_name("_ZN4heat4stepEi"));
    const char *why = NULL, *words = NULL;
    struct sample_wish wish;
    assert_false(counters_encode("cycles", &wish, &why));
    check_sentence(why, feature_COUNTERS);
    assert_false(counters_have_unit("arm_v1", &words));
}

static const char *prompt(void *context)
{
    return context;
}

static void plain_lines(void **state)
{
    (void)state;
    int ends[2], before = dup(STDIN_FILENO);
    char *shown = NULL;
    size_t size = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "select 1;\n.quit", 15), 15);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    struct array none = ARRAY_OF(char *);
    struct line_editor_host host = {
        .prompt = prompt, .context = "assay> ", .words = &none, .output = open_memstream(&shown, &size)};
    struct error error = {0};
    struct line_editor *editor = line_editor_open(&host, &error);
    assert_string_equal(line_editor_read(editor), "select 1;\n");
    line_editor_remember(editor, "select 1;");
    assert_string_equal(line_editor_read(editor), ".quit");
    assert_null(line_editor_read(editor));
    line_editor_reset(editor);
    assert_null(line_editor_read(editor));
    line_editor_close(editor);
    fclose(host.output);
    assert_string_equal(shown, "assay> assay> assay> assay> ");
    free(shown);
    dup2(before, STDIN_FILENO);
    close(before);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_feature_has_its_sentence), cmocka_unit_test(rooms_refuse),
        cmocka_unit_test(scripts_of_the_report_are_one_note), cmocka_unit_test(code_names_and_counters),
        cmocka_unit_test(plain_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
