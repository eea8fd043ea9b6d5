/* What the JSON of reports on runs shares: an object for each run, with sentences and rows under keys. */
#ifndef SHOW_REPORT_COMMON_RUN_JSON_H
#define SHOW_REPORT_COMMON_RUN_JSON_H
#include "base/memory.h"
#include "show/report/common/ask.h"
#include "show/report/common/row_writer.h"
#include "base/queries.h"

/* Of char *. */
void run_json_sentences(struct row_writer *row, const char *key, const struct array *sentences);
/* The columns of the one row that a query about a run has. */
bool run_json_columns(struct row_writer *row, const struct asked *asked, const char *sql, int64_t run,
                      struct error *error);
/* The rows of queries about a run, all of them, each query under its name. */
bool run_json_queries(struct row_writer *row, const struct asked *asked, const struct query *queries,
                      int64_t run, struct error *error);
#endif
