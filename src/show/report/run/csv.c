/* A row for each function, each loop and each slow instruction.  self_… of a function include its loops. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "show/report/common/row_writer.h"

#include <math.h>
#include <stdlib.h>

/* loop NULL: the row of a function. */
static void write_row(struct row_writer *writer, const struct run_report *report, uint32_t code,
                      const struct run_loop *loop)
{
    const struct model *model = report->model;
    const struct run_function *row = code ? model_run_function(model, code) : NULL;
    const struct loop *place = loop ? model_loop(model, loop->loop) : NULL;
    uint32_t function = place ? place->function : row ? row->function : 0;
    const struct function *named = function ? model_function(model, function) : NULL;
    uint32_t source = place ? place->file : named ? named->file : 0;
    const struct run_saving *saving = loop ? run_saving_of(report, loop->loop) : NULL;
    size_t gap_count = 0;
    const struct run_gap *gaps = loop ? run_gaps_of(report, loop->loop, &gap_count) : NULL;
    autofree char *name = run_name(report, function, code),
                  *file = row ? run_file_name(report, row->file) : NULL;
    writer->is_first = true;
    row_text(writer, "kind", loop ? "loop" : "function");
    row_id(writer, "loop", loop ? loop->loop : 0);
    row_text(writer, "function", name);
    row_text(writer, "file", file);
    row_text(writer, "source", source ? model_text(model, model_file(model, source)->path) : NULL);
    row_id(writer, "first_line", place ? place->first_line : named ? named->line : 0);
    row_id(writer, "last_line", place ? place->last_line : 0);
    row_text(writer, "activity", row && !loop ? run_activity_word(row->activity) : NULL);
    row_integer(writer, "samples", (int64_t)(loop ? loop->samples : row ? row->samples : 0));
    row_number(writer, "self_seconds", loop ? loop->self_seconds : row ? row->self_seconds : NAN);
    row_number(writer, "self_share", loop ? loop->self_share : row ? row->self_share : NAN);
    row_number(writer, "total_seconds", loop ? loop->total_seconds : row ? row->total_seconds : NAN);
    row_number(writer, "total_share", loop ? loop->total_share : row ? row->total_share : NAN);
    row_number(writer, "error", loop ? loop->error : row ? run_error(row->samples) : NAN);
    row_id(writer, "entries", loop ? loop->entries : 0);
    row_id(writer, "iterations", loop ? loop->iterations : 0);
    row_id(writer, "seen_entries", loop ? loop->seen_entries : 0);
    row_id(writer, "seen_iterations", loop ? loop->seen_iterations : 0);
    row_number(writer, "measured_cycles", loop ? loop->cycles_per_iteration : NAN);
    row_text(writer, "measured_by",
             loop && loop->measured_by != run_measure_NONE ? run_measure_word(loop->measured_by) : NULL);
    row_number(writer, "predicted_cycles", loop ? loop->predicted_cycles : NAN);
    row_text(writer, "gap", gap_count ? gap_rule_word(gaps[0].rule) : NULL);
    row_number(writer, "gain", saving ? saving->gain : NAN);
    row_flag(writer, "is_upper", run_saving_is_upper(model, saving));
    row_number(writer, "saving", saving ? saving->saving : NAN);
    row_text(writer, "advice",
             saving
                 ? model_text(model, model_rule_row(model, model_advice(model, saving->advice)->rule)->name)
                 : NULL);
    row_text(writer, "hot_source",
             row && !loop && row->hot_source < model->files.count
                 ? model_text(model, model_file(model, row->hot_source)->path)
                 : NULL);
    row_id(writer, "hot_line", row && !loop ? row->hot_line : 0);
    fputs("\r\n", writer->out);
}

/* A single instruction: the columns of a loop that have a meaning for it, and its kind as the advice. */
static void write_point(struct row_writer *writer, const struct run_report *report,
                        const struct run_point *point)
{
    const struct model *model = report->model;
    const char *source =
        point->source < model->files.count ? model_text(model, model_file(model, point->source)->path) : NULL;
    autofree char *name = run_name(report, point->function, 0);
    static const char *const unused[] = {"total_seconds", "total_share",  "error",          "entries",
                                         "iterations",    "seen_entries", "seen_iterations"};
    writer->is_first = true;
    row_text(writer, "kind", "point");
    row_id(writer, "loop", point->loop);
    row_text(writer, "function", name);
    row_text(writer, "file", NULL);
    row_text(writer, "source", source);
    row_id(writer, "first_line", point->line);
    row_id(writer, "last_line", point->line);
    row_text(writer, "activity", NULL);
    row_integer(writer, "samples", (int64_t)point->samples);
    row_number(writer, "self_seconds", point->seconds);
    row_number(writer, "self_share", point->share);
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        row_text(writer, unused[i], NULL);
    row_number(writer, "measured_cycles", point->is_least ? NAN : point->cycles);
    row_text(writer, "measured_by", NULL);
    row_number(writer, "predicted_cycles", point->cost);
    row_text(writer, "gap", NULL);
    row_number(writer, "gain", NAN);
    row_flag(writer, "is_upper", point->saving > 0);
    row_number(writer, "saving", point->saving);
    row_text(writer, "advice", point_kind_word(point->kind));
    row_text(writer, "hot_source", NULL);
    row_id(writer, "hot_line", 0);
    fputs("\r\n", writer->out);
}

bool report_run_csv(const struct run_view *view, FILE *out, struct error *error)
{
    struct run_report report;
    if (!run_report_begin(&report, view, false, error))
        return false;
    struct row_writer writer = {.out = out, .is_head = true};
    write_row(&writer, &report, 0, NULL);
    writer.is_head = false;
    for (uint32_t id = 1; id < report.model->run_functions.count; id++)
        if (model_run_function(report.model, id)->run == view->run)
            write_row(&writer, &report, id, NULL);
    for (size_t i = 0; i < report.hot.count; i++)
        if (ARRAY_AT(struct run_hot, &report.hot, i)->loop)
            write_row(&writer, &report, ARRAY_AT(struct run_hot, &report.hot, i)->code,
                      ARRAY_AT(struct run_hot, &report.hot, i)->figures);
    size_t count;
    const struct run_point *points = run_points_of(&report, &count);
    for (size_t i = 0; i < count; i++)
        write_point(&writer, &report, &points[i]);
    run_report_end(&report);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}
