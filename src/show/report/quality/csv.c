/* A row for each loop and path: its ids and place, then every metric under the name of its column. A loop
 * without analysed paths has a row without figures, so that no loop is missing. */
#include "show/report/quality/metrics.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>

static size_t count_advice(const struct quality_rows *rows, uint32_t path, enum advice_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->advice_count; i++)
        count += rows->advice[i].path == path && rows->advice[i].level <= level;
    return count;
}

static double best_gain(const struct quality_rows *rows, uint32_t path, enum advice_level level,
                        bool *is_upper)
{
    double gain = NAN;
    *is_upper = false;
    for (size_t i = 0; i < rows->advice_count; i++) {
        const struct advice *advice = &rows->advice[i];
        if (advice->path != path || advice->level > level || !isfinite(advice->gain) || advice->gain < gain)
            continue;
        *is_upper = advice->is_upper && (advice->gain != gain || *is_upper);
        gain = advice->gain;
    }
    return gain;
}

static void write_row(struct row_writer *writer, const struct quality_view *view,
                      const struct quality_rows *rows, const struct loop_cycle *cycles,
                      const struct quality_columns *columns)
{
    bool is_upper;
    uint32_t path = cycles ? cycles->path : 0;
    const struct loop_metric *metric = cycles ? quality_metric(rows, path) : NULL;
    autofree char *remark = quality_remark(view, rows, cycles);
    writer->is_first = true;
    row_id(writer, "loop", rows->loop);
    row_id(writer, "path", path);
    quality_write_place(writer, view, rows);
    row_text(writer, "limit", cycles && cycles->limit ? core_part_word(cycles->limit) : NULL);
    row_text(writer, "next", cycles && cycles->next ? core_part_word(cycles->next) : NULL);
    row_figure(writer, "gain", best_gain(rows, path, view->level, &is_upper));
    row_flag(writer, "is_upper", is_upper);
    row_integer(writer, "advice_count", (int64_t)count_advice(rows, path, view->level));
    row_text(writer, "remark", remark);
    for (const struct table_column *column = columns->first; column < columns->end; column++) {
        row_figure(writer, column->name, metric ? table_number(column, metric) : NAN);
    }
    quality_write_figures(writer, view->model, rows, path);
    fputs("\r\n", writer->out);
}

bool report_quality_csv(const struct quality_view *view, FILE *out, struct error *error)
{
    struct quality_columns columns = quality_columns();
    struct row_writer writer = {.out = out, .is_head = true};
    for (size_t i = 0; i < view->loop_count; i++) {
        struct quality_rows rows;
        quality_rows_find(&rows, view->model, view->loops[i]);
        if (writer.is_head)
            write_row(&writer, view, &rows, NULL, &columns);
        writer.is_head = false;
        for (size_t k = 0; k < rows.cycle_count; k++)
            write_row(&writer, view, &rows, &rows.cycles[k], &columns);
        if (!rows.cycle_count)
            write_row(&writer, view, &rows, NULL, &columns);
    }
    return !ferror(out) || error_set_errno(error, NULL, "cannot write the report");
}
