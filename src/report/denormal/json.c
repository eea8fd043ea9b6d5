/* One object with everything: the file, and for each run its heading, answer and story, its totals, and the
   rows of the tables and views denormal_… under the same names of columns, with names beside ids.  Numbers
   are raw; null means unknown.  Rows refer to each other by id as in the database (phase, array, birth,
   chain, stack).  The counts of maps are left out: they are in the database, and --maps draws them.
   docs/denormal-report.md lists the keys. */
#include "report/denormal/parts.h"

#include "report/common/run_json.h"
#include "report/common/rows.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *sql;
} parts[] = {
    {"limits",
     "select position, kind, \"count\", text from denormal_limits where run = ?1 order by position"},
    {"phases", "select id as phase, position, name, start, seconds from denormal_phases where run = ?1 order "
               "by position"},
    {"sites", "select phase, program, address, instruction, shown_name(coalesce((select n.name from "
              "functions n where n.id = s.function), name)) as function, loop, executions, operand_events, "
              "underflow_events, operands, results, births, ends, loads, stores, move_loads, move_stores, "
              "near, low, high, seconds from denormal_sites s where run = ?1 order by phase, program, "
              "address"},
    {"instructions",
     "select program, address, instruction, mnemonic, text, shown_name(name) as function, loop, file, "
     "line, executions, operand_events, underflow_events, operands, results, births, ends, loads, stores, "
     "move_loads, move_stores, near, low, high, seconds from denormal_instructions where run = ?1 order by "
     "operand_events + underflow_events desc, results desc, loads + stores + move_loads + move_stores "
     "desc, program, address"},
    {"lines", "select file, line, shown_name(name) as function, instructions, operand_events, "
              "underflow_events, operands, results, births, ends, loads, stores, move_loads, move_stores, "
              "near, seconds from denormal_lines where run = ?1 order by operand_events + underflow_events "
              "desc, results desc, file, line, name"},
    {"functions", "select shown_name(name) as function, instructions, operand_events, underflow_events, "
                  "operands, results, births, ends, loads, stores, move_loads, move_stores, near, seconds "
                  "from denormal_functions where run = ?1 order by operand_events + underflow_events desc, "
                  "results desc, name"},
    {"kinds",
     "select mnemonic, instructions, executions, operand_events, share from denormal_kinds where run = ?1 "
     "order by operand_events desc, mnemonic"},
    {"arrays",
     "select id as array, name, kind, variable, shown_name((select n.name from functions n where n.id = "
     "a.function)) as function, element, element_bytes, dimensions, is_assumed, address, bytes, lives, "
     "stack, loads, "
     "stores, move_loads, move_stores, integer_loads, integer_stores from denormal_arrays a where run = ?1 "
     "order by loads + stores + move_loads + move_stores desc, id"},
    {"array_phases",
     "select p.array as array, p.phase as phase, p.loads as loads, p.stores as stores, p.move_loads as "
     "move_loads, p.move_stores as move_stores from denormal_array_phases p join denormal_arrays a on a.id "
     "= p.array where a.run = ?1 order by p.array, p.phase"},
    {"maps", "select m.array as array, m.phase as phase, m.kind as kind, m.source as source, m.slice as "
             "slice, m.width as width, m.height as height, m.shrink as shrink, m.largest as largest from "
             "denormal_maps m join denormal_arrays a on a.id = m.array where a.run = ?1 order by m.array, "
             "m.phase, m.kind, m.source, m.slice"},
    {"origins",
     "select o.destination as destination, d.name as destination_name, o.source as source, s.name as "
     "source_name, o.count as count from denormal_origins o left join denormal_arrays d on d.id = "
     "o.destination left join denormal_arrays s on s.id = o.source where o.run = ?1 order by o.count desc, "
     "o.destination, o.source"},
    {"births",
     "select b.id as birth, b.program as program, b.address as address, b.instruction as instruction, "
     "shown_name((select n.name from functions n where n.id = b.function)) as function, f.path as file, "
     "l.line as line, b.stack as stack, b.array as array, b.\"values\" as \"values\", b.descendants as "
     "descendants, b.removable as removable from denormal_births b left join code i on i.id = "
     "b.instruction left join source_lines l on l.id = i.source_line left join files f on f.id = l.file "
     "where b.run = ?1 order by b.removable desc, b.\"values\" desc, b.id"},
    {"chains", "select id as chain, birth, \"values\", share from denormal_chains where run = ?1 order by "
               "share desc, id"},
    {"chain_steps", "select t.chain as chain, t.position as position, t.array as array, (select a.name from "
                    "denormal_arrays a where a.id = t.array) as name, t.source as source, t.count as count "
                    "from denormal_chain_steps t join denormal_chains c on c.id = t.chain where c.run = ?1 "
                    "order by t.chain, t.position"},
    {"samples",
     "select phase, program, address, instruction, event, operand, lane, value, data_address, place, "
     "stack, thread from denormal_samples where run = ?1 order by id"},
    {"frames", "select r.stack as stack, r.position as position, r.program as program, r.address as address, "
               "shown_name(coalesce(r.name, (select n.name from functions n where n.id = r.function))) as "
               "function, (select f.path from files f where f.id = r.file) as file, r.line as line from "
               "denormal_frames r where r.stack in (select stack from denormal_births where run = ?1 union "
               "select stack from denormal_arrays where run = ?1 union select stack from denormal_samples "
               "where run = ?1) order by r.stack, r.position"},
    {"penalties", "select text as operation, normal_seconds, denormal_seconds from denormal_penalties where "
                  "run = ?1 order by text"},
};

static void print_totals(struct row_writer *outer, const struct shown_run *run)
{
    struct row_writer row = {.out = outer->out, .is_json = true, .is_first = true};
    row_begin(outer, "totals");
    putc('{', row.out);
    row_integer(&row, "sites", (int64_t)run->sites);
    row_integer(&row, "operand_events", (int64_t)run->operand_events);
    row_integer(&row, "underflow_events", (int64_t)run->underflow_events);
    row_integer(&row, "operands", (int64_t)run->operands);
    row_integer(&row, "results", (int64_t)run->results);
    row_integer(&row, "births", (int64_t)run->births);
    row_integer(&row, "ends", (int64_t)run->ends);
    row_integer(&row, "loads", (int64_t)run->loads);
    row_integer(&row, "stores", (int64_t)run->stores);
    row_integer(&row, "moves", (int64_t)run->moves);
    row_integer(&row, "near", (int64_t)run->near);
    row_integer(&row, "integers", (int64_t)run->integers);
    row_number(&row, "low", run->low);
    row_number(&row, "high", run->high);
    row_number(&row, "extra_seconds", run->extra_seconds);
    row_integer(&row, "events_of_unknown_cost", (int64_t)run->unknown_events);
    putc('}', row.out);
}

static void print_head(struct row_writer *row, const struct shown_run *run)
{
    row_id(row, "run", (uint64_t)run->id);
    row_text(row, "tool", run->tool);
    row_text(row, "mode", run->mode);
    row_text(row, "command", run->command);
    row_integer(row, "process", run->process);
    row_text(row, "processor", run->processor);
    row_number(row, "seconds", run->seconds);
    row_begin(row, "exit_status");
    if (run->exit_status < 0)
        fputs("null", row->out);
    else
        fprintf(row->out, "%lld", (long long)run->exit_status);
    row_id(row, "end_signal", (uint64_t)run->end_signal);
    row_integer(row, "binades", run->binades);
    print_totals(row, run);
}

static bool print_run(const struct denormal_view *view, const struct shown_run *run, FILE *out,
                      struct error *error)
{
    struct row_writer row = {.out = out, .is_json = true, .is_first = true};
    struct asked asked = denormal_asked(view);
    struct array answer, changes, story;
    struct denormal_view whole = *view;
    whole.top = 0;
    if (!denormal_answer(view, run, &answer, &changes, error))
        return false;
    bool done = denormal_story(&whole, run, &story, error);
    putc('{', out);
    print_head(&row, run);
    run_json_sentences(&row, "answer", &answer);
    run_json_sentences(&row, "changes", &changes);
    if (done) {
        run_json_sentences(&row, "story", &story);
        sentences_free(&story);
    }
    sentences_free(&answer);
    sentences_free(&changes);
    for (size_t i = 0; done && i < sizeof parts / sizeof *parts; i++)
        done = run_json_rows(&row, parts[i].key, &asked, parts[i].sql, run->id, error);
    putc('}', out);
    return done;
}

bool report_denormal_json(const struct denormal_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    struct row_writer row = {.out = out, .is_json = true, .is_first = true};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    if (done) {
        putc('{', out);
        row_text(&row, "file", view->path);
        row_begin(&row, "runs");
        putc('[', out);
    }
    for (size_t i = 0; done && i < runs.count; i++) {
        fputs(i ? ",\n" : "\n", out);
        done = print_run(view, ARRAY_AT(struct shown_run, &runs, i), out, error);
    }
    if (done)
        fputs("]}\n", out);
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
