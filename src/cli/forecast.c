/* assay forecast: the next value of a series, from a file, from this computer, from a queue. */
#include "base/interrupt.h"
#include "base/clock.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/settings.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "plan/forecast/waits.h"
#include "plan/schedule/engine.h"
#include "show/report/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double usual_every = 1, usual_for = 60, shortest_every = 0.01;

static bool read_seconds(const struct invocation *invocation, enum option_id option, const char *name,
                         double usual, double least, double *seconds, struct error *error)
{
    const char *text = options_value(invocation, option);
    *seconds = usual;
    return !text || (settings_parse_seconds(text, seconds) && *seconds >= least) ||
           error_set(error, NULL, "%s takes a time of at least %g seconds (1, 0.5, 2m), not '%s'", name,
                     least, text);
}

static const struct series_gauge *find_gauge(const char *name)
{
    for (const struct series_gauge *gauge = series_gauges; gauge->name; gauge++)
        if (!strcmp(gauge->name, name))
            return gauge;
    return NULL;
}

static void wait_until(double moment)
{
    double left = moment - clock_calendar_seconds();
    if (left > 0)
        nanosleep(&(struct timespec){(time_t)left, (long)(fmod(left, 1) * 1e9)}, NULL);
}

/* Ctrl-C ends the sampling, and what was seen is forecast from. */
static bool sample(struct series *series, const struct series_gauge *gauge,
                   const struct invocation *invocation, struct error *error)
{
    double every, whole, value;
    struct series_sampler sampler = {0};
    if (!read_seconds(invocation, OPTION_EVERY, "--every", usual_every, shortest_every, &every, error) ||
        !read_seconds(invocation, OPTION_FOR, "--for", usual_for, 0, &whole, error))
        return false;
    interrupt_catch();
    double begin = clock_calendar_seconds(), moment = begin;
    bool is_good = true;
    for (size_t i = 0; is_good && !interrupt_came() && moment <= begin + whole + every / 2; i++) {
        is_good = series_sample(gauge->name, &sampler, &value, error);
        if (is_good && !isnan(value))
            *(struct series_point *)array_push(&series->points) =
                (struct series_point){clock_calendar_seconds(), value};
        progress_tell(gauge->name, i, (size_t)(whole / every));
        moment += every;
        if (moment <= begin + whole + every / 2)
            wait_until(moment);
    }
    progress_clear();
    interrupt_release();
    return is_good;
}

static bool take_series(struct series *series, const char **unit, const struct invocation *invocation,
                        struct error *error)
{
    const char *word = options_operand(invocation, 0);
    const struct series_gauge *gauge = find_gauge(word);
    *unit = "";
    bool is_waits = !strcmp(word, "waits"), is_file = !gauge && !is_waits && strcmp(word, "slurm") != 0;
    if (options_has(invocation, OPTION_OF_COLUMN) && !is_file)
        return error_set(error, NULL, "--column is for files, not for %s; a file of this name is ./%s", word,
                         word);
    if ((options_has(invocation, OPTION_ENGINE) || options_has(invocation, OPTION_LEDGER)) && !is_waits)
        return error_set(error, NULL, "--engine and --ledger are for waits: assay forecast waits");
    const char *engine = options_value(invocation, OPTION_ENGINE);
    if (engine && !engine_find(engine, error))
        return false;
    if (gauge) {
        *series = (struct series){.name = memory_format("%s", gauge->name),
                                  .points = ARRAY_OF(struct series_point)};
        *unit = gauge->unit;
        return sample(series, gauge, invocation, error);
    }
    if (options_has(invocation, OPTION_EVERY) || options_has(invocation, OPTION_FOR))
        return error_set(
            error, NULL,
            "--every and --for are for load, running, cpu, memory and network, which are sampled");
    if (!strcmp(word, "slurm")) {
        *unit = "s";
        return waits_of_slurm(series, error);
    }
    if (is_file)
        return series_read(series, word, options_value(invocation, OPTION_OF_COLUMN), error);
    struct ledger *ledger = ledger_open(options_value(invocation, OPTION_LEDGER), false, error);
    *unit = "s";
    bool is_good = ledger && waits_of_ledger(series, ledger, engine, error);
    ledger_close(ledger);
    return is_good;
}

static bool draw(const struct forecast_view *view, const char *path, struct error *error)
{
    struct output *output = path ? output_open(path, error) : NULL;
    if (!output)
        return !path;
    if (report_forecast_plot(view, output_stream(output), error))
        return output_finish(output, error);
    output_abandon(output);
    return false;
}

static bool tell(struct session *session, const struct series *series, const char *unit,
                 enum forecast_measure measure, struct error *error)
{
    size_t count = series->points.count;
    autofree double *answers = memory_get((count + 1) * sizeof *answers);
    struct forecasting *forecasting = forecast_open(measure);
    for (size_t i = 0; i < count; i++) {
        progress_tell("values", i, count);
        answers[i] = forecast_value(forecasting);
        forecast_add(forecasting, ARRAY_AT(struct series_point, &series->points, i)->value);
    }
    progress_clear();
    struct forecast_view view = {series, forecasting, answers, unit};
    bool is_good = draw(&view, options_value(session->invocation, OPTION_PLOT), error);
    if (is_good)
        report_forecast(&view, &session->style, session->out);
    forecast_close(forecasting);
    return is_good;
}

int command_forecast(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct series series = {0};
    const char *unit = "", *by = options_value(invocation, OPTION_JUDGED_BY);
    bool is_good = session_begin(&session, invocation, error);
    if (is_good && by && strcmp(by, "squares") != 0 && strcmp(by, "sizes") != 0)
        is_good = error_set(error, NULL, "--judged-by takes squares or sizes, not '%s'", by);
    is_good = is_good && take_series(&series, &unit, invocation, error);
    if (is_good && !series.points.count)
        is_good = error_set(error, NULL, "there are no values yet to forecast from");
    is_good = is_good && tell(&session, &series, unit,
                              by && !strcmp(by, "sizes") ? forecast_SIZES : forecast_SQUARES, error);
    series_free(&series);
    return session_end(&session, is_good ? 0 : 2, error);
}
