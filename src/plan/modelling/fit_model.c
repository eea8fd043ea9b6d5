/* See fit_model.h.  The fit without a row is begun at the whole one's result: it is near. */
#include "plan/modelling/fit_model.h"
#include "base/interrupt.h"
#include "base/nearest.h"
#include "base/progress.h"
#include "base/text.h"
#include "plan/modelling/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 40, MOST_ROWS = 10000 };

struct run_row {
    uint32_t line;
    double seconds;
    double values[MOST_COLUMNS];
};

struct work {
    struct language_model *model;
    const struct network *network;
    const char *path;
    char *names[MOST_COLUMNS]; /* NULL: the column of seconds */
    size_t columns, fits;      /* fits: of those without a row, the one that is going on, plus 1 */
    struct array rows;         /* of struct run_row */
    struct model_fit *fit;
};

static bool complain(const struct work *work, uint32_t line, struct error *error, const char *what,
                     const char *which)
{
    char where[400];
    char *safe = text_safe(work->path, strlen(work->path)), *shown = text_safe(which, strlen(which));
    snprintf(where, sizeof where, "%s:%u", safe, line);
    error_set(error, where, what, shown);
    free(safe);
    free(shown);
    return false;
}

static const struct language_parameter *find(const struct array *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (!strcmp(ARRAY_AT(struct language_parameter, parameters, i)->name, name))
            return ARRAY_AT(struct language_parameter, parameters, i);
    return NULL;
}

/* The next cell of a line, trimmed; *at after it.  To be freed; NULL after an error. */
static char *next_cell(const struct work *work, const char **at, uint32_t line, struct error *error)
{
    size_t length = strcspn(*at, ",\n"), quotes = 0;
    const char *begin = *at;
    *at += length;
    for (size_t i = 0; i < length; i++)
        quotes += begin[i] == '"';
    if (quotes % 2) {
        complain(work, line, error,
                 "a cell ends within its quotes%s: cells have no commas and line ends here", "");
        return NULL;
    }
    while (length && strchr(" \t\r\"", *begin)) {
        begin++;
        length--;
    }
    while (length && strchr(" \t\r\"", begin[length - 1]))
        length--;
    return memory_copy_text(begin, length);
}

static bool has_column(const struct work *work, const char *name)
{
    for (size_t i = 0; i < work->columns; i++)
        if (name && work->names[i] ? !strcmp(work->names[i], name) : name == work->names[i])
            return true;
    return false;
}

static bool read_head(struct work *work, const char **at, uint32_t line, struct error *error)
{
    struct array parameters = language_parameters(work->model);
    bool has_seconds = false, is_fine = true;
    for (;; ++*at) {
        char *name = next_cell(work, at, line, error);
        if (!name) {
            is_fine = false;
            break;
        }
        const struct language_parameter *found = find(&parameters, name);
        bool is_seconds = !strcmp(name, "seconds") && !found;
        if (work->columns == MOST_COLUMNS)
            is_fine = complain(work, line, error, "more than 40 columns%s", "");
        else if (has_column(work, is_seconds ? NULL : name))
            is_fine = complain(work, line, error, "the column %s is there twice", name);
        else if (is_seconds) {
            has_seconds = true;
            work->names[work->columns++] = NULL;
        } else if (!found) {
            struct nearest nearest = {.wanted = name};
            for (size_t i = 0; i < parameters.count; i++)
                nearest_offer(&nearest, ARRAY_AT(struct language_parameter, &parameters, i)->name);
            char *hint = nearest.best ? memory_format("%s; did you mean %s?", name, nearest.best)
                                      : memory_format("%s", name);
            is_fine =
                complain(work, line, error,
                         "columns are parameters of the model, and seconds; it has no parameter %s", hint);
            free(hint);
            free(nearest.best);
        } else if (found->is_free) {
            is_fine = complain(work, line, error,
                               "%s is free in the model: it is fitted, and cannot be a column", name);
        } else {
            work->names[work->columns++] = memory_copy_text(name, strlen(name));
        }
        free(name);
        if (!is_fine || **at != ',')
            break;
    }
    array_free(&parameters);
    return is_fine && (has_seconds ||
                       complain(work, line, error, "there is no column %s: what was measured", "seconds"));
}

static bool take_cell(struct work *work, struct run_row *row, size_t column, const char *cell,
                      struct error *error)
{
    char *end;
    if (!work->names[column]) {
        row->seconds = strtod(cell, &end);
        return (end != cell && !*end && row->seconds > 0 && isfinite(row->seconds)) ||
               complain(work, row->line, error, "seconds must be a number above 0, not '%s'", cell);
    }
    char *setting = memory_format("%s=%s", work->names[column], cell);
    struct error inner = {0};
    bool is_fine = language_set(work->model, setting, &inner);
    free(setting);
    if (!is_fine)
        return complain(work, row->line, error, "%s", inner.text);
    struct array parameters = language_parameters(work->model);
    row->values[column] = find(&parameters, work->names[column])->value;
    array_free(&parameters);
    return true;
}

static bool read_rows(struct work *work, const char *text, struct error *error)
{
    uint32_t line = 1;
    bool has_mark = !strncmp(text, "\xef\xbb\xbf", 3); /* of UTF-8: spreadsheets write it */
    for (const char *at = text + (has_mark ? 3 : 0); *at; line++) {
        bool is_fine = true;
        if (*at == '#' || *at == '\n' || *at == '\r') {
            at += strcspn(at, "\n");
        } else if (!work->columns) {
            is_fine = read_head(work, &at, line, error);
        } else {
            struct run_row *row = array_add(&work->rows);
            row->line = line;
            size_t column = 0;
            for (; is_fine && column < work->columns; column++) {
                char *cell = next_cell(work, &at, line, error);
                is_fine = cell && take_cell(work, row, column, cell, error);
                free(cell);
                if (*at != ',')
                    break;
                at += column + 1 < work->columns;
            }
            if (is_fine && (column + 1 != work->columns || (*at && *at != '\n')))
                is_fine =
                    complain(work, line, error, "this row has not as many cells as there are columns%s", "");
            if (is_fine && work->rows.count > MOST_ROWS)
                is_fine = complain(work, line, error, "more than 10000 rows%s", "");
        }
        if (!is_fine)
            return false;
        at += *at == '\n';
    }
    return true;
}

static bool predict(struct work *work, const struct run_row *row, const double *values, double *seconds,
                    struct error *error)
{
    struct evaluation evaluation = {0};
    struct error inner = {0};
    int32_t ranks;
    for (size_t i = 0; i < work->fit->parameters.count; i++)
        language_change(work->model, ARRAY_AT(struct fitted_parameter, &work->fit->parameters, i)->name,
                        values[i]);
    for (size_t i = 0; i < work->columns; i++)
        if (work->names[i])
            language_change(work->model, work->names[i], row->values[i]);
    bool is_fine = language_ranks(work->model, &ranks, &inner) &&
                   evaluate_usual(work->model, ranks, work->network, &evaluation, &inner);
    *seconds = evaluation.seconds;
    if (is_fine)
        evaluation_free(&evaluation);
    return is_fine || complain(work, row->line, error, "with the parameters of this row the model fails: %s",
                               inner.text);
}

static bool differences(void *context, const double *values, double *found, struct error *error)
{
    struct work *work = context;
    for (size_t i = 0; i < work->rows.count; i++) {
        const struct run_row *row = ARRAY_AT(struct run_row, &work->rows, i);
        double seconds;
        if (work->fits)
            progress_tell("fits, each without a row", work->fits - 1, work->rows.count);
        else
            progress_tell("fitting", 0, 0);
        if (interrupt_came())
            return error_set(error, NULL, "stopped by Ctrl-C before the fit was found; nothing was written");
        if (!predict(work, row, values, &seconds, error))
            return false;
        found[i] = seconds / row->seconds - 1;
    }
    return true;
}

static bool take_free(struct work *work, struct error *error)
{
    struct array parameters = language_parameters(work->model);
    bool is_fine = true;
    for (size_t i = 0; i < parameters.count && is_fine; i++) {
        const struct language_parameter *parameter = ARRAY_AT(struct language_parameter, &parameters, i);
        if (!parameter->is_free)
            continue;
        struct fitted_parameter *added = array_add(&work->fit->parameters);
        added->name = memory_copy_text(parameter->name, strlen(parameter->name));
        added->unit = memory_copy_text(parameter->unit, strlen(parameter->unit));
        added->start = parameter->value;
        if (!isfinite(parameter->value))
            is_fine = error_set(
                error, NULL, "the free parameter %s has no value to begin with: give a guess by --set %s=…",
                added->name, added->name);
    }
    array_free(&parameters);
    size_t count = work->fit->parameters.count;
    if (is_fine && !count)
        return error_set(error, NULL,
                         "the model has no free parameters: declare them as `free parameter NAME = GUESS;`");
    if (is_fine && (count > FIT_MOST || count > work->rows.count))
        return error_set(error, NULL, "%zu free parameters, and %zu rows that were measured: %s", count,
                         work->rows.count, count > FIT_MOST ? "20 can be fitted" : "more rows are needed");
    return is_fine;
}

/* What was found, and the two parameters that the rows tell apart worst. */
static void take_result(struct work *work, const struct fit_result *result)
{
    struct array *parameters = &work->fit->parameters;
    double most = 0.98;
    work->fit->width = fit_student(result->freedom);
    for (size_t i = 0; i < parameters->count; i++) {
        struct fitted_parameter *parameter = ARRAY_AT(struct fitted_parameter, parameters, i);
        parameter->value = result->values[i];
        parameter->deviation = result->deviations[i];
        parameter->is_at_zero = parameter->start > 0 && result->values[i] == 0;
        for (size_t k = 0; k < i; k++)
            if (!(fabs(result->correlations[i][k]) <= most)) {
                most = fabs(result->correlations[i][k]);
                free(work->fit->alike);
                work->fit->alike = memory_format(
                    "%s and %s", ARRAY_AT(struct fitted_parameter, parameters, k)->name, parameter->name);
            }
    }
}

static bool run_fits(struct work *work, struct error *error)
{
    size_t count = work->fit->parameters.count, rows = work->rows.count;
    bool is_positive[FIT_MOST];
    struct fit_result whole = {0};
    struct fit_problem problem = {.parameters = count,
                                  .points = rows,
                                  .differences = differences,
                                  .context = work,
                                  .left_out = rows,
                                  .is_positive = is_positive};
    for (size_t i = 0; i < count; i++) {
        whole.values[i] = ARRAY_AT(struct fitted_parameter, &work->fit->parameters, i)->start;
        is_positive[i] = whole.values[i] > 0;
    }
    if (!fit_run(&problem, &whole, error))
        return false;
    take_result(work, &whole);
    for (size_t i = 0; i < rows; i++) {
        const struct run_row *row = ARRAY_AT(struct run_row, &work->rows, i);
        struct fitted_row *made = array_add(&work->fit->rows);
        *made = (struct fitted_row){.line = row->line, .measured = row->seconds, .without = NAN};
        if (!predict(work, row, whole.values, &made->predicted, error))
            return false;
    }
    for (size_t i = 0; rows > count && i < rows; i++) {
        struct fit_result one = whole;
        double without;
        problem.left_out = i;
        work->fits = i + 1;
        if (!fit_run(&problem, &one, error) ||
            !predict(work, ARRAY_AT(struct run_row, &work->rows, i), one.values, &without, error)) {
            if (interrupt_came())
                *error = (struct error){0};
            return !error->set;
        }
        ARRAY_AT(struct fitted_row, &work->fit->rows, i)->without = without;
        work->fit->judged++;
    }
    return true;
}

static void sum_up(struct model_fit *fit)
{
    fit->error_without = fit->judged ? 0 : NAN;
    for (size_t i = 0; i < fit->rows.count; i++) {
        const struct fitted_row *row = ARRAY_AT(struct fitted_row, &fit->rows, i);
        double off = fabs(row->predicted / row->measured - 1),
               without = fabs(row->without / row->measured - 1);
        fit->error += off / (double)fit->rows.count;
        fit->worst = fmax(fit->worst, off);
        if (i < fit->judged)
            fit->error_without += without / (double)fit->judged;
        if (i < fit->judged)
            fit->worst_without = fmax(fit->worst_without, without);
    }
}

bool model_fit_run(struct language_model *model, const struct network *network, const char *path,
                   const char *text, struct model_fit *fit, struct error *error)
{
    struct work work = {
        .model = model, .network = network, .path = path, .rows = ARRAY_OF(struct run_row), .fit = fit};
    *fit = (struct model_fit){.parameters = ARRAY_OF(struct fitted_parameter),
                              .rows = ARRAY_OF(struct fitted_row)};
    bool is_fine = read_rows(&work, text, error);
    if (is_fine && !work.rows.count)
        is_fine =
            error_set(error, path, "there are no rows: a head such as procs,seconds and a row for each run");
    is_fine = is_fine && take_free(&work, error) && run_fits(&work, error);
    if (is_fine)
        sum_up(fit);
    for (size_t i = 0; i < work.columns; i++)
        free(work.names[i]);
    array_free(&work.rows);
    return is_fine;
}

void model_fit_free(struct model_fit *fit)
{
    for (size_t i = 0; i < fit->parameters.count; i++) {
        free(ARRAY_AT(struct fitted_parameter, &fit->parameters, i)->name);
        free(ARRAY_AT(struct fitted_parameter, &fit->parameters, i)->unit);
    }
    array_free(&fit->parameters);
    array_free(&fit->rows);
    free(fit->alike);
}
