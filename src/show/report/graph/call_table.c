#include "show/report/graph/call_view.h"

#include "show/report/common/rows.h"
#include "store/problem.h"
#include "show/report/graph/queries.h"

#include <stdlib.h>

enum { KIND_TAIL = 3 };

static int compare_pairs(const void *left, const void *right)
{
    const struct call_pair *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Sorts the calls of one caller, which stand at the end, and joins those of the same callee. */
static void join(struct array *pairs, size_t first)
{
    if (pairs->count - first < 2)
        return;
    qsort(ARRAY_AT(struct call_pair, pairs, first), pairs->count - first, pairs->width, compare_pairs);
    size_t kept = first;
    for (size_t i = first + 1; i < pairs->count; i++) {
        struct call_pair *last = ARRAY_AT(struct call_pair, pairs, kept);
        const struct call_pair *it = ARRAY_AT(struct call_pair, pairs, i);
        if (last->callee == it->callee) {
            last->sites += it->sites;
            last->tails += it->tails;
        } else {
            *ARRAY_AT(struct call_pair, pairs, ++kept) = *it;
        }
    }
    pairs->count = kept + 1;
}

static void index_pairs(struct call_table *table)
{
    size_t size = (size_t)table->highest + 3;
    table->caller_starts = memory_get(size * sizeof *table->caller_starts);
    table->callee_starts = memory_get(size * sizeof *table->callee_starts);
    table->by_callee = memory_get(((size_t)table->pair_count + 1) * sizeof *table->by_callee);
    for (uint32_t i = 0; i < table->pair_count; i++) {
        table->caller_starts[table->pairs[i].caller + 1]++;
        table->callee_starts[table->pairs[i].callee + 2]++;
    }
    for (size_t i = 1; i < size; i++) {
        table->caller_starts[i] += table->caller_starts[i - 1];
        table->callee_starts[i] += table->callee_starts[i - 1];
    }
    for (uint32_t i = 0; i < table->pair_count; i++)
        table->by_callee[table->callee_starts[table->pairs[i].callee + 1]++] = i;
}

struct call_table *call_table_read(sqlite3 *connection, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    int64_t highest = 0;
    if (sqlite3_prepare_v2(connection, query_named(graph_queries, "find_highest"), -1, &rows, NULL) ==
            SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW)
        highest = sqlite3_column_int64(rows, 0) == sqlite3_column_int64(rows, 1)
                      ? sqlite3_column_int64(rows, 0)
                      : -1;
    sqlite3_finalize(rows);
    if (highest < 0 || highest > INT32_MAX) {
        error_set(error, NULL, "the database is damaged: functions are not numbered in order");
        return NULL;
    }
    if (sqlite3_prepare_v2(connection, query_named(graph_queries, "call_table_read"), -1, &rows, NULL) !=
        SQLITE_OK) {
        error_set(error, NULL, "%s", store_problem(connection));
        return NULL;
    }
    struct array pairs = ARRAY_OF(struct call_pair);
    size_t first = 0;
    int state;
    while ((state = report_step(rows, error)) == 1) {
        int64_t caller = sqlite3_column_int64(rows, 0), callee = sqlite3_column_int64(rows, 1);
        if (caller < 1 || caller > highest || callee < 0 || callee > highest)
            continue;
        if (pairs.count && ARRAY_AT(struct call_pair, &pairs, pairs.count - 1)->caller != (uint32_t)caller) {
            join(&pairs, first);
            first = pairs.count;
        }
        *(struct call_pair *)array_push(&pairs) = (struct call_pair){
            (uint32_t)caller, (uint32_t)callee, 1, sqlite3_column_int(rows, 2) == KIND_TAIL};
    }
    sqlite3_finalize(rows);
    join(&pairs, first);
    struct call_table *table = memory_get(sizeof *table);
    *table = (struct call_table){
        .highest = (uint32_t)highest, .pairs = pairs.data, .pair_count = (uint32_t)pairs.count};
    if (state == 0) {
        index_pairs(table);
        return table;
    }
    call_table_free(table);
    return NULL;
}

void call_table_free(struct call_table *table)
{
    if (!table)
        return;
    free(table->pairs);
    free(table->by_callee);
    free(table->caller_starts);
    free(table->callee_starts);
    free(table);
}
