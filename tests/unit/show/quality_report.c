/* The report's small parts: values for programs, paragraphs, figures by their columns, the order of loops. */
#include "show/report/quality/quality.h"
#include "show/report/quality/metrics.h"
#include "show/report/quality/summary.h"
#include "show/report/quality/text.h"
#include "show/report/quality/words.h"
#include "show/report/common/row_writer.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_number(double number, const char *want)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    row_print_number(number, out);
    fclose(out);
    assert_string_equal(text, want);
    assert_true(strtod(text, NULL) == number);
    free(text);
}

static void numbers_have_the_digits_that_they_need(void **state)
{
    (void)state;
    assert_number(0, "0");
    assert_number(-7, "-7");
    assert_number(4294967295.0, "4294967295");
    assert_number(0.5, "0.5");
    assert_number(0.1, "0.1");
    assert_number(1.0 / 3, "0.3333333333333333");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(1e300, "1e+300");
    assert_number(-2.25, "-2.25");
}

static char *write_values(bool is_json, bool is_head)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct row_writer writer = {.out = out, .is_json = is_json, .is_head = is_head, .is_first = true};
    row_text(&writer, "a", "x,\"y\"");
    row_text(&writer, "b", NULL);
    row_number(&writer, "c", NAN);
    row_number(&writer, "d", INFINITY);
    row_integer(&writer, "e", -3);
    row_id(&writer, "f", 0);
    row_address(&writer, "g", UINT64_C(0xffffffff81000000));
    row_address(&writer, "h", NO_ADDRESS);
    row_flag(&writer, "i", true);
    fclose(out);
    return text;
}

static void values_are_quoted_and_nothing_is_null(void **state)
{
    (void)state;
    char *head = write_values(false, true), *csv = write_values(false, false),
         *json = write_values(true, false);
    assert_string_equal(head, "a,b,c,d,e,f,g,h,i");
    assert_string_equal(csv, "\"x,\"\"y\"\"\",,,,-3,,18446744071578845184,,1");
    assert_string_equal(json, "\"a\":\"x,\\\"y\\\"\",\"b\":null,\"c\":null,\"d\":null,\"e\":-3,\"f\":null,"
                              "\"g\":18446744071578845184,\"h\":null,\"i\":true");
    free(head);
    free(csv);
    free(json);
}

static void assert_wrapped(const char *text, size_t at, size_t indent, size_t width, const char *want)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    wrap_print(out, text, at, indent, width);
    fclose(out);
    assert_string_equal(got, want);
    free(got);
}

static void words_go_into_lines_that_fit(void **state)
{
    (void)state;
    assert_wrapped("", 0, 0, 10, "\n");
    assert_wrapped("one two three", 0, 0, 7, "one two\nthree\n");
    assert_wrapped("one two three", 0, 2, 7, "one two\n  three\n");
    assert_wrapped("one two", 5, 5, 8, "one\n     two\n");
    assert_wrapped("  one   two  ", 0, 0, 80, "one two\n");
    assert_wrapped("a-very-long-word b", 0, 0, 5, "a-very-long-word\nb\n");
    assert_wrapped("µµµ µµµ", 0, 0, 7, "µµµ µµµ\n");
}

static void anything_is_made_safe(void **state)
{
    (void)state;
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    wrap_say(out, 2, 40, "%s %d", "a\x1b[2J\nb", 3);
    fclose(out);
    assert_string_equal(got, "  a\\x1b[2J\\nb 3\n");
    free(got);
}

static void every_figure_has_a_value_or_none(void **state)
{
    (void)state;
    struct quality_columns columns = quality_columns();
    struct loop_metric metric = {.loop = 1,
                                 .path = 1,
                                 .cycles = 6,
                                 .cycles_without_dependence = 2,
                                 .cycles_vectorised = NAN,
                                 .cycles_next_bottleneck = 0,
                                 .instruction_count = 9,
                                 .general_pressure = NO_NUMBER,
                                 .vector_pressure = 0};
    unsigned groups = 0, quotients = 0;
    for (const struct table_column *it = columns.first; it < columns.end; it++) {
        double value = table_number(it, &metric);
        const char *name = it->name;
        groups += it->group != NULL;
        quotients += it->over != NULL;
        assert_true(strcmp(name, "loop") && strcmp(name, "path") && strcmp(name, "processor"));
        assert_true(it->type != COLUMN_VIRTUAL || (it->over && it->under));
        if (!strcmp(name, "speedup_without_dependence"))
            assert_true(value == 3);
        else if (!strcmp(name, "speedup_vectorised") || !strcmp(name, "general_pressure") ||
                 !strcmp(name, "speedup_next_bottleneck"))
            assert_true(isnan(value));
        else if (!strcmp(name, "instruction_count"))
            assert_true(value == 9);
        else if (!strcmp(name, "vector_pressure"))
            assert_true(value == 0);
    }
    assert_int_equal(groups, 13);
    assert_int_equal(quotients, 6);
    assert_non_null(columns.first->group);
}

/* Five loops of a function: nothing to gain, 2 times, 3 times by a hint, advice without a figure, and a tail.
 */
static void make_model(struct model *model)
{
    static const struct {
        double gain;
        uint8_t level, role;
    } facts[] = {{0, 0, loop_role_ONLY},
                 {2, advice_level_POTENTIAL, loop_role_MAIN},
                 {3, advice_level_HINT, loop_role_ONLY},
                 {NAN, advice_level_GAIN, loop_role_ONLY},
                 {2, advice_level_POTENTIAL, loop_role_TAIL}};
    model_init(model);
    model_add(&model->programs);
    *(struct function *)model_add(&model->functions) = (struct function){.program = 1};
    model_add(&model->rules);
    model_add(&model->loop_families);
    for (uint32_t i = 0; i < 5; i++) {
        *(struct loop *)model_add(&model->loops) =
            (struct loop){.function = 1, .depth = 1, .is_innermost = 1, .path_count = 1};
        *(struct loop_role_row *)model_add(&model->loop_roles) =
            (struct loop_role_row){.loop = i + 1, .family = 1, .role = facts[i].role};
        *(struct path *)model_add(&model->paths) = (struct path){.loop = i + 1, .position = 1};
        *(struct loop_cycle *)model_add(&model->loop_cycles) = (struct loop_cycle){.loop = i + 1,
                                                                                   .path = 1,
                                                                                   .cycles = 6,
                                                                                   .share = 1,
                                                                                   .limit = core_part_PORTS,
                                                                                   .instruction_count = 4,
                                                                                   .known_count = 3};
        if (facts[i].gain != 0)
            *(struct advice *)model_add(&model->advice) = (struct advice){.loop = i + 1,
                                                                          .path = 1,
                                                                          .rule = 1,
                                                                          .level = facts[i].level,
                                                                          .cycles = 6 / facts[i].gain,
                                                                          .gain = facts[i].gain};
    }
}

static void loops_are_in_the_order_of_what_there_is_to_gain(void **state)
{
    (void)state;
    struct model model;
    make_model(&model);
    uint32_t loops[] = {1, 2, 3, 4, 5};
    quality_sort(&model, advice_level_POTENTIAL, loops, 5);
    static const uint32_t usual[] = {2, 5, 4, 1, 3}, all[] = {3, 2, 5, 4, 1};
    assert_memory_equal(loops, usual, sizeof usual);
    quality_sort(&model, advice_level_HINT, loops, 5);
    assert_memory_equal(loops, all, sizeof all);
    assert_true(quality_gain(&model, 3, advice_level_POTENTIAL) == 1);
    assert_true(quality_gain(&model, 3, advice_level_HINT) == 3);
    assert_true(quality_gain(&model, 4, advice_level_HINT) == 1);
    model_free(&model);
}

static void add_weights(struct model *model, const double *shares)
{
    for (uint32_t i = 0; i < 5; i++)
        *(struct loop_weight *)model_add(&model->loop_weights) =
            (struct loop_weight){.loop = i + 1, .share = shares[i], .reach = call_reach_ONCE};
}

static void loops_are_in_the_order_of_what_they_save(void **state)
{
    (void)state;
    struct model model;
    static const double shares[] = {0.3, 0.1, 0.1, 0.2, 0.3};
    uint32_t loops[] = {1, 2, 3, 4, 5};
    make_model(&model);
    add_weights(&model, shares);
    quality_sort(&model, advice_level_POTENTIAL, loops, 5);
    static const uint32_t by_saving[] = {5, 2, 4, 1, 3};
    assert_memory_equal(loops, by_saving, sizeof by_saving);
    assert_int_equal(quality_sort_basis(&model), quality_by_STRUCTURE);
    assert_true(fabs(quality_saving(&model, 5, advice_level_POTENTIAL) - 0.15) < 1e-12);
    model_loop_weight(&model, 4)->reach = call_reach_START;
    quality_sort(&model, advice_level_POTENTIAL, loops, 5);
    static const uint32_t start_last[] = {2, 4, 1, 3, 5};
    assert_memory_equal(loops, start_last, sizeof start_last);
    model_add(&model.runs);
    *(struct run_loop *)model_add(&model.run_loops) =
        (struct run_loop){.run = 1, .loop = 2, .self_share = 0.1};
    *(struct run_loop *)model_add(&model.run_loops) =
        (struct run_loop){.run = 1, .loop = 5, .self_share = 0.2};
    quality_sort(&model, advice_level_POTENTIAL, loops, 5);
    static const uint32_t by_samples[] = {5, 2, 4, 1, 3};
    assert_memory_equal(loops, by_samples, sizeof by_samples);
    assert_int_equal(quality_sort_basis(&model), quality_by_SAMPLES);
    model_free(&model);
}

static void the_summary_counts_loops(void **state)
{
    (void)state;
    struct model model;
    struct quality_summary summary;
    make_model(&model);
    uint32_t loops[] = {1, 2, 3, 4, 5};
    struct quality_view view = {.model = &model,
                                .loops = loops,
                                .analysed_count = 5,
                                .loop_count = 2,
                                .level = advice_level_POTENTIAL};
    quality_sort(&model, view.level, loops, 5);
    quality_summarise(&summary, &view);
    assert_int_equal(summary.path_count, 5);
    assert_int_equal(summary.limits[core_part_PORTS], 5);
    assert_int_equal(summary.unanswered_count, 0);
    assert_int_equal(summary.unplaced_count, 5);
    assert_int_equal(summary.cut_count, 0);
    assert_int_equal(summary.instruction_count, 20);
    assert_int_equal(summary.known_count, 15);
    assert_int_equal(summary.advised[advice_level_GAIN], 1);
    assert_int_equal(summary.advised[advice_level_POTENTIAL], 2);
    assert_int_equal(summary.advised[advice_level_HINT], 1);
    assert_int_equal(summary.advised_count, 3);
    assert_int_equal(summary.rules.count, 1);
    assert_int_equal(ARRAY_AT(struct quality_rule_use, &summary.rules, 0)->loop_count, 3);
    assert_int_equal(summary.top_count, 2);
    assert_int_equal(summary.top[0], 2);
    assert_int_equal(summary.compilers.count, 1);
    assert_int_equal(ARRAY_AT(struct quality_compiler, &summary.compilers, 0)->loop_count, 5);
    quality_summary_free(&summary);
    model_free(&model);
}

static void options_are_on_the_first_screen(void **state)
{
    (void)state;
    static const enum action actions[] = {
        action_PRECISION, action_FINITE_MATH, action_ASSOCIATIVE_MATH, action_DIVIDE_LESS, action_RESTRICT,
        action_HOIST,     action_LAYOUT,      action_OPTIMISE,         action_INLINE,      action_LINK_TIME};
    struct model model;
    model_init(&model);
    for (uint32_t i = 0; i < 10; i++)
        *(struct program_action *)model_add(&model.program_actions) =
            (struct program_action){.program = 1,
                                    .position = i + 1,
                                    .action = (uint8_t)actions[i],
                                    .level = advice_level_POTENTIAL,
                                    .loop_count = 1,
                                    .saving = 0.1 - 0.01 * i};
    struct quality_view view = {.model = &model, .analysed_count = 2, .level = advice_level_POTENTIAL};
    struct text_report report = {.view = &view};
    text_find_actions(&report);
    assert_int_equal(report.action_count, MOST_ACTIONS);
    assert_int_equal(text_action_number(&report, action_PRECISION), 1);
    assert_int_equal(text_action_number(&report, action_DIVIDE_LESS), 4);
    assert_int_equal(text_action_number(&report, action_OPTIMISE), 5);
    assert_int_equal(text_action_number(&report, action_LINK_TIME), 6);
    assert_int_equal(text_action_number(&report, action_RESTRICT), 0);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_digits_that_they_need),
        cmocka_unit_test(values_are_quoted_and_nothing_is_null),
        cmocka_unit_test(words_go_into_lines_that_fit),
        cmocka_unit_test(anything_is_made_safe),
        cmocka_unit_test(every_figure_has_a_value_or_none),
        cmocka_unit_test(loops_are_in_the_order_of_what_there_is_to_gain),
        cmocka_unit_test(loops_are_in_the_order_of_what_they_save),
        cmocka_unit_test(options_are_on_the_first_screen),
        cmocka_unit_test(the_summary_counts_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
