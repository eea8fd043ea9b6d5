/* Forecasts: the next value of a series, by many simple forecasters that are judged by their past errors.

   No single way to look ahead is right for all series, and which one is right changes. So all of them answer
   for each value before it is known (postcasts), their errors are added up, and the one with the smallest
   error so far gives the next value. This is what the Network Weather Service did for bandwidth and load
   (thesis, 2.2.1). The forecasters are rows of forecasters.def; each costs a few operations for a value.

   The error that is told with a value is that of these chosen answers themselves, not of the method that
   looks best afterwards. */
#ifndef PLAN_FORECAST_FORECAST_H
#define PLAN_FORECAST_FORECAST_H
#include <stdbool.h>
#include <stddef.h>

struct forecaster_facts {
    const char *name, *doc;
};
extern const struct forecaster_facts forecasters[];
extern const unsigned forecaster_count;

enum forecast_measure { forecast_SQUARES, forecast_SIZES }; /* of errors: mean square, mean absolute */

struct forecast {
    double value;        /* the next one; NaN: there was no value yet */
    double lower, upper; /* nine in ten of the past errors would have stayed within; NaN: too few of them */
    double error;        /* root of the mean square error of the answers given so far; NaN: none yet */
    double size;         /* mean absolute error of them */
    unsigned method;     /* number of the forecaster that gave it */
};

struct forecast_judged {      /* one forecaster */
    double next, error, size; /* as above, of this one alone */
    bool is_chosen;
};

struct forecasting;
struct forecasting *forecast_open(enum forecast_measure measure);
void forecast_close(struct forecasting *forecasting);
/* value: not NaN and not infinite. */
void forecast_add(struct forecasting *forecasting, double value);
size_t forecast_count(const struct forecasting *forecasting); /* of values */
struct forecast forecast_next(const struct forecasting *forecasting);
/* Only its value, which is at hand: the interval around it takes a hundred times as long. */
double forecast_value(const struct forecasting *forecasting);
struct forecast_judged forecast_judge(const struct forecasting *forecasting, unsigned forecaster);
/* After how many values the series comes back; 0: no such number was found. */
size_t forecast_period(const struct forecasting *forecasting);
/* The forecaster with the smallest error of all values so far: what one would have chosen in hindsight. */
unsigned forecast_best(const struct forecasting *forecasting);
#endif
