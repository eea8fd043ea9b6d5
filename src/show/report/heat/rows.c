/* The heat of functions as rows for programs: a function, then its lines with what was inlined into them, then its
   instructions. */
#include "show/report/common/row_writer.h"
#include "show/report/heat/parts.h"

#include <stdlib.h>

/* The columns of all kinds; `node` or `it` NULL: those stay empty. */
static void write_row(struct row_writer *row, const struct heat_view *view, const struct heat *heat,
                      const char *kind, const struct heat_node *node, const struct heat_instruction *it)
{
    const struct model *model = heat->model;
    const struct heat_node *line = it ? ARRAY_AT(struct heat_node, &heat->nodes, it->node) : node;
    const struct heat_node *own =
        it ? ARRAY_AT(struct heat_node, &heat->nodes, heat_line_of(heat, it->node)) : NULL;
    autofree char *function = heat_function_name(view, heat->function);
    autofree char *inlined = node && node->kind == HEAT_CALL ? heat_name(view, node->name) : NULL;
    autofree char *text = it ? heat_instruction_text(view, it->instruction) : NULL;
    double self = it ? it->self : node->self;
    row_text(row, "kind", kind);
    row_id(row, "function_id", heat->function);
    row_text(row, "function", function);
    row_integer(row, "depth", node ? node->depth : 0);
    row_text(row, "inlined", inlined);
    row_text(row, "file", line->file ? heat_path(view, line->file) : NULL);
    row_id(row, "line", line->line);
    row_id(row, "own_line",
           own && own->file == ARRAY_AT(struct heat_node, &heat->nodes, 0)->file ? own->line : 0);
    row_address(row, "address", it ? model_address(model, it->instruction) : NO_ADDRESS);
    row_text(row, "text", text);
    row_address(row, "target", it ? model_instruction(model, it->instruction)->target : NO_ADDRESS);
    row_integer(row, "instructions", it ? 1 : node->instruction_count);
    row_integer(row, "samples", (int64_t)(it ? it->samples : node->samples));
    row_number(row, "self_seconds", self);
    row_number(row, "self_share", heat->all > 0 ? self / heat->all : 0);
    row_number(row, "total_seconds", it ? self : node->total);
    row_number(row, "total_share", heat->all > 0 ? (it ? self : node->total) / heat->all : 0);
}

static void write_function(struct row_table *table, const struct heat_view *view, uint32_t function,
                           bool is_first)
{
    static const char *const kinds[] = {"function", "line", "inlined"};
    struct heat heat;
    heat_find(&heat, view->model, view->run, function);
    if (is_first && row_begin_head(table))
        write_row(&table->row, view, &heat, "", ARRAY_AT(struct heat_node, &heat.nodes, 0), NULL);
    for (size_t i = 0; i < heat.nodes.count; i++) {
        const struct heat_node *node = ARRAY_AT(struct heat_node, &heat.nodes, i);
        row_begin_row(table);
        write_row(&table->row, view, &heat, kinds[node->kind], node, NULL);
    }
    for (size_t i = 0; i < heat.instructions.count; i++) {
        row_begin_row(table);
        write_row(&table->row, view, &heat, "instruction", NULL,
                  ARRAY_AT(struct heat_instruction, &heat.instructions, i));
    }
    heat_free(&heat);
}

bool report_heat_rows(const struct heat_view *view, bool is_json, FILE *out, struct error *error)
{
    struct row_table table = row_begin_table(out, is_json, true);
    for (size_t i = 0; i < view->count && !ferror(out); i++)
        write_function(&table, view, view->functions[i], !i);
    row_end_table(&table);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
