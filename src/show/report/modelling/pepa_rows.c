/* See pepa.h: json, an object; csv, a row for each figure. */
#include "show/report/common/row_writer.h"
#include "show/report/modelling/pepa.h"

#include <math.h>
#include <stdlib.h>

static const char *state_name(const struct pepa_view *view, const struct pepa_component *component,
                              size_t state)
{
    return ARRAY_AT(struct pepa_local_state, &PEPA_AUTOMATON(view->structure, component->automaton)->states,
                    state)
        ->name;
}

static size_t state_count(const struct pepa_view *view, const struct pepa_component *component)
{
    return PEPA_AUTOMATON(view->structure, component->automaton)->states.count;
}

static bool begin_row(struct row_writer *row, FILE *out, bool is_json, bool *is_first)
{
    if (is_json)
        fputs(*is_first ? "{" : ",{", out);
    *row = (struct row_writer){.out = out, .is_json = is_json, .is_first = true};
    *is_first = false;
    return true;
}

/* Whether the label ever happens in this model: a place in the tables. */
static bool is_label_used(const struct pepa_view *view, pepa_label label)
{
    if (view->measures && *ARRAY_AT(double, &view->measures->throughputs, label) > 0)
        return true;
    for (size_t i = 0; view->curve && i < view->curve->moments.count; i++) {
        const struct pepa_measures *measures = ARRAY_AT(struct pepa_measures, &view->curve->moments, i);
        if (*ARRAY_AT(double, &measures->throughputs, label) > 0)
            return true;
    }
    return !(label % 2) && label;
}

static void write_measures(const struct pepa_view *view, const struct pepa_measures *measures, FILE *out,
                           bool is_json, double time)
{
    bool is_first = true;
    struct row_writer row;
    if (is_json)
        fputs("\"throughputs\":[", out);
    for (pepa_label i = 0; i < measures->throughputs.count; i++) {
        if (!is_label_used(view, i))
            continue;
        autofree char *name = pepa_label_text(view->model, i);
        begin_row(&row, out, is_json, &is_first);
        if (!is_json) {
            row_number(&row, "time", time);
            row_text(&row, "measure", "throughput");
            row_text(&row, "component", NULL);
        }
        row_text(&row, is_json ? "action" : "name", name);
        row_number(&row, is_json ? "rate" : "value", *ARRAY_AT(double, &measures->throughputs, i));
        fputs(is_json ? "}" : "\n", out);
    }
    is_first = true;
    if (is_json)
        fputs("],\"populations\":[", out);
    for (uint32_t c = 0; c < view->structure->components.count; c++) {
        const struct pepa_component *component = PEPA_COMPONENT(view->structure, c);
        for (uint32_t s = 0; s < state_count(view, component); s++) {
            begin_row(&row, out, is_json, &is_first);
            if (!is_json) {
                row_number(&row, "time", time);
                row_text(&row, "measure", "population");
            }
            row_text(&row, "component", component->name);
            row_text(&row, is_json ? "state" : "name", state_name(view, component, s));
            row_number(&row, is_json ? "mean" : "value", *pepa_population(measures, c, s));
            if (is_json)
                row_number(&row, "share", *pepa_population(measures, c, s) / component->count);
            fputs(is_json ? "}" : "\n", out);
        }
    }
    if (is_json)
        fputs("]", out);
}

static void write_curve(const struct pepa_view *view, FILE *out, bool is_json)
{
    for (size_t i = 0; i < view->curve->moments.count; i++) {
        double time = *ARRAY_AT(double, &view->curve->times, i);
        const struct pepa_measures *measures = ARRAY_AT(struct pepa_measures, &view->curve->moments, i);
        if (is_json) {
            fputs(i ? ",{\"time\":" : "{\"time\":", out);
            row_print_number(time, out);
            fputs(",", out);
        }
        write_measures(view, measures, out, is_json, time);
        if (is_json)
            fputs("}", out);
    }
}

static void write_passage(const struct pepa_view *view, struct row_writer *writer)
{
    const struct pepa_passage *passage = view->passage;
    struct row_writer row = row_begin_object_named(writer, "passage");
    row_text(&row, "passage", view->passage_words);
    row_number(&row, "mean", passage->mean);
    row_number(&row, "deviation", passage->deviation);
    row_number(&row, "reached", passage->reached);
    row_number(&row, "error", passage->error);
    struct row_list quantiles = row_begin_list(&row, "quantiles", "");
    for (size_t i = 0; i < passage->levels.count; i++) {
        struct row_writer inner = row_begin_item(&quantiles);
        row_number(&inner, "level", *ARRAY_AT(double, &passage->levels, i));
        row_number(&inner, "time", *ARRAY_AT(double, &passage->quantiles, i));
        row_end_object(&inner);
    }
    row_end_list(&quantiles);
    struct row_list curve = row_begin_list(&row, "curve", "");
    for (size_t i = 0; i < passage->times.count; i++) {
        struct row_writer inner = row_begin_item(&curve);
        row_number(&inner, "time", *ARRAY_AT(double, &passage->times, i));
        row_number(&inner, "cdf", *ARRAY_AT(double, &passage->share, i));
        row_number(&inner, "pdf", *ARRAY_AT(double, &passage->density, i));
        row_end_object(&inner);
    }
    row_end_list(&curve);
    row_end_object(&row);
}

static void write_classes(const struct pepa_view *view, struct row_writer *writer)
{
    const struct pepa_classes *classes = &view->steady->classes;
    struct row_list list = row_begin_list(writer, "classes", "");
    for (uint32_t i = 0; i < classes->count && i < 1000; i++) {
        autofree char *state = pepa_state_text(view->space, classes->first[i]);
        struct row_writer row = row_begin_item(&list);
        row_integer(&row, "states", classes->size[i]);
        row_number(&row, "probability", classes->probability[i]);
        row_flag(&row, "is_deadlock",
                 view->space->rows[classes->first[i]] == view->space->rows[classes->first[i] + 1]);
        row_text(&row, "state", state);
        row_end_object(&row);
    }
    row_end_list(&list);
}

static void write_states(const struct pepa_view *view, struct row_writer *writer)
{
    struct row_list list = row_begin_list(writer, "state_list", "");
    for (uint32_t i = 0; i < view->space->count && i < view->most_states; i++) {
        autofree char *state = pepa_state_text(view->space, i);
        struct row_writer row = row_begin_item(&list);
        row_integer(&row, "state", i);
        row_text(&row, "what", state);
        row_number(&row, "probability", view->steady->probability[i]);
        row_end_object(&row);
    }
    row_end_list(&list);
}

static void write_reason(const struct pepa_view *view, struct row_writer *row)
{
    autofree char *reason = view->is_same ? NULL : report_pepa_difference(view);
    row_text(row, "reason", reason);
}

void report_pepa_json(const struct pepa_view *view, FILE *out)
{
    struct row_writer row = row_begin_object(out);
    row_text(&row, "file", view->model->path);
    if (view->space) {
        row_integer(&row, "states", view->space->count);
        row_integer(&row, "transitions", (int64_t)view->space->rows[view->space->count]);
        if (view->space->lumped)
            row_integer(&row, "states_before", view->space->lumped);
    }
    if (view->other) {
        row_text(&row, "other", view->other_space->structure->model->path);
        row_integer(&row, "other_states", view->other_space->count);
        row_flag(&row, "is_equivalent", view->is_same);
        write_reason(view, &row);
    }
    if (view->steady) {
        row_text(&row, "method", view->steady->method);
        row_integer(&row, "sweeps", (int64_t)view->steady->sweeps);
        row_number(&row, "residual", view->steady->residual);
        row_integer(&row, "transient_states", view->steady->classes.transient);
        write_classes(view, &row);
    }
    if (view->measures) {
        fputs(",", out);
        write_measures(view, view->measures, out, true, NAN);
    }
    if (view->steady && view->most_states)
        write_states(view, &row);
    if (view->curve) {
        row_text(&row, "curve_method", view->curve->method);
        row_number(&row, "curve_error", view->curve->error);
        row_begin(&row, "moments");
        fputs("[", out);
        write_curve(view, out, true);
        fputs("]", out);
    }
    if (view->passage)
        write_passage(view, &row);
    struct row_list warnings = row_begin_list(&row, "warnings", "");
    for (size_t i = 0; i < view->model->warnings.count; i++) {
        const struct pepa_warning *warning = ARRAY_AT(struct pepa_warning, &view->model->warnings, i);
        struct row_writer inner = row_begin_item(&warnings);
        row_integer(&inner, "line", warning->place.line);
        row_text(&inner, "text", warning->text);
        row_end_object(&inner);
    }
    row_end_list(&warnings);
    fputs("}\n", out);
}

void report_pepa_csv(const struct pepa_view *view, FILE *out)
{
    if (view->other) {
        fputs("file,other,is_equivalent,reason\n", out);
        struct row_writer row = {.out = out, .is_first = true};
        row_text(&row, "file", view->model->path);
        row_text(&row, "other", view->other_space->structure->model->path);
        row_flag(&row, "is_equivalent", view->is_same);
        write_reason(view, &row);
        fputs("\n", out);
        return;
    }
    if (view->passage) {
        fputs("time,cdf,pdf\n", out);
        for (size_t i = 0; i < view->passage->times.count; i++) {
            struct row_writer row = {.out = out, .is_first = true};
            row_number(&row, "time", *ARRAY_AT(double, &view->passage->times, i));
            row_number(&row, "cdf", *ARRAY_AT(double, &view->passage->share, i));
            row_number(&row, "pdf", *ARRAY_AT(double, &view->passage->density, i));
            fputs("\n", out);
        }
        return;
    }
    fputs("time,measure,component,name,value\n", out);
    if (view->curve)
        write_curve(view, out, false);
    else
        write_measures(view, view->measures, out, false, NAN);
}

size_t report_pepa_deadlocks(const struct pepa_view *view)
{
    size_t count = 0;
    const struct pepa_classes *classes = &view->steady->classes;
    for (uint32_t i = 0; i < classes->count; i++)
        count += view->space->rows[classes->first[i]] == view->space->rows[classes->first[i] + 1];
    return count;
}
