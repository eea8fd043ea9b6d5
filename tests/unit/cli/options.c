/* The parser of the command line, on a table of commands of its own. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int nothing(const struct invocation *invocation, struct error *error)
{
    (void)invocation, (void)error;
    return 0;
}

const struct command commands[] = {
    {.name = "weigh",
     .arguments = "FILE",
     .options = {OPTION_OUTPUT, OPTION_LIMIT, OPTION_INNERMOST, OPTION_SET},
     .least = 1,
     .most = 2,
     .run = nothing},
    {.name = "melt", .arguments = "", .run = nothing},
};
const unsigned command_count = 2;

/* Parses words up to NULL. */
static bool parse(struct invocation *invocation, struct error *error, ...)
{
    char *words[20];
    int count = 0;
    va_list arguments;
    va_start(arguments, error);
    for (char *word; (word = va_arg(arguments, char *));)
        words[count++] = word;
    va_end(arguments);
    return options_parse(invocation, count, words, error);
}

static void values(void **state)
{
    (void)state;
    struct invocation it;
    struct error error = {0};
    assert_true(
        parse(&it, &error, "--json", "weigh", "a", "--limit=5", "-o", "x", "--innermost", "-n7", "b", NULL));
    assert_string_equal(it.command->name, "weigh");
    assert_true(options_has(&it, OPTION_JSON));
    assert_true(options_has(&it, OPTION_INNERMOST));
    assert_false(options_has(&it, OPTION_CSV));
    assert_string_equal(options_value(&it, OPTION_OUTPUT), "x");
    assert_string_equal(options_value(&it, OPTION_LIMIT), "7");
    int64_t number;
    assert_true(options_number(&it, OPTION_LIMIT, 1, &number, &error));
    assert_int_equal(number, 7);
    assert_true(options_number(&it, OPTION_DEPTH, 3, &number, &error));
    assert_int_equal(number, 3);
    assert_string_equal(options_operand(&it, 0), "a");
    assert_string_equal(options_operand(&it, 1), "b");
    assert_null(options_operand(&it, 2));
    options_free(&it);
}

static void dashes(void **state)
{
    (void)state;
    struct invocation it;
    struct error error = {0};
    assert_true(parse(&it, &error, "weigh", "-", "--", "--limit", NULL));
    assert_string_equal(options_operand(&it, 0), "-");
    assert_string_equal(options_operand(&it, 1), "--limit");
    assert_false(options_has(&it, OPTION_LIMIT));
    options_free(&it);
    assert_true(parse(&it, &error, "weigh", "f", "-qn3", "--inner", NULL));
    assert_true(options_has(&it, OPTION_QUIET));
    assert_true(options_has(&it, OPTION_INNERMOST));
    assert_string_equal(options_value(&it, OPTION_LIMIT), "3");
    options_free(&it);
}

static void repeated(void **state)
{
    (void)state;
    struct invocation it;
    struct error error = {0};
    assert_true(parse(&it, &error, "weigh", "f", "--set", "a=1", "--set=b=2", NULL));
    assert_int_equal(it.given.count, 2);
    assert_string_equal(ARRAY_AT(struct given, &it.given, 0)->value, "a=1");
    assert_string_equal(ARRAY_AT(struct given, &it.given, 1)->value, "b=2");
    options_free(&it);
}

static void expect_error(const char *piece, bool parsed, struct invocation *it, struct error *error)
{
    assert_false(parsed);
    assert_true(error->set);
    if (!strstr(error->text, piece))
        fail_msg("'%s' is not in '%s'", piece, error->text);
    options_free(it);
    *error = (struct error){0};
}

static void mistakes(void **state)
{
    (void)state;
    struct invocation it;
    struct error error = {0};
    expect_error("did you mean weigh?", parse(&it, &error, "wiegh", "f", NULL), &it, &error);
    expect_error("did you mean --limit?", parse(&it, &error, "weigh", "f", "--limt=3", NULL), &it, &error);
    expect_error("no option --limit", parse(&it, &error, "melt", "--limit=3", NULL), &it, &error);
    expect_error("needs a value", parse(&it, &error, "weigh", "f", "--limit", NULL), &it, &error);
    expect_error("takes no value", parse(&it, &error, "weigh", "f", "--innermost=1", NULL), &it, &error);
    expect_error("needs an operand", parse(&it, &error, "weigh", NULL), &it, &error);
    expect_error("does not take c", parse(&it, &error, "weigh", "a", "b", "c", NULL), &it, &error);
    expect_error("unknown option -z", parse(&it, &error, "weigh", "a", "-z", NULL), &it, &error);
    expect_error("several options", parse(&it, &error, "weigh", "a", "--no-de", NULL), &it, &error);
    assert_true(parse(&it, &error, "weigh", "f", "-n", "x", NULL));
    int64_t number;
    expect_error("needs a number", options_number(&it, OPTION_LIMIT, 0, &number, &error), &it, &error);
}

/* Every option has a name of its own, and every letter means one option. */
static void table_of_options(void **state)
{
    (void)state;
    for (enum option_id a = 0; a < OPTION_COUNT; a++)
        for (enum option_id b = 0; b < a; b++) {
            /* Two commands may use a name, one with an argument and one without: graph --calls, probe
             * --calls. */
            bool have_arguments = option_described(a)->argument, others = option_described(b)->argument;
            if (have_arguments == others)
                assert_string_not_equal(option_described(a)->name, option_described(b)->name);
            if (option_described(a)->letter)
                assert_int_not_equal(option_described(a)->letter, option_described(b)->letter);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),   cmocka_unit_test(dashes),           cmocka_unit_test(repeated),
        cmocka_unit_test(mistakes), cmocka_unit_test(table_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
