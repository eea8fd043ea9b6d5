/* SQL functions of these views, besides those of show/report/common/shown.h.

   Names of arrays may have names of functions in them (block allocated in __gabor_MOD_filter), which are
   written as names of functions are.  A call stack is one line, from the instruction to main; without --top
   it has only the frames closest to the instruction. */
#include "show/report/denormal/parts.h"

#include "store/problem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_FRAMES = 8, FEW_FRAMES = 3; /* of a call stack in a line */
static const bool YES = true, NO = false;

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Every word that may be the name of a function is written as one. */
static void sql_shown_data(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const bool *demangle = sqlite3_user_data(context);
    const char *at = (const char *)sqlite3_value_text(values[0]);
    if (!at || !*demangle) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    while (*at) {
        size_t length = 0;
        while (is_of_name(at[length]))
            length++;
        autofree char *word = length && *at == '_' ? memory_copy_text(at, length) : NULL;
        autofree char *plain = word ? shown_plain_name(word) : NULL;
        length += !length;
        if (plain)
            fputs(plain, out);
        else
            fwrite(at, 1, length, out);
        at += length;
    }
    fclose(out);
    sqlite3_result_text(context, text, -1, free);
}

static void print_frames(sqlite3_stmt *statement, size_t most, FILE *out)
{
    for (size_t i = 0; sqlite3_step(statement) == SQLITE_ROW; i++) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *place = (const char *)sqlite3_column_text(statement, 1);
        if (i == most) {
            fputs(" ← …", out);
            return;
        }
        fprintf(out, "%s%s", i ? " ← " : "", name);
        if (place)
            fprintf(out, " (%s)", place);
        if (!strcmp(name, "main"))
            return; /* frames of the system's startup code are of no interest */
    }
}

static void sql_call_stack(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const size_t *frames = sqlite3_user_data(context);
    const char *sql = query_named(denormal_queries, "sql_call_stack");
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    size_t size = 0;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &statement, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_value(statement, 1, values[0]);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)*frames + 1);
    FILE *out = open_memstream(&text, &size);
    print_frames(statement, *frames, out);
    fclose(out);
    sqlite3_finalize(statement);
    sqlite3_result_text(context, text, -1, free);
}

/* What the functions need of the view is a constant: it outlives the connection. */
bool denormal_begin(const struct denormal_view *view, struct error *error)
{
    struct asked asked = denormal_asked(view);
    const bool *demangle = view->demangle ? &YES : &NO;
    const size_t *frames = view->is_brief ? &FEW_FRAMES : &MOST_FRAMES;
    if (!shown_register(&asked, view->demangle, error))
        return false;
    if (sqlite3_create_function_v2(view->connection, "shown_data", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   (void *)demangle, sql_shown_data, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(view->connection, "call_stack", 1, SQLITE_UTF8, (void *)frames,
                                   sql_call_stack, NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, view->path, "cannot add SQL functions: %s", store_problem(view->connection));
    return true;
}
