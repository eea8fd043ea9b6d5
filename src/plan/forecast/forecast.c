/* The forecasters: see forecast.h and forecasters.def.

   All of them look at one ring of recent values. Medians and trimmed means sort a copy of their window, which
   is short. Weights of AUTO come from recursive least squares: each value corrects them a little. */
#include "plan/forecast/forecast.h"

#include "base/memory.h"
#include "plan/forecast/season.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { LAST, MEAN, SLIDING, MEDIAN, TRIMMED, SMOOTH, AUTO, SEASON };
enum { RING = 64, MOST_WEIGHTS = 17, KEPT_ERRORS = 512 };

struct forecaster {
    enum kind kind;
    double figure, other;
};

#define FORECASTER(kind, figure, other, name, doc) {kind, figure, other},
static const struct forecaster table[] = {
#include "plan/forecast/forecasters.def"
};
#undef FORECASTER
#define FORECASTER(kind, figure, other, name, doc) {name, doc},
const struct forecaster_facts forecasters[] = {
#include "plan/forecast/forecasters.def"
};
#undef FORECASTER
enum { FORECASTERS = sizeof table / sizeof *table };
const unsigned forecaster_count = FORECASTERS;

struct weights {  /* of AUTO: the last values, and a constant */
    double scale; /* of the series, so that values are about 1 */
    double of[MOST_WEIGHTS], spread[MOST_WEIGHTS][MOST_WEIGHTS];
};

struct standing { /* of a forecaster */
    double next;  /* its answer for the value that comes */
    double squares, sizes;
    double level; /* of SMOOTH */
    struct weights *weights;
};

struct forecasting {
    enum forecast_measure measure;
    size_t count, answers;
    double ring[RING]; /* value i at i % RING */
    double sum, least;
    struct season season;
    struct standing standing[FORECASTERS];
    unsigned chosen;
    double squares, sizes;      /* of the answers that were given */
    double errors[KEPT_ERRORS]; /* signed, the last ones */
};

static double back(const struct forecasting *forecasting, size_t steps)
{
    return forecasting->ring[(forecasting->count - 1 - steps) % RING];
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the last values, without some at each end; a window that is not full yet leaves fewer out. */
static double middle_of(const struct forecasting *forecasting, size_t window, double left_out, bool is_median)
{
    double values[RING], sum = 0;
    size_t count = window < forecasting->count ? window : forecasting->count;
    for (size_t i = 0; i < count; i++)
        values[i] = back(forecasting, i);
    if (left_out > 0 || is_median)
        qsort(values, count, sizeof *values, by_value);
    size_t out = (size_t)(left_out * (double)count / (double)window);
    if (is_median)
        out = (count - 1) / 2;
    for (size_t i = out; i < count - out; i++)
        sum += values[i];
    return sum / (double)(count - 2 * out);
}

/* --- sums with fitted weights --- */

static void weights_begin(struct weights *weights, unsigned count)
{
    /* In the beginning it says what the last value says. */
    weights->of[0] = 1;
    for (unsigned i = 0; i < count; i++)
        weights->spread[i][i] = 1;
}

/* The values after the last `skipped` ones, the newest first, on the scale of the series, and a constant. */
static void inputs_of(const struct forecasting *forecasting, unsigned count, size_t skipped, double scale,
                      double *inputs)
{
    for (unsigned i = 0; i + 1 < count; i++)
        inputs[i] = back(forecasting, skipped + i) / scale;
    inputs[count - 1] = 1;
}

static void learn(struct weights *weights, const double *inputs, unsigned count, double truth, double memory)
{
    double gain[MOST_WEIGHTS], along = memory, told = 0;
    for (unsigned i = 0; i < count; i++) {
        gain[i] = 0;
        for (unsigned j = 0; j < count; j++)
            gain[i] += weights->spread[i][j] * inputs[j];
        along += inputs[i] * gain[i];
        told += weights->of[i] * inputs[i];
    }
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        weights->of[i] += gain[i] / along * (truth - told);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            weights->spread[i][j] = (weights->spread[i][j] - gain[i] * gain[j] / along) / memory;
    /* What was never excited must not grow without end. */
    for (unsigned i = 0; i < count; i++)
        sum += weights->spread[i][i];
    for (unsigned i = 0; i < count && sum > 1e6; i++)
        for (unsigned j = 0; j < count; j++)
            weights->spread[i][j] *= 1e6 / sum;
}

static double answer_of_weights(struct forecasting *forecasting, const struct forecaster *forecaster,
                                struct standing *standing)
{
    unsigned count = (unsigned)forecaster->figure + 1;
    double inputs[MOST_WEIGHTS], told = 0, scale = 0, least = INFINITY, most = -INFINITY;
    size_t window = forecasting->count < RING ? forecasting->count : RING;
    for (size_t i = 0; i < window; i++) {
        scale = fmax(scale, fabs(back(forecasting, i)));
        least = fmin(least, back(forecasting, i));
        most = fmax(most, back(forecasting, i));
    }
    if (forecasting->count < 2 * count + 1 || !(scale > 0))
        return back(forecasting, 0);
    if (!standing->weights) {
        standing->weights = memory_get(sizeof *standing->weights);
        weights_begin(standing->weights, count);
    }
    if (!(standing->weights->scale > 0))
        standing->weights->scale = scale;
    scale = standing->weights->scale;
    inputs_of(forecasting, count, 1, scale, inputs);
    learn(standing->weights, inputs, count, back(forecasting, 0) / scale, forecaster->other);
    inputs_of(forecasting, count, 0, scale, inputs);
    for (unsigned i = 0; i < count; i++)
        told += standing->weights->of[i] * inputs[i];
    told *= scale;
    /* A fit that went astray does not leave what was seen by much. */
    double room = (most - least) / 2;
    return isfinite(told) ? fmin(fmax(told, least - room), most + room) : back(forecasting, 0);
}

/* Before a period is known it says what the last value says. */
static double answer_of_season(const struct forecasting *forecasting, const struct forecaster *forecaster)
{
    double sum = 0, count = 0;
    for (size_t i = 1; i <= (size_t)forecaster->figure; i++) {
        double value = season_before(&forecasting->season, i);
        if (isnan(value))
            break;
        sum += value, count++;
    }
    if (count == 0)
        return back(forecasting, 0);
    size_t window = (size_t)forecaster->other;
    return sum / count + (window ? season_drift(&forecasting->season, window) : 0);
}

static double answer_of(struct forecasting *forecasting, unsigned number)
{
    const struct forecaster *forecaster = &table[number];
    struct standing *standing = &forecasting->standing[number];
    double value = back(forecasting, 0);
    switch (forecaster->kind) {
    case LAST:
        return value;
    case MEAN:
        return forecasting->sum / (double)forecasting->count;
    case SLIDING:
        return middle_of(forecasting, (size_t)forecaster->figure, 0, false);
    case MEDIAN:
        return middle_of(forecasting, (size_t)forecaster->figure, 0, true);
    case TRIMMED:
        return middle_of(forecasting, (size_t)forecaster->figure, forecaster->other, false);
    case SMOOTH:
        standing->level = forecasting->count == 1
                              ? value
                              : standing->level + forecaster->figure * (value - standing->level);
        return standing->level;
    case AUTO:
        return answer_of_weights(forecasting, forecaster, standing);
    case SEASON:
        return answer_of_season(forecasting, forecaster);
    }
    return value;
}

/* --- judging --- */

struct forecasting *forecast_open(enum forecast_measure measure)
{
    struct forecasting *forecasting = memory_get(sizeof *forecasting);
    forecasting->measure = measure;
    return forecasting;
}

void forecast_close(struct forecasting *forecasting)
{
    for (unsigned i = 0; forecasting && i < FORECASTERS; i++)
        free(forecasting->standing[i].weights);
    free(forecasting);
}

static double judged(const struct forecasting *forecasting, unsigned number)
{
    const struct standing *standing = &forecasting->standing[number];
    return forecasting->measure == forecast_SQUARES ? standing->squares : standing->sizes;
}

unsigned forecast_best(const struct forecasting *forecasting)
{
    unsigned best = 0;
    for (unsigned i = 1; i < FORECASTERS; i++)
        if (judged(forecasting, i) < judged(forecasting, best))
            best = i;
    return best;
}

void forecast_add(struct forecasting *forecasting, double value)
{
    if (forecasting->count) {
        double error = value - forecasting->standing[forecasting->chosen].next;
        forecasting->errors[forecasting->answers++ % KEPT_ERRORS] = error;
        forecasting->squares += error * error;
        forecasting->sizes += fabs(error);
        for (unsigned i = 0; i < FORECASTERS; i++) {
            error = value - forecasting->standing[i].next;
            forecasting->standing[i].squares += error * error;
            forecasting->standing[i].sizes += fabs(error);
        }
    }
    forecasting->least = forecasting->count ? fmin(forecasting->least, value) : value;
    forecasting->ring[forecasting->count++ % RING] = value;
    forecasting->sum += value;
    season_add(&forecasting->season, value);
    for (unsigned i = 0; i < FORECASTERS; i++)
        forecasting->standing[i].next = answer_of(forecasting, i);
    forecasting->chosen = forecast_best(forecasting);
}

size_t forecast_period(const struct forecasting *forecasting)
{
    return forecasting->season.period;
}

size_t forecast_count(const struct forecasting *forecasting)
{
    return forecasting->count;
}

/* 5 and 95 % of the errors that the answers had lately. */
static void set_interval(const struct forecasting *forecasting, struct forecast *forecast)
{
    enum { LEAST = 20 };
    size_t count = forecasting->answers < KEPT_ERRORS ? forecasting->answers : KEPT_ERRORS;
    if (count < LEAST)
        return;
    double *errors = memory_get(count * sizeof *errors);
    memcpy(errors, forecasting->errors, count * sizeof *errors);
    qsort(errors, count, sizeof *errors, by_value);
    size_t cut = (count + 1) / 20;
    forecast->lower = forecast->value + errors[cut ? cut - 1 : 0];
    forecast->upper = forecast->value + errors[count - (cut ? cut : 1)];
    if (forecasting->least >= 0) /* loads, waits and bytes are never below 0 */
        forecast->lower = fmax(forecast->lower, 0);
    free(errors);
}

double forecast_value(const struct forecasting *forecasting)
{
    return forecasting->count ? forecasting->standing[forecasting->chosen].next : NAN;
}

struct forecast forecast_next(const struct forecasting *forecasting)
{
    double answers = (double)forecasting->answers;
    struct forecast forecast = {.value = NAN, .lower = NAN, .upper = NAN, .error = NAN, .size = NAN};
    if (!forecasting->count)
        return forecast;
    forecast.method = forecasting->chosen;
    forecast.value = forecast_value(forecasting);
    if (forecasting->answers) {
        forecast.error = sqrt(forecasting->squares / answers);
        forecast.size = forecasting->sizes / answers;
    }
    set_interval(forecasting, &forecast);
    return forecast;
}

struct forecast_judged forecast_judge(const struct forecasting *forecasting, unsigned number)
{
    const struct standing *standing = &forecasting->standing[number];
    double answers = (double)forecasting->answers;
    if (!forecasting->count)
        return (struct forecast_judged){NAN, NAN, NAN, false};
    return (struct forecast_judged){standing->next, answers > 0 ? sqrt(standing->squares / answers) : NAN,
                                    answers > 0 ? standing->sizes / answers : NAN,
                                    number == forecasting->chosen};
}
