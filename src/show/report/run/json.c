/* One object about the run; docs/run-report.md describes every member.  Numbers are raw, null means unknown;
   members may be added, but none changes its meaning without a new number under schema. */
#include "show/report/run/parts.h"

#include "model/tables.h"
#include "show/report/common/row_writer.h"
#include "show/report/quality/rows.h"

#include <math.h>
#include <stdlib.h>

enum { SCHEMA = 1 };

static struct row_writer begin_object(FILE *out)
{
    putc('{', out);
    return (struct row_writer){.out = out, .is_json = true, .is_first = true};
}

static void begin_list(struct row_writer *writer, const char *name)
{
    row_begin(writer, name);
    putc('[', writer->out);
}

/* The next object of a list. */
static struct row_writer begin_item(FILE *out, bool *is_first)
{
    fputs(*is_first ? "\n " : ",\n ", out);
    *is_first = false;
    return begin_object(out);
}

static void row_maybe(struct row_writer *writer, const char *name, int32_t number)
{
    row_number(writer, name, number == NO_NUMBER ? NAN : (double)number);
}

static void write_run(const struct run_report *report, struct row_writer *writer)
{
    const struct sampled_run *run = report->run;
    const struct model *model = report->model;
    row_begin(writer, "run");
    struct row_writer inner = begin_object(writer->out);
    row_text(&inner, "command", model_text(model, run->command));
    row_text(&inner, "processor", model_text(model, run->processor));
    row_text(&inner, "host", model_text(model, run->host));
    row_text(&inner, "sampler", run_sampler_word(run->sampler));
    row_text(&inner, "without_kernel_sampling", model_text(model, run->without_kernel_sampling));
    row_number(&inner, "frequency", run->frequency);
    row_integer(&inner, "samples", (int64_t)run->samples);
    row_number(&inner, "seconds", run->seconds);
    row_number(&inner, "cpu_seconds", run->cpu_seconds);
    row_number(&inner, "kernel_seconds", run->kernel_seconds);
    row_number(&inner, "sampled_seconds", run->sampled_seconds);
    row_number(&inner, "waiting_seconds", run->waiting_seconds);
    row_number(&inner, "queued_seconds", run->queued_seconds);
    row_number(&inner, "others_share", run->others_share);
    row_integer(&inner, "processes", run->processes);
    row_integer(&inner, "threads", run->threads);
    row_integer(&inner, "ranks", run->ranks);
    row_number(&inner, "cycles_per_second", run->cycles_per_second);
    row_number(&inner, "slowest_clock", run->slowest_clock);
    row_number(&inner, "fastest_clock", run->fastest_clock);
    row_maybe(&inner, "exit_status", run->exit_status);
    row_maybe(&inner, "end_signal", run->end_signal);
    row_integer(&inner, "minor_faults", (int64_t)run->minor_faults);
    row_integer(&inner, "major_faults", (int64_t)run->major_faults);
    row_integer(&inner, "voluntary_switches", (int64_t)run->voluntary_switches);
    row_integer(&inner, "involuntary_switches", (int64_t)run->involuntary_switches);
    row_integer(&inner, "peak_bytes", (int64_t)run->peak_bytes);
    putc('}', writer->out);
}

static void write_where(const struct run_report *report, struct row_writer *writer)
{
    size_t count;
    double seconds[RUN_KINDS] = {0};
    const struct run_file *files = run_rows(&report->model->run_files, report->view->run, &count);
    for (size_t i = 0; i < count; i++)
        if (isfinite(files[i].seconds))
            seconds[run_file_kind(report, &files[i])] += files[i].seconds;
    row_begin(writer, "where");
    struct row_writer inner = begin_object(writer->out);
    for (unsigned kind = 0; kind < RUN_KINDS; kind++)
        row_number(&inner, run_kind_word((enum run_kind)kind), seconds[kind]);
    row_number(&inner, "waiting", report->run->waiting_seconds);
    putc('}', writer->out);
}

static void write_files(const struct run_report *report, struct row_writer *writer)
{
    bool is_first = true;
    size_t count;
    const struct run_file *files = run_rows(&report->model->run_files, report->view->run, &count);
    begin_list(writer, "files");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "path", model_text(report->model, files[i].path));
        row_text(&inner, "build_id", model_text(report->model, files[i].build_id));
        row_text(&inner, "kind", run_kind_word(run_file_kind(report, &files[i])));
        row_text(&inner, "state", run_file_state_word(files[i].state));
        row_integer(&inner, "samples", (int64_t)files[i].samples);
        row_number(&inner, "seconds", files[i].seconds);
        row_number(&inner, "share", files[i].share);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_functions(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    bool is_first = true;
    size_t count;
    const struct run_function *rows = run_rows(&model->run_functions, report->view->run, &count);
    begin_list(writer, "functions");
    for (size_t i = 0; i < count; i++) {
        uint32_t id = (uint32_t)(&rows[i] - model_run_function(model, 0));
        const struct function *function = rows[i].function ? model_function(model, rows[i].function) : NULL;
        autofree char *name = run_name(report, rows[i].function, id),
                      *file = run_file_name(report, rows[i].file);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_id(&inner, "function", rows[i].function);
        row_text(&inner, "name", name);
        row_text(&inner, "file", file);
        row_text(&inner, "source",
                 function && function->file ? model_text(model, model_file(model, function->file)->path)
                                            : NULL);
        row_id(&inner, "line", function ? function->line : 0);
        row_text(&inner, "activity", run_activity_word(rows[i].activity));
        row_flag(&inner, "is_library", rows[i].is_library);
        row_integer(&inner, "samples", (int64_t)rows[i].samples);
        row_number(&inner, "self_seconds", rows[i].self_seconds);
        row_number(&inner, "self_share", rows[i].self_share);
        row_number(&inner, "total_seconds", rows[i].total_seconds);
        row_number(&inner, "total_share", rows[i].total_share);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_library_calls(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    bool is_first = true;
    begin_list(writer, "library_calls");
    for (uint32_t id = 1; id < model->run_library_calls.count; id++) {
        const struct run_library_call *it = model_run_library_call(model, id);
        if (it->run != report->view->run)
            continue;
        autofree char *name = run_library_name(report, id), *caller = run_library_caller(report, id);
        autofree char *library = it->file ? run_file_name(report, it->file) : NULL;
        autofree char *callback = it->callback ? run_name(report, it->callback, 0) : NULL;
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "name", name);
        row_text(&inner, "library", library);
        row_text(&inner, "caller", caller);
        row_text(&inner, "source",
                 it->source < model->files.count ? model_text(model, model_file(model, it->source)->path)
                                                 : NULL);
        row_id(&inner, "line", it->line);
        row_id(&inner, "loop", it->loop);
        row_integer(&inner, "samples", (int64_t)it->samples);
        row_number(&inner, "self_seconds", it->self_seconds);
        row_number(&inner, "self_share", it->self_share);
        row_number(&inner, "inlined_seconds", it->inlined_seconds);
        row_number(&inner, "total_seconds", it->total_seconds);
        row_number(&inner, "total_share", it->total_share);
        row_text(&inner, "callback", callback);
        row_number(&inner, "callback_seconds", it->callback_seconds);
        row_number(&inner, "cycles_per_iteration", it->cycles_per_iteration);
        row_text(&inner, "cure", model_text(model, it->cure));
        row_text(&inner, "finding", model_text(model, it->finding));
        row_text(&inner, "remedy", model_text(model, it->remedy));
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_gaps(const struct run_report *report, struct row_writer *writer, uint32_t loop)
{
    bool is_first = true;
    size_t count;
    const struct run_gap *gaps = run_gaps_of(report, loop, &count);
    begin_list(writer, "gaps");
    for (size_t i = 0; i < count; i++) {
        autofree char *words = run_gap_words(report, &gaps[i]);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "rule", gap_rule_word(gaps[i].rule));
        row_text(&inner, "certainty", gap_certainty_word(gaps[i].certainty));
        row_number(&inner, "cycles", gaps[i].cycles);
        row_number(&inner, "value", gaps[i].value);
        row_number(&inner, "reference", gaps[i].reference);
        row_address(&inner, "address",
                    gaps[i].instruction ? model_address(report->model, gaps[i].instruction) : NO_ADDRESS);
        row_text(&inner, "text", words);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_savings(const struct run_report *report, struct row_writer *writer, uint32_t loop)
{
    const struct model *model = report->model;
    bool is_first = true;
    size_t count;
    const struct run_saving *rows = run_rows(&model->run_savings, report->view->run, &count);
    begin_list(writer, "savings");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].loop != loop || !rows[i].advice)
            continue;
        const struct advice *advice = model_advice(model, rows[i].advice);
        const struct rule_row *rule = model_rule_row(model, advice->rule);
        autofree char *words = run_say_advice(report, &rows[i]);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "rule", model_text(model, rule->name));
        row_text(&inner, "level", advice_level_word(advice->level));
        row_number(&inner, "gain", rows[i].gain);
        row_flag(&inner, "is_upper", advice->is_upper);
        row_number(&inner, "saving", rows[i].saving);
        row_text(&inner, "text", words);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_paths(const struct run_report *report, struct row_writer *writer, uint32_t loop)
{
    bool is_first = true;
    size_t count;
    const struct run_path *rows = run_paths_of(report, loop, &count);
    begin_list(writer, "paths");
    for (size_t i = 0; i < count; i++) {
        struct quality_rows found;
        quality_rows_find(&found, report->model, loop);
        struct quality_rows path = quality_rows_of_path(&found, rows[i].path);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_integer(&inner, "path", rows[i].path);
        row_integer(&inner, "count", (int64_t)rows[i].count);
        row_number(&inner, "share", rows[i].share);
        row_number(&inner, "predicted_cycles", path.cycle_count ? path.cycles->cycles : NAN);
        putc('}', writer->out);
    }
    putc(']', writer->out);
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
    bool is_first = true;
    size_t count;
    const struct run_loop *rows = run_rows(&model->run_loops, report->view->run, &count);
    begin_list(writer, "loops");
    for (size_t i = 0; i < count; i++) {
        const struct run_loop *it = &rows[i];
        if (!is_shown(report, it->loop))
            continue;
        const struct loop *loop = model_loop(model, it->loop);
        autofree char *name = run_name(report, loop->function, 0);
        struct row_writer inner = begin_item(writer->out, &is_first);
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
        row_integer(&inner, "samples", (int64_t)it->samples);
        row_number(&inner, "self_seconds", it->self_seconds);
        row_number(&inner, "self_share", it->self_share);
        row_number(&inner, "total_seconds", it->total_seconds);
        row_number(&inner, "total_share", it->total_share);
        row_number(&inner, "call_seconds", it->call_seconds);
        row_number(&inner, "kernel_seconds", it->kernel_seconds);
        row_number(&inner, "error", it->error);
        row_id(&inner, "entries", it->entries);
        row_id(&inner, "iterations", it->iterations);
        row_id(&inner, "seen_entries", it->seen_entries);
        row_id(&inner, "seen_iterations", it->seen_iterations);
        row_number(&inner, "cycles_per_iteration", it->cycles_per_iteration);
        row_text(&inner, "measured_by",
                 it->measured_by == run_measure_NONE ? NULL : run_measure_word(it->measured_by));
        row_number(&inner, "sampled_cycles", it->sampled_cycles);
        row_number(&inner, "probed_cycles", it->probed_cycles);
        row_number(&inner, "predicted_cycles", it->predicted_cycles);
        row_id(&inner, "path", it->path);
        write_gaps(report, &inner, it->loop);
        write_savings(report, &inner, it->loop);
        write_paths(report, &inner, it->loop);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_options(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    bool is_first = true;
    size_t count;
    const struct run_option *rows = run_options_of(report, &count);
    begin_list(writer, "options");
    for (size_t i = 0; i < count; i++) {
        autofree char *heading = run_option_heading(report, &rows[i]),
                      *words = run_say_option(report, &rows[i]);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "unit",
                 rows[i].unit ? model_text(model, model_unit(model, rows[i].unit)->name) : NULL);
        row_text(&inner, "rule", option_rule_word(rows[i].rule));
        row_text(&inner, "option", model_text(model, rows[i].option));
        row_number(&inner, "share", rows[i].share);
        row_number(&inner, "cost", rows[i].cost);
        row_number(&inner, "saving", rows[i].saving);
        row_text(&inner, "title", heading);
        row_text(&inner, "text", words);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

/* The changes that the text lists: their savings and those of the options add up to `saving`. */
static void write_changes(const struct run_report *report, struct row_writer *writer)
{
    bool is_first = true;
    row_number(writer, "saving", run_all_savings(report));
    begin_list(writer, "changes");
    for (size_t i = 0; i < report->changes.count; i++) {
        const struct run_change *change = ARRAY_AT(struct run_change, &report->changes, i);
        autofree char *words = run_say_change(report, change);
        enum action action = run_change_action(report, change);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_id(&inner, "loop", change->loop);
        row_number(&inner, "saving", change->worth);
        row_flag(&inner, "is_upper", run_change_is_upper(report->model, change));
        row_text(&inner, "action", action == action_OTHER ? NULL : action_word(action));
        row_text(&inner, "text", words);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_processes(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    bool is_first = true;
    size_t count;
    const struct run_process *rows = run_rows(&model->run_processes, report->view->run, &count);
    begin_list(writer, "processes");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_integer(&inner, "process", rows[i].process);
        row_integer(&inner, "parent", rows[i].parent);
        row_text(&inner, "command", model_text(model, rows[i].command));
        row_text(&inner, "host", model_text(model, rows[i].host));
        row_maybe(&inner, "rank", rows[i].rank);
        row_number(&inner, "start_seconds", rows[i].start_seconds);
        row_number(&inner, "seconds", rows[i].seconds);
        row_number(&inner, "cpu_seconds", rows[i].cpu_seconds);
        row_number(&inner, "mpi_seconds", rows[i].mpi_seconds);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_threads(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    bool is_first = true;
    begin_list(writer, "threads");
    for (uint32_t id = 1; id < model->run_threads.count; id++) {
        const struct run_thread *it = model_run_thread(model, id);
        const struct run_process *process = model_run_process(model, it->process);
        if (process->run != report->view->run)
            continue;
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_integer(&inner, "process", process->process);
        row_maybe(&inner, "rank", process->rank);
        row_integer(&inner, "thread", it->thread);
        row_text(&inner, "name", model_text(model, it->name));
        row_number(&inner, "start_seconds", it->start_seconds);
        row_number(&inner, "seconds", it->seconds);
        row_number(&inner, "cpu_seconds", it->cpu_seconds);
        row_number(&inner, "waiting_seconds", it->waiting_seconds);
        row_number(&inner, "queued_seconds", it->queued_seconds);
        row_number(&inner, "parallel_wait_seconds", it->parallel_wait_seconds);
        row_number(&inner, "mpi_seconds", it->mpi_seconds);
        row_integer(&inner, "samples", (int64_t)it->samples);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

static void write_counters(const struct run_report *report, struct row_writer *writer)
{
    const struct model *model = report->model;
    bool is_first = true;
    begin_list(writer, "counters");
    for (uint32_t id = 1; id < model->run_counters.count; id++) {
        const struct run_counter *it = model_run_counter(model, id);
        if (it->run != report->view->run)
            continue;
        struct array counted = run_find_counted(report, id);
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "name", model_text(model, it->name));
        row_number(&inner, "count", it->count);
        row_number(&inner, "running_share", it->running_share);
        row_integer(&inner, "samples", (int64_t)it->samples);
        row_flag(&inner, "is_exact", it->is_exact);
        begin_list(&inner, "values");
        for (size_t i = 0; i < counted.count; i++) {
            const struct run_counted *value = ARRAY_AT(struct run_counted, &counted, i);
            char *name = value->function ? run_name(report, value->function, 0) : NULL;
            bool is_start = !i;
            struct row_writer cell = begin_item(writer->out, &is_start);
            row_text(&cell, "name", name ? name : model_text(model, value->name));
            row_id(&cell, "loop", value->loop);
            row_number(&cell, "count", value->count);
            putc('}', writer->out);
            free(name);
        }
        fputs("]}", writer->out);
        array_free(&counted);
    }
    putc(']', writer->out);
}

static void write_limits(const struct run_report *report, struct row_writer *writer)
{
    bool is_first = true;
    size_t count;
    const struct run_limit *rows = run_rows(&report->model->run_limits, report->view->run, &count);
    begin_list(writer, "limits");
    for (size_t i = 0; i < count; i++) {
        struct row_writer inner = begin_item(writer->out, &is_first);
        row_text(&inner, "kind", run_limit_kind_word(rows[i].kind));
        row_integer(&inner, "count", (int64_t)rows[i].count);
        putc('}', writer->out);
    }
    putc(']', writer->out);
}

bool report_run_json(const struct run_view *view, FILE *out, struct error *error)
{
    struct run_report report;
    if (!run_report_begin(&report, view, false, error))
        return false;
    struct row_writer writer = begin_object(out);
    row_integer(&writer, "schema", SCHEMA);
    write_run(&report, &writer);
    write_where(&report, &writer);
    write_files(&report, &writer);
    write_functions(&report, &writer);
    write_library_calls(&report, &writer);
    write_loops(&report, &writer);
    write_options(&report, &writer);
    write_changes(&report, &writer);
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
