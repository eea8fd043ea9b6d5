/* What the JSON of reports on runs shares: an object for each run, with sentences and rows under keys. */
#ifndef REPORT_COMMON_RUN_JSON_H
#define REPORT_COMMON_RUN_JSON_H
#include "base/memory.h"
#include "report/common/ask.h"
#include "report/common/row_writer.h"

/* Of char *. */
void run_json_sentences(struct row_writer *row, const char *key, const struct array *sentences);
/* The rows of a query about a run, all of them. */
bool run_json_rows(struct row_writer *row, const char *key, const struct asked *asked, const char *sql,
                   int64_t run, struct error *error);
#endif
