#include "store/problem.h"

const char *store_problem(sqlite3 *connection)
{
    switch (sqlite3_errcode(connection) & 0xff) {
    case SQLITE_NOMEM:
        return "out of memory: the SQL needs more than its limit (ASSAY_SQL_MEMORY sets it, in MB)";
    case SQLITE_INTERRUPT:
        return "interrupted";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "the database is damaged; make it again with assay db, or assay run -o";
    default:
        return sqlite3_errmsg(connection);
    }
}
