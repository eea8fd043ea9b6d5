/* A read-only virtual table over the arrays of a model: nothing is copied, SQLite's cursor is an index.

   A search by id is an array access. Columns marked SORTED or INDEX in tables.def are searched by bisection,
   in an order of the rows that is computed on first use (rows_order). For a column that really is sorted this
   is the row order and costs one look at each row; a SORTED column with NULLs in between, such as
   blocks.function with its padding, is sorted properly. So both marks affect speed only, never results. Rows
   come in the order of the searched column, equal ones by id.

   SQLite rechecks every condition; a search only narrows the rows. Values of a type other than the column's
   (a text compared with a number) do not narrow.

   SQLite has no computed columns for virtual tables.  The expression of a VIRTUAL column is therefore
   evaluated on a separate connection, with the columns that it names as parameters; slower than other
   columns, but it can be any SQL. */
#include "store/virtual.h"

#include "store/rows.h"
#include "store/schema.h"
#include "store/virtual_schema.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { OP_EQUAL = 1, OP_ABOVE = 2, OP_FROM = 4, OP_BELOW = 8, OP_TO = 16, OP_BITS = 5 };
enum { NO_SEARCH = -1, COMPUTED_MAX = 8 };

struct order {
    bool is_known;
    size_t count;   /* number of rows at that time: rows may be added between statements */
    uint32_t *rows; /* NULL: row order */
};

/* A VIRTUAL column: a statement that gives its value, and the columns that are its parameters. */
struct computed {
    sqlite3_stmt *statement;
    const struct table_column *parameters[COMPUTED_MAX]; /* NULL for the id */
    unsigned parameter_count;
};

struct virtual_table {
    sqlite3_vtab base;
    const struct model *model;
    const struct table_description *table;
    const struct table_column **columns; /* by SQL number; NULL for the id */
    unsigned column_count;
    struct order *orders;        /* by SQL number */
    struct computed *computed;   /* by SQL number */
    struct table_column **owned; /* by SQL number: descriptions made here */
    sqlite3 *calculator;         /* NULL where no column is VIRTUAL */
};

struct table_cursor {
    sqlite3_vtab_cursor base;
    const uint32_t *order; /* NULL: row order */
    size_t at, end;        /* places in the order, from 0 */
};

static size_t row_at(const struct virtual_table *table, const uint32_t *order, size_t place)
{
    return order ? order[place] : place + table_first_row(table->table);
}

static const void *record_of(const struct virtual_table *table, size_t row)
{
    const struct array *rows = table_rows(table->table, table->model);
    return (const char *)rows->data + row * rows->width;
}

static struct value value_at(const struct virtual_table *table, int column, size_t row)
{
    if (!table->columns[column])
        return (struct value){.kind = VALUE_INTEGER, .integer = (int64_t)row};
    return rows_value(table->model, table->columns[column], record_of(table, row));
}

static const uint32_t *order_of(struct virtual_table *table, int column)
{
    struct order *order = &table->orders[column];
    size_t count = rows_count(table->table, table->model);
    if ((!order->is_known || order->count != count) && table->columns[column]) {
        free(order->rows);
        order->rows = rows_order(table->model, table->table, &table->columns[column], 1);
    }
    order->is_known = true;
    order->count = count;
    return order->rows;
}

static void declaration(struct schema_text *text, const struct virtual_table *table)
{
    schema_add(text, "create table rows (");
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct table_column *column = table->columns[i];
        schema_add(text, "%s", i ? ", " : "");
        schema_add_name(text, column ? column->name : "id");
        bool is_text = column && (column->type == COLUMN_TEXT || column->type == COLUMN_ENUM);
        schema_add(text, "%s",
                   is_text                                  ? " text"
                   : column && column->type == COLUMN_BYTES ? " blob"
                   : column && column->type == COLUMN_REAL  ? " real"
                                                            : " integer");
    }
    schema_add(text, ")");
}

static bool names_column(const char *sql, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = sql; (at = strstr(at, name)); at++) {
        bool begins = at == sql || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

static void add_parameter(struct computed *computed, struct schema_text *text,
                          const struct table_column *column)
{
    if (computed->parameter_count == COMPUTED_MAX)
        return; /* the statement then lacks a name and fails */
    computed->parameters[computed->parameter_count++] = column;
    schema_add(text, ", ? as ");
    schema_add_name(text, column ? column->name : "id");
}

/* select (expression) from (select ? as column, …) */
static int prepare_computed(struct virtual_table *table, unsigned number)
{
    const struct table_column *column = table->columns[number];
    struct computed *computed = &table->computed[number];
    if (!table->calculator && sqlite3_open_v2(":memory:", &table->calculator, SQLITE_OPEN_READWRITE, NULL))
        return SQLITE_NOMEM;
    struct schema_text text = {0};
    schema_add(&text, "select (%s) from (select 0", column->sql);
    if (!table->table->key && names_column(column->sql, "id"))
        add_parameter(computed, &text, NULL);
    for (unsigned i = 0; i < table->table->column_count; i++) {
        const struct table_column *other = &table->table->columns[i];
        if (other->type != COLUMN_VIRTUAL && names_column(column->sql, other->name))
            add_parameter(computed, &text, other);
    }
    schema_add(&text, ")");
    int status = sqlite3_prepare_v3(table->calculator, text.data, -1, SQLITE_PREPARE_PERSISTENT,
                                    &computed->statement, NULL);
    free(text.data);
    return status;
}

/* The word of a CODED column is read like an ENUM's, from the field that holds its number. */
static bool read_as_enumeration(struct virtual_table *table, unsigned number)
{
    const struct table_column *column = table->columns[number];
    for (unsigned i = 0; column->vocabulary && i < table->table->column_count; i++) {
        const struct table_column *code = &table->table->columns[i];
        size_t length = strlen(column->name);
        if (strncmp(code->name, column->name, length) || strcmp(code->name + length, "_code"))
            continue;
        struct table_column *read = memory_get(sizeof *read);
        *read = *code;
        read->name = column->name;
        read->type = COLUMN_ENUM;
        read->is_sorted = read->is_indexed = read->is_searched = false;
        table->columns[number] = read;
        table->owned[number] = read;
        return true;
    }
    return false;
}

static int disconnect(sqlite3_vtab *base)
{
    struct virtual_table *table = (struct virtual_table *)base;
    for (unsigned i = 0; i < table->column_count; i++) {
        free(table->orders[i].rows);
        free(table->owned[i]);
        sqlite3_finalize(table->computed[i].statement);
    }
    sqlite3_close(table->calculator);
    free(table->orders);
    free(table->computed);
    free(table->owned);
    free(table->columns);
    free(table);
    return SQLITE_OK;
}

static int connect(sqlite3 *connection, void *model, int count, const char *const *arguments,
                   sqlite3_vtab **result, char **message)
{
    const struct table_description *description = count > 3 ? table_named(arguments[3]) : NULL;
    if (!description) {
        *message = sqlite3_mprintf("the model has no such table");
        return SQLITE_ERROR;
    }
    struct virtual_table *table = memory_get(sizeof *table);
    table->model = model;
    table->table = description;
    table->columns = memory_get((description->column_count + 1) * sizeof *table->columns);
    if (!description->key)
        table->column_count = 1;
    for (unsigned i = 0; i < description->column_count; i++)
        table->columns[table->column_count++] = &description->columns[i];
    table->orders = memory_get(table->column_count * sizeof *table->orders);
    table->computed = memory_get(table->column_count * sizeof *table->computed);
    table->owned = memory_get(table->column_count * sizeof *table->owned);
    struct schema_text text = {0};
    declaration(&text, table);
    sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
    int status = sqlite3_declare_vtab(connection, text.data);
    free(text.data);
    for (unsigned i = 0; i < table->column_count && !status; i++)
        if (table->columns[i] && table->columns[i]->type == COLUMN_VIRTUAL && !read_as_enumeration(table, i))
            status = prepare_computed(table, i);
    if (status) {
        *message = sqlite3_mprintf("cannot compute a column of %s: %s", description->name,
                                   sqlite3_errmsg(table->calculator ? table->calculator : connection));
        disconnect(&table->base);
        return status;
    }
    *result = &table->base;
    return SQLITE_OK;
}

/* Columns that can be searched: the id and marked columns. */
static bool is_searchable(const struct virtual_table *table, int column)
{
    if (column < 0 || (unsigned)column >= table->column_count)
        return false;
    const struct table_column *described = table->columns[column];
    return !described || ((described->is_sorted || described->is_indexed || described->is_searched) &&
                          described->type != COLUMN_BYTES && described->type != COLUMN_VIRTUAL &&
                          described->type != COLUMN_REAL);
}

static unsigned operation(unsigned char sqlite_operation)
{
    switch (sqlite_operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return OP_EQUAL;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return OP_ABOVE;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return OP_FROM;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return OP_BELOW;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return OP_TO;
    default:
        return 0;
    }
}

/* The search number of a constraint's column, NO_SEARCH if it cannot be searched. */
static int constrained_column(const struct virtual_table *table, sqlite3_index_info *info, int constraint)
{
    int column = info->aConstraint[constraint].iColumn;
    if (column < 0 && !table->table->key)
        column = 0; /* rowid */
    if (!info->aConstraint[constraint].usable || !operation(info->aConstraint[constraint].op) ||
        !is_searchable(table, column))
        return NO_SEARCH;
    const struct table_column *described = table->columns[column];
    bool is_text = described && (described->type == COLUMN_TEXT || described->type == COLUMN_ENUM);
    if (is_text && sqlite3_stricmp(sqlite3_vtab_collation(info, constraint), "BINARY"))
        return NO_SEARCH;
    return column;
}

/* Estimated number of rows of a search, without knowing the values. */
static double expected_rows(const struct virtual_table *table, int column, unsigned operations)
{
    double rows = (double)rows_count(table->table, table->model);
    const struct table_column *described = table->columns[column];
    if (operations & OP_EQUAL) {
        if (!described)
            return 1;
        if (described->type == COLUMN_ADDRESS || described->type == COLUMN_TEXT)
            return fmin(rows, 2);
        double values = described->refers_to ? (double)rows_count(described->refers_to, table->model) : 10;
        return fmin(rows, 1 + rows / fmax(values, 1));
    }
    bool from = operations & (OP_ABOVE | OP_FROM), to = operations & (OP_BELOW | OP_TO);
    return from && to ? fmin(rows, 10 + rows / 10000) : from || to ? rows / 3 : rows;
}

static bool comes_in_order(const struct virtual_table *table, const sqlite3_index_info *info, int column,
                           unsigned operations)
{
    if (info->nOrderBy != 1 || info->aOrderBy[0].desc)
        return false;
    int wanted = info->aOrderBy[0].iColumn;
    if (wanted < 0 && !table->table->key)
        wanted = 0;
    bool is_id = wanted == 0 && !table->table->key;
    return column == NO_SEARCH ? is_id : wanted == column || (is_id && operations & OP_EQUAL);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct virtual_table *table = (const struct virtual_table *)base;
    double rows = (double)rows_count(table->table, table->model), best = rows;
    int column = NO_SEARCH;
    unsigned operations = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        int candidate = constrained_column(table, info, i);
        if (candidate == NO_SEARCH)
            continue;
        unsigned all = 0;
        for (int k = 0; k < info->nConstraint; k++)
            if (constrained_column(table, info, k) == candidate)
                all |= operation(info->aConstraint[k].op);
        all = all & OP_EQUAL ? OP_EQUAL : all;
        double expected = expected_rows(table, candidate, all);
        if (column == NO_SEARCH || expected < best) {
            column = candidate;
            operations = all;
            best = expected;
        }
    }
    /* One value for each operation, in the order of its bit. */
    int argument = 0;
    for (unsigned bit = 0; bit < OP_BITS; bit++) {
        for (int i = 0; i < info->nConstraint; i++) {
            if ((operations & 1u << bit) && constrained_column(table, info, i) == column &&
                operation(info->aConstraint[i].op) == 1u << bit) {
                info->aConstraintUsage[i].argvIndex = ++argument;
                break;
            }
        }
    }
    info->idxNum = column == NO_SEARCH ? NO_SEARCH : (int)((unsigned)column << OP_BITS | operations);
    info->estimatedRows = best < 1 ? 1 : (sqlite3_int64)best;
    bool is_by_id = column != NO_SEARCH && !table->columns[column];
    /* In units of one row read: a scan is a little cheaper, a lookup by id much cheaper. */
    info->estimatedCost = column == NO_SEARCH ? rows / 2 + 1
                          : is_by_id          ? best / 4
                                              : best + log2(rows + 2) / 2;
    if (is_by_id && operations & OP_EQUAL)
        info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
    info->orderByConsumed = comes_in_order(table, info, column, operations);
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **result)
{
    (void)base;
    struct table_cursor *cursor = memory_get(sizeof *cursor);
    *result = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

/* The first position from `at` on whose value is not below (above: is above) the wanted one. */
static size_t first_place(const struct virtual_table *table, int column, const uint32_t *order, size_t at,
                          size_t end, const struct value *wanted, bool above)
{
    struct bisection search = {at, end};
    while (bisect(&search)) {
        struct value value = value_at(table, column, row_at(table, order, search.middle));
        int comparison = rows_compare(&value, wanted);
        bisect_past(&search, comparison < 0 || (above && comparison == 0));
    }
    return search.first;
}

/* Converts the wanted value to the column's kind; false if it cannot narrow the search. */
static bool wanted_value(const struct virtual_table *table, int column, sqlite3_value *given,
                         struct value *wanted)
{
    const struct table_column *described = table->columns[column];
    bool is_text = described && (described->type == COLUMN_TEXT || described->type == COLUMN_ENUM);
    int type = sqlite3_value_type(given);
    if (type == SQLITE_INTEGER && !is_text)
        *wanted = (struct value){.kind = VALUE_INTEGER, .integer = sqlite3_value_int64(given)};
    else if (type == SQLITE_TEXT && is_text)
        *wanted = (struct value){.kind = VALUE_TEXT,
                                 .bytes = sqlite3_value_text(given),
                                 .size = (size_t)sqlite3_value_bytes(given)};
    else
        return false;
    return wanted->kind == VALUE_INTEGER || wanted->bytes;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int count, sqlite3_value **values)
{
    (void)unused;
    struct table_cursor *cursor = (struct table_cursor *)base;
    struct virtual_table *table = (struct virtual_table *)base->pVtab;
    cursor->at = 0;
    cursor->end = rows_count(table->table, table->model);
    cursor->order = NULL;
    if (plan == NO_SEARCH)
        return SQLITE_OK;
    int column = plan >> OP_BITS, argument = 0;
    cursor->order = order_of(table, column);
    for (unsigned bit = 0; bit < OP_BITS && argument < count; bit++) {
        unsigned op = 1u << bit;
        if (!((unsigned)plan & op))
            continue;
        sqlite3_value *given = values[argument++];
        struct value wanted;
        if (sqlite3_value_type(given) == SQLITE_NULL)
            cursor->end = cursor->at; /* nothing compares with NULL */
        if (!wanted_value(table, column, given, &wanted))
            continue;
        if (op & (OP_EQUAL | OP_ABOVE | OP_FROM))
            cursor->at =
                first_place(table, column, cursor->order, cursor->at, cursor->end, &wanted, op == OP_ABOVE);
        if (op & (OP_EQUAL | OP_BELOW | OP_TO))
            cursor->end =
                first_place(table, column, cursor->order, cursor->at, cursor->end, &wanted, op != OP_BELOW);
    }
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((struct table_cursor *)base)->at++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
    const struct table_cursor *cursor = (const struct table_cursor *)base;
    return cursor->at >= cursor->end;
}

static void bind_value(sqlite3_stmt *statement, int place, const struct value *value)
{
    if (value->kind == VALUE_INTEGER)
        sqlite3_bind_int64(statement, place, value->integer);
    else if (value->kind == VALUE_REAL)
        sqlite3_bind_double(statement, place, value->real);
    else if (value->kind == VALUE_TEXT)
        sqlite3_bind_text64(statement, place, value->bytes, value->size, SQLITE_STATIC, SQLITE_UTF8);
    else if (value->kind == VALUE_BLOB)
        sqlite3_bind_blob64(statement, place, value->bytes, value->size, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, place);
}

static int computed_value(const struct virtual_table *table, sqlite3_context *context, int column, size_t row)
{
    const struct computed *computed = &table->computed[column];
    for (unsigned i = 0; i < computed->parameter_count; i++) {
        struct value value = {.kind = VALUE_INTEGER, .integer = (int64_t)row};
        if (computed->parameters[i])
            value = rows_value(table->model, computed->parameters[i], record_of(table, row));
        bind_value(computed->statement, (int)i + 1, &value);
    }
    if (sqlite3_step(computed->statement) == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(computed->statement, 0));
    return sqlite3_reset(computed->statement);
}

static int column_value(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    const struct table_cursor *cursor = (const struct table_cursor *)base;
    const struct virtual_table *table = (const struct virtual_table *)base->pVtab;
    size_t row = row_at(table, cursor->order, cursor->at);
    if (table->computed[column].statement)
        return computed_value(table, context, column, row);
    struct value value = value_at(table, column, row);
    if (value.kind == VALUE_INTEGER)
        sqlite3_result_int64(context, value.integer);
    else if (value.kind == VALUE_REAL)
        sqlite3_result_double(context, value.real);
    else if (value.kind == VALUE_TEXT)
        sqlite3_result_text64(context, value.bytes, value.size, SQLITE_STATIC, SQLITE_UTF8);
    else if (value.kind == VALUE_BLOB)
        sqlite3_result_blob64(context, value.bytes, value.size, SQLITE_STATIC);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *result)
{
    const struct table_cursor *cursor = (const struct table_cursor *)base;
    const struct virtual_table *table = (const struct virtual_table *)base->pVtab;
    *result = (sqlite3_int64)row_at(table, cursor->order, cursor->at);
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 0,
    .xCreate = connect,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_at_end,
    .xColumn = column_value,
    .xRowid = rowid,
};

bool virtual_create(sqlite3 *connection, const struct model *model, struct error *error)
{
    bool made = !sqlite3_create_module(connection, "model", &module, (void *)model) &&
                virtual_schema_write(connection);
    return made || error_set(error, NULL, "cannot create the tables: %s", sqlite3_errmsg(connection));
}
