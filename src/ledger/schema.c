/* The tables as tables.def states them: descriptions for the reference page, and the SQL that makes them. */
#include "ledger/ledger.h"

#include <stdio.h>
#include <stdlib.h>

#define TABLE(name, doc)                                                                                     \
    static const struct ledger_column columns_of_##name[] = {{"id", "INTEGER", "its number"},
#define COLUMN(name, type, constraint, doc) {#name, #type, doc},
#define INDEX(table, columns)
#define UNIQUE(table, columns)
#define END_TABLE(name)                                                                                      \
    }                                                                                                        \
    ;
#include "ledger/tables.def"
#undef TABLE
#undef COLUMN
#undef INDEX
#undef UNIQUE
#undef END_TABLE

#define TABLE(name, doc)                                                                                     \
    {#name, doc, columns_of_##name, sizeof columns_of_##name / sizeof *columns_of_##name},
#define COLUMN(name, type, constraint, doc)
#define INDEX(table, columns)
#define UNIQUE(table, columns)
#define END_TABLE(name)
const struct ledger_table ledger_tables[] = {
#include "ledger/tables.def"
};
const unsigned ledger_table_count = sizeof ledger_tables / sizeof *ledger_tables;
#undef TABLE
#undef COLUMN
#undef INDEX
#undef UNIQUE
#undef END_TABLE

/* Indexes stand between the columns of their table and its end, so they go to a second text. */
char *ledger_schema(void)
{
    char *tables = NULL, *indexes = NULL;
    size_t size;
    FILE *out = open_memstream(&tables, &size), *after = open_memstream(&indexes, &size);
    unsigned count = 0;
#define TABLE(name, doc) fprintf(out, "CREATE TABLE IF NOT EXISTS " #name " (\n  id INTEGER PRIMARY KEY");
#define COLUMN(name, type, constraint, doc)                                                                  \
    fprintf(out, ",\n  \"" #name "\" " #type "%s" constraint, *constraint ? " " : "");
#define INDEX(table, columns)                                                                                \
    fprintf(after, "CREATE INDEX IF NOT EXISTS " #table "_%u ON " #table " (" columns ");\n", ++count);
#define UNIQUE(table, columns)                                                                               \
    fprintf(after, "CREATE UNIQUE INDEX IF NOT EXISTS " #table "_%u ON " #table " (" columns ");\n", ++count);
#define END_TABLE(name) fprintf(out, "\n);\n");
#include "ledger/tables.def"
    fclose(out);
    fclose(after);
    char *schema = memory_format("%s%s", tables, indexes);
    free(tables);
    free(indexes);
    return schema;
}
