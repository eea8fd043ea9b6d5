/* One object about the run; docs/run-report.md describes every member.  Numbers are raw, null means unknown;
   members may be added, but none changes its meaning without a new number under schema. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "show/report/common/row_writer.h"
#include "show/report/quality/rows.h"

#include <math.h>
#include <stdlib.h>

enum { SCHEMA = 1 };

static void write_run(const struct run_report *report, struct row_writer *writer)
{
    struct row_writer inner = row_begin_object_named(writer, "run");
    row_columns(
        &inner, report->model, "runs", report->run,
        "command processor host sampler without_kernel_sampling recording event frequency samples seconds "
        "cpu_seconds kernel_seconds sampled_seconds waiting_seconds queued_seconds others_share "
        "processes threads ranks cycles_per_second slowest_clock fastest_clock exit_status "
        "end_signal minor_faults major_faults voluntary_switches involuntary_switches peak_bytes");
    row_end_object(&inner);
}

static void write_where(const struct run_report *report, struct row_writer *writer)
{
    size_t count;
    double seconds[RUN_KINDS] = {0};
    const struct run_file *files = run_rows(&report->model->run_files, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (isfinite(files[i].seconds))
            seconds[run_file_kind(report, &files[i])] += files[i].seconds;
    struct row_writer inner = row_begin_object_named(writer, "where");
    for (unsigned kind = 0; kind < RUN_KINDS; kind++)
        row_number(&inner, run_kind_word((enum run_kind)kind), seconds[kind]);
    row_number(&inner, "waiting", report->run->waiting_seconds);
    row_end_object(&inner);
}

static void write_coverage(const struct run_report *report, struct row_writer *writer)
{
    struct run_coverage cover = run_cover(report);
    struct row_writer inner = row_begin_object_named(writer, "coverage");
    row_number(&inner, "predicted", cover.predicted);
    row_number(&inner, "measured", cover.measured);
    row_number(&inner, "explained", cover.explained);
    row_number(&inner, "advised", cover.advised);
    row_number(&inner, "any", cover.any);
    row_end_object(&inner);
}

static void write_files(const struct run_report *report, struct row_writer *writer)
{
    size_t count;
    const struct run_file *files = run_rows(&report->model->run_files, report->view->run, &count);
    struct row_list list = row_begin_list(writer, "files", "\n ");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, report->model, "run_files", &files[i], "path build_id");
        row_text(&inner, "kind", run_kind_word(run_file_kind(report, &files[i])));
        row_columns(&inner, report->model, "run_files", &files[i], "state samples seconds share");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_functions(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_function *rows = run_rows(&model->run_functions, report->view->run, &count);
    struct row_list list = row_begin_list(writer, "functions", "\n ");
    for (size_t i = 0; i < count; i++) {
        uint32_t id = (uint32_t)(&rows[i] - model_run_function(model, 0));
        const struct function *function = rows[i].function ? model_function(model, rows[i].function) : NULL;
        autofree char *name = run_name(report, rows[i].function, id),
                      *file = run_file_name(report, rows[i].file);
        struct row_writer inner = row_begin_item(&list);
        row_id(&inner, "function", rows[i].function);
        row_text(&inner, "name", name);
        row_text(&inner, "file", file);
        row_text(&inner, "source",
                 function && function->file ? model_text(model, model_file(model, function->file)->path)
                                            : NULL);
        row_id(&inner, "line", function ? function->line : 0);
        row_text(&inner, "hot_source",
                 rows[i].hot_source < model->files.count
                     ? model_text(model, model_file(model, rows[i].hot_source)->path)
                     : NULL);
        row_columns(
            &inner, model, "run_functions", &rows[i],
            "hot_line activity is_library samples self_seconds self_share total_seconds total_share "
            "outside_seconds calls cycles_per_call predicted_cycles chain_cycles predicted_by silence ways "
            "calls_per_call");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_library_calls(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    struct row_list list = row_begin_list(writer, "library_calls", "\n ");
    for (uint32_t id = 1; id < model->run_library_calls.count; id++) {
        const struct run_library_call *it = model_run_library_call(model, id);
        if (it->run != report->view->run)
            continue;
        autofree char *name = run_library_name(report, id), *caller = run_library_caller(report, id);
        autofree char *library = it->file ? run_file_name(report, it->file) : NULL;
        autofree char *callback = it->callback ? run_name(report, it->callback, 0) : NULL;
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "name", name);
        row_text(&inner, "library", library);
        row_text(&inner, "caller", caller);
        row_text(&inner, "source",
                 it->source < model->files.count ? model_text(model, model_file(model, it->source)->path)
                                                 : NULL);
        row_columns(&inner, model, "run_library_calls", it,
                    "line loop samples self_seconds self_share inlined_seconds total_seconds total_share");
        row_text(&inner, "callback", callback);
        row_columns(&inner, model, "run_library_calls", it,
                    "callback_seconds cycles_per_iteration cure finding remedy saving");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_gaps(const struct run_report *report, struct row_writer *writer, uint32_t loop)
{
    size_t count;
    const struct run_gap *gaps = run_gaps_of(report, loop, &count);
    struct row_list list = row_begin_list(writer, "gaps", "\n ");
    for (size_t i = 0; i < count; i++) {
        autofree char *words = run_gap_words(report, &gaps[i]);
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, report->model, "run_gaps", &gaps[i], "rule certainty cycles value reference");
        row_address(&inner, "address",
                    gaps[i].instruction ? model_address(report->model, gaps[i].instruction) : NO_ADDRESS);
        row_text(&inner, "text", words);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_savings(const struct run_report *report, struct row_writer *writer, uint32_t loop)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_saving *rows = run_rows(&model->run_savings, report->view->run, &count);
    struct row_list list = row_begin_list(writer, "savings", "\n ");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].loop != loop || !rows[i].advice)
            continue;
        const struct advice *advice = model_advice(model, rows[i].advice);
        const struct rule_row *rule = model_rule_row(model, advice->rule);
        autofree char *words = run_say_advice(report, &rows[i]);
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "rule", model_text(model, rule->name));
        row_text(&inner, "level", advice_level_word(advice->level));
        row_number(&inner, "gain", rows[i].gain);
        row_flag(&inner, "is_upper", advice->is_upper);
        row_number(&inner, "saving", rows[i].saving);
        row_number(&inner, "native_saving", rows[i].native_saving);
        row_text(&inner, "text", words);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_paths(const struct run_report *report, struct row_writer *writer, uint32_t loop)
{
    size_t count;
    const struct run_path *rows = run_paths_of(report, loop, &count);
    struct row_list list = row_begin_list(writer, "paths", "\n ");
    for (size_t i = 0; i < count; i++) {
        struct quality_rows found;
        quality_rows_find(&found, report->model, loop);
        struct quality_rows path = quality_rows_of_path(&found, rows[i].path);
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, report->model, "run_paths", &rows[i], "path count share");
        row_number(&inner, "predicted_cycles", path.cycle_count ? path.cycles->cycles : NAN);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

/* Only the loops that the reader chose, if there was a choice: no others were analysed. */
static bool is_shown(const struct run_report *report, uint32_t loop)
{
    const struct quality_view *quality = &report->view->quality;
    for (size_t i = 0; quality->is_chosen && i < quality->analysed_count; i++)
        if (quality->loops[i] == loop)
            return true;
    return !quality->is_chosen;
}

static void write_loops(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_loop *rows = run_rows(&model->run_loops, report->view->run, &count);
    struct row_list list = row_begin_list(writer, "loops", "\n ");
    for (size_t i = 0; i < count; i++) {
        const struct run_loop *it = &rows[i];
        if (!is_shown(report, it->loop))
            continue;
        const struct loop *loop = model_loop(model, it->loop);
        autofree char *name = run_name(report, loop->function, 0);
        struct row_writer inner = row_begin_item(&list);
        row_id(&inner, "loop", it->loop);
        row_text(&inner, "function", name);
        row_text(&inner, "inlined",
                 loop->inlined_call < model->inlined_calls.count
                     ? model_text(model, model_inlined_call(model, loop->inlined_call)->name)
                     : NULL);
        row_text(&inner, "source",
                 loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL);
        row_id(&inner, "first_line", loop->first_line);
        row_id(&inner, "last_line", loop->last_line);
        struct loop_place own = loop_place_find(model, it->loop);
        row_text(&inner, "own_source",
                 own.file ? model_text(model, model_file(model, own.file)->path) : NULL);
        row_id(&inner, "own_line", own.first_line);
        row_address(&inner, "address", model_block(model, loop->header)->address);
        row_flag(&inner, "is_innermost", loop->is_innermost);
        row_columns(
            &inner, model, "run_loops", it,
            "samples self_seconds self_share total_seconds total_share call_seconds kernel_seconds "
            "error entries iterations seen_entries seen_iterations cycles_per_iteration measured_by "
            "sampled_cycles probed_cycles predicted_cycles path predicted_by silence ways least_cycles "
            "most_cycles calls_per_iteration");
        write_gaps(report, &inner, it->loop);
        write_savings(report, &inner, it->loop);
        write_paths(report, &inner, it->loop);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_options(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_option *rows = run_options_of(report, &count);
    struct row_list list = row_begin_list(writer, "options", "\n ");
    for (size_t i = 0; i < count; i++) {
        autofree char *heading = run_option_heading(report, &rows[i]),
                      *words = run_say_option(report, &rows[i]);
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "unit",
                 rows[i].unit ? model_text(model, model_unit(model, rows[i].unit)->name) : NULL);
        row_columns(&inner, model, "run_options", &rows[i], "rule option share cost saving is_tried");
        row_text(&inner, "title", heading);
        row_text(&inner, "text", words);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_trials(const struct run_report *report, struct row_writer *writer)
{
    size_t count;
    const struct run_trial *rows = run_trials_of(report, &count);
    struct row_list list = row_begin_list(writer, "trials", "\n ");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, report->model, "run_trials", &rows[i],
                    "options result is_answer saving error seconds rounds problem");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_points(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_point *rows = run_points_of(report, &count);
    struct row_list list = row_begin_list(writer, "points", "\n ");
    for (size_t i = 0; i < count; i++) {
        const struct run_point *it = &rows[i];
        autofree char *name = run_name(report, it->function, 0), *heading = run_point_heading(report, it),
                      *words = run_say_point(report, it), *line = run_point_source(report, it);
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, model, "run_points", it, "kind certainty");
        row_text(&inner, "function", name);
        row_columns(&inner, model, "run_points", it, "loop");
        row_text(&inner, "source",
                 it->source && it->source < model->files.count
                     ? model_text(model, model_file(model, it->source)->path)
                     : NULL);
        row_columns(&inner, model, "run_points", it, "line");
        row_text(&inner, "source_text", line);
        row_columns(&inner, model, "run_points", it,
                    "address data type samples seconds share part cycles is_least cost misses saving");
        row_text(&inner, "title", heading);
        row_text(&inner, "text", words);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

/* The changes that the text lists: their savings and those of the options add up to `saving`. */
static void write_changes(const struct run_report *report, struct row_writer *writer)
{
    row_number(writer, "saving", run_all_savings(report));
    struct row_list list = row_begin_list(writer, "changes", "\n ");
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        autofree char *words = run_say_change(report, change);
        enum action action = run_change_action(report, change);
        struct row_writer inner = row_begin_item(&list);
        row_id(&inner, "loop", change->loop);
        row_number(&inner, "saving", change->worth);
        row_flag(&inner, "is_upper", run_change_is_upper(report->model, change));
        row_text(&inner, "action", action == action_OTHER ? NULL : action_word(action));
        row_text(&inner, "text", words);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_processes(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    size_t count;
    const struct run_process *rows = run_rows(&model->run_processes, report->view->run, &count);
    struct row_list list = row_begin_list(writer, "processes", "\n ");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, model, "run_processes", &rows[i],
                    "process parent command host rank start_seconds seconds cpu_seconds mpi_seconds");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_threads(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    struct row_list list = row_begin_list(writer, "threads", "\n ");
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *it = model_run_thread(model, id);
        const struct run_process *process = model_run_process(model, it->process);
        if (process->run != report->view->run)
            continue;
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, model, "run_processes", process, "process rank");
        row_columns(&inner, model, "run_threads", it,
                    "thread name start_seconds seconds cpu_seconds waiting_seconds queued_seconds "
                    "parallel_wait_seconds mpi_seconds samples");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_counters(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    struct row_list list = row_begin_list(writer, "counters", "\n ");
    for (uint32_t id = 1; id < model->run_counters.count; id++) {
        const struct run_counter *it = model_run_counter(model, id);
        if (it->run != report->view->run)
            continue;
        struct array counted = run_find_counted(report, id);
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, model, "run_counters", it, "name count running_share samples is_exact");
        struct row_list values = row_begin_list(&inner, "values", "\n ");
        for (size_t i = 0; i < counted.count; i++) {
            const struct run_counted *value = ARRAY_AT(struct run_counted, &counted, i);
            autofree char *name = value->function ? run_name(report, value->function, 0) : NULL;
            struct row_writer cell = row_begin_item(&values);
            row_text(&cell, "name", name ? name : model_text(model, value->name));
            row_id(&cell, "loop", value->loop);
            row_number(&cell, "count", value->count);
            row_end_object(&cell);
        }
        row_end_list(&values);
        row_end_object(&inner);
        array_free(&counted);
    }
    row_end_list(&list);
}

static void write_limits(const struct run_report *report, struct row_writer *writer)
{
    size_t count;
    const struct run_limit *rows = run_rows(&report->model->run_limits, report->view->run, &count);
    struct row_list list = row_begin_list(writer, "limits", "\n ");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, report->model, "run_limits", &rows[i], "kind count");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

bool report_run_json(const struct run_view *view, FILE *out, struct error *error)
{
    struct run_report report;
    if (!run_report_begin(&report, view, false, error))
        return false;
    struct row_writer writer = row_begin_object(out);
    row_integer(&writer, "schema", SCHEMA);
    write_run(&report, &writer);
    write_where(&report, &writer);
    write_coverage(&report, &writer);
    write_files(&report, &writer);
    write_functions(&report, &writer);
    write_library_calls(&report, &writer);
    write_loops(&report, &writer);
    write_trials(&report, &writer);
    write_options(&report, &writer);
    write_changes(&report, &writer);
    write_points(&report, &writer);
    write_processes(&report, &writer);
    write_threads(&report, &writer);
    write_counters(&report, &writer);
    write_limits(&report, &writer);
    row_begin(&writer, "report");
    bool done = report_quality_json(&view->quality, out, error);
    fputs("}\n", out);
    run_report_end(&report);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write the report"));
}
