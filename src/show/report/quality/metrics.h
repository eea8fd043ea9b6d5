/* Shared by views for programs: the figures of loop_metrics one by one, as the table describes them, so that
 * code that prints all of them need not name any; and where a loop is. */
#ifndef SHOW_REPORT_QUALITY_METRICS_H
#define SHOW_REPORT_QUALITY_METRICS_H
#include "model/tables.h"
#include "show/report/quality/quality.h"
#include "show/report/quality/rows.h"
#include "show/report/common/row_writer.h"

/* Every column of loop_metrics except the keys. */
struct quality_columns {
    const struct table_column *first, *end;
};
struct quality_columns quality_columns(void);

/* Function, source lines, address, role and machine of a loop. */
void quality_write_place(struct row_writer *writer, const struct quality_view *view,
                         const struct quality_rows *rows);
/* Figures of metrics in Lua, under their names. */
void quality_write_figures(struct row_writer *writer, const struct model *model,
                           const struct quality_rows *rows, uint32_t path);
#endif
