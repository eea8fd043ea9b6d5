/* Forecasters on series whose best forecast is known; series and directories from text. */
#include "plan/forecast/directory.h"
#include "plan/forecast/forecast.h"
#include "plan/forecast/season.h"
#include "plan/forecast/series.h"
#include "plan/forecast/spin.h"
#include "plan/forecast/waits.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static double noise(uint64_t *state)
{
    double sum = 0;
    for (unsigned i = 0; i < 12; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 33) / 2147483648.0;
    }
    return sum - 6; /* nearly normal, variance 1 */
}

static unsigned number_of(const char *name)
{
    for (unsigned i = 0; i < forecaster_count; i++)
        if (!strcmp(forecasters[i].name, name))
            return i;
    fail_msg("no forecaster %s", name);
    return 0;
}

static void constants_are_exact(void **unused)
{
    (void)unused;
    struct forecasting *all = forecast_open(forecast_SQUARES);
    assert_true(isnan(forecast_next(all).value));
    for (unsigned i = 0; i < 200; i++)
        forecast_add(all, 3.5);
    struct forecast next = forecast_next(all);
    assert_true(next.value == 3.5 && next.error == 0 && next.lower == 3.5 && next.upper == 3.5);
    forecast_close(all);
}

/* Windows and gains by hand, on few values. */
static void figures_are_those_of_the_table(void **unused)
{
    (void)unused;
    static const double values[] = {4, 8, 1, 9, 3};
    struct forecasting *all = forecast_open(forecast_SIZES);
    for (unsigned i = 0; i < 5; i++)
        forecast_add(all, values[i]);
    assert_true(forecast_judge(all, number_of("last")).next == 3);
    assert_true(fabs(forecast_judge(all, number_of("mean")).next - 5) < 1e-12);
    assert_true(fabs(forecast_judge(all, number_of("mean-3")).next - 13.0 / 3) < 1e-12);
    assert_true(forecast_judge(all, number_of("median-3")).next == 3);
    assert_true(forecast_judge(all, number_of("median-5")).next == 4);
    assert_true(forecast_judge(all, number_of("smooth-0.5")).next ==
                ((((4 + 8) / 2.0 + 1) / 2 + 9) / 2 + 3) / 2);
    /* The last value was wrong by 4, 7, 8 and 6. */
    assert_true(forecast_judge(all, number_of("last")).size == 6.25);
    assert_true(fabs(forecast_judge(all, number_of("last")).error - sqrt((16 + 49 + 64 + 36) / 4.0)) < 1e-12);
    forecast_close(all);
}

/* x' = 0.8 x + noise of variance 1 around 20: no forecast can have a smaller error than 1, a fit comes near
   it, and the chosen answers are hardly worse than the best method. */
static void fits_find_the_process(void **unused)
{
    (void)unused;
    struct forecasting *all = forecast_open(forecast_SQUARES);
    uint64_t state = 7;
    double x = 20;
    for (unsigned i = 0; i < 3000; i++) {
        x = 20 + 0.8 * (x - 20) + noise(&state);
        forecast_add(all, x);
    }
    struct forecast_judged fit = forecast_judge(all, number_of("ar-1"));
    assert_true(fit.error > 0.95 && fit.error < 1.06);
    assert_true(forecast_judge(all, number_of("mean")).error > 1.5);
    struct forecast next = forecast_next(all);
    assert_true(next.error < 1.05 * forecast_judge(all, forecast_best(all)).error);
    assert_true(fabs(next.value - (20 + 0.8 * (x - 20))) < 0.3);
    assert_true(next.upper - next.lower > 2.8 && next.upper - next.lower < 3.8); /* 3.29 of a normal one */
    forecast_close(all);
}

static void refused(const char *text, const char *column, const char *words)
{
    struct series series;
    struct error error = {0};
    assert_false(series_parse(&series, "f.csv", text, column, &error));
    if (!strstr(error.text, words))
        fail_msg("%s does not say %s", error.text, words);
    series_free(&series);
}

static void series_are_read(void **unused)
{
    (void)unused;
    struct series series;
    struct error error = {0};
    assert_true(series_parse(&series, "f", "# load\n1\n\n 2.5 \r\n-3e2\n", NULL, &error));
    assert_int_equal(series.points.count, 3);
    assert_true(ARRAY_AT(struct series_point, &series.points, 2)->value == -300);
    series_free(&series);
    assert_true(series_parse(&series, "f", "time,load,other\n1,2,3\n2,4,5\n", "load", &error));
    assert_string_equal(series.name, "load");
    assert_true(ARRAY_AT(struct series_point, &series.points, 1)->value == 4 &&
                ARRAY_AT(struct series_point, &series.points, 1)->time == 2);
    series_free(&series);
    assert_true(series_parse(&series, "f", "10 1\n20 2\n", NULL, &error));
    assert_true(ARRAY_AT(struct series_point, &series.points, 0)->time == 10);
    series_free(&series);
    refused("1\ntwo\n", NULL, "f.csv:2:1: 'two' is not a number");
    refused("time,load\n1,2\n1,x\n", NULL, "f.csv:3:3");
    refused("1,2,3\n1,2\n", NULL, "f.csv:2:1");
    refused("time,load\n5,1\n4,1\n", NULL, "before");
    refused("a,b\n1,2\n", "c", "no column c");
    refused("# nothing\n", NULL, "no values");
    refused("nan\ninf\n", NULL, "not a number");
    refused("1\nnan\n", NULL, "not a number");
}

static void waits_and_nodes_are_read(void **unused)
{
    (void)unused;
    struct series series;
    struct array hosts;
    struct error error = {0};
    assert_true(
        waits_parse(&series,
                    "2026-11-17T02:00:10|2026-11-17T02:00:40\n2026-11-17T02:00:00|2026-11-17T02:00:05\n"
                    "2026-11-17T02:00:00|Unknown\n",
                    &error));
    assert_int_equal(series.points.count, 2);
    assert_true(ARRAY_AT(struct series_point, &series.points, 0)->value == 5 &&
                ARRAY_AT(struct series_point, &series.points, 1)->value == 30);
    series_free(&series);
    assert_false(waits_parse(&series, "slurm is away\n", &error));
    series_free(&series);
    assert_true(
        directory_parse_slurm(&hosts,
                              "NodeName=n1 Arch=aarch64 CoresPerSocket=4 CPUAlloc=1 CPUTot=8 CPULoad=2.50 "
                              "RealMemory=1000 FreeMem=N/A Sockets=2 State=IDLE+DRAIN\n",
                              &error));
    const struct directory_host *host = ARRAY_AT(struct directory_host, &hosts, 0);
    assert_string_equal(host->name, "n1");
    assert_string_equal(host->state, "IDLE+DRAIN");
    assert_int_equal(host->processors, 8);
    assert_int_equal(host->cores, 8);
    assert_true(host->load == 2.5 && host->memory == 1048576000.0 && isnan(host->free_memory));
    directory_free(&hosts);
    assert_false(directory_parse_slurm(&hosts, "hello\n", &error));
    directory_free(&hosts);
}

/* A load that is high for ten values of 37 and low for the others, with noise of 1: the best answer is off by 1, the
   value of a period ago by 1.41, and what knows no season by more. */
static void seasons_are_found(void **unused)
{
    (void)unused;
    struct forecasting *all = forecast_open(forecast_SQUARES);
    uint64_t state = 5;
    double squares = 0, count = 0;
    for (unsigned i = 0; i < 3000; i++) {
        double value = (i % 37 < 10 ? 10 : 4) + noise(&state), off = value - forecast_value(all);
        if (i >= 500)
            squares += off * off, count++;
        forecast_add(all, value);
    }
    struct forecast next = forecast_next(all);
    assert_true(!strncmp(forecasters[next.method].name, "season", 6));
    assert_true(sqrt(squares / count) < 1.2);
    double repeated = forecast_judge(all, number_of("season")).error;
    assert_true(repeated > 1.3 && repeated < 1.6);
    forecast_close(all);
}

/* The same every 200 values, rising from one period to the next, and no two values alike: the period is that, and not 400. */
static void the_shortest_period_is_taken(void **unused)
{
    (void)unused;
    struct season season = {0};
    for (unsigned i = 0; i < 2100; i++)
        season_add(&season, 3 * sin(i * 2 * 3.14159265358979 / 200) + 0.001 * i);
    assert_int_equal(season.period, 200);
    assert_true(fabs(season_drift(&season, 4) - 0.2) < 1e-6);
    assert_true(fabs(season_before(&season, 1) + 0.2 - (3 * sin(2100 * 2 * 3.14159265358979 / 200) + 2.1)) <
                1e-6);
    assert_true(isnan(season_before(&season, 100)));
    struct season none = {0};
    uint64_t state = 9;
    for (unsigned i = 0; i < 5000; i++)
        season_add(&none, noise(&state));
    assert_int_equal(none.period, 0);
}

static void shares_become_weights(void **unused)
{
    (void)unused;
    assert_true(spin_weight(0.5, 1, 1, 4) == 1);                 /* room for all */
    assert_true(fabs(spin_weight(0.5, 2, 2, 2) - 1) < 1e-9);     /* two and two on two */
    assert_true(fabs(spin_weight(0.25, 1, 3, 1) - 1) < 1e-9);    /* one and three on one */
    assert_true(spin_weight(1, 2, 10, 2) == 0);                  /* ten that leave everything */
    assert_true(fabs(spin_weight(0.8, 2, 5, 2) - 0.1) < 1e-9);   /* 2 / (2 + 5 * 0.1) */
    assert_true(fabs(spin_weight(0.99, 1, 4, 2) - 0.25) < 1e-9); /* one processor was left: no more than it */
    assert_true(spin_weight(NAN, 2, 2, 2) == 1 && spin_weight(0.001, 1, 1, 1) == 4);
}

/* Beside two processes on each processor that are polite, one gets more than beside two that are not.  Both are in our
   session, and whatever else runs here takes from both. */
static void polite_processes_leave_more(void **unused)
{
    (void)unused;
    double share[2];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    enum { MOST = 64 };
    if (2 * processors > MOST)
        skip();
    for (unsigned attempt = 0; attempt < 10; attempt++) {
        for (int polite = 0; polite < 2; polite++) {
            pid_t children[MOST];
            for (long i = 0; i < 2 * processors; i++)
                if (!(children[i] = fork())) {
                    if (polite && nice(19) < 0)
                        _exit(1);
                    for (;;)
                        ;
                }
            share[polite] = spin_share((unsigned)processors, 0.3, false);
            for (long i = 0; i < 2 * processors; i++) {
                kill(children[i], SIGKILL);
                waitpid(children[i], NULL, 0);
            }
        }
        if (share[1] > 1.5 * share[0])
            break;
    }
    assert_true(share[0] > 0 && share[1] <= 1 && share[1] > 1.5 * share[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_exact),          cmocka_unit_test(seasons_are_found),
        cmocka_unit_test(shares_become_weights),        cmocka_unit_test(polite_processes_leave_more),
        cmocka_unit_test(the_shortest_period_is_taken), cmocka_unit_test(figures_are_those_of_the_table),
        cmocka_unit_test(fits_find_the_process),        cmocka_unit_test(series_are_read),
        cmocka_unit_test(waits_and_nodes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
