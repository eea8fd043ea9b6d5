/* The models on cases that can be computed by hand, and on nonsense. */
#include "model_worlds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64 };

static void assert_near(double value, double expected, double share)
{
    if (!(fabs(value / expected - 1) <= share))
        fail_msg("%g is not within %g %% of %g", value, 100 * share, expected);
}

static void assert_sound(const struct model_answer *answer)
{
    assert_true(answer->lower > 0 && answer->lower <= answer->seconds && answer->seconds <= answer->upper);
    for (unsigned i = 0; i < model_KIND_COUNT; i++) {
        const char *parameters = answer->judged[i].parameters;
        assert_int_equal(answer->judged[i].is_fitted, parameters != NULL);
        if (parameters)
            assert_true(parameters[0] == '{' && parameters[strlen(parameters) - 1] == '}');
    }
}

static struct model_answer ask(const struct world_case *cases, size_t count,
                               const struct world_case *question)
{
    struct model_case models[MOST];
    for (size_t i = 0; i < count; i++)
        models[i] = cases[i].model;
    struct model_answer answer;
    model_predict(models, count, WORLD_FEATURES, &question->model, &answer);
    if (answer.kind != model_NONE)
        assert_sound(&answer);
    return answer;
}

/* Exactly t(k) = start + work · k^-3 in pairs, an eighth of the work in identities. */
static void world_exact(struct world_case *made)
{
    double work = world_log_uniform(10, 1000);
    made->model.size = NAN;
    made->model.features = NULL;
    made->truth = work;
    for (unsigned i = 0; i < 3; i++) {
        world_probe(made, 2 * i, world_factors[i], true, work / 8 * pow(world_factors[i], -3));
        world_probe(made, 2 * i + 1, world_factors[i], false, work * pow(world_factors[i], -3));
    }
}

static void nothing_is_known(void **state)
{
    (void)state;
    struct model_case question = {.size = NAN, .seconds = NAN};
    struct model_answer answer;
    model_predict(NULL, 0, 0, &question, &answer);
    assert_int_equal(answer.kind, model_NONE);
    assert_true(isnan(answer.seconds) && isnan(answer.lower) && isnan(answer.upper) && isnan(answer.error));
    assert_string_equal(model_kind_names[answer.kind], "none");
    model_answer_free(&answer);
}

/* Lines left out shrink one direction, images three: bytes of the shrunk inputs tell them apart. */
static void bytes_say_how_far_to_go(void **state)
{
    (void)state;
    struct model_probe probes[] = {{20, false, 0.05}, {10, false, 0.1}};
    double told[3];
    for (unsigned directions = 0; directions < 3; directions++) {
        struct model_case question = {
            .size = NAN, .seconds = NAN, .probes = probes, .probe_count = 2, .directions = directions};
        struct model_answer answer;
        model_predict(NULL, 0, 0, &question, &answer);
        assert_int_equal(answer.kind, model_EXTRAPOLATE);
        told[directions] = answer.seconds;
        if (directions == 1)
            assert_true(answer.lower < 1 && answer.upper > 1);
        model_answer_free(&answer);
    }
    assert_true(told[1] > 0.6 && told[1] < 2); /* 1 is right */
    assert_true(told[0] > 2 * told[1] && told[2] > 2 * told[1]);
}

/* A program that compares all pairs of lines: three probes agree on the square, whatever most programs do. */
static void probes_that_agree_are_believed(void **state)
{
    (void)state;
    struct model_probe probes[] = {{6, false, 0.063}, {5, false, 0.090}, {4, false, 0.139}};
    struct model_case question = {
        .size = NAN, .seconds = NAN, .probes = probes, .probe_count = 3, .directions = 1};
    struct model_answer answer;
    model_predict(NULL, 0, 0, &question, &answer);
    assert_true(answer.seconds > 1.6 && answer.seconds < 2.7); /* it took 2.18 */
    assert_true(answer.lower < 2.18 && answer.upper > 2.18 && isfinite(answer.upper));
    model_answer_free(&answer);
}

/* The smallest probe waited for others: it took longer than larger ones, which it cannot have. */
static void a_probe_that_was_kept_waiting_is_left_out(void **state)
{
    (void)state;
    struct model_probe probes[] = {
        {72, false, 0.035}, {36, false, 0.005}, {18, false, 0.014}, {9, false, 0.047}, {5, false, 0.145}};
    struct model_case question = {
        .size = NAN, .seconds = NAN, .probes = probes, .probe_count = 5, .directions = 1};
    struct model_answer answer;
    model_predict(NULL, 0, 0, &question, &answer);
    assert_true(answer.seconds > 2.4 && answer.seconds < 5); /* 3.6 */
    model_answer_free(&answer);
}

/* The same sizes, and time goes with the lines, beside a start of the program: the line is believed, too. */
static void a_program_by_the_line_stays_one(void **state)
{
    (void)state;
    struct model_probe probes[] = {{72, false, 0.0169}, {36, false, 0.0309}, {18, false, 0.0586}};
    struct model_case question = {
        .size = NAN, .seconds = NAN, .probes = probes, .probe_count = 3, .directions = 1};
    struct model_answer answer;
    model_predict(NULL, 0, 0, &question, &answer);
    assert_true(answer.seconds > 0.8 && answer.seconds < 1.35); /* 0.003 + 1/k */
    model_answer_free(&answer);
}

/* Half the data: probes that take as long as starting the program, and ones that grow by 2^5, say little. */
static void probes_that_say_little_bound_nothing(void **state)
{
    (void)state;
    static const struct {
        double small, large;
        bool is_bounded;
    } cases[] = {{0.030, 0.031, false}, {0.030, 0.045, true}, {0.030, 0.24, false}};
    double width[3];
    for (unsigned i = 0; i < 3; i++) {
        struct model_probe probes[] = {{3, false, cases[i].small}, {2, false, cases[i].large}};
        struct model_case question = {
            .size = 100, .seconds = NAN, .probes = probes, .probe_count = 2, .directions = 1};
        struct model_case other = question;
        struct model_answer answer;
        model_predict(NULL, 0, 0, &question, &answer);
        assert_true(isfinite(answer.upper) == cases[i].is_bounded);
        assert_true(answer.lower > 0 && answer.lower < answer.seconds);
        model_answer_free(&answer);
        other.seconds = 0.1; /* one run is no more than a hint */
        model_predict(&other, 1, 0, &question, &answer);
        width[i] = log(answer.upper / answer.lower);
        model_answer_free(&answer);
    }
    assert_true(width[0] > 2 * width[1] && width[2] > 2 * width[1]);
}

/* Some end at their limit, others by chance: a time that is known well, and one that may be ten times that.
 */
static void two_kinds_of_work(struct world_case *made)
{
    bool is_hard = world_uniform() < 0.7;
    double voxels = world_log_uniform(1e5, 5e5);
    double share = is_hard ? exp(0.02 * world_normal()) : world_uniform() < 0.3 ? 0.9 : 0.2;
    made->model.size = voxels;
    made->model.features = NULL;
    made->truth = 5e-5 * voxels * share;
    for (unsigned i = 0; i < 3; i++) {
        double k = world_factors[i], least = 5e-6 * voxels * pow(k, -2.5);
        world_probe(made, 2 * i, k, true, least);
        world_probe(made, 2 * i + 1, k, false, least * (is_hard ? 8 : 2) * exp(0.1 * world_normal()));
    }
}

static void what_is_known_well_gets_a_narrow_interval(void **state)
{
    (void)state;
    enum { CASES = 60, QUESTIONS = 40 };
    struct world_case cases[CASES], questions[QUESTIONS];
    world_state = 11;
    world_make(two_kinds_of_work, cases, CASES);
    world_make(two_kinds_of_work, questions, QUESTIONS);
    unsigned inside = 0;
    for (unsigned i = 0; i < QUESTIONS; i++) {
        struct model_answer answer = ask(cases, CASES, &questions[i]);
        bool is_hard = questions[i].probes[1].seconds > 4 * questions[i].probes[0].seconds;
        double width = answer.upper / answer.lower;
        assert_int_equal(answer.kind, model_NEAREST);
        assert_true(is_hard ? width < 1.5 : width > 3);
        inside += answer.lower <= questions[i].truth && questions[i].truth <= answer.upper;
        model_answer_free(&answer);
    }
    assert_true(inside >= 34);
}

static void own_probes_answer_alone(void **state)
{
    (void)state;
    struct world_case question;
    world_state = 1;
    world_make(world_exact, &question, 1);
    double last = INFINITY;
    for (size_t probes = 2; probes <= 6; probes += 2) {
        question.model.probe_count = probes;
        struct model_answer answer = ask(NULL, 0, &question);
        assert_int_equal(answer.kind, model_EXTRAPOLATE);
        assert_true(answer.lower < question.truth && question.truth < answer.upper);
        double width = log(answer.upper / answer.lower);
        assert_true(width < last);
        last = width;
        model_answer_free(&answer);
    }
    /* Nothing but the least work is known: there is no upper end. */
    question.model.probe_count = 1;
    struct model_answer answer = ask(NULL, 0, &question);
    assert_true(isinf(answer.upper) && answer.seconds > 0);
    model_answer_free(&answer);
}

/* Probes of others without whole runs still say how probes scale. */
static void probes_of_others_narrow_the_exponent(void **state)
{
    (void)state;
    struct world_case cases[21];
    world_state = 2;
    world_make(world_exact, cases, 21);
    for (unsigned i = 0; i < 20; i++)
        cases[i].model.seconds = NAN;
    cases[20].model.probe_count = 2;
    struct model_answer alone = ask(NULL, 0, &cases[20]), answer = ask(cases, 20, &cases[20]);
    assert_int_equal(answer.kind, model_EXTRAPOLATE);
    assert_true(log(answer.upper / answer.lower) < log(alone.upper / alone.lower));
    assert_true(fabs(log(answer.seconds / cases[20].truth)) < fabs(log(alone.seconds / cases[20].truth)));
    model_answer_free(&alone);
    model_answer_free(&answer);
}

static void exact_cases_are_predicted_exactly(void **state)
{
    (void)state;
    struct world_case cases[21];
    world_state = 3;
    world_make(world_exact, cases, 21);
    for (size_t runs = 1; runs <= 20; runs++) {
        struct model_answer answer = ask(cases, runs, &cases[20]);
        assert_near(answer.seconds, cases[20].truth, runs < 3 ? 0.5 : runs < 10 ? 0.1 : 0.02);
        assert_true(answer.lower <= cases[20].truth && cases[20].truth <= answer.upper);
        assert_int_equal(answer.runs, runs);
        assert_int_equal(answer.probes, 6);
        if (runs == 20) {
            assert_true(answer.error < 0.02 && answer.worst < 0.1);
            assert_true(answer.judged[model_MEAN].error > 0.3);
            assert_true(answer.judged[model_BANDS].is_fitted && answer.judged[model_POWER].is_fitted);
        }
        model_answer_free(&answer);
    }
}

static void all_the_same(void **state)
{
    (void)state;
    struct world_case cases[13];
    world_state = 4;
    world_make(world_exact, cases, 1);
    for (unsigned i = 1; i < 13; i++) {
        cases[i] = cases[0];
        cases[i].model.probes = cases[i].probes;
    }
    for (size_t runs = 1; runs <= 12; runs++) {
        struct model_answer answer = ask(cases, runs, &cases[12]);
        assert_near(answer.seconds, cases[0].truth, runs < 3 ? 0.5 : 0.02);
        assert_true(runs < 9 || answer.upper / answer.lower < 1.2);
        model_answer_free(&answer);
    }
}

/* What makes no sense must change nothing. */
static void nonsense_is_not_known(void **state)
{
    (void)state;
    struct world_case cases[30];
    world_state = 5;
    world_make(world_exact, cases, 30);
    struct model_answer clean = ask(cases, 20, &cases[29]);
    static const double bad[] = {NAN, 0, -1, INFINITY, -INFINITY};
    for (unsigned i = 0; i < 5; i++)
        cases[20 + i].model.seconds = bad[i];
    for (unsigned i = 25; i < 29; i++)
        cases[i].model.seconds = NAN;
    for (unsigned i = 20; i < 29; i++)
        cases[i].model.size = bad[i % 5];
    struct model_answer answer = ask(cases, 29, &cases[29]);
    assert_near(answer.seconds, clean.seconds, 0.02);
    model_answer_free(&answer);
    model_answer_free(&clean);
    /* Probes that failed: those of the question are not used, rows that lack them fall back on the mean. */
    for (unsigned i = 0; i < 5; i++) {
        cases[29].probes[4].seconds = bad[i];
        cases[29].probes[5].seconds = bad[i];
        for (unsigned j = 0; j < 4; j++)
            cases[j].probes[3].seconds = bad[i];
        cases[5].probes[2].factor = bad[i];
        cases[5].probes[3].factor = i == 1 ? 1 : bad[i];
        answer = ask(cases, 20, &cases[29]);
        assert_int_equal(answer.probes, 4);
        assert_near(answer.seconds, cases[29].truth, 0.05);
        model_answer_free(&answer);
    }
}

static void one_run_far_off_bends_little(void **state)
{
    (void)state;
    struct world_case cases[26];
    world_state = 6;
    world_make(world_exact, cases, 26);
    cases[3].model.seconds *= 100;
    cases[8].probes[5].seconds *= 30; /* a probe that lies */
    struct model_answer answer = ask(cases, 25, &cases[25]);
    assert_near(answer.seconds, cases[25].truth, 0.1);
    model_answer_free(&answer);
}

/* Each input run three times: to have seen the same inputs must not count as knowing others. */
static void the_same_inputs_are_left_out_together(void **state)
{
    (void)state;
    struct world_case cases[60], question;
    world_state = 7;
    world_make(world_solver, cases, 20);
    world_make(world_solver, &question, 1);
    struct model_answer once = ask(cases, 20, &question);
    for (unsigned i = 0; i < 20; i++)
        for (unsigned j = 0; j < 3; j++) {
            if (j)
                cases[20 * j + i] = cases[i];
            cases[20 * j + i].model.inputs = i + 1;
            cases[20 * j + i].model.probes = cases[20 * j + i].probes;
            cases[20 * j + i].model.features = cases[20 * j + i].features;
        }
    struct model_answer answer = ask(cases, 60, &question);
    assert_near(answer.seconds, once.seconds, 1e-9);
    assert_near(answer.upper, once.upper, 1e-9);
    assert_near(answer.error, once.error, 1e-9);
    assert_int_equal(answer.runs, 20);
    model_answer_free(&answer);
    model_answer_free(&once);
}

static void inputs_that_were_run_before(void **state)
{
    (void)state;
    struct world_case cases[20], question;
    world_state = 8;
    world_make(world_solver, cases, 20);
    for (unsigned i = 0; i < 20; i++)
        cases[i].model.inputs = i / 2 + 1;
    for (unsigned i = 1; i < 20; i += 2)
        cases[i].model.seconds = cases[i - 1].model.seconds * 1.04;
    question = cases[6];
    question.model.seconds = NAN;
    struct model_answer answer = ask(cases, 20, &question);
    assert_int_equal(answer.kind, model_SEEN);
    assert_int_equal(answer.runs, 2);
    assert_near(answer.seconds, cases[6].truth * 1.02, 0.01);
    assert_true(answer.upper / answer.lower < 1.4);
    /* The others are judged as ever, without these runs. */
    assert_true(answer.judged[model_MEAN].is_fitted && answer.judged[model_MEAN].runs == 9);
    model_answer_free(&answer);
}

/* The thesis's position between bounds, by hand: probe multiples 1 to 4, whole ones 10 to 1,000. */
static void bands_by_hand(void **state)
{
    (void)state;
    struct model_probe probes[4][2];
    struct model_case cases[3], question;
    static const double multiples[] = {1, 2, 4}, units[] = {0.5, 3, 1};
    for (unsigned i = 0; i < 3; i++) {
        probes[i][0] = (struct model_probe){4, true, units[i]};
        probes[i][1] = (struct model_probe){4, false, units[i] * multiples[i]};
        cases[i] = (struct model_case){.size = NAN,
                                       .probes = probes[i],
                                       .probe_count = 2,
                                       .seconds = units[i] * 10 * pow(100, log(multiples[i]) / log(4))};
    }
    probes[3][0] = (struct model_probe){4, true, 7};
    probes[3][1] = (struct model_probe){4, false, 7 * sqrt(2)};
    question = (struct model_case){.size = NAN, .probes = probes[3], .probe_count = 2, .seconds = NAN};
    struct model_answer answer;
    model_predict(cases, 3, 0, &question, &answer);
    assert_sound(&answer);
    assert_true(answer.judged[model_BANDS].is_fitted);
    assert_near(answer.judged[model_BANDS].seconds, 7 * 10 * pow(100, 0.25), 0.5);
    assert_non_null(strstr(answer.judged[model_BANDS].parameters, "\"probe_most\":4"));
    assert_non_null(strstr(answer.judged[model_BANDS].parameters, "\"whole_least\":10"));
    model_answer_free(&answer);
}

static void four_bands_are_told_apart(void **state)
{
    (void)state;
    struct world_case cases[41];
    unsigned right = 0;
    for (unsigned i = 0; i < 50; i++) {
        world_state = 100 + i;
        world_make(world_bands, cases, 41);
        struct model_answer answer = ask(cases, 40, &cases[40]);
        assert_true(answer.band >= 1 && answer.band <= 4);
        unsigned band = 1;
        for (unsigned j = 0; j < 3; j++) {
            band += cases[40].truth > answer.band_edges[j];
            assert_true(j == 0 || answer.band_edges[j] >= answer.band_edges[j - 1]);
        }
        right += answer.band == band;
        model_answer_free(&answer);
    }
    assert_true(right >= 35);
}

/* The rows were probed at 8 and 4, the question at 5. */
static void other_factors_still_help(void **state)
{
    (void)state;
    struct world_case cases[21];
    world_state = 9;
    world_make(world_exact, cases, 21);
    for (unsigned i = 0; i < 20; i++) {
        cases[i].probes[0] = (struct model_probe){8, false, cases[i].truth / 512};
        cases[i].probes[1] = (struct model_probe){4, false, cases[i].truth / 64};
        cases[i].model.probe_count = 2;
    }
    cases[20].probes[0] = (struct model_probe){5, false, cases[20].truth / 125};
    cases[20].model.probe_count = 1;
    struct model_answer answer = ask(cases, 20, &cases[20]);
    assert_int_equal(answer.kind, model_POWER);
    assert_near(answer.seconds, cases[20].truth, 0.15);
    model_answer_free(&answer);
}

static void far_beyond_is_wider(void **state)
{
    (void)state;
    struct world_case cases[31];
    world_state = 10;
    world_make(world_registration, cases, 31);
    struct model_answer near = ask(cases, 30, &cases[30]);
    for (unsigned i = 0; i < WORLD_PROBES; i++)
        cases[30].probes[i].seconds *= 1000;
    cases[30].model.size *= 1000;
    struct model_answer far = ask(cases, 30, &cases[30]);
    assert_true(far.is_beyond && log(far.upper / far.lower) > 1.5 * log(near.upper / near.lower));
    model_answer_free(&near);
    model_answer_free(&far);
    /* Without probes the mean is all there is: a size that nobody saw makes it doubtful. */
    cases[30].model.probe_count = 0;
    cases[30].model.features = NULL;
    for (unsigned i = 0; i < 30; i++)
        cases[i].model.size = 1e6;
    cases[30].model.size = 1e6;
    near = ask(cases, 30, &cases[30]);
    cases[30].model.size = 1e8;
    far = ask(cases, 30, &cases[30]);
    assert_int_equal(near.kind, model_MEAN);
    assert_true(!near.is_beyond && far.is_beyond && far.upper > 50 * near.upper);
    model_answer_free(&near);
    model_answer_free(&far);
}

static void features_may_be_anything(void **state)
{
    (void)state;
    struct world_case cases[31];
    static const double odd[] = {0, -5, 1e300, -1e300, NAN, 1e-300, INFINITY};
    for (unsigned round = 0; round < 7; round++) {
        world_state = 11;
        world_make(world_parameters, cases, 31);
        for (unsigned i = 0; i < 31; i++)
            cases[i].features[1] = i % 3 == 0 ? odd[round] : odd[(round + i) % 7];
        cases[7].features[2] = odd[round];
        struct model_answer answer = ask(cases, 30, &cases[30]);
        assert_true(isfinite(answer.seconds));
        model_answer_free(&answer);
    }
}

/* The size is one of the features as well: it is not counted twice. */
static void the_same_column_twice(void **state)
{
    (void)state;
    struct world_case cases[31];
    world_state = 14;
    world_make(world_registration, cases, 31);
    for (unsigned i = 0; i < 31; i++)
        cases[i].features[0] = cases[i].features[1] = cases[i].features[2] = cases[i].model.size;
    struct model_answer answer = ask(cases, 30, &cases[30]);
    for (unsigned i = 0; i < model_KIND_COUNT; i++)
        assert_true(!answer.judged[i].parameters || !strstr(answer.judged[i].parameters, "feature_"));
    model_answer_free(&answer);
}

static void times_of_any_size(void **state)
{
    (void)state;
    struct world_case cases[31];
    static const double scales[] = {1e-6, 1e-3, 1e3, 1e8};
    for (unsigned i = 0; i < 4; i++) {
        world_state = 12;
        world_make(world_exact, cases, 31);
        for (unsigned c = 0; c < 31; c++) {
            cases[c].model.seconds = cases[c].truth *= scales[i];
            for (unsigned p = 0; p < WORLD_PROBES; p++)
                cases[c].probes[p].seconds *= scales[i];
        }
        struct model_answer answer = ask(cases, 30, &cases[30]);
        assert_near(answer.seconds, cases[30].truth, 0.1);
        model_answer_free(&answer);
    }
    /* Probes far below any whole run, and far above. */
    world_make(world_exact, cases, 31);
    cases[30].probes[5].seconds = 1e-300;
    struct model_answer answer = ask(cases, 30, &cases[30]);
    model_answer_free(&answer);
    cases[30].probes[5].seconds = 1e300;
    answer = ask(cases, 30, &cases[30]);
    model_answer_free(&answer);
}

static double any_number(void)
{
    static const double odd[] = {NAN, 0, -1, INFINITY, 1e-308, 1e308, 5e-324, 1};
    unsigned kind = (unsigned)(world_uniform() * 14);
    return kind < 8 ? odd[kind] : exp(20 * world_uniform() - 10);
}

/* Whatever it is given, an answer is a number within its interval, or none. */
static void random_nonsense(void **state)
{
    (void)state;
    struct world_case cases[21];
    for (unsigned i = 0; i < 1000; i++) {
        world_state = i;
        size_t count = (size_t)(world_uniform() * 20);
        world_make(world_exact, cases, count + 1);
        for (size_t c = 0; c <= count; c++) {
            struct model_case *model = &cases[c].model;
            model->inputs = (uint64_t)(world_uniform() * 12);
            model->inputs = model->inputs > 3 ? 0 : model->inputs;
            model->features = world_uniform() < 0.8 ? cases[c].features : NULL;
            model->size = any_number();
            model->seconds = world_uniform() < 0.7 ? model->seconds : any_number();
            for (unsigned k = 0; k < WORLD_PROBES; k++)
                cases[c].probes[k] = (struct model_probe){world_uniform() < 0.8 ? 4 + k / 2 : any_number(),
                                                          world_uniform() < 0.5, any_number()};
            for (unsigned k = 0; k < WORLD_FEATURES; k++)
                cases[c].features[k] = any_number();
        }
        struct model_answer answer = ask(cases, count, &cases[count]);
        assert_true(answer.kind != model_NONE || isnan(answer.seconds));
        model_answer_free(&answer);
    }
}

static void ten_thousand_cases(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    struct world_case *cases = calloc(MANY + 1, sizeof *cases);
    struct model_case *models = calloc(MANY, sizeof *models);
    world_state = 13;
    world_make(world_encoder, cases, MANY + 1);
    for (unsigned i = 0; i < MANY; i++)
        models[i] = cases[i].model;
    struct model_answer answer;
    model_predict(models, MANY, WORLD_FEATURES, &cases[MANY].model, &answer);
    assert_sound(&answer);
    assert_int_equal(answer.runs, MANY);
    assert_near(answer.seconds, cases[MANY].truth, 0.2);
    assert_true(answer.error < 0.07);
    model_answer_free(&answer);
    free(cases);
    free(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(bytes_say_how_far_to_go),
        cmocka_unit_test(probes_that_agree_are_believed),
        cmocka_unit_test(a_probe_that_was_kept_waiting_is_left_out),
        cmocka_unit_test(a_program_by_the_line_stays_one),
        cmocka_unit_test(probes_that_say_little_bound_nothing),
        cmocka_unit_test(what_is_known_well_gets_a_narrow_interval),
        cmocka_unit_test(own_probes_answer_alone),
        cmocka_unit_test(probes_of_others_narrow_the_exponent),
        cmocka_unit_test(exact_cases_are_predicted_exactly),
        cmocka_unit_test(all_the_same),
        cmocka_unit_test(nonsense_is_not_known),
        cmocka_unit_test(one_run_far_off_bends_little),
        cmocka_unit_test(the_same_inputs_are_left_out_together),
        cmocka_unit_test(inputs_that_were_run_before),
        cmocka_unit_test(bands_by_hand),
        cmocka_unit_test(four_bands_are_told_apart),
        cmocka_unit_test(other_factors_still_help),
        cmocka_unit_test(far_beyond_is_wider),
        cmocka_unit_test(features_may_be_anything),
        cmocka_unit_test(the_same_column_twice),
        cmocka_unit_test(times_of_any_size),
        cmocka_unit_test(random_nonsense),
        cmocka_unit_test(ten_thousand_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
