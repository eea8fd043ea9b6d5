/* The search with a judge and a clock of the test's own: what is measured after the first dozen, and in which
   order. A variant is a number: a bit for each choice. */
#include "change/optimise/search/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { X = 1, Y = 2, Z = 4, ALL = 8 };

static const double *cycles, *ratios; /* of each variant */
static unsigned order[2 * ALL], runs;
static const double *iterations; /* that a variant's loop does at once; NULL: one */
static unsigned wrong;           /* variants with this bit compute something else */
static unsigned finalists = 1;
static unsigned batches_left = 1000; /* that the judge takes; then it fails */

static unsigned number(const struct variant *variant)
{
    return variant->values[0] * X + variant->values[1] * Y + variant->values[2] * Z;
}

/* --- the judge: these take the place of change/optimise/judge/judge.c --- */
bool judge_begin(const struct extract *extract, const struct choices *choices, const struct machine *machine,
                 unsigned processes, struct judge **judge, struct error *error)
{
    (void)extract, (void)choices, (void)machine, (void)processes, (void)error;
    *judge = NULL;
    return true;
}

bool judge_variants(struct judge *judge, const struct variant *variants, size_t count,
                    struct judgement *judgements, struct error *error)
{
    (void)judge;
    if (!batches_left)
        return error_set(error, "ledger.db", "the disk is full");
    batches_left--;
    for (size_t i = 0; i < count; i++) {
        unsigned which = number(&variants[i]);
        judgements[i] = (struct judgement){.is_compiled = true,
                                           .cycles = cycles[which],
                                           .entry_cycles = NAN,
                                           .iterations = iterations ? iterations[which] : 1,
                                           .loop = which + 1,
                                           .object = memory_format("%u.o", which)};
        judgements[i].digest[0] = (char)('a' + which);
    }
    return true;
}

void judge_advice(const struct judge *judge, const char *object, struct array *names)
{
    (void)judge, (void)object, (void)names;
}

const char *judge_folder(const struct judge *judge)
{
    (void)judge;
    return NULL;
}

void judge_end(struct judge *judge)
{
    (void)judge;
}

void judgement_free(struct judgement *judgement)
{
    free(judgement->problem);
    free(judgement->object);
}

/* --- the clock --- */
static bool run(void *context, const struct variant *variant, const struct judgement *judgement,
                double seconds, struct replay_result *result, struct error *error)
{
    (void)context, (void)judgement, (void)seconds, (void)error;
    if (runs < sizeof order / sizeof *order)
        order[runs++] = number(variant);
    *result = (struct replay_result){.verdict = number(variant) & wrong ? replay_DIFFERENT : replay_SAME,
                                     .seconds = ratios[number(variant)],
                                     .original_seconds = 1};
    return true;
}

static struct choice choice_of(const char *name, char **values)
{
    return (struct choice){.name = (char *)name,
                           .says = (char *)name,
                           .form = choice_FLAG,
                           .values = values,
                           .value_count = 1,
                           .risks = *name == 'y' ? risk_ROUNDING : 0};
}

static void search(const double *judged, const double *measured, const char *const *usual,
                   struct search_answer *answer)
{
    static char *x[] = {NULL, "-x"}, *y[] = {NULL, "-y"}, *z[] = {NULL, "-z"};
    struct compilation compilation = {.source = "solve.c"};
    struct extract extract = {.compilation = &compilation};
    struct choices choices = {.list = ARRAY_OF(struct choice)};
    *(struct choice *)array_push(&choices.list) = choice_of("x", x);
    *(struct choice *)array_push(&choices.list) = choice_of("y", y);
    *(struct choice *)array_push(&choices.list) = choice_of("z", z);
    struct search_request request = {.extract = &extract,
                                     .choices = &choices,
                                     .usual = usual,
                                     .budget = 600,
                                     .finalists = finalists,
                                     .processes = 1,
                                     .measure.run = run};
    struct error error = {0};
    cycles = judged;
    ratios = measured;
    runs = 0;
    assert_true(search_run(&request, answer, &error));
    array_free(&choices.list);
}

/* Where a variant is in the order of the runs; its number of runs: it was not run. */
static unsigned place_of(unsigned which)
{
    unsigned place = 0;
    while (place < runs && order[place] != which)
        place++;
    return place;
}

/* The model says x; x with z is a little worse by the model, and much faster. */
static void the_fastest_may_be_a_neighbour(void **state)
{
    static const double judged[ALL] = {10, 5, 10, 7, 10, 5.5, 10, 7},
                        measured[ALL] = {1, .5, 1, .1, 1, .3, 1, .1};
    struct search_answer answer;
    (void)state;
    search(judged, measured, NULL, &answer);
    assert_true(answer.has_winner && answer.is_measured);
    const struct search_finalist *first = ARRAY_AT(struct search_finalist, &answer.finalists, 0);
    assert_int_equal(number(&first->variant), X + Z);
    assert_true(first->is_neighbour);
    assert_int_equal(place_of(X), 1);
    assert_int_equal(place_of(X + Y), runs); /* far from the best by its cycles: not worth a run */
    search_answer_free(&answer);
}

/* From the neighbour it goes on: x and y and z together are two steps from x. */
static void rounds_go_on_while_they_help(void **state)
{
    static const double judged[ALL] = {10, 5, 10, 9, 10, 5.5, 10, 6},
                        measured[ALL] = {1, .5, 1, .9, 1, .4, 1, .2};
    struct search_answer answer;
    (void)state;
    search(judged, measured, NULL, &answer);
    assert_int_equal(number(&ARRAY_AT(struct search_finalist, &answer.finalists, 0)->variant), X + Y + Z);
    search_answer_free(&answer);
}

/* x with y and x with z have the same cycles; of the usual sets z was faster than y. */
static void equal_cycles_go_by_what_was_measured(void **state)
{
    static const char *const usual[] = {"-y", "-z", NULL};
    static const double judged[ALL] = {10, 5, 9, 5.5, 9, 5.5, 10, 10},
                        y_is_fast[ALL] = {1, .5, .6, .7, .9, .7, 1, 1},
                        z_is_fast[ALL] = {1, .5, .9, .7, .6, .7, 1, 1};
    struct search_answer answer;
    (void)state;
    search(judged, z_is_fast, usual, &answer);
    assert_true(place_of(X + Y) < runs && place_of(X + Z) < place_of(X + Y));
    search_answer_free(&answer);
    search(judged, y_is_fast, usual, &answer);
    assert_true(place_of(X + Z) < runs && place_of(X + Y) < place_of(X + Z));
    search_answer_free(&answer);
}

/* x with y has less cycles than x with z, but is much like x; x with z is another loop. */
static void shapes_have_turns(void **state)
{
    static const double judged[ALL] = {10, 5, 10, 5.01, 10, 6, 10, 10},
                        at_once[ALL] = {1, 8, 1, 8, 1, 2, 1, 1}, measured[ALL] = {1, .5, 1, .5, 1, .3, 1, 1};
    struct search_answer answer;
    (void)state;
    iterations = at_once;
    finalists = 2;
    search(judged, measured, NULL, &answer);
    iterations = NULL;
    finalists = 1;
    assert_int_equal(place_of(X), 1);
    assert_int_equal(place_of(X + Z), 2);
    const struct search_finalist *first = ARRAY_AT(struct search_finalist, &answer.finalists, 0);
    assert_int_equal(number(&first->variant), X + Z);
    assert_int_equal(first->rank, 2);
    search_answer_free(&answer);
}

/* y is wrong: y with z, which takes the same risk, is not run, and x has its place. */
static void wrong_ones_give_their_place(void **state)
{
    static const double judged[ALL] = {10, 8, 5, 9, 10, 10, 5.2, 10},
                        measured[ALL] = {1, .5, 1, 1, 1, 1, 1, 1};
    struct search_answer answer;
    (void)state;
    wrong = Y;
    finalists = 2;
    search(judged, measured, NULL, &answer);
    wrong = 0;
    finalists = 1;
    assert_int_equal(place_of(Y), 1);
    assert_in_range(place_of(X), 2, 3);
    assert_int_equal(place_of(Y + Z), runs);
    const struct search_finalist *first = ARRAY_AT(struct search_finalist, &answer.finalists, 0);
    assert_int_equal(number(&first->variant), X);
    assert_int_equal(first->rank, 1);
    search_answer_free(&answer);
}

/* What ended it is told beside the best so far. */
static void an_early_end_is_told(void **state)
{
    static const char *const usual[] = {"-x", NULL};
    static const double judged[ALL] = {10, 5, 10, 10, 10, 10, 10, 10},
                        measured[ALL] = {1, .5, 1, 1, 1, 1, 1, 1};
    struct search_answer answer;
    (void)state;
    batches_left = 2;
    search(judged, measured, usual, &answer);
    batches_left = 1000;
    assert_true(answer.has_winner && answer.tried == 2);
    assert_non_null(answer.problem);
    assert_non_null(strstr(answer.problem, "the disk is full"));
    search_answer_free(&answer);
    search(judged, measured, usual, &answer);
    assert_null(answer.problem);
    search_answer_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_may_be_a_neighbour),
        cmocka_unit_test(rounds_go_on_while_they_help),
        cmocka_unit_test(equal_cycles_go_by_what_was_measured),
        cmocka_unit_test(shapes_have_turns),
        cmocka_unit_test(wrong_ones_give_their_place),
        cmocka_unit_test(an_early_end_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
