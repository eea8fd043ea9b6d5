#include "show/report/listing_text.h"

#include "show/report/common/rows.h"
#include "show/report/common/text.h"
#include "store/problem.h"
#include "show/report/queries.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The largest piece that code/read/listing/listing.c writes; a database can lie about the size. */
enum { LONGEST_PIECE = 16 << 20 };

/* Unpacks a blob into memory to be freed. */
static char *unpack(sqlite3_stmt *row, int text_column, int size_column, size_t *size, struct error *error)
{
    const void *packed = sqlite3_column_blob(row, text_column);
    size_t packed_size = (size_t)sqlite3_column_bytes(row, text_column);
    int64_t claimed = sqlite3_column_int64(row, size_column);
    if (claimed < 0 || claimed > LONGEST_PIECE) {
        error_set(error, NULL, "the text of the listing is damaged: a piece has the wrong size");
        return NULL;
    }
    char *text = memory_get((size_t)claimed + 1);
    *size = packed_size ? ZSTD_decompress(text, (size_t)claimed, packed, packed_size) : 0;
    if (ZSTD_isError(*size) || *size != (size_t)claimed) {
        free(text);
        error_set(error, NULL, "the text of the listing is damaged: a piece cannot be unpacked");
        return NULL;
    }
    return text;
}

static bool prepare(sqlite3 *connection, const char *query, sqlite3_stmt **statement, struct error *error)
{
    if (sqlite3_prepare_v2(connection, query, -1, statement, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    return true;
}

static void write_visibly(const char *text, size_t size, FILE *out)
{
    for (const char *at = text, *end = text + size; at < end;) {
        size_t length = 0;
        while (at + length < end && at[length] != '\n' && at[length] != '\t')
            length++;
        autofree char *safe = text_safe(at, length);
        fputs(safe, out);
        at += length;
        if (at < end)
            putc(*at++, out);
    }
}

bool report_listing(sqlite3 *connection, int64_t program, const struct report_style *style, FILE *out,
                    struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (!prepare(connection, query_named(report_queries, "listing"), &rows, error))
        return false;
    sqlite3_bind_int64(rows, 1, program);
    int state;
    bool done = true;
    while (done && (state = report_step(rows, error)) == 1) {
        size_t size;
        autofree char *text = unpack(rows, 0, 1, &size, error);
        if (text && style->width)
            write_visibly(text, size, out);
        else if (text && fwrite(text, 1, size, out) != size)
            error_set_errno(error, NULL, "cannot write the listing");
        done = text && !error->set && !ferror(out);
    }
    sqlite3_finalize(rows);
    return done && !error->set;
}

bool listing_lines_open(struct listing_lines *lines, sqlite3 *connection, struct error *error)
{
    *lines = (struct listing_lines){0};
    return prepare(connection, query_named(report_queries, "listing_lines_open"), &lines->query, error);
}

void listing_lines_close(struct listing_lines *lines)
{
    sqlite3_finalize(lines->query);
    free(lines->text);
    *lines = (struct listing_lines){0};
}

static bool load_piece(struct listing_lines *lines, int64_t program, int64_t file, int64_t line,
                       struct error *error)
{
    bool is_here = lines->text && lines->program == program && lines->file == file &&
                   line >= lines->first_line && line - lines->first_line < lines->line_count;
    if (is_here)
        return true;
    free(lines->text);
    lines->text = NULL;
    sqlite3_reset(lines->query);
    sqlite3_bind_int64(lines->query, 1, program);
    sqlite3_bind_int64(lines->query, 2, file);
    sqlite3_bind_int64(lines->query, 3, line);
    if (report_step(lines->query, error) != 1)
        return false;
    lines->text = unpack(lines->query, 0, 1, &lines->size, error);
    lines->program = program;
    lines->file = file;
    lines->first_line = sqlite3_column_int64(lines->query, 2);
    lines->line_count = sqlite3_column_int64(lines->query, 3);
    lines->last = lines->text;
    lines->last_line = lines->first_line;
    return lines->text != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A statement ends at ; and ;; is the stop of IA-64, which belongs to it.  A comment after the last one of
   the line is kept. */
static const char *statement_end(const char *at, const char *end)
{
    const char *stop = at;
    char quote = 0;
    while (stop < end) {
        bool is_comment = !quote && stop > at &&
                          ((*stop == '#' && is_blank(stop[-1])) ||
                           (*stop == '/' && stop + 1 < end && (stop[1] == '/' || stop[1] == '*')));
        if (is_comment)
            return end;
        if (*stop == '"')
            quote = !quote;
        if (*stop == ';' && !quote)
            break;
        stop++;
    }
    if (stop < end && stop + 1 < end && stop[1] == ';')
        stop += 2;
    return stop;
}

const char *listing_lines_statement(struct listing_lines *lines, int64_t program, int64_t file, int64_t line,
                                    int64_t column, size_t *length, struct error *error)
{
    if (!load_piece(lines, program, file, line, error))
        return NULL;
    const char *end = lines->text + lines->size;
    if (line < lines->last_line) {
        lines->last = lines->text;
        lines->last_line = lines->first_line;
    }
    while (lines->last_line < line && lines->last < end) {
        const char *newline = memchr(lines->last, '\n', (size_t)(end - lines->last));
        lines->last = newline ? newline + 1 : end;
        lines->last_line++;
    }
    const char *newline = memchr(lines->last, '\n', (size_t)(end - lines->last)),
               *stop = newline ? newline : end;
    if (column < 0 || column > stop - lines->last)
        return NULL;
    const char *start = lines->last + (column ? column - 1 : 0);
    if (column)
        stop = statement_end(start, stop);
    while (start < stop && is_blank(*start))
        start++;
    while (stop > start && is_blank(stop[-1]))
        stop--;
    *length = (size_t)(stop - start);
    return *length ? start : NULL;
}
