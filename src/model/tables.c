#include "model/tables.h"

#include <string.h>

const struct table_description *table_named(const char *name)
{
    for (unsigned i = 0; i < table_count; i++)
        if (!strcmp(table_descriptions[i].name, name))
            return &table_descriptions[i];
    return NULL;
}
