/* Which rows of the tables a view of a run shows.  Numbers come from a database, so they may be anything: a
   time that is not a number counts as none, a reference beyond its table as no reference. */
#include "show/report/run/parts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

bool report_run_has(const struct model *model)
{
    return model->runs.count > 1;
}

const void *run_rows(const struct array *table, uint32_t run, size_t *count)
{
    size_t first = array_first_not_below(table, 0, 0, run);
    *count = array_first_not_below(table, first, 0, run + 1) - first;
    return array_at(table, first);
}

/* Rows of one loop in a table that is sorted by run, then loop. */
static const void *rows_of_loop(const struct array *table, uint32_t run, uint32_t loop, size_t *count)
{
    size_t all;
    const void *rows = run_rows(table, run, &all);
    struct array part = {.data = (void *)(uintptr_t)rows, .count = all, .width = table->width};
    size_t first = array_first_not_below(&part, 0, sizeof(uint32_t), loop);
    *count = array_first_not_below(&part, first, sizeof(uint32_t), loop + 1) - first;
    return array_at(&part, first);
}

const struct run_loop *run_figures(const struct run_report *report, uint32_t loop)
{
    size_t count;
    const struct run_loop *row = rows_of_loop(&report->model->run_loops, report->view->run, loop, &count);
    return count ? row : NULL;
}

const struct run_gap *run_gaps_of(const struct run_report *report, uint32_t loop, size_t *count)
{
    return rows_of_loop(&report->model->run_gaps, report->view->run, loop, count);
}

const struct run_path *run_paths_of(const struct run_report *report, uint32_t loop, size_t *count)
{
    return rows_of_loop(&report->model->run_paths, report->view->run, loop, count);
}

const struct run_saving *run_saving_of(const struct run_report *report, uint32_t loop)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_saving *rows = run_rows(&model->run_savings, report->view->run, &count), *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].loop == loop && rows[i].advice && rows[i].advice < model->advice.count &&
            model_advice(model, rows[i].advice)->level <= report->view->quality.level &&
            rows[i].saving > (best ? best->saving : 0))
            best = &rows[i];
    return best;
}

double run_error(uint64_t samples)
{
    return samples ? 1 / sqrt((double)samples) : NAN;
}

double run_measured(const struct run_loop *figures)
{
    if (figures->measured_by == run_measure_NONE ||
        (figures->measured_by != run_measure_PROBES && figures->samples < FEWEST_SAMPLES))
        return NAN;
    return figures->cycles_per_iteration;
}

const struct run_function *run_hot_function(const struct run_report *report, const struct run_hot *hot)
{
    const struct run_function *row = NULL;
    if (!hot->loop && !hot->library_call && hot->function && hot->code)
        row = model_run_function(report->model, hot->code);
    return row && (row->predicted_by || row->silence || row->calls) ? row : NULL;
}

double run_hot_measured(const struct run_report *report, const struct run_hot *hot)
{
    const struct run_function *row = run_hot_function(report, hot);
    if (hot->loop)
        return run_measured(hot->figures);
    return row && row->calls && hot->samples >= FEWEST_SAMPLES ? row->cycles_per_call : NAN;
}

static double positive(double number)
{
    return number > 0 && isfinite(number) ? number : 0;
}

static int compare_hot(const void *left, const void *right)
{
    const struct run_hot *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    if (a->library_call != b->library_call)
        return a->library_call < b->library_call ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

struct inside {
    double seconds; /* in the loops of a function */
    uint64_t samples;
    uint32_t code;   /* row of run_functions */
    bool is_library; /* its time is with who calls it */
};

static void add_loops(struct run_report *report, struct inside *inside)
{
    const struct model *model = report->model;
    double all = positive(report->run->sampled_seconds);
    size_t count;
    const struct run_loop *loops = run_rows(&model->run_loops, report->view->run, &count);
    for (size_t i = 0; i < count; i++) {
        double seconds = positive(loops[i].self_seconds);
        if (!seconds || !loops[i].loop || loops[i].loop >= model->loops.count)
            continue;
        uint32_t function = model_loop(model, loops[i].loop)->function;
        inside[function].seconds += seconds;
        inside[function].samples += loops[i].samples;
        if (inside[function].is_library)
            continue;
        *(struct run_hot *)array_add(&report->hot) = (struct run_hot){.loop = loops[i].loop,
                                                                      .figures = &loops[i],
                                                                      .function = function,
                                                                      .code = inside[function].code,
                                                                      .samples = loops[i].samples,
                                                                      .seconds = seconds,
                                                                      .share = all ? seconds / all : 0};
    }
}

/* What functions did outside their loops. */
static void add_functions(struct run_report *report, const struct inside *inside)
{
    const struct model *model = report->model;
    double all = positive(report->run->sampled_seconds);
    for (uint32_t id = 1; id < model->run_functions.count; id++) {
        const struct run_function *it = model_run_function(model, id);
        const struct inside *in = &inside[it->function];
        double seconds = positive(it->self_seconds) - in->seconds;
        if (it->run != report->view->run || it->is_library || it->samples <= in->samples || !(seconds > 0))
            continue;
        *(struct run_hot *)array_add(&report->hot) = (struct run_hot){.function = it->function,
                                                                      .code = id,
                                                                      .has_hot_loops = in->samples > 0,
                                                                      .samples = it->samples - in->samples,
                                                                      .seconds = seconds,
                                                                      .share = all ? seconds / all : 0};
    }
}

static void find_hot(struct run_report *report)
{
    const struct model *model = report->model;
    autofree struct inside *inside = memory_get((model->functions.count + 1) * sizeof *inside);
    for (uint32_t id = 1; id < model->run_functions.count; id++)
        if (model_run_function(model, id)->run == report->view->run)
            inside[model_run_function(model, id)->function] =
                (struct inside){.code = id, .is_library = model_run_function(model, id)->is_library};
    add_loops(report, inside);
    inside[0] = (struct inside){0};
    add_functions(report, inside);
    run_add_library_calls(report);
    if (report->hot.count)
        qsort(report->hot.data, report->hot.count, report->hot.width, compare_hot);
}

bool run_report_begin(struct run_report *report, const struct run_view *view, bool is_plain,
                      struct error *error)
{
    const struct model *model = view->quality.model;
    *report = (struct run_report){.view = view,
                                  .model = model,
                                  .hot = ARRAY_OF(struct run_hot),
                                  .changes = ARRAY_OF(struct run_change),
                                  .rows = view->top ? view->top : USUAL_ROWS,
                                  .is_plain = is_plain};
    if (!view->run || view->run >= model->runs.count)
        return error_set(error, view->quality.path, "contains no sampled run");
    report->run = model_sampled_run(model, view->run);
    places_take(&report->places, model, view->quality.demangle, view->quality.trust);
    find_hot(report);
    while (report->shown < report->hot.count && report->shown < report->rows &&
           ARRAY_AT(struct run_hot, &report->hot, report->shown)->share >= LEAST_SHOWN)
        report->shown++;
    run_find_changes(report);
    return true;
}

bool run_has_more(const struct run_report *report)
{
    return report->shown < report->hot.count &&
           ARRAY_AT(struct run_hot, &report->hot, report->shown)->share >= LEAST_SHOWN;
}

void run_report_end(struct run_report *report)
{
    array_free(&report->hot);
    array_free(&report->changes);
    places_free(&report->places);
}
