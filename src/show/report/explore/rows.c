/* For programs: json with everything, csv with the figures. docs/explore.md has the names. */
#include "model/tables.h"
#include "show/report/common/row_writer.h"
#include "show/report/explore/explore.h"
#include "show/report/quality/rows.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>

/* What the text calls one line each, as members. An attempt without a loop has its problem and no figures; NULL: names
   alone. */
static void write_figures(struct row_writer *row, const struct explore_attempt *attempt, bool is_best)
{
    static const struct explore_attempt none = {.cycles = NAN, .half = {.cycles = NAN}};
    const struct explore_attempt *it = attempt ? attempt : &none;
    const struct loop *loop = it->loop ? model_loop(it->model, it->loop) : NULL;
    const struct half *half = &it->half;
    bool is_there = it->is_prepared && it->compilation.compiler;
    autofree char *options = is_there ? explore_options(it) : NULL;
    autofree char *command = is_there ? explore_command(it) : NULL;
    row_text(row, "compiler", attempt ? explore_compiler(attempt) : NULL);
    row_text(row, "path", it->compilation.compiler);
    row_text(row, "version", it->compilation.version);
    row_text(row, "flags", it->flags);
    row_text(row, "options", options);
    row_text(row, "command", command);
    row_text(row, "problem", it->problem);
    row_text(row, "ignored", it->ignored);
    row_flag(row, "is_best", is_best);
    row_text(row, "function",
             loop ? model_text(it->model, model_function(it->model, loop->function)->name) : NULL);
    row_text(row, "file",
             loop && loop->file ? model_text(it->model, model_file(it->model, loop->file)->path) : NULL);
    row_id(row, "first_line", loop ? loop->first_line : 0);
    row_id(row, "last_line", loop ? loop->last_line : 0);
    row_text(row, "role", half->role ? loop_role_word(half->role->role) : NULL);
    row_id(row, "loops", it->loops.count);
    row_figure(row, "cycles_per_source_iteration", it->cycles);
    row_figure(row, "cycles", half->cycles);
    row_figure(row, "source_iterations", it->iterations > 0 ? it->iterations : NAN);
    row_text(row, "limit", isfinite(half->cycles) ? core_part_word(half->limit) : NULL);
    row_id(row, "vector_bits", it->vector_bits);
    row_id(row, "instructions", loop ? loop->instruction_count : 0);
}

static void write_remarks(struct row_writer *row, const struct quality_rows *rows)
{
    struct row_list list = row_begin_list(row, "remarks", "\n    ");
    for (size_t i = 0; i < rows->remark_count; i++) {
        const struct compiler_remark *remark = &rows->remarks[i];
        struct row_writer item = row_begin_item(&list);
        row_columns(&item, rows->model, "remarks", remark,
                    "compiler verdict reason text line reason_line agreement");
        row_end_object(&item);
    }
    row_end_list(&list);
}

static void write_remedies(struct row_writer *row, const struct model *model, uint32_t advice)
{
    size_t count;
    const struct remedy_row *remedies = quality_remedies(model, advice, &count);
    struct row_list list = row_begin_list(row, "remedies", "\n      ");
    for (size_t i = 0; i < count; i++) {
        struct row_writer item = row_begin_item(&list);
        row_text(&item, "action", action_word(remedies[i].action));
        row_columns(&item, model, "remedies", &remedies[i], "option text");
        row_end_object(&item);
    }
    row_end_list(&list);
}

static void write_advice(struct row_writer *row, const struct explore_view *view,
                         const struct quality_rows *rows)
{
    struct array findings = quality_findings(rows, view->quality.level);
    struct row_list list = row_begin_list(row, "advice", "\n    ");
    for (size_t i = 0; i < findings.count; i++) {
        const struct quality_finding *finding = ARRAY_AT(struct quality_finding, &findings, i);
        const struct rule_row *rule = model_rule_row(rows->model, finding->rule);
        struct row_writer item = row_begin_item(&list);
        row_text(&item, "rule", model_text(rows->model, rule->name));
        row_text(&item, "title", model_text(rows->model, rule->title));
        row_text(&item, "level", advice_level_word(finding->level));
        row_columns(&item, rows->model, "advice", model_advice(rows->model, finding->advice),
                    "text cycles gain is_upper");
        write_remedies(&item, rows->model, finding->advice);
        row_end_object(&item);
    }
    row_end_list(&list);
    array_free(&findings);
}

static void write_code(struct row_writer *row, const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    const struct loop_cycle *slowest = quality_slowest(rows);
    uint32_t path = slowest ? slowest->path : rows->cycle_count ? rows->cycles[0].path : 1;
    struct array instructions = quality_path_instructions(model, rows->loop, path);
    struct row_list list = row_begin_list(row, "code", "\n    ");
    for (size_t i = 0; i < instructions.count; i++) {
        uint32_t id = *ARRAY_AT(uint32_t, &instructions, i);
        uint32_t line = model_instruction(model, id)->source_line;
        autofree char *text = quality_instruction(model, id);
        struct row_writer item = row_begin_item(&list);
        row_integer(&item, "address", (int64_t)model_address(model, id));
        row_text(&item, "text", text);
        row_id(&item, "line", line ? model_source_line(model, line)->line : 0);
        row_end_object(&item);
    }
    row_end_list(&list);
    array_free(&instructions);
}

static void write_attempt(struct row_writer *row, const struct explore_view *view,
                          const struct explore_attempt *attempt, bool is_best)
{
    struct quality_rows rows;
    write_figures(row, attempt, is_best);
    if (!attempt->loop)
        return;
    quality_rows_find(&rows, attempt->model, attempt->loop);
    write_code(row, &rows);
    write_advice(row, view, &rows);
    write_remarks(row, &rows);
}

void report_explore_rows(const struct explore_view *view, const struct report_style *style, FILE *out)
{
    const struct explored *explored = view->explored;
    if (style->format == report_JSON) {
        struct row_writer object = row_begin_object(out);
        row_text(&object, "file", explored->file);
        row_integer(&object, "line", explored->line);
        row_text(&object, "machine", view->machine);
        struct row_list list = row_begin_list(&object, "compilations", "\n  ");
        for (size_t i = 0; i < explored->count; i++) {
            struct row_writer item = row_begin_item(&list);
            write_attempt(&item, view, &explored->attempts[i], i == view->best);
            row_end_object(&item);
        }
        row_end_list(&list);
        row_end_object(&object);
        putc('\n', out);
        return;
    }
    struct row_table table = row_begin_table(out, false, false);
    if (row_begin_head(&table))
        write_figures(&table.row, NULL, false);
    for (size_t i = 0; i < explored->count; i++) {
        row_begin_row(&table);
        write_figures(&table.row, &explored->attempts[i], i == view->best);
    }
    row_end_table(&table);
}
