/* Queries that stand in .sql files beside the code that asks them.  tools/queries-to-c checks them against
   the tables when Assay is built, and makes an array of each file, which ends with a query without a name.

   A query with a title is a section of a report: a table, the same in text and on pages.  What its columns
   are called is what the query calls them. */
#ifndef BASE_QUERIES_H
#define BASE_QUERIES_H
#include <stdbool.h>

struct query {
    const char *name, *title;
    const char *note;     /* what the columns mean; NULL: no note */
    const char *profiled; /* instead of it for another kind of run; NULL: the same */
    const char *sql;
    int bars; /* column that is drawn as a bar; -1: none */
    bool is_brief;
};

/* The query with this name; NULL: there is none. */
const struct query *query_find(const struct query *queries, const char *name);
/* The SQL of the query with this name, which is there. */
const char *query_named(const struct query *queries, const char *name);
#endif
