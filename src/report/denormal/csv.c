/* A row for each instruction and phase: denormal_sites with names, for spreadsheets and scripts.  Columns are
 * never renamed; new ones come last. */
#include "report/denormal/parts.h"

#include "report/common/rows.h"

bool report_denormal_csv(const struct denormal_view *view, FILE *out, struct error *error)
{
    static const char sql[] =
        "select s.run as run, r.tool as tool, r.mode as mode, r.process as process, p.position as phase, "
        "p.name as phase_name, g.path as program, s.address as address, shown_name(coalesce(n.name, "
        "s.name)) as function, f.path as file, l.line as line, s.loop as loop, case when i.target is null "
        "then e.text else replace(e.text, '@', printf('0x%x', i.target)) end as instruction, s.executions "
        "as executions, s.operand_events as operand_events, s.underflow_events as underflow_events, "
        "s.operands as operands, s.results as results, s.births as births, s.ends as ends, s.loads as "
        "loads, s.stores as stores, s.move_loads as move_loads, s.move_stores as move_stores, s.near as "
        "near, s.low as low, s.high as high, s.seconds as seconds from denormal_sites s join denormal_runs "
        "r on r.id = s.run left join denormal_phases p on p.id = s.phase left join programs g on g.id = "
        "s.program left join code i on i.id = s.instruction left join encodings e on e.id = i.encoding "
        "left join source_lines l on l.id = i.source_line left join files f on f.id = l.file left join "
        "functions n on n.id = s.function where ?1 = 0 or s.run = ?1 order by s.run, p.position, "
        "s.program, s.address";
    uint64_t count = 0;
    struct array runs = {0};
    struct report_style style = {.format = report_CSV};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    sqlite3_stmt *statement = done ? denormal_ask(view, sql, view->run, -1, error) : NULL;
    done = statement && report_csv(statement, &style, -1, out, &count, error);
    sqlite3_finalize(statement);
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
