/* What views for programs have in common: the figures of loop_metrics one by one, as the table describes
   them, so that whoever prints all of them names none; and what a loop is. */
#ifndef REPORT_QUALITY_METRICS_H
#define REPORT_QUALITY_METRICS_H
#include "model/tables.h"
#include "report/quality/quality.h"
#include "report/quality/rows.h"
#include "report/common/row_writer.h"

struct quality_column {
    const struct table_column *column;
    const struct table_column *over, *under; /* of a quotient, which is not stored; NULL for others */
};

/* Every column but those that say what the row is of; of struct quality_column, to be freed (array_free). */
struct array quality_columns(void);
/* What the columns from this one on have in common, in a few words; NULL where it goes on with what the one
   before has. */
const char *quality_group(const struct quality_column *column);
/* Characters of the sentence of a column without what it means that there is no value: for where there is
 * one.
 */
size_t quality_sentence(const struct table_column *column);
/* NaN: not known. */
double quality_value(const struct loop_metric *metric, const struct quality_column *column);

/* Function, source lines, address, role and machine of a loop. */
void quality_write_place(struct row_writer *writer, const struct quality_view *view,
                         const struct quality_rows *rows);
#endif
