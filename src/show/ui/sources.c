#include "show/ui/sources.h"

#include "base/regular_file.h"
#include "show/ui/queries.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_SOURCE = 16 << 20 };

/* The path of a row of files, to be freed; NULL: there is no such row. */
static char *path_of(struct ui_request *request, int64_t file)
{
    sqlite3_stmt *row = NULL;
    char *path = NULL;
    if (!request->connection ||
        sqlite3_prepare_v2(request->connection, query_named(ui_queries, "file_path"), -1, &row, NULL))
        return NULL;
    sqlite3_bind_int64(row, 1, file);
    if (sqlite3_step(row) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        path = text ? memory_copy_text(text, strlen(text)) : NULL;
    }
    sqlite3_finalize(row);
    return path;
}

char *ui_source_text(struct ui_request *request, int64_t file, char **path, struct error *error)
{
    char *found = path_of(request, file), *text = NULL;
    if (!found)
        error_set(error, NULL, "this program has no source file %lld", (long long)file);
    else if (found[0] != '/')
        error_set(error, found, "cannot be found: its folder is unknown");
    else if (!trust_allows(request->options->trust, found))
        error_set(
            error, found,
            "is not there, or is outside the folder and project of the program and the current directory "
            "(--trust allows reading it)");
    else
        text = regular_file_text(found, LONGEST_SOURCE, "a source file", error);
    if (path)
        *path = found;
    else
        free(found);
    return text;
}
