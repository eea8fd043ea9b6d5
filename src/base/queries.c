#include "base/queries.h"

#include "base/expect.h"

#include <stddef.h>
#include <string.h>

const struct query *query_find(const struct query *queries, const char *name)
{
    for (; queries->name; queries++)
        if (!strcmp(queries->name, name))
            return queries;
    return NULL;
}

const char *query_named(const struct query *queries, const char *name)
{
    const struct query *query = query_find(queries, name);
    expect(query);
    return query->sql;
}
