/* Queries of views. */
#ifndef SHOW_REPORT_COMMON_ASK_H
#define SHOW_REPORT_COMMON_ASK_H
#include "base/error.h"
#include <sqlite3.h>
#include <stdint.h>

/* A query about a run; path: of the database, for the error. */
struct asked {
    sqlite3 *connection;
    const char *path;
    const char *pages; /* address in front of function/ID and loop/ID, where rows have pages; NULL: they have
                          none */
};

/* Prepares it; ?1 is the run, ?2 the most rows (less than 0: all).  NULL: the error is set. */
sqlite3_stmt *report_ask(const struct asked *asked, const char *sql, int64_t run, int64_t most,
                         struct error *error);
/* How many rows the query has without a limit. */
bool report_count_rows(const struct asked *asked, const char *sql, int64_t run, uint64_t *count,
                       struct error *error);
int report_column_named(sqlite3_stmt *statement, const char *name); /* -1: there is none */
char *report_column_text(sqlite3_stmt *statement, int column);      /* to be freed; NULL for NULL */
double report_column_real(sqlite3_stmt *statement, int column);     /* NaN for NULL */
#endif
