#include "model/tables.h"

#include <math.h>
#include <string.h>

const struct table_description *table_named(const char *name)
{
    for (unsigned i = 0; i < table_count; i++)
        if (!strcmp(table_descriptions[i].name, name))
            return &table_descriptions[i];
    return NULL;
}

static double stored_number(const struct table_column *column, const void *record)
{
    const char *field = (const char *)record + column->offset;
    double real;
    int32_t maybe;
    uint32_t number = 0;
    int64_t large = 0;
    switch (column->type) {
    case COLUMN_REAL:
        memcpy(&real, field, sizeof real);
        return real;
    case COLUMN_MAYBE:
        memcpy(&maybe, field, sizeof maybe);
        return maybe == NO_NUMBER ? NAN : maybe;
    case COLUMN_NUMBER:
    case COLUMN_OPTIONAL:
        memcpy(&large, field, column->size == sizeof large ? sizeof large : 0);
        memcpy(&number, field, column->size == sizeof number ? sizeof number : 0);
        real = column->size == sizeof large ? (double)large : column->size == sizeof number ? number : NAN;
        return column->type == COLUMN_OPTIONAL && real == 0 ? NAN : real;
    default:
        return NAN;
    }
}

double table_number(const struct table_column *column, const void *record)
{
    if (!column->over)
        return stored_number(column, record);
    double value = stored_number(column->over, record) / stored_number(column->under, record);
    return isfinite(value) ? value : NAN;
}

unsigned table_columns_of_list(const struct table_description *table, const char *list,
                               const struct table_column *columns[TABLE_KEY_MAX])
{
    unsigned count = 0;
    while (list && *list && count < TABLE_KEY_MAX) {
        size_t length = strcspn(list, ", ");
        for (unsigned i = 0; i < table->column_count; i++)
            if (strlen(table->columns[i].name) == length && !memcmp(table->columns[i].name, list, length))
                columns[count++] = &table->columns[i];
        list += length;
        list += strspn(list, ", ");
    }
    return count;
}
