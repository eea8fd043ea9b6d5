/* One object: file, machine and compilers, the summary, the rules that fired and the remedies they offer,
   then the loops with their paths. docs/report.md describes every member. null means unknown; members may be
   added, but none changes its meaning without a new number under schema.

   What many loops have in common is there once: an advice names its rule, and gives its remedies by their
   positions; a loop gives its compiler in the same way. The figures of paths and their instructions are most
   of a large report, so they are written only where a reader asks for them. */
#include "code/quality/weight.h"
#include "show/report/quality/metrics.h"
#include "show/report/quality/summary.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>

enum { SCHEMA = 2 };

struct printing {
    const struct quality_view *view;
    struct quality_columns columns;
    bool has_details;              /* figures, accesses and instructions of each path */
    struct array remedies;         /* of struct remedy_row, each once */
    const struct array *compilers; /* of struct quality_compiler */
    uint32_t *compiler_of;         /* by unit, after the units by program: place + 1 */
};

static void write_machines(struct row_writer *writer, const struct quality_view *view)
{
    struct row_list list = row_begin_list(writer, "machines", "");
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        const struct machine *machine = view->machines[isa];
        if (!machine)
            continue;
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "name", machine->name);
        row_text(&inner, "title", machine->title);
        row_text(&inner, "isa", isa_word(isa));
        row_flag(&inner, "is_named", view->is_named);
        row_flag(&inner, "is_host", view->is_host[isa]);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_compilers(struct row_writer *writer, const struct quality_summary *summary)
{
    struct row_list list = row_begin_list(writer, "compilers", "");
    for (size_t i = 0; i < summary->compilers.count; i++) {
        const struct quality_compiler *it = ARRAY_AT(struct quality_compiler, &summary->compilers, i);
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "name", it->compiler.name);
        row_text(&inner, "flags", it->compiler.flags);
        row_integer(&inner, "loop_count", (int64_t)it->loop_count);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_counts(struct row_writer *writer, const char *name,
                         const struct enumeration_description *things, const size_t *counts)
{
    struct row_writer inner = row_begin_object_named(writer, name);
    for (unsigned i = 0; i < things->count; i++) {
        char word[64];
        row_name(things->words[i], word);
        if (counts[i])
            row_integer(&inner, word, (int64_t)counts[i]);
    }
    row_end_object(&inner);
}

static void write_summary(struct row_writer *writer, const struct quality_view *view,
                          const struct quality_summary *summary)
{
    struct row_writer inner = row_begin_object_named(writer, "summary");
    row_integer(&inner, "loop_count", (int64_t)view->analysed_count);
    row_integer(&inner, "told_count", (int64_t)view->loop_count);
    row_integer(&inner, "path_count", (int64_t)summary->path_count);
    row_integer(&inner, "unanswered_count", (int64_t)summary->unanswered_count);
    row_integer(&inner, "cut_count", (int64_t)summary->cut_count);
    row_integer(&inner, "unplaced_count", (int64_t)summary->unplaced_count);
    row_integer(&inner, "instruction_count", (int64_t)summary->instruction_count);
    row_integer(&inner, "known_count", (int64_t)summary->known_count);
    write_counts(&inner, "limits", &core_part_description, summary->limits);
    write_counts(&inner, "advised", &advice_level_description, summary->advised);
    struct row_list list = row_begin_list(&inner, "most_to_gain", "");
    for (size_t i = 0; i < summary->top_count; i++) {
        struct row_writer loop = row_begin_item(&list);
        row_id(&loop, "loop", summary->top[i]);
        row_figure(&loop, "gain", quality_gain(view->model, summary->top[i], view->level));
        row_flag(&loop, "is_upper", quality_gain_is_upper(view->model, summary->top[i], view->level));
        row_end_object(&loop);
    }
    row_end_list(&list);
    row_end_object(&inner);
}

static void write_rules(struct row_writer *writer, const struct model *model,
                        const struct quality_summary *summary)
{
    struct row_list list = row_begin_list(writer, "rules", "\n  ");
    for (size_t i = 0; i < summary->rules.count; i++) {
        const struct quality_rule_use *use = ARRAY_AT(struct quality_rule_use, &summary->rules, i);
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, model, "rules", model_rule_row(model, use->rule), "name title meaning file");
        row_integer(&inner, "loop_count", (int64_t)use->loop_count);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

/* Metrics in Lua. */
static void write_added(struct row_writer *writer, const struct model *model)
{
    struct row_list list = row_begin_list(writer, "added_metrics", "\n  ");
    for (uint32_t id = 1; id < model->added_metrics.count; id++) {
        struct row_writer inner = row_begin_item(&list);
        row_columns(&inner, model, "added_metrics", model_added_metric(model, id), "name title meaning file");
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_instruction(const struct printing *printing, struct row_list *list, uint32_t id)
{
    const struct model *model = printing->view->model;
    const struct instruction *row = model_instruction(model, id);
    const struct source_line *line = row->source_line ? model_source_line(model, row->source_line) : NULL;
    struct row_writer writer = row_begin_item(list);
    autofree char *text = quality_instruction(model, id);
    row_address(&writer, "address", model_address(model, id));
    row_text(&writer, "text", text);
    row_text(&writer, "file",
             line && line->file ? model_text(model, model_file(model, line->file)->path) : NULL);
    row_id(&writer, "line", line ? line->line : 0);
    row_end_object(&writer);
}

static bool is_same_remedy(const struct remedy_row *left, const struct remedy_row *right)
{
    return left->text == right->text && left->audience == right->audience && left->option == right->option &&
           left->action == right->action;
}

/* The position of a remedy in the list of all. */
static size_t remedy_position(const struct printing *printing, const struct remedy_row *remedy)
{
    size_t at = 0;
    while (at < printing->remedies.count &&
           !is_same_remedy(ARRAY_AT(struct remedy_row, &printing->remedies, at), remedy))
        at++;
    return at;
}

static void collect_remedies(struct printing *printing)
{
    const struct quality_view *view = printing->view;
    for (size_t i = 0; i < view->loop_count; i++) {
        struct quality_rows rows;
        quality_rows_find(&rows, view->model, view->loops[i]);
        for (size_t k = 0; k < rows.advice_count; k++) {
            size_t count = 0;
            const struct remedy_row *remedies =
                quality_remedies(view->model, rows.first_advice + (uint32_t)k, &count);
            for (size_t m = 0; m < count && rows.advice[k].level <= view->level; m++)
                if (remedy_position(printing, &remedies[m]) == printing->remedies.count)
                    *(struct remedy_row *)array_push(&printing->remedies) = remedies[m];
        }
    }
}

static void write_remedies(struct row_writer *writer, const struct printing *printing)
{
    const struct model *model = printing->view->model;
    struct row_list list = row_begin_list(writer, "remedies", "\n  ");
    for (size_t i = 0; i < printing->remedies.count; i++) {
        const struct remedy_row *remedy = ARRAY_AT(struct remedy_row, &printing->remedies, i);
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "audience", audience_word(remedy->audience));
        row_text(&inner, "option", remedy->option ? model_text(model, remedy->option) : NULL);
        row_text(&inner, "action", action_word(remedy->action));
        row_text(&inner, "text", model_text(model, remedy->text));
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_positions(const struct printing *printing, struct row_writer *writer, uint32_t advice)
{
    size_t count;
    const struct remedy_row *remedies = quality_remedies(printing->view->model, advice, &count);
    struct row_list list = row_begin_list(writer, "remedies", "");
    for (size_t i = 0; i < count; i++) {
        row_separate(&list);
        fprintf(list.out, "%zu", remedy_position(printing, &remedies[i]));
    }
    row_end_list(&list);
}

/* Lines of the evidence, each once, in the loop's own file. */
static void write_lines(const struct model *model, struct row_writer *writer, uint32_t file,
                        const struct advice_evidence_row *evidence, size_t count)
{
    uint32_t last = 0;
    struct row_list list = row_begin_list(writer, "lines", "");
    for (size_t i = 0; i < count; i++) {
        uint32_t id = model_instruction(model, evidence[i].instruction)->source_line;
        const struct source_line *line = id ? model_source_line(model, id) : NULL;
        if (!line || line->file != file || !line->line || line->line == last)
            continue;
        row_separate(&list);
        fprintf(list.out, "%u", line->line);
        last = line->line;
    }
    row_end_list(&list);
}

static void write_address(struct row_list *list, const struct model *model, uint32_t instruction)
{
    row_separate(list);
    fprintf(list->out, "%llu", (unsigned long long)model_address(model, instruction));
}

/* What to do for the whole program. */
static void write_actions(struct row_writer *writer, const struct model *model)
{
    struct row_list list = row_begin_list(writer, "actions", "\n  ");
    for (size_t i = 0; i < model->program_actions.count; i++) {
        const struct program_action *row = model_program_action(model, (uint32_t)i);
        struct row_writer inner = row_begin_item(&list);
        row_text(&inner, "program", model_text(model, model_program(model, row->program)->path));
        row_text(&inner, "action", action_word(row->action));
        row_text(&inner, "text", action_doc(row->action));
        row_text(&inner, "level", advice_level_word(row->level));
        row_integer(&inner, "loop_count", row->loop_count);
        row_integer(&inner, "function_count", row->function_count);
        row_figure(&inner, "gain", row->gain);
        row_figure(&inner, "saving", row->saving);
        row_id(&inner, "loop", row->loop);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_advice(const struct printing *printing, struct row_writer *writer,
                         const struct quality_rows *rows)
{
    const struct model *model = printing->view->model;
    struct row_list list = row_begin_list(writer, "advice", "");
    for (size_t i = 0; i < rows->advice_count; i++) {
        const struct advice *advice = &rows->advice[i];
        uint32_t id = rows->first_advice + (uint32_t)i;
        size_t count;
        if (advice->level > printing->view->level)
            continue;
        struct row_writer inner = row_begin_item(&list);
        list.before = "\n    ";
        row_text(&inner, "rule", model_text(model, model_rule_row(model, advice->rule)->name));
        row_text(&inner, "level", advice_level_word(advice->level));
        row_text(&inner, "text", model_text(model, advice->text));
        row_figure(&inner, "cycles", advice->cycles);
        row_figure(&inner, "gain", advice->gain);
        row_figure(&inner, "native_gain", advice->native_gain);
        row_flag(&inner, "is_upper", advice->is_upper);
        const struct advice_evidence_row *evidence = quality_evidence(model, id, &count);
        struct row_list addresses = row_begin_list(&inner, "evidence", "");
        for (size_t k = 0; k < count; k++)
            write_address(&addresses, model, evidence[k].instruction);
        row_end_list(&addresses);
        write_lines(model, &inner, model_loop(model, rows->loop)->file, evidence, count);
        write_positions(printing, &inner, id);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_bounds(struct row_writer *writer, const struct quality_rows *rows)
{
    char word[64];
    struct row_writer inner = row_begin_object_named(writer, "bounds");
    for (size_t i = 0; i < rows->bound_count; i++) {
        row_name(core_part_word(rows->bounds[i].part), word);
        row_figure(&inner, word, rows->bounds[i].cycles);
    }
    row_end_object(&inner);
    inner = row_begin_object_named(writer, "ports");
    for (size_t i = 0; i < rows->port_count; i++)
        row_figure(&inner, model_text(rows->model, rows->ports[i].port), rows->ports[i].uops);
    row_end_object(&inner);
    inner = row_begin_object_named(writer, "bound_instructions");
    for (size_t i = 0; i < rows->mark_count;) {
        unsigned part = rows->marks[i].part;
        row_name(core_part_word(part), word);
        struct row_list list = row_begin_list(&inner, word, "");
        for (; i < rows->mark_count && rows->marks[i].part == part; i++)
            write_address(&list, rows->model, rows->marks[i].instruction);
        row_end_list(&list);
    }
    row_end_object(&inner);
}

static void write_accesses(struct row_writer *writer, const struct quality_rows *rows)
{
    struct row_list list = row_begin_list(writer, "accesses", "");
    for (size_t i = 0; i < rows->access_count; i++) {
        const struct access_pattern_row *access = &rows->accesses[i];
        struct row_writer inner = row_begin_item(&list);
        row_address(&inner, "address", model_address(rows->model, access->instruction));
        row_integer(&inner, "position", access->position);
        row_text(&inner, "pattern", access_pattern_word(access->pattern));
        bool is_constant = access->pattern == access_pattern_STRIDE_ONE ||
                           access->pattern == access_pattern_CONSTANT_STRIDE ||
                           access->pattern == access_pattern_INVARIANT;
        row_number(&inner, "stride", is_constant ? (double)access->stride : NAN);
        row_id(&inner, "bytes", access->bytes);
        row_flag(&inner, "is_load", access->is_load);
        row_flag(&inner, "is_store", access->is_store);
        row_flag(&inner, "is_stack", access->is_stack);
        row_end_object(&inner);
    }
    row_end_list(&list);
}

static void write_instructions(const struct printing *printing, struct row_writer *writer, uint32_t loop,
                               uint32_t path)
{
    struct array instructions = quality_path_instructions(printing->view->model, loop, path);
    struct row_list list = row_begin_list(writer, "instructions", "\n    ");
    for (size_t i = 0; i < instructions.count; i++)
        write_instruction(printing, &list, *ARRAY_AT(uint32_t, &instructions, i));
    row_end_list(&list);
    array_free(&instructions);
}

static void write_metrics(const struct printing *printing, struct row_writer *writer,
                          const struct loop_metric *metric)
{
    const struct quality_columns *columns = &printing->columns;
    struct row_writer inner = row_begin_object_named(writer, "metrics");
    for (const struct table_column *column = columns->first; metric && column < columns->end; column++)
        row_figure(&inner, column->name, table_number(column, metric));
    row_end_object(&inner);
}

/* Cycles with data beyond the first cache, by level. */
static void write_levels(struct row_writer *writer, const struct quality_rows *rows)
{
    struct row_writer inner = row_begin_object_named(writer, "levels");
    for (size_t i = 0; i < rows->level_count; i++) {
        const struct loop_level *level = &rows->levels[i];
        struct row_writer figures =
            row_begin_object_named(&inner, data_level_word((enum data_level)level->level));
        row_figure(&figures, "cycles", level->cycles);
        row_text(&figures, "limit", data_limit_word((enum data_limit)level->limit));
        row_figure(&figures, "line_cycles", level->line_cycles);
        row_flag(&figures, "is_assumed", level->is_assumed);
        row_end_object(&figures);
    }
    row_end_object(&inner);
}

static void write_path(const struct printing *printing, struct row_list *list,
                       const struct quality_rows *loop, const struct loop_cycle *cycles)
{
    struct quality_rows rows = quality_rows_of_path(loop, cycles->path);
    struct row_writer writer = row_begin_item(list);
    autofree char *remark = quality_remark(printing->view, loop, cycles);
    row_id(&writer, "path", cycles->path);
    row_figure(&writer, "cycles", cycles->cycles);
    row_figure(&writer, "total_cycles", quality_cycles(&rows, cycles));
    row_text(&writer, "limit", cycles->limit ? core_part_word(cycles->limit) : NULL);
    row_text(&writer, "next", cycles->next ? core_part_word(cycles->next) : NULL);
    row_figure(&writer, "next_cycles", cycles->next_cycles);
    row_figure(&writer, "unaligned_cycles", cycles->unaligned_cycles);
    row_figure(&writer, "repeated_cycles", cycles->repeated_cycles);
    row_figure(&writer, "scattered_cycles", cycles->scattered_cycles);
    row_figure(&writer, "easy_cycles", cycles->easy_cycles);
    row_figure(&writer, "hard_cycles", cycles->hard_cycles);
    write_levels(&writer, &rows);
    row_text(&writer, "remark", remark);
    struct row_writer figures = row_begin_object_named(&writer, "added_figures");
    quality_write_figures(&figures, rows.model, &rows, cycles->path);
    row_end_object(&figures);
    if (printing->has_details) {
        write_metrics(printing, &writer, quality_metric(&rows, cycles->path));
        write_bounds(&writer, &rows);
        write_accesses(&writer, &rows);
    }
    write_advice(printing, &writer, &rows);
    if (printing->has_details)
        write_instructions(printing, &writer, loop->loop, cycles->path);
    row_end_object(&writer);
}

/* Code of one compile unit has one compiler, so it is looked for once. */
static uint32_t compiler_position(const struct printing *printing, uint32_t function)
{
    const struct model *model = printing->view->model;
    const struct function *row = model_function(model, function);
    uint32_t *known = &printing->compiler_of[row->unit ? row->unit : model->units.count + row->program];
    struct compiler compiler = {0};
    if (*known)
        return *known - 1;
    compiler_find(&compiler, model, function);
    for (size_t i = 0; i < printing->compilers->count && !*known; i++)
        if (quality_is_same_compiler(&compiler,
                                     &ARRAY_AT(struct quality_compiler, printing->compilers, i)->compiler))
            *known = (uint32_t)i + 1;
    return *known - 1;
}

static void write_loop(const struct printing *printing, struct row_list *list, uint32_t id)
{
    const struct model *model = printing->view->model;
    const struct loop *loop = model_loop(model, id);
    struct quality_rows rows;
    quality_rows_find(&rows, model, id);
    struct row_writer writer = row_begin_item(list);
    row_id(&writer, "loop", id);
    quality_write_place(&writer, printing->view, &rows);
    row_integer(&writer, "compiler", compiler_position(printing, loop->function));
    row_integer(&writer, "path_count", (int64_t)loop->path_count);
    row_flag(&writer, "is_cut", quality_is_cut(&rows));
    row_integer(&writer, "exit_count", loop->exit_count);
    row_figure(&writer, "share", weight_share(model, id));
    row_figure(&writer, "saving", quality_saving(model, id, printing->view->level));
    row_figure(&writer, "gain", quality_gain(model, id, printing->view->level));
    row_flag(&writer, "is_upper", quality_gain_is_upper(model, id, printing->view->level));
    struct row_list remarks = row_begin_list(&writer, "remarks", "");
    for (size_t i = 0; i < rows.remark_count; i++) {
        struct row_writer inner = row_begin_item(&remarks);
        row_columns(
            &inner, model, "remarks", &rows.remarks[i],
            "compiler verdict reason text name function file line column reason_line agreement record");
        row_end_object(&inner);
    }
    row_end_list(&remarks);
    struct row_list paths = row_begin_list(&writer, "paths", "\n   ");
    for (size_t i = 0; i < rows.cycle_count; i++)
        write_path(printing, &paths, &rows, &rows.cycles[i]);
    row_end_list(&paths);
    row_end_object(&writer);
}

bool report_quality_json(const struct quality_view *view, FILE *out, struct error *error)
{
    const struct model *model = view->model;
    struct quality_summary summary;
    quality_summarise(&summary, view);
    struct printing printing = {
        .view = view,
        .columns = quality_columns(),
        .has_details = view->is_whole || view->is_chosen || view->level == advice_level_EXPERT,
        .remedies = ARRAY_OF(struct remedy_row),
        .compilers = &summary.compilers,
        .compiler_of = memory_get((model->units.count + model->programs.count + 1) * sizeof(uint32_t))};
    collect_remedies(&printing);
    struct row_writer writer = row_begin_object(out);
    row_integer(&writer, "schema", SCHEMA);
    row_text(&writer, "file", view->path);
    row_text(&writer, "level", advice_level_word(view->level));
    row_text(&writer, "order", view->basis == quality_by_SAMPLES ? "samples" : "structure");
    row_flag(&writer, "has_details", printing.has_details);
    write_machines(&writer, view);
    write_compilers(&writer, &summary);
    write_summary(&writer, view, &summary);
    write_actions(&writer, model);
    write_rules(&writer, model, &summary);
    write_remedies(&writer, &printing);
    write_added(&writer, model);
    struct row_list loops = row_begin_list(&writer, "loops", "\n ");
    for (size_t i = 0; i < view->loop_count; i++)
        write_loop(&printing, &loops, view->loops[i]);
    row_end_list(&loops);
    fputs("}\n", out);
    quality_summary_free(&summary);
    array_free(&printing.remedies);
    free(printing.compiler_of);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}
