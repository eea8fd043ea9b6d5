/* The language of assertions, rules and comments: what is read is what was meant, and mistakes are named with
   their place. */
#include "code/check/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct assertions read;

static bool parse(const char *text, struct error *error)
{
    struct assertion_place place = {"a.c", 7, 12};
    *error = (struct error){0};
    return assertions_parse(&read, text, strlen(text), &place, error);
}

static const struct assertion *only(const char *text)
{
    struct error error;
    if (!parse(text, &error))
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(read.list.count, 1);
    return ARRAY_AT(struct assertion, &read.list, 0);
}

static void refused(const char *text, const char *expected)
{
    struct error error;
    assert_false(parse(text, &error));
    assert_string_equal(error.text, expected);
}

static void figures_have_columns_and_units(void **unused)
{
    (void)unused;
    const struct assertion *it = only("vectorised >= 256 bits");
    assert_string_equal(it->columns[0]->name, "vector_bits");
    assert_int_equal(it->comparison, comparator_AT_LEAST);
    assert_true(it->number == 256);
    assertions_free(&read);
    it = only("vectorized>=90%");
    assert_string_equal(it->columns[0]->name, "vector_ratio");
    assert_string_equal(it->word, "vectorised");
    assert_true(fabs(it->number - 0.9) < 1e-12);
    assertions_free(&read);
    it = only("cycles < 2.5 per element");
    assert_string_equal(it->columns[0]->name, "cycles_per_element");
    assert_int_equal(it->comparison, comparator_BELOW);
    assertions_free(&read);
    it = only("no spills");
    assert_string_equal(it->columns[1]->name, "fill_count");
    assert_null(it->columns[2]);
    assert_int_equal(it->comparison, comparator_AT_MOST);
    assert_true(it->number == 0);
    assertions_free(&read);
    it = only("unrolled");
    assert_true(it->is_of_roles && it->number == 2);
    assertions_free(&read);
    it = only("vector_ratio_fp >= 0.9");
    assert_string_equal(it->word, "vector_ratio_fp");
    assertions_free(&read);
    it = only("limit is not store forwarding on zen4");
    assert_int_equal(it->part, core_part_FORWARDING);
    assert_true(it->is_not);
    assert_string_equal(it->text, "limit is not store forwarding");
    assert_int_equal(read.machines.count, 1);
    assertions_free(&read);
    it = only("no advice not-vectorised");
    assert_string_equal(it->rule, "not-vectorised");
    assertions_free(&read);
}

static void lists_end_with_machines(void **unused)
{
    (void)unused;
    struct error error;
    assert_true(parse(
        "  cycles  <= 2.5 per element ,\n * no  calls on the next loop on zen4, neoverse-v1+nosve ", &error));
    assert_int_equal(read.list.count, 2);
    assert_string_equal(ARRAY_AT(struct assertion, &read.list, 0)->text, "cycles <= 2.5 per element");
    assert_string_equal(ARRAY_AT(struct assertion, &read.list, 1)->text, "no calls");
    assert_int_equal(read.machines.count, 2);
    assert_string_equal(*ARRAY_AT(char *, &read.machines, 1), "neoverse-v1+nosve");
    assertions_free(&read);
    assert_true(parse("limit is not ports and no advice and no calls on zen4", &error));
    assert_int_equal(read.list.count, 3);
    assertions_free(&read);
    assert_true(parse("vectorised >= 256 bits        on the next loop", &error));
    assert_int_equal(read.machines.count, 0);
    assertions_free(&read);
}

static void every_word_can_be_asserted(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < assertion_word_count; i++) {
        const struct assertion_word *row = &assertion_words[i];
        char text[100];
        unsigned columns = 1;
        snprintf(text, sizeof text, row->is_plain ? "%s" : "%s <= 3 %s", row->word, row->unit);
        for (const char *at = row->columns; (at = strchr(at, '+')); at++)
            columns++;
        const struct assertion *it = only(text);
        unsigned found = 0;
        while (found < MOST_SUMMANDS && it->columns[found])
            found++;
        assert_int_equal(found, columns);
        assertions_free(&read);
    }
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    refused("no spils", "a.c:7:15: unknown assertion no 'spils'; did you mean spills?");
    refused("vectorise >= 256 bits", "a.c:7:12: unknown assertion 'vectorise'; did you mean vectorised?");
    refused("vectorised >= 256", "a.c:7:29: vectorised needs a unit: bits or %, not the end");
    refused("cycles <= 2", "a.c:7:23: cycles needs a unit: per element or per iteration, not the end");
    refused("cycles <= fast", "a.c:7:22: expected a number after <=, not 'fast'");
    refused("cycles", "a.c:7:18: cycles needs a comparison, such as `cycles <= 4 per element`");
    refused("aligned <= 3", "a.c:7:24: aligned alone is complete: it takes no number");
    refused("", "a.c:7:12: expected an assertion such as `no spills`, not the end");
    refused("no calls,", "a.c:7:21: expected an assertion such as `no spills`, not the end");
    refused("no calls no spills", "a.c:7:21: expected a comma, `on` or the end, not 'no'");
    refused("no calls on",
            "a.c:7:23: expected the name of a machine, not the end (assay machines lists them)");
    refused("limit is latincy", "a.c:7:21: unknown part of the core 'latincy'; did you mean latency");
    refused("no advice not-vectorized",
            "a.c:7:22: unknown advice 'not-vectorized'; did you mean not-vectorised?");
    refused("no calls,\nno xyzzy", "a.c:8:4: unknown assertion no 'xyzzy' (docs/check.md lists them)");
}

static void figures_are_compared(void **unused)
{
    (void)unused;
    const struct assertion *it = only("cycles <= 2.5 per element");
    assert_true(assertion_holds(it, 2.5) && assertion_holds(it, 2.500001) && !assertion_holds(it, 2.51));
    assert_false(assertion_holds(it, NAN));
    assertions_free(&read);
    it = only("instructions > 3");
    assert_true(assertion_holds(it, 4) && !assertion_holds(it, 3));
    assertions_free(&read);
    it = only("instructions = 3");
    assert_true(assertion_holds(it, 3) && !assertion_holds(it, 4));
    assertions_free(&read);
}

static void rules_are_read(void **unused)
{
    (void)unused;
    struct check check;
    check_begin(&check);
    check_parse_rules(&check, "r",
                      "# rules\n\nloop src/a.c:40: no spills # why\nfunction ns::f(int): fma\n"
                      "rule 'no x87; at all': select 1 -- a ; in a comment\n  from functions\n"
                      "file kernels/: no x87\nrule \"two\": select ';';\n");
    assert_int_equal(check.problems.count, 0);
    assert_int_equal(check.demands.count, 5);
    assert_string_equal(check_demand_at(&check, 0)->subject, "src/a.c");
    assert_int_equal(check_demand_at(&check, 0)->subject_line, 40);
    assert_string_equal(check_demand_at(&check, 1)->subject, "ns::f(int)");
    assert_string_equal(check_demand_at(&check, 2)->sql, "select 1 -- a ; in a comment\n  from functions");
    assert_string_equal(check_demand_at(&check, 3)->subject, "kernels/");
    assert_int_equal(check_demand_at(&check, 4)->line, 8);
    check_end(&check);
    check_begin(&check);
    check_parse_rules(
        &check, "r",
        "loops a.c:4: no spills\nloop a.c: no spills\nfunction f no spills\nfunction f: no spils\n");
    assert_int_equal(check.demands.count, 0);
    assert_int_equal(check.problems.count, 4);
    assert_string_equal(*ARRAY_AT(char *, &check.problems, 3),
                        "r:4:16: unknown assertion no 'spils'; did you mean spills?");
    check_end(&check);
}

static struct source_text source;

static const struct source_comment *comments(const char *path, const char *text, size_t count)
{
    source_text_read(&source, source_kind_of(path), text, strlen(text));
    assert_int_equal(source.comments.count, count);
    return source.comments.data;
}

static void lines_are(struct source_lines lines, uint32_t first, uint32_t last)
{
    assert_int_equal(lines.first, first);
    assert_int_equal(lines.last, last);
}

static void comments_have_statements(void **unused)
{
    (void)unused;
    struct source_lines branch;
    uint32_t at = 0;
    const struct source_comment *it =
        comments("a.c",
                 "void f(int n) {\n"                      /* 1 */
                 "  char c = '\"'; // assay : no calls\n" /* 2 */
                 "  int s = 0;\n"
                 "#if A\n"
                 "  for (int i = 0; i < n; i++)\n" /* 5 */
                 "    if (i) g(); else\n"
                 "      h();\n"
                 "#else\n"
                 "  while (n) { n--; }\n" /* 9 */
                 "#endif\n"
                 "}\n"
                 "/* Assay: no spills */ int g() { do { x(); } while (1); }\n", /* 12 */
                 2);
    lines_are(source_text_statement(&source, it), 3, 3);
    lines_are(source_text_next_loop(&source, it, &at, &branch), 5, 7);
    lines_are(branch, 4, 8);
    lines_are(source_text_next_loop(&source, it, &at, &branch), 9, 9);
    lines_are(source_text_next_loop(&source, it, &at, &branch), 0, 0);
    lines_are(source_text_function(&source, it), 1, 11);
    lines_are(source_text_statement(&source, it + 1), 12, 12);
    lines_are(source_text_function(&source, it + 1), 0, 0);
    source_text_free(&source);
    it = comments(
        "a.cc",
        "namespace x {\nauto s = \"// assay: no calls\"; auto r = R\"(// assay: no)\"; int k = 1'000;\n"
        "struct A { void f() const {\n"
        "    for (auto &y : v) // assay: no calls\n"
        "    { y(); }\n"
        "} };\n}\n",
        1);
    lines_are(source_text_statement(&source, it), 4, 5);
    lines_are(source_text_function(&source, it), 3, 6);
    source_text_free(&source);
    it = comments("a.f90",
                  "subroutine f(n)\n! assay: no calls\n  do i = 1, n\n    do while (x)\n    end do\n  enddo\n"
                  "  do 10 j = 1, n\n 10 continue ! assay: no calls\nend subroutine\n",
                  2);
    lines_are(source_text_statement(&source, it), 3, 6);
    lines_are(source_text_function(&source, it), 1, 9);
    source_text_free(&source);
    comments("a.s", "# assay: no spills\nadd x0, x1, x2 // assay: no calls\n", 2);
    source_text_free(&source);
}

static void branches_of_conditionals_are_found(void **unused)
{
    (void)unused;
    uint32_t at = 0;
    const struct source_comment *it = comments(
        "a.c", "#if 1\n#ifdef B\nint x;\n#else\n// assay: no calls\nint f(void) { }\n#endif\n#endif\n", 1);
    lines_are(source_text_branch(&source, it, &at), 4, 7);
    lines_are(source_text_branch(&source, it, &at), 1, 8);
    lines_are(source_text_branch(&source, it, &at), 0, 0);
    source_text_free(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_have_columns_and_units),
        cmocka_unit_test(lists_end_with_machines),
        cmocka_unit_test(every_word_can_be_asserted),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(figures_are_compared),
        cmocka_unit_test(rules_are_read),
        cmocka_unit_test(comments_have_statements),
        cmocka_unit_test(branches_of_conditionals_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
