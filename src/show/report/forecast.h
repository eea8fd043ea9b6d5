/* A forecast, in words, as rows and as a picture. */
#ifndef SHOW_REPORT_FORECAST_H
#define SHOW_REPORT_FORECAST_H
#include "plan/forecast/forecast.h"
#include "plan/forecast/series.h"
#include "show/report/common/style.h"

struct forecast_view {
    const struct series *series;
    const struct forecasting *forecasting; /* all values were added */
    const double *answers;                 /* by value: what was said before it was known; the first is NaN */
    const char *unit;                      /* may be empty */
};

void report_forecast(const struct forecast_view *view, const struct report_style *style, FILE *out);
bool report_forecast_plot(const struct forecast_view *view, FILE *out, struct error *error);
#endif
