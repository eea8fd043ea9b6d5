/* assay analyses and assay analysis.  Directories are searched in this order: ASSAY_ANALYSES, the user's own,
   the installed ones, which are found from where the program lies: ../share/assay/analyses beside bin, or
   ../analyses beside a build directory. */
#include "store/analyses.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/printing.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_directory(struct array *directories, char *path)
{
    if (path)
        *(char **)array_add(directories) = path;
}

static void add_variable(struct array *directories)
{
    const char *list = getenv("ASSAY_ANALYSES");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length)
            add_directory(directories, memory_copy_text(list, length));
        list += length + (list[length] == ':');
    }
}

static void add_installed(struct array *directories)
{
    char place[4096];
    ssize_t length = readlink("/proc/self/exe", place, sizeof place - 1);
    if (length <= 0)
        return;
    place[length] = 0;
    char *slash = strrchr(place, '/');
    if (!slash)
        return;
    *slash = 0;
    add_directory(directories, memory_format("%s/../share/assay/analyses", place));
    add_directory(directories, memory_format("%s/../analyses", place));
}

static void find_analyses(struct array *list)
{
    struct array directories = ARRAY_OF(char *);
    add_variable(&directories);
    add_directory(&directories, analyses_user_directory());
    add_installed(&directories);
    *list = ARRAY_OF(struct analysis);
    analyses_find(list, directories.data, directories.count);
    for (size_t i = 0; i < directories.count; i++)
        free(*ARRAY_AT(char *, &directories, i));
    array_free(&directories);
}

static void add_column(sqlite3_stmt *statement, int column, const char *text)
{
    sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

/* The list goes through SQL so that it prints like every other table. */
static bool insert_rows(sqlite3 *connection, const struct array *list, const char *group, struct error *error)
{
    sqlite3_stmt *insert = NULL;
    if (sqlite3_exec(connection, "create table analyses(name, \"group\", does, parameters, title, path)",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(connection, "insert into analyses values (?1, ?2, ?3, ?4, ?5, ?6)", -1, &insert,
                           NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", sqlite3_errmsg(connection));
    for (size_t i = 0; i < list->count; i++) {
        const struct analysis *analysis = ARRAY_AT(struct analysis, list, i);
        if (group && (!analysis->group || strcmp(group, analysis->group)))
            continue;
        char *parameters = memory_format("%s", "");
        for (size_t k = 0; k < analysis->parameters.count; k++) {
            const struct analysis_parameter *it =
                ARRAY_AT(struct analysis_parameter, &analysis->parameters, k);
            char *longer = memory_format("%s%s%s=%s", parameters, k ? " " : "", it->name, it->initial);
            free(parameters);
            parameters = longer;
        }
        sqlite3_reset(insert);
        add_column(insert, 1, analysis->name);
        add_column(insert, 2, analysis->group);
        add_column(insert, 3, analysis->error.set ? analysis->error.text : analysis->does);
        add_column(insert, 4, parameters);
        add_column(insert, 5, analysis->title);
        add_column(insert, 6, analysis->path);
        sqlite3_step(insert);
        free(parameters);
    }
    sqlite3_finalize(insert);
    return true;
}

static bool print_list(struct session *session, const struct array *list, const char *group,
                       struct error *error)
{
    sqlite3 *connection = NULL;
    sqlite3_stmt *rows = NULL;
    struct printing printing = {.session = session};
    bool done =
        sqlite3_open(":memory:", &connection) == SQLITE_OK && insert_rows(connection, list, group, error);
    const char *query =
        session->style.format == report_TABLE
            ? "select name, \"group\", does, parameters from analyses order by \"group\", name"
            : "select name, title, \"group\", does, parameters, path from analyses order by name";
    if (done && sqlite3_prepare_v2(connection, query, -1, &rows, NULL) != SQLITE_OK)
        done = error_set(error, NULL, "%s", sqlite3_errmsg(connection));
    done = done && printing_rows(&printing, rows, error);
    sqlite3_finalize(rows);
    sqlite3_close(connection);
    return done;
}

int command_analyses(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct array list;
    find_analyses(&list);
    int code = 2;
    if (session_begin(&session, invocation, error) &&
        print_list(&session, &list, options_value(invocation, OPTION_GROUP), error))
        code = 0;
    analyses_free(&list);
    return session_end(&session, code, error);
}

/* --set name=value, as often as given.  names are to be freed. */
static bool read_values(const struct invocation *invocation, struct array *values, struct error *error)
{
    for (size_t i = 0; i < invocation->given.count; i++) {
        const struct given *given = ARRAY_AT(struct given, &invocation->given, i);
        if (given->id != OPTION_SET)
            continue;
        const char *equals = strchr(given->value, '=');
        if (!equals || equals == given->value)
            return error_set(error, NULL, "--set needs NAME=VALUE, not '%s'", given->value);
        struct analysis_value *value = array_add(values);
        value->name = memory_copy_text(given->value, (size_t)(equals - given->value));
        value->text = equals + 1;
    }
    return true;
}

static const struct analysis *find_named(const struct array *list, const char *name, struct error *error)
{
    const struct analysis *analysis = analyses_named(list, name);
    if (analysis)
        return analysis;
    struct nearest nearest = {.wanted = name};
    for (size_t i = 0; i < list->count; i++)
        nearest_offer(&nearest, ARRAY_AT(struct analysis, list, i)->name);
    if (nearest.best)
        error_set(error, NULL, "there is no analysis %s; did you mean %s?", name, nearest.best);
    else
        error_set(error, NULL, "there is no analysis %s (assay analyses lists them)", name);
    free(nearest.best);
    return NULL;
}

static int run_analysis(struct session *session, const struct analysis *analysis,
                        const struct invocation *invocation, struct error *error)
{
    struct store_choice choice;
    enum choice found = choose_macros(session->connection, invocation, &choice, error);
    if (found > choice_FOUND)
        return choice_exit(found);
    struct array values = ARRAY_OF(struct analysis_value);
    struct printing printing = {.session = session, .is_histogram = analysis->shows == SHOWS_HISTOGRAM};
    bool done = read_values(invocation, &values, error) &&
                analysis_run(session->store, analysis, &choice, values.data, values.count, printing_rows,
                             &printing, error);
    for (size_t i = 0; i < values.count; i++)
        free((char *)ARRAY_AT(struct analysis_value, &values, i)->name);
    array_free(&values);
    return done ? 0 : 2;
}

int command_analysis(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    struct array list;
    find_analyses(&list);
    const struct analysis *analysis = find_named(&list, options_operand(invocation, 0), error);
    int code = 2;
    if (analysis && session_open(&session, invocation, options_operand(invocation, 1), error)) {
        code = run_analysis(&session, analysis, invocation, error);
        if (code == 0)
            session_say_problems(&session);
    }
    analyses_free(&list);
    return session_end(&session, code, error);
}
