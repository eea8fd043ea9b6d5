/* assay loops, functions, …: one SQL query, built from the listing's columns and the given filters. Values
   from the command line are bound, never spliced; --sort takes only columns of the listing. */
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/listings.h"
#include "cli/session.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
};

static void add(struct text *text, const char *piece)
{
    char *longer = memory_format("%s%s", text->data ? text->data : "", piece);
    free(text->data);
    text->data = longer;
}

static void add_column(struct text *query, const char *expression, const char *name)
{
    autofree char *column = memory_format(
        "%s%s as \"%s\"", query->data[strlen(query->data) - 1] == ' ' ? "" : ", ", expression, name);
    add(query, column);
}

static void add_columns(struct text *query, const struct listing *listing, const struct report_style *style)
{
    bool for_people = style->format == report_TABLE;
    for (const struct listing_column *column = listing->columns; column->name; column++) {
        const char *expression = for_people ? column->text : column->data;
        if (!expression)
            continue;
        autofree char *plain =
            column->is_name && style->demangle ? memory_format("demangle(%s)", expression) : NULL;
        if (for_people) {
            add_column(query, plain ? plain : expression, column->name);
        } else {
            add_column(query, expression, column->name);
            autofree char *name = memory_format("%s_demangled", column->name);
            if (plain)
                add_column(query, plain, name);
        }
    }
}

static void add_filters(struct text *query, const struct listing *listing,
                        const struct invocation *invocation)
{
    const char *joint = " where ";
    if (listing->where) {
        add(query, joint);
        add(query, listing->where);
        joint = " and ";
    }
    for (const struct listing_filter *filter = listing->filters; filter->sql; filter++) {
        if (!options_has(invocation, filter->option))
            continue;
        add(query, joint);
        add(query, filter->sql);
        joint = " and ";
    }
}

static bool add_order(struct text *query, const struct listing *listing, const struct invocation *invocation,
                      struct error *error)
{
    const char *wanted = options_value(invocation, OPTION_SORT);
    add(query, " order by ");
    if (!wanted) {
        add(query, listing->order);
        return true;
    }
    bool falls = wanted[0] == '-';
    struct nearest nearest = {.wanted = wanted + falls};
    for (const struct listing_column *column = listing->columns; column->name; column++) {
        if (strcmp(column->name, wanted + falls)) {
            nearest_offer(&nearest, column->name);
            continue;
        }
        add(query, column->data ? column->data : column->text);
        add(query, falls ? " desc nulls last, " : " nulls last, ");
        add(query, listing->order);
        free(nearest.best);
        return true;
    }
    error_set(error, NULL, "%s has no column %s%s%s%s", listing->command, wanted + falls,
              nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
              nearest.best ? "?" : "");
    free(nearest.best);
    return false;
}

static void bind_text(sqlite3_stmt *statement, const char *name, const char *text, size_t length)
{
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index)
        sqlite3_bind_text(statement, index, text, (int)length, SQLITE_TRANSIENT);
}

static void bind_number(sqlite3_stmt *statement, const char *name, int64_t number)
{
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index)
        sqlite3_bind_int64(statement, index, number);
}

static bool bind_line(sqlite3_stmt *statement, const char *place, struct error *error)
{
    if (!place)
        return true;
    const char *colon = strrchr(place, ':');
    char *end = NULL;
    long line = colon ? strtol(colon + 1, &end, 10) : 0;
    if (colon && (end == colon + 1 || *end || line < 1))
        return error_set(error, NULL, "--line needs FILE or FILE:LINE, not '%s'", place);
    bind_text(statement, ":file", place, colon ? (size_t)(colon - place) : strlen(place));
    if (colon)
        bind_number(statement, ":line", line);
    return true;
}

static void bind_functions(sqlite3_stmt *statement, const struct array *ids)
{
    autofree char *list = choose_json(ids);
    bind_text(statement, ":function", list, strlen(list));
}

static bool bind_filters(sqlite3_stmt *statement, const struct invocation *invocation,
                         const struct array *functions, struct error *error)
{
    static const struct {
        enum option_id option;
        const char *parameter;
    } numbers[] = {{OPTION_LOOP, ":loop"}, {OPTION_PROGRAM, ":program"}, {OPTION_DEPTH, ":depth"}};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        int64_t number;
        if (!options_number(invocation, numbers[i].option, 0, &number, error))
            return false;
        bind_number(statement, numbers[i].parameter, number);
    }
    const char *section = options_value(invocation, OPTION_SECTION);
    if (section)
        bind_text(statement, ":section", section, strlen(section));
    bind_functions(statement, functions);
    return bind_line(statement, options_value(invocation, OPTION_LINE), error);
}

/* A row named by an option must exist: an empty list would look like a result. */
static enum choice check_rows(sqlite3 *connection, const struct invocation *invocation, struct error *error)
{
    int64_t id;
    enum choice loop = choose_row(connection, invocation, OPTION_LOOP, "loops", &id, error);
    enum choice program = choose_row(connection, invocation, OPTION_PROGRAM, "programs", &id, error);
    return loop > program ? loop : program;
}

static char *listing_query(const struct listing *listing, const struct invocation *invocation,
                           const struct report_style *style, struct error *error)
{
    struct text query = {0};
    int64_t limit;
    add(&query, "select ");
    add_columns(&query, listing, style);
    add(&query, " from ");
    add(&query, listing->from);
    add_filters(&query, listing, invocation);
    if (listing->group) {
        add(&query, " group by ");
        add(&query, listing->group);
    }
    if (!add_order(&query, listing, invocation, error) ||
        !options_number(invocation, OPTION_LIMIT, INT64_MAX, &limit, error)) {
        free(query.data);
        return NULL;
    }
    char *whole = memory_format("%s limit %lld", query.data, (long long)limit);
    free(query.data);
    return whole;
}

static int run_listing(struct session *session, const struct listing *listing,
                       const struct invocation *invocation, struct error *error)
{
    struct array functions = ARRAY_OF(int64_t);
    enum choice choice = choose_functions(session->connection, invocation, &functions, error);
    if (choice <= choice_FOUND)
        choice = check_rows(session->connection, invocation, error);
    int code = choice_exit(choice);
    session->style.short_names = true;
    char *query = choice <= choice_FOUND ? listing_query(listing, invocation, &session->style, error) : NULL;
    if (query) {
        sqlite3_stmt *statement = NULL;
        uint64_t count = 0;
        code = 2;
        if (sqlite3_prepare_v2(session->connection, query, -1, &statement, NULL) != SQLITE_OK)
            error_set(error, NULL, "%s", store_problem(session->connection));
        else if (bind_filters(statement, invocation, &functions, error) &&
                 report_rows(statement, &session->style, -1, session->out, &count, error))
            code = listing->finds && count ? 1 : 0;
        sqlite3_finalize(statement);
        free(query);
    }
    array_free(&functions);
    return code;
}

int command_list(const struct invocation *invocation, struct error *error)
{
    const struct listing *listing = listings;
    while (strcmp(listing->command, invocation->command->name))
        listing++;
    struct session session;
    int code = 2;
    if (session_open(&session, invocation, options_operand(invocation, 0), error)) {
        code = run_listing(&session, listing, invocation, error);
        if (code == 0)
            session_say_problems(&session);
    }
    return session_end(&session, code, error);
}
