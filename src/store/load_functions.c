/* Rows of a few functions, put where a whole load would have put them.

   What belongs to a function has ids or keys in one range: its blocks, hence its edges and instructions; its
   loops, hence their blocks and paths. Source lines and encodings follow from the instructions. Tables
   without ids are sorted by their first key, so functions are taken in their order. The same checks as in
   load.c make these rows safe. */
#include "store/loading.h"

#include "store/problem.h"
#include "store/queries.h"
#include "store/schema.h"

#include <stdlib.h>
#include <string.h>

const char *const store_function_tables[] = {"code",         "encodings",     "operands", "register_uses",
                                             "edges",        "loop_blocks",   "paths",    "path_blocks",
                                             "source_lines", "inlined_calls", NULL};

struct filling {
    struct loading loading;
    const struct table_description *table;
    sqlite3_stmt *rows; /* of a range: between ?1 and ?2 */
    uint32_t number;    /* of the encoding that rows are about, in place of its id; 0: ids stay */
};

/* The column, NULL for the id, is the one that the ranges are of. */
static bool begin(struct filling *filling, const struct loading *loading, const char *table,
                  const char *column)
{
    struct schema_text condition = {0};
    *filling = (struct filling){.loading = *loading, .table = table_named(table)};
    schema_add_name(&condition, column ? column : "id");
    schema_add(&condition, " between ?1 and ?2");
    filling->rows = loading_select(&filling->loading, filling->table, condition.data);
    free(condition.data);
    return filling->rows;
}

static void *place_of(struct filling *filling, struct array *records, size_t *row)
{
    if (filling->table->key) {
        *row = records->count;
        return records->count < UINT32_MAX - 1 ? array_add(records) : NULL;
    }
    int64_t id = filling->number ? filling->number : sqlite3_column_int64(filling->rows, 0);
    *row = (size_t)id;
    return id > 0 && (uint64_t)id < records->count ? array_at(records, (size_t)id) : NULL;
}

static void renumber(const struct filling *filling, void *record)
{
    for (unsigned i = 0; filling->number && i < filling->table->column_count; i++)
        if (!strcmp(filling->table->columns[i].name, "encoding"))
            memcpy((char *)record + filling->table->columns[i].offset, &filling->number,
                   sizeof filling->number);
}

static bool fill(struct filling *filling, uint64_t first, uint64_t last)
{
    struct loading *loading = &filling->loading;
    struct array *records = (struct array *)((char *)loading->model + filling->table->in_model);
    bool good = true;
    int state = SQLITE_DONE;
    sqlite3_bind_int64(filling->rows, 1, (int64_t)first);
    sqlite3_bind_int64(filling->rows, 2, (int64_t)last);
    while (good && (state = sqlite3_step(filling->rows)) == SQLITE_ROW) {
        size_t row;
        void *record = place_of(filling, records, &row);
        if (!record)
            good = loading_damaged(loading, filling->table, "its ids do not count from 1");
        else {
            good = loading_take(loading, filling->table, filling->rows, record);
            renumber(filling, record);
            good = good && loading_check_references(loading, filling->table, row, row + 1);
        }
    }
    if (good && state != SQLITE_DONE)
        good = error_set(loading->error, NULL, "%s", store_problem(loading->connection));
    sqlite3_reset(filling->rows);
    return good;
}

static void end(struct filling *filling)
{
    sqlite3_finalize(filling->rows);
}

/* The range of a function in one of the tables; false: it has none. */
typedef bool range_of(const struct model *model, uint32_t function, uint64_t *first, uint64_t *last);

static bool blocks_of(const struct model *model, uint32_t id, uint64_t *first, uint64_t *last)
{
    const struct function *function = model_function(model, id);
    *first = function->first_block;
    *last = *first + function->block_count - 1;
    return function->block_count;
}

static bool instructions_of(const struct model *model, uint32_t id, uint64_t *first, uint64_t *last)
{
    if (!blocks_of(model, id, first, last))
        return false;
    const struct block *block = model_block(model, (uint32_t)*last);
    *first = model_block(model, (uint32_t)*first)->first_instruction;
    *last = (uint64_t)block->first_instruction + block->instruction_count - 1;
    return *first && *last >= *first;
}

static bool loops_of(const struct model *model, uint32_t id, uint64_t *first, uint64_t *last)
{
    size_t offset = offsetof(struct loop, function);
    *first = array_first_not_below(&model->loops, 1, offset, id);
    *last = array_first_not_below(&model->loops, (size_t)*first, offset, id + 1) - 1;
    return *last >= *first;
}

static bool itself(const struct model *model, uint32_t id, uint64_t *first, uint64_t *last)
{
    (void)model;
    *first = *last = id;
    return true;
}

/* Source lines are in the order of addresses, so those of a function lie close together. */
static bool lines_of(const struct model *model, uint32_t id, uint64_t *first, uint64_t *last)
{
    uint64_t from, to;
    *first = UINT32_MAX;
    *last = 0;
    if (!instructions_of(model, id, &from, &to))
        return false;
    for (uint64_t i = from; i <= to && i < model->code.count; i++) {
        uint32_t line = model_instruction(model, (uint32_t)i)->source_line;
        *first = line && line < *first ? line : *first;
        *last = line > *last ? line : *last;
    }
    return *last;
}

static bool fill_functions(const struct loading *loading, const uint8_t *wanted, const char *table,
                           const char *column, range_of *range)
{
    const struct model *model = loading->model;
    struct filling filling;
    bool good = begin(&filling, loading, table, column);
    for (uint32_t id = 1; good && id < model->functions.count; id++) {
        uint64_t first, last;
        if (wanted[id] && range(model, id, &first, &last))
            good = fill(&filling, first, last);
    }
    end(&filling);
    return good;
}

static void mark_used(const struct model *model, const uint8_t *wanted, uint8_t *used)
{
    uint64_t first, last;
    for (uint32_t id = 1; id < model->functions.count; id++) {
        if (!wanted[id] || !instructions_of(model, id, &first, &last))
            continue;
        for (uint64_t i = first; i <= last && i < model->code.count; i++)
            used[model_instruction(model, (uint32_t)i)->encoding] = 1;
    }
}

static bool mark_kinds(const struct loading *loading, uint8_t *used)
{
    sqlite3_stmt *rows = NULL;
    int state = sqlite3_prepare_v2(loading->connection, query_named(store_queries, "kinds_of_encodings"), -1,
                                   &rows, NULL);
    while (state == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(rows, 0);
        if (id > 0 && (uint64_t)id < loading->model->encodings.count)
            used[id] = 1;
    }
    sqlite3_finalize(rows);
    return state == SQLITE_OK || error_set(loading->error, NULL, "%s", store_problem(loading->connection));
}

/* numbers: those that encodings get, by id; NULL: they keep their ids. */
static bool fill_encodings(const struct loading *loading, const uint8_t *used, const uint32_t *numbers,
                           const char *table, const char *column)
{
    struct filling filling;
    bool good = begin(&filling, loading, table, column);
    size_t count = loading->model->encodings.count;
    for (uint32_t id = 1; good && id < count; id++) {
        if (!used[id])
            continue;
        filling.number = numbers ? numbers[id] : 0;
        good = fill(&filling, id, id);
    }
    end(&filling);
    return good;
}

static bool fill_code(const struct loading *loading, const uint8_t *wanted)
{
    return fill_functions(loading, wanted, "code", NULL, instructions_of) &&
           fill_functions(loading, wanted, "inlined_calls", "function", itself) &&
           fill_functions(loading, wanted, "source_lines", NULL, lines_of) &&
           fill_functions(loading, wanted, "edges", "source", blocks_of) &&
           fill_functions(loading, wanted, "loop_blocks", "loop", loops_of) &&
           fill_functions(loading, wanted, "paths", "loop", loops_of) &&
           fill_functions(loading, wanted, "path_blocks", "loop", loops_of);
}

static bool fill_instructions(const struct loading *loading, const uint8_t *used, const uint32_t *numbers)
{
    return fill_encodings(loading, used, numbers, "encodings", NULL) &&
           fill_encodings(loading, used, numbers, "operands", "encoding") &&
           fill_encodings(loading, used, numbers, "register_uses", "encoding");
}

static bool check_functions(struct loading *loading, const uint8_t *wanted)
{
    bool good = true;
    for (uint32_t id = 1; good && id < loading->model->functions.count; id++)
        good = !wanted[id] || loading_check_function(loading, id);
    return good;
}

bool store_load_functions(struct store *store, struct model *model, const uint8_t *wanted,
                          struct error *error)
{
    struct loading loading = {.connection = store_connection(store), .model = model, .error = error};
    uint8_t *used = memory_get(model->encodings.count + 1);
    bool good = fill_code(&loading, wanted);
    if (good)
        mark_used(model, wanted, used);
    good = good && mark_kinds(&loading, used) && fill_instructions(&loading, used, NULL) &&
           check_functions(&loading, wanted);
    free(used);
    return good;
}

const char *const store_visit_tables[] = {"blocks",      "calls",         "code",         "encodings",
                                          "operands",    "register_uses", "edges",        "paths",
                                          "path_blocks", "loop_blocks",   "source_lines", "inlined_calls",
                                          NULL};

bool store_load_kinds(struct store *store, struct model *model, struct error *error)
{
    struct loading loading = {.connection = store_connection(store), .model = model, .error = error};
    uint8_t *used = memory_get(model->encodings.count + 1);
    bool good = mark_kinds(&loading, used) && fill_encodings(&loading, used, NULL, "encodings", NULL);
    free(used);
    return good;
}

static bool check_blocks(struct loading *loading, const uint8_t *wanted)
{
    uint64_t first, last;
    for (uint32_t id = 1; id < loading->model->functions.count; id++)
        if (wanted[id] && blocks_of(loading->model, id, &first, &last) &&
            !loading_check_blocks(loading, (uint32_t)first, (uint32_t)last + 1))
            return false;
    return true;
}

/* The encodings that were marked, from 1 on; how many. */
static uint32_t number_encodings(struct model *model, const uint8_t *wanted, const uint8_t *used,
                                 uint32_t *numbers)
{
    uint32_t count = 0;
    uint64_t first, last;
    for (uint32_t id = 1; id < model->encodings.count; id++)
        numbers[id] = used[id] ? ++count : 0;
    for (uint32_t id = 1; id < model->functions.count; id++)
        if (wanted[id] && instructions_of(model, id, &first, &last))
            for (uint64_t i = first; i <= last && i < model->code.count; i++) {
                struct instruction *row = model_instruction(model, (uint32_t)i);
                row->encoding = numbers[row->encoding];
            }
    return count;
}

static bool visit(struct loading *loading, const uint8_t *known, const uint8_t *wanted)
{
    struct model *model = loading->model;
    bool good = true;
    for (const char *const *name = store_visit_tables; good && *name; name++) {
        const struct table_description *table = table_named(*name);
        if (table->key)
            ((struct array *)((char *)model + table->in_model))->count = 0;
        good = loading_reserve(loading, table);
    }
    if (!good || !fill_functions(loading, known, "blocks", NULL, blocks_of) ||
        !check_blocks(loading, known) || !fill_functions(loading, known, "calls", "caller", itself) ||
        !fill_code(loading, wanted))
        return false;
    size_t count = model->encodings.count;
    uint8_t *used = memory_get(count + 1);
    uint32_t *numbers = memory_get((count + 1) * sizeof *numbers);
    mark_used(model, wanted, used);
    uint32_t kept = number_encodings(model, wanted, used, numbers);
    good = fill_instructions(loading, used, numbers);
    model->encodings.count = kept + 1;
    free(used);
    free(numbers);
    return good && check_functions(loading, wanted);
}

/* In one transaction: many small queries would each lock the file. */
bool store_visit_functions(struct store *store, struct model *model, const uint8_t *wanted,
                           struct error *error)
{
    struct loading loading = {.connection = store_connection(store), .model = model, .error = error};
    uint8_t *code = memory_get(model->functions.count + 1);
    for (uint32_t id = 1; id < model->functions.count; id++)
        code[id] = wanted[id] == visit_CODE;
    sqlite3_exec(loading.connection, "begin", NULL, NULL, NULL);
    bool good = visit(&loading, wanted, code);
    sqlite3_exec(loading.connection, "rollback", NULL, NULL, NULL);
    free(code);
    return good;
}
