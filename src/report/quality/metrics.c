#include "report/quality/metrics.h"

#include "report/common/demangle.h"
#include "report/quality/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct table_column *find_column(const struct table_description *table, const char *name,
                                              size_t length)
{
    for (unsigned i = 0; i < table->column_count; i++)
        if (strlen(table->columns[i].name) == length && !strncmp(table->columns[i].name, name, length))
            return &table->columns[i];
    return NULL;
}

struct array quality_columns(void)
{
    const struct table_description *table = table_named("loop_metrics");
    struct array columns = ARRAY_OF(struct quality_column);
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (!strcmp(column->name, "loop") || !strcmp(column->name, "path") ||
            !strcmp(column->name, "processor"))
            continue;
        struct quality_column *it = array_add(&columns);
        it->column = column;
        const char *slash = column->type == COLUMN_VIRTUAL ? strstr(column->sql, " / ") : NULL;
        if (!slash)
            continue;
        it->over = find_column(table, column->sql, (size_t)(slash - column->sql));
        it->under = find_column(table, slash + strlen(" / "), strlen(slash + strlen(" / ")));
    }
    return columns;
}

const char *quality_group(const struct quality_column *column)
{
    static const struct {
        const char *first, *title;
    } groups[] = {{"instruction_count", "Size, and how much of it the machine file knows"},
                  {"cycles", "Cycles, and what they would be under other circumstances"},
                  {"vector_ratio", "Vectorisation: vectorised over vectorisable instructions"},
                  {"vector_efficiency", "Vector efficiency: the used part of the vector length"},
                  {"load_count", "Instructions by what they do"},
                  {"fp16_count", "Instructions by what they work on"},
                  {"flop_count", "Floating-point operations"},
                  {"loaded_bytes", "Bytes loaded and stored"},
                  {"stride_one_count", "How accesses of memory move from iteration to iteration"},
                  {"general_registers", "Registers"},
                  {"stack_reference_count", "The stack"},
                  {"unaligned_count", "Penalties"},
                  {"front_end_cycles", "Parts of the core"}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(column->column->name, groups[i].first))
            return groups[i].title;
    return NULL;
}

size_t quality_sentence(const struct table_column *column)
{
    const char *end = strstr(column->doc, "; NULL");
    return end ? (size_t)(end - column->doc) : strlen(column->doc);
}

static double stored_value(const struct loop_metric *metric, const struct table_column *column)
{
    const char *field = (const char *)metric + column->offset;
    double real;
    int32_t maybe;
    uint32_t number;
    switch (column->type) {
    case COLUMN_REAL:
        memcpy(&real, field, sizeof real);
        return real;
    case COLUMN_MAYBE:
        memcpy(&maybe, field, sizeof maybe);
        return maybe == NO_NUMBER ? NAN : maybe;
    case COLUMN_NUMBER:
        memcpy(&number, field, sizeof number);
        return column->size == sizeof number ? number : NAN;
    default:
        return NAN;
    }
}

double quality_value(const struct loop_metric *metric, const struct quality_column *column)
{
    if (column->over && column->under) {
        double value = stored_value(metric, column->over) / stored_value(metric, column->under);
        return isfinite(value) ? value : NAN;
    }
    return stored_value(metric, column->column);
}

static void write_place(struct row_writer *writer, const struct quality_view *view, uint32_t id)
{
    const struct model *model = view->model;
    const struct loop *loop = model_loop(model, id);
    const char *name = model_text(model, model_function(model, loop->function)->name);
    char *plain = view->demangle && name ? demangle_name(name) : NULL;
    row_text(writer, "function", name);
    if (view->demangle)
        row_text(writer, "function_demangled", plain ? plain : name);
    free(plain);
    row_text(writer, "file", loop->file ? model_text(model, model_file(model, loop->file)->path) : NULL);
    row_id(writer, "first_line", loop->first_line);
    row_id(writer, "last_line", loop->last_line);
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
