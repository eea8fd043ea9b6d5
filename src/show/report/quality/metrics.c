#include "show/report/quality/metrics.h"

#include "model/demangle.h"
#include "show/report/common/loop_place.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct quality_columns quality_columns(void)
{
    const struct table_description *table = table_named("loop_metrics");
    const struct table_column *first = table->columns;
    while (!first->group)
        first++;
    return (struct quality_columns){first, table->columns + table->column_count};
}

static void write_place(struct row_writer *writer, const struct quality_view *view, uint32_t id)
{
    const struct model *model = view->model;
    const struct loop *loop = model_loop(model, id);
    const char *name = model_text(model, model_function(model, loop->function)->name);
    autofree char *plain = view->demangle && name ? demangle_name(name) : NULL;
    row_text(writer, "function", name);
    if (view->demangle)
        row_text(writer, "function_demangled", plain ? plain : name);
    row_text(writer, "file", loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL);
    row_id(writer, "first_line", loop->first_line);
    row_id(writer, "last_line", loop->last_line);
    struct loop_place own = loop_place_find(model, id);
    row_text(writer, "own_file", own.file ? model_text(model, model_file(model, own.file)->path) : NULL);
    row_id(writer, "own_line", own.first_line);
    row_address(writer, "address", model_block(model, loop->header)->address);
    row_id(writer, "depth", loop->depth);
}

static void write_role(struct row_writer *writer, const struct quality_rows *rows)
{
    const struct loop_role_row *role = rows->role;
    row_text(writer, "role", role ? loop_role_word(role->role) : NULL);
    row_id(writer, "main_loop", rows->family ? rows->family->main : 0);
    row_id(writer, "family_count", rows->family ? rows->family->loop_count : 0);
    row_number(writer, "iterations", role && role->iterations != NO_NUMBER ? role->iterations : NAN);
    row_number(writer, "unroll", role && role->unroll != NO_NUMBER ? role->unroll : NAN);
}

void quality_write_place(struct row_writer *writer, const struct quality_view *view,
                         const struct quality_rows *rows)
{
    const struct machine *machine = quality_machine(view, rows->loop);
    write_place(writer, view, rows->loop);
    write_role(writer, rows);
    row_text(writer, "machine", machine ? machine->name : NULL);
}

void quality_write_figures(struct row_writer *writer, const struct model *model,
                           const struct quality_rows *rows, uint32_t path)
{
    for (uint32_t id = 1; id < model->added_metrics.count; id++)
        row_figure(writer, model_text(model, model_added_metric(model, id)->name),
                   quality_figure(rows, path, id));
}
