/* assay model sweep: the same model for many values of one parameter. */
#include "base/interrupt.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/model.h"
#include "cli/model_open.h"
#include "show/report/modelling/model_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000 };

static bool add_value(struct array *values, double value, struct error *error)
{
    if (values->count == MOST_POINTS)
        return error_set(error, NULL, "--vary: more than %d values", MOST_POINTS);
    *(double *)array_push(values) = value;
    return true;
}

/* FIRST..LAST, doubling; FIRST..LAST+STEP; FIRST..LAST*FACTOR. */
static bool add_range(struct array *values, const char *text, char *behind, double first, struct error *error)
{
    double last = strtod(behind + 2, &behind), step = 2;
    char kind = *behind;
    if (kind == '+' || kind == '*')
        step = strtod(behind + 1, &behind);
    if (*behind || !isfinite(first) || !isfinite(last) || last < first ||
        !(kind == '+' ? step > 0 : step > 1 && first > 0))
        return error_set(
            error, NULL,
            "--vary %s: a range is FIRST..LAST (doubling), FIRST..LAST*FACTOR or FIRST..LAST+STEP", text);
    for (double value = first; value < last - fabs(last) * 1e-12;
         value = kind == '+' ? value + step : value * step)
        if (!add_value(values, value, error))
            return false;
    return add_value(values, last, error);
}

/* NAME=RANGE or NAME=A,B,C; *name is to be freed. */
static bool parse_vary(const char *text, char **name, struct array *values, struct error *error)
{
    const char *equals = text ? strchr(text, '=') : NULL;
    if (!equals || equals == text)
        return error_set(error, NULL,
                         "sweep needs --vary NAME=FIRST..LAST, for example --vary procs=1..65536");
    *name = memory_copy_text(text, (size_t)(equals - text));
    char *behind, *dots = strstr(equals, "..");
    if (dots) {
        /* Without a copy, strtod would take 1. of 1..8. */
        autofree char *number = memory_copy_text(equals + 1, (size_t)(dots - equals - 1));
        double first = strtod(number, &behind);
        bool is_number = behind != number && !*behind;
        return add_range(values, text, dots, is_number ? first : NAN, error);
    }
    for (const char *at = equals + 1;; at = behind + 1) {
        double value = strtod(at, &behind);
        if (behind == at || (*behind && *behind != ',') || !isfinite(value))
            return error_set(
                error, NULL,
                "--vary %s: values are numbers in the parameter's own unit, NAME=1,2,4 or NAME=1..1024",
                text);
        if (!add_value(values, value, error))
            return false;
        if (!*behind)
            return true;
    }
}

static bool evaluate_points(struct model_work *work, const char *name, const struct array *values,
                            struct array *points, struct error *error)
{
    for (size_t i = 0; i < values->count && !(i && interrupt_came()); i++) {
        double value = *ARRAY_AT(double, values, i);
        struct model_point *point = array_add(points);
        struct error own = {0};
        progress_tell("evaluating values", i, values->count);
        language_change(work->model, name, value);
        point->value = value;
        if (!language_ranks(work->model, &point->ranks, &own) ||
            !model_evaluate(work, point->ranks, &point->evaluation, &own)) {
            progress_clear();
            evaluation_free(&point->evaluation);
            points->count--;
            if (interrupt_came() && points->count)
                return true;
            return error_set(error, NULL, "%s (with %s = %.10g)", own.text, name, value);
        }
    }
    progress_clear();
    return true;
}

static const char *unit_of(const struct array *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++) {
        const struct language_parameter *one = ARRAY_AT(struct language_parameter, parameters, i);
        if (!strcmp(one->name, name))
            return one->unit;
    }
    return NULL;
}

static bool tell_missing(const struct array *parameters, const char *name, struct error *error)
{
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < parameters->count; i++)
        nearest_offer(&nearest, ARRAY_AT(struct language_parameter, parameters, i)->name);
    error_set(error, NULL,
              nearest.best ? "--vary: the model has no parameter %s; did you mean %s?"
                           : "--vary: the model has no parameter %s (assay model check lists them)",
              name, nearest.best);
    free(nearest.best);
    return false;
}

struct running {
    struct model_work *work;
    const char *name, *unit;
    const struct array *values; /* of double */
    struct output *plot;        /* NULL: none */
    size_t done;                /* values that were evaluated */
};

static bool evaluate_and_print(void *context, struct error *error)
{
    struct running *running = context;
    struct model_work *work = running->work;
    struct array points = ARRAY_OF(struct model_point);
    struct model_sweep sweep = {.model = work->model,
                                .network = work->has_network ? &work->network : NULL,
                                .parameter = running->name,
                                .unit = running->unit,
                                .points = &points,
                                .planned = running->values->count};
    interrupt_catch();
    bool is_fine = evaluate_points(work, running->name, running->values, &points, error);
    running->done = points.count;
    if (is_fine && running->plot) {
        FILE *out = output_stream(running->plot);
        is_fine = report_model_plot(&sweep, out, error) &&
                  (!fflush(out) || error_set_errno(error, output_path(running->plot), "cannot write"));
    }
    if (is_fine)
        report_model_sweep(&sweep, &work->session.style, work->session.out);
    for (size_t i = 0; i < points.count; i++)
        evaluation_free(&ARRAY_AT(struct model_point, &points, i)->evaluation);
    array_free(&points);
    return is_fine;
}

/* The file of --plot, which is written where nothing can be opened for writing. */
static bool open_plot(struct running *running, struct error *error)
{
    const char *path = options_value(running->work->session.invocation, OPTION_PLOT);
    running->plot = path ? output_open(path, error) : NULL;
    return !path || running->plot;
}

static bool close_plot(struct running *running, bool is_fine, struct error *error)
{
    if (running->plot && is_fine)
        return output_finish(running->plot, error);
    if (running->plot)
        output_abandon(running->plot);
    return is_fine;
}

int model_sweep(const struct invocation *invocation, struct error *error)
{
    struct model_work work;
    char *name = NULL;
    struct array values = ARRAY_OF(double), parameters = ARRAY_OF(struct language_parameter);
    bool is_fine = model_open(&work, invocation, error) &&
                   parse_vary(options_value(invocation, OPTION_VARY), &name, &values, error);
    struct running running = {.work = &work, .name = name, .values = &values};
    session_release_interrupts();
    interrupt_catch();
    if (is_fine) {
        parameters = language_parameters(work.model);
        running.unit = unit_of(&parameters, name);
        is_fine = (running.unit || tell_missing(&parameters, name, error)) && open_plot(&running, error) &&
                  model_apart(&work, evaluate_and_print, &running,
                              running.plot ? output_stream(running.plot) : NULL, &running.done,
                              sizeof running.done, error);
        is_fine = close_plot(&running, is_fine, error);
    }
    bool is_partial = interrupt_came() && running.done < values.count;
    if (is_fine && is_partial)
        session_say(&work.session, "stopped by Ctrl-C after %zu of %zu values: the answer is partial",
                    running.done, values.count);
    interrupt_release();
    int code = is_partial ? MODEL_STOPPED : is_fine ? 0 : 2;
    array_free(&values);
    array_free(&parameters);
    free(name);
    return model_close(&work, code, error);
}
