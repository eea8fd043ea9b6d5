/* One object with everything: the file, and for each run the columns of probe_runs, the answer, the findings
   with their sentences, how it was measured, and the rows of the tables probe_… under the same names of
   columns, with names and places beside ids.  Numbers are raw; null means unknown.  docs/probe-report.md
   lists the keys. */
#include "report/probe/parts.h"

#include "report/common/run_json.h"
#include "report/common/rows.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *key, *sql;
} parts[] = {
    {"limits", "select position, kind, count from probe_limits where run = ?1 order by position"},
    {"placements",
     "select p.program as program, g.path as path, p.way as way, p.reason as reason, p.count as count, "
     "p.instruction as instruction from probe_placements p left join programs g on g.id = p.program where "
     "p.run "
     "= ?1 order by p.program, p.way, p.reason"},
    {"functions",
     "select f.function as function, shown_name(n.name) as name, s.path as file, n.line as line, f.calls as "
     "calls, f.abandoned as abandoned, f.bursts as bursts, f.total_ns as total_ns, f.self_ns as self_ns, "
     "f.min_ns as min_ns, f.median_ns as median_ns, f.mean_ns as mean_ns, f.max_ns as max_ns, f.deviation_ns "
     "as "
     "deviation_ns from probe_functions f join functions n on n.id = f.function left join files s on s.id = "
     "n.file where f.run = ?1 order by f.self_ns desc, f.calls desc, f.function"},
    {"loops",
     "select l.loop as loop, p.function as function, shown_name(n.name) as name, s.path as file, "
     "p.first_line "
     "as first_line, p.last_line as last_line, l.entries as entries, l.iterations as iterations, "
     "l.min_iterations as min_iterations, l.median_iterations as median_iterations, l.mean_iterations as "
     "mean_iterations, l.max_iterations as max_iterations, l.deviation_iterations as deviation_iterations, "
     "l.usual_iterations as usual_iterations, l.usual_share as usual_share, l.counting as counting, "
     "l.abandoned "
     "as abandoned, l.bursts as bursts, l.total_ns as total_ns, l.min_ns as min_ns, l.median_ns as "
     "median_ns, "
     "l.max_ns as max_ns, l.deviation_ns as deviation_ns, l.cycles_per_entry as cycles_per_entry, "
     "l.cycles_per_iteration as cycles_per_iteration, l.setup_cycles as setup_cycles, l.setup as setup from "
     "probe_loops l join loops p on p.id = l.loop left join functions n on n.id = p.function left join files "
     "s "
     "on s.id = p.file where l.run = ?1 order by l.total_ns desc, l.iterations desc, l.loop"},
    {"calls",
     "select c.instruction as instruction, p.file as file, p.line as line, p.address as address, c.caller as "
     "caller, shown_name(n.name) as caller_name, c.callee as callee, shown_name(e.name) as callee_name, "
     "c.calls "
     "as calls, c.abandoned as abandoned, c.bursts as bursts, c.total_ns as total_ns, c.min_ns as min_ns, "
     "c.median_ns as median_ns, c.mean_ns as mean_ns, c.max_ns as max_ns, c.deviation_ns as deviation_ns "
     "from "
     "probe_calls c left join instruction_places p on p.instruction = c.instruction left join functions n on "
     "n.id = c.caller left join functions e on e.id = c.callee where c.run = ?1 order by c.total_ns desc, "
     "c.instruction"},
    {"values",
     "select v.id as value, v.kind as kind, v.function as function, shown_name(n.name) as function_name, "
     "v.instruction as instruction, p.file as file, p.line as line, v.position as position, v.name as name, "
     "v.variable as variable, v.is_float as is_float, v.count as count, v.distinct_count as distinct_count, "
     "v.minimum as minimum, v.maximum as maximum, v.mean as mean, v.deviation as deviation from probe_values "
     "v "
     "left join functions n on n.id = v.function left join instruction_places p on p.instruction = "
     "v.instruction where v.run = ?1 order by v.id"},
    {"frequent",
     "select q.value as value, q.position as position, q.integer as integer, q.number as number, "
     "q.count as count, q.error as error, q.share as share from probe_frequent q join probe_values v "
     "on v.id = q.value where v.run = ?1 order by q.value, q.position"},
    {"addresses",
     "select a.instruction as instruction, p.file as file, p.line as line, p.address as address, p.text as "
     "text, "
     "a.loop as loop, a.is_store as is_store, a.bytes as bytes, a.count as count, a.minimum as minimum, "
     "a.maximum as maximum, a.stride as stride, a.stride_share as stride_share, a.alignment as alignment, "
     "a.misaligned_share as misaligned_share, a.lines as lines, a.pages as pages, a.line_splits as "
     "line_splits, "
     "a.page_splits as page_splits, a.aliases as aliases, a.alias_instruction as alias_instruction, a.sets "
     "as "
     "sets, a.set_share as set_share from probe_addresses a left join instruction_places p on p.instruction "
     "= "
     "a.instruction where a.run = ?1 order by a.count desc, a.instruction"},
    {"histograms", "select quantity, subject, low, high, count from probe_histograms where run = ?1 order by "
                   "quantity, subject, low"},
};

static void print_findings(struct row_writer *outer, const struct array *findings)
{
    row_begin(outer, "findings");
    putc('[', outer->out);
    for (size_t i = 0; i < findings->count; i++) {
        const struct probe_finding *finding = ARRAY_AT(struct probe_finding, findings, i);
        struct row_writer row = {.out = outer->out, .is_json = true, .is_first = true};
        fputs(i ? ",\n  {" : "\n  {", row.out);
        row_text(&row, "kind", finding->kind);
        row_text(&row, "text", finding->text);
        row_text(&row, "advice", finding->advice);
        row_id(&row, "function", (uint64_t)finding->function);
        row_id(&row, "loop", (uint64_t)finding->loop);
        row_id(&row, "instruction", (uint64_t)finding->instruction);
        row_id(&row, "value", (uint64_t)finding->value);
        row_number(&row, "ns", finding->ns);
        row_integer(&row, "count", (int64_t)finding->count);
        putc('}', row.out);
    }
    putc(']', outer->out);
}

static void print_head(struct row_writer *row, const struct probed_run *run)
{
    row_id(row, "run", (uint64_t)run->id);
    row_text(row, "command", run->command);
    row_integer(row, "process", run->process);
    row_text(row, "processor", run->processor);
    row_number(row, "seconds", run->seconds);
    row_number(row, "exit_status", run->exit_status < 0 ? NAN : (double)run->exit_status);
    row_id(row, "end_signal", (uint64_t)run->end_signal);
    row_integer(row, "threads", run->threads);
    row_number(row, "thread_seconds", run->thread_seconds);
    row_number(row, "probe_seconds", run->probe_seconds);
    row_number(row, "cycles_per_second", run->cycles_per_second);
    row_number(row, "reading_ns", run->reading_ns);
    row_number(row, "inner_ns", run->inner_ns);
    row_number(row, "pair_ns", run->pair_ns);
    row_integer(row, "traps", (int64_t)run->traps);
}

static bool print_run(const struct probe_view *view, const struct probed_run *run, FILE *out,
                      struct error *error)
{
    struct row_writer row = {.out = out, .is_json = true, .is_first = true};
    struct asked asked = probe_asked(view);
    struct array findings, measured;
    if (!probe_find_findings(view, run, &findings, error))
        return false;
    putc('{', out);
    print_head(&row, run);
    print_findings(&row, &findings);
    probe_free_findings(&findings);
    if (!probe_find_measured(&asked, run, &measured, error))
        return false;
    run_json_sentences(&row, "measured", &measured);
    sentences_free(&measured);
    bool done = true;
    for (size_t i = 0; done && i < sizeof parts / sizeof *parts; i++)
        done = run_json_rows(&row, parts[i].key, &asked, parts[i].sql, run->id, error);
    putc('}', out);
    return done;
}

bool report_probe_json(const struct probe_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    struct row_writer row = {.out = out, .is_json = true, .is_first = true};
    bool done = probe_begin(view, false, 0, error) && probe_find_runs(view, &runs, error);
    if (done) {
        putc('{', out);
        row_text(&row, "file", view->path);
        row_begin(&row, "runs");
        putc('[', out);
    }
    for (size_t i = 0; done && i < runs.count; i++) {
        fputs(i ? ",\n" : "\n", out);
        done = print_run(view, ARRAY_AT(struct probed_run, &runs, i), out, error);
    }
    if (done)
        fputs("]}\n", out);
    probe_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
