/* A row for everything that was measured: functions, loops, calls, values and accesses, with names, for
   spreadsheets and scripts.  Columns are never renamed; new ones come last. */
#include "report/probe/parts.h"

#include "report/common/rows.h"

bool report_probe_csv(const struct probe_view *view, FILE *out, struct error *error)
{
    static const char sql[] =
        "select f.run as run, 'function' as kind, f.function as function, shown_name(n.name) as name, null "
        "as "
        "loop, null as instruction, s.path as file, n.line as line, f.calls as count, f.abandoned as "
        "abandoned, "
        "f.bursts as bursts, f.total_ns as total_ns, f.self_ns as self_ns, f.min_ns as min_ns, f.median_ns "
        "as "
        "median_ns, f.max_ns as max_ns, f.deviation_ns as deviation_ns, null as iterations, null as "
        "min_iterations, null as median_iterations, null as max_iterations, null as usual_iterations, null "
        "as "
        "usual_share, null as cycles_per_entry, null as cycles_per_iteration, null as setup_cycles, null as "
        "distinct_count, null as minimum, null as maximum, null as mean, null as deviation, null as bytes, "
        "null "
        "as stride, null as stride_share, null as alignment, null as lines, null as pages, null as "
        "line_splits, "
        "null as page_splits, null as aliases, null as sets from probe_functions f join functions n on n.id "
        "= "
        "f.function left join files s on s.id = n.file where ?1 in (0, f.run) "
        "union all select l.run, 'loop', p.function, shown_name(n.name), l.loop, null, s.path, p.first_line, "
        "l.entries, l.abandoned, l.bursts, l.total_ns, null, l.min_ns, l.median_ns, l.max_ns, "
        "l.deviation_ns, "
        "l.iterations, l.min_iterations, l.median_iterations, l.max_iterations, l.usual_iterations, "
        "l.usual_share, l.cycles_per_entry, l.cycles_per_iteration, l.setup_cycles, null, null, null, null, "
        "null, null, null, null, null, null, null, null, null, null, null from probe_loops l join loops p on "
        "p.id = l.loop left join functions n on n.id = p.function left join files s on s.id = p.file where "
        "?1 in "
        "(0, l.run) "
        "union all select c.run, 'call', c.caller, shown_name(e.name), null, c.instruction, p.file, p.line, "
        "c.calls, c.abandoned, c.bursts, c.total_ns, null, c.min_ns, c.median_ns, c.max_ns, c.deviation_ns, "
        "null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, "
        "null, "
        "null, null, null, null, null, null, null from probe_calls c left join instruction_places p on "
        "p.instruction = c.instruction left join functions e on e.id = c.callee where ?1 in (0, c.run) "
        "union all select v.run, v.kind, v.function, coalesce(v.name, v.position), null, v.instruction, "
        "p.file, "
        "p.line, v.count, null, null, null, null, null, null, null, null, null, null, null, null, null, "
        "null, "
        "null, null, null, v.distinct_count, v.minimum, v.maximum, v.mean, v.deviation, null, null, null, "
        "null, "
        "null, null, null, null, null, null from probe_values v left join instruction_places p on "
        "p.instruction "
        "= v.instruction where ?1 in (0, v.run) "
        "union all select a.run, case when a.is_store then 'store' else 'load' end, (select o.function from "
        "loops o where o.id = a.loop), p.text, a.loop, a.instruction, p.file, p.line, a.count, null, null, "
        "null, "
        "null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, "
        "a.minimum, "
        "a.maximum, null, null, a.bytes, a.stride, a.stride_share, a.alignment, a.lines, a.pages, "
        "a.line_splits, "
        "a.page_splits, a.aliases, a.sets from probe_addresses a left join instruction_places p on "
        "p.instruction "
        "= a.instruction where ?1 in (0, a.run)";
    uint64_t count = 0;
    struct array runs = {0};
    struct asked asked = probe_asked(view);
    struct report_style style = {.format = report_CSV};
    bool done = probe_begin(view, false, 0, error) && probe_find_runs(view, &runs, error);
    sqlite3_stmt *statement = done ? report_ask(&asked, sql, view->run, -1, error) : NULL;
    done = statement && report_csv(statement, &style, -1, out, &count, error);
    sqlite3_finalize(statement);
    probe_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
