#include "cli/choose.h"
#include "cli/queries.h"

#include "model/names.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_id(struct array *ids, int64_t id)
{
    *(int64_t *)array_add(ids) = id;
}

/* Functions with exactly this name, found by index. */
static bool find_exact(sqlite3 *connection, const char *name, struct array *ids, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "functions_named"), -1, &rows, NULL) !=
        SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    sqlite3_bind_text(rows, 1, name, -1, SQLITE_STATIC);
    int state;
    while ((state = report_step(rows, error)) == 1)
        add_id(ids, sqlite3_column_int64(rows, 0));
    sqlite3_finalize(rows);
    return state == 0;
}

static bool search_all(sqlite3 *connection, struct name_search *search, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(connection, query_named(cli_queries, "function_names"), -1, &rows, NULL) !=
        SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    int state;
    while ((state = report_step(rows, error)) == 1) {
        const char *name = (const char *)sqlite3_column_text(rows, 1);
        if (name)
            name_search_offer(search, sqlite3_column_int64(rows, 0), name);
    }
    sqlite3_finalize(rows);
    return state == 0;
}

enum choice choose_functions(sqlite3 *connection, const struct invocation *invocation, struct array *ids,
                             struct error *error)
{
    const char *wanted = options_value(invocation, OPTION_FUNCTION);
    if (!wanted)
        return choice_NONE;
    if (!find_exact(connection, wanted, ids, error))
        return choice_BROKEN;
    if (ids->count)
        return choice_FOUND;
    struct name_search search;
    name_search_begin(&search, wanted);
    enum choice choice = choice_BROKEN;
    if (search_all(connection, &search, error)) {
        const struct array *found = name_search_found(&search);
        for (size_t i = 0; i < found->count; i++)
            add_id(ids, *ARRAY_AT(int64_t, found, i));
        choice = found->count ? choice_FOUND : choice_MISSING;
        if (!found->count)
            name_search_fail(&search, NULL, error);
    }
    name_search_end(&search);
    return choice;
}

enum choice choose_row(sqlite3 *connection, const struct invocation *invocation, enum option_id option,
                       const char *table, int64_t *id, struct error *error)
{
    *id = 0;
    if (!options_value(invocation, option))
        return choice_NONE;
    if (!options_number(invocation, option, 0, id, error))
        return choice_BROKEN;
    /* Of any table: it cannot stand in a file. */
    autofree char *query = memory_format("select 1 from %s where id = ?1", table);
    sqlite3_stmt *row = NULL;
    int state = sqlite3_prepare_v2(connection, query, -1, &row, NULL) == SQLITE_OK ? 0 : -1;
    if (!state) {
        sqlite3_bind_int64(row, 1, *id);
        state = report_step(row, error);
    } else {
        error_set(error, NULL, "%s", store_problem(connection));
    }
    sqlite3_finalize(row);
    if (state == 0)
        error_set(error, NULL, "no %s has id %lld", option_described(option)->name, (long long)*id);
    return state < 0 ? choice_BROKEN : state ? choice_FOUND : choice_MISSING;
}

static enum choice choose_one_function(sqlite3 *connection, const struct invocation *invocation, int64_t *id,
                                       struct error *error)
{
    struct array ids = ARRAY_OF(int64_t);
    enum choice choice = choose_functions(connection, invocation, &ids, error);
    if (choice == choice_FOUND)
        *id = *ARRAY_AT(int64_t, &ids, 0);
    if (ids.count > 1) {
        error_set(error, NULL, "%zu functions match %s; name one (assay functions lists them)", ids.count,
                  options_value(invocation, OPTION_FUNCTION));
        choice = choice_BROKEN;
    }
    array_free(&ids);
    return choice;
}

enum choice choose_macros(sqlite3 *connection, const struct invocation *invocation,
                          struct store_choice *choice, struct error *error)
{
    *choice = (struct store_choice){0};
    enum choice results[] = {
        choose_one_function(connection, invocation, &choice->function, error),
        choose_row(connection, invocation, OPTION_LOOP, "loops", &choice->loop, error),
        choose_row(connection, invocation, OPTION_BLOCK, "blocks", &choice->block, error),
        choose_row(connection, invocation, OPTION_PROGRAM, "programs", &choice->program, error),
    };
    enum choice worst = choice_NONE;
    for (unsigned i = 0; i < sizeof results / sizeof results[0]; i++)
        if (results[i] > worst)
            worst = results[i];
    return worst;
}

char *choose_json(const struct array *ids)
{
    struct array text = ARRAY_OF(char);
    *(char *)array_add(&text) = '[';
    for (size_t i = 0; i < ids->count; i++) {
        char number[32];
        int length =
            snprintf(number, sizeof number, "%s%lld", i ? "," : "", (long long)*ARRAY_AT(int64_t, ids, i));
        memcpy(array_add_many(&text, (size_t)length), number, (size_t)length);
    }
    memcpy(array_add_many(&text, 2), "]", 2);
    return text.data;
}

bool choose_level(const struct invocation *invocation, enum advice_level *level, struct error *error)
{
    const char *word = options_value(invocation, OPTION_LEVEL);
    *level = advice_level_POTENTIAL;
    for (unsigned i = 0; word && i < advice_level_COUNT; i++) {
        if (strcmp(word, advice_level_word(i)))
            continue;
        *level = (enum advice_level)i;
        return true;
    }
    return !word || error_set(error, NULL, "--level takes gain, potential, hint or expert, not '%s'", word);
}
