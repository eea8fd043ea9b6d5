/* The text of assembly listings, from the pieces in the table listings. */
#ifndef SHOW_REPORT_LISTING_TEXT_H
#define SHOW_REPORT_LISTING_TEXT_H
#include "show/report/common/style.h"
#include <sqlite3.h>

/* All listings of a program, byte for byte; on a terminal control characters become visible. */
bool report_listing(sqlite3 *connection, int64_t program, const struct report_style *style, FILE *out,
                    struct error *error);

/* Looks up lines; one piece is kept unpacked, as callers ask for neighbouring lines. */
struct listing_lines {
    sqlite3_stmt *query;
    char *text; /* of the piece; NULL: none */
    size_t size;
    int64_t program, file, first_line, line_count;
    const char *last;  /* start of the line looked up last … */
    int64_t last_line; /* … and its number */
};
bool listing_lines_open(struct listing_lines *lines, sqlite3 *connection, struct error *error);
void listing_lines_close(struct listing_lines *lines);
/* The statement at a column (from 1) of a line, with its comment where it is the last of the line.  Without
   its end sign; for column 0 the whole line.  NULL where there is none. */
const char *listing_lines_statement(struct listing_lines *lines, int64_t program, int64_t file, int64_t line,
                                    int64_t column, size_t *length, struct error *error);
#endif
