#include "show/report/common/demangle.h"

#include "model/demangle.h"
#include "store/problem.h"

#include <stdlib.h>

static void sql_demangle(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *name = (const char *)sqlite3_value_text(values[0]);
    char *text = name ? demangle_name(name) : NULL;
    if (text)
        sqlite3_result_text(context, text, -1, free);
    else
        sqlite3_result_value(context, values[0]);
}

bool demangle_register(sqlite3 *connection, struct error *error)
{
    if (sqlite3_create_function(connection, "demangle", 1,
                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, sql_demangle,
                                NULL, NULL) != SQLITE_OK)
        return error_set(error, NULL, "cannot add the SQL function demangle: %s", store_problem(connection));
    return true;
}
