#include "store/finding_rows.h"

#include "base/memory.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 24 };

static bool is_column(sqlite3_stmt *statement, int column, const char *name)
{
    const char *its = sqlite3_column_name(statement, column);
    return its && !sqlite3_stricmp(its, name);
}

static char *text_of(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static int64_t id_of(sqlite3_stmt *statement, int column)
{
    int64_t id = sqlite3_column_int64(statement, column);
    return id > 0 ? id : 0;
}

/* Takes the column if it gives a place in the program; whether it does. */
static bool take_place(struct finding_row *row, sqlite3_stmt *statement, int column)
{
    static const char *const ids[FINDING_IDS][2] = {{"function_id", "function"},
                                                    {"loop_id", "loop"},
                                                    {"block_id", "block"},
                                                    {"instruction_id", "instruction"}};
    int type = sqlite3_column_type(statement, column);
    for (unsigned i = 0; i < FINDING_IDS; i++) {
        if (!is_column(statement, column, ids[i][0]) && !is_column(statement, column, ids[i][1]))
            continue;
        if (type == SQLITE_INTEGER)
            row->ids[i] = id_of(statement, column);
        else if (type == SQLITE_TEXT && i == FINDING_FUNCTION && !row->texts[FINDING_NAME])
            row->texts[FINDING_NAME] = text_of(statement, column);
        return type == SQLITE_INTEGER || type == SQLITE_NULL || i == FINDING_FUNCTION;
    }
    if (is_column(statement, column, "line"))
        row->line = id_of(statement, column);
    else if (is_column(statement, column, "file") && !row->texts[FINDING_FILE])
        row->texts[FINDING_FILE] = text_of(statement, column);
    else
        return false;
    return true;
}

static void take_row(struct finding_row *row, sqlite3_stmt *statement)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    *row = (struct finding_row){.line = 0};
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        if (take_place(row, statement, i) || sqlite3_column_type(statement, i) == SQLITE_NULL)
            continue;
        const char *value = (const char *)sqlite3_column_text(statement, i);
        sqlite3_str_appendf(text, "%s%s=%s", sqlite3_str_length(text) ? "; " : "",
                            sqlite3_column_name(statement, i), value ? value : "");
    }
    char *whole = sqlite3_str_finish(text);
    row->texts[FINDING_TEXT] = whole ? memory_copy_text(whole, strlen(whole)) : NULL;
    sqlite3_free(whole);
}

static bool print_row(const struct finding_row *row, FILE *out)
{
    fwrite(row->ids, sizeof row->ids, 1, out);
    fwrite(&row->line, sizeof row->line, 1, out);
    for (unsigned i = 0; i < FINDING_TEXTS; i++) {
        uint32_t size = row->texts[i] ? (uint32_t)strlen(row->texts[i]) + 1 : 0;
        if (size > MOST_TEXT)
            return false;
        fwrite(&size, sizeof size, 1, out);
        fwrite(row->texts[i] ? row->texts[i] : "", 1, size, out);
    }
    return true;
}

bool finding_rows_print(sqlite3_stmt *statement, FILE *out, struct error *error)
{
    int status;
    sqlite3_reset(statement);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        struct finding_row row;
        take_row(&row, statement);
        bool is_printed = print_row(&row, out);
        finding_row_free(&row);
        if (!is_printed)
            return error_set(error, NULL, "a row is too long to be kept: a text may have %d bytes",
                             MOST_TEXT - 1);
    }
    if (status == SQLITE_DONE)
        return true;
    if ((status & 0xff) == SQLITE_INTERRUPT)
        return error_set(error, NULL, "interrupted; the stored findings are unchanged");
    return error_set(error, NULL, "%s", store_problem(sqlite3_db_handle(statement)));
}

static bool read_text(FILE *in, char **text)
{
    uint32_t size;
    if (fread(&size, sizeof size, 1, in) != 1 || size > MOST_TEXT)
        return false;
    if (!size)
        return true;
    *text = memory_get(size + 1);
    return fread(*text, 1, size, in) == size;
}

bool finding_row_read(FILE *in, struct finding_row *row, struct error *error)
{
    *row = (struct finding_row){.line = 0};
    int next = getc(in);
    if (next == EOF)
        return false;
    ungetc(next, in);
    bool good = fread(row->ids, sizeof row->ids, 1, in) == 1 && fread(&row->line, sizeof row->line, 1, in);
    for (unsigned i = 0; good && i < FINDING_TEXTS; i++)
        good = read_text(in, &row->texts[i]);
    if (good)
        return true;
    finding_row_free(row);
    return error_set(error, NULL, "the process of the analysis handed over rows that are damaged");
}

void finding_row_free(struct finding_row *row)
{
    for (unsigned i = 0; i < FINDING_TEXTS; i++)
        free(row->texts[i]);
}
