#include "show/ui/list.h"

#include "show/report/common/html.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/names.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 100 };

struct query {
    FILE *out;
    const char *name, *value;
    bool has_begun;
};

static void print_parameter(struct query *query, const char *name, const char *value)
{
    fputs(query->has_begun ? "&amp;" : "?", query->out);
    ui_print_encoded(query->out, name);
    fputs("=", query->out);
    ui_print_encoded(query->out, value);
    query->has_begun = true;
}

static void take_parameter(void *context, const char *name, const char *value)
{
    struct query *query = context;
    if (strcmp(name, query->name) && strcmp(name, "page") && *value &&
        (strcmp(name, "order") || strcmp(query->name, "sort")))
        print_parameter(query, name, value);
}

/* `?sort=size&page=2`: the parameters of this address, with one of them changed (value NULL: without it). A
   change of anything but the page goes to the first page. */
static void ui_print_query(const struct ui_request *request, FILE *out, const char *name, const char *value)
{
    struct query query = {.out = out, .name = name, .value = value};
    ui_each_parameter(request, take_parameter, &query);
    if (value)
        print_parameter(&query, name, value);
    else if (!query.has_begun)
        fputs("?", out);
}

void ui_print_filter(const struct ui_request *request, FILE *out, const char *label)
{
    fprintf(out, "<label>%s <input type=\"search\" name=\"name\" value=\"", label);
    html_format(out, "%s\"></label>\n", ui_parameter(request, "name"));
}

/* ---- filter ---- */

struct filter {
    uint8_t *fits; /* by id of the function */
    size_t count;
};

static void free_filter(void *memory)
{
    autofree struct filter *filter = memory;
    free(filter->fits);
}

static void sql_fits(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct filter *filter = sqlite3_user_data(context);
    sqlite3_int64 id = sqlite3_value_int64(values[0]);
    (void)count;
    sqlite3_result_int(context, id >= 0 && (size_t)id < filter->count && filter->fits[id]);
}

/* Adds the SQL function fits_name(function) if the address has a filter. */
static bool take_filter(struct ui_request *request, bool *is_filtered, struct error *error)
{
    const char *text = ui_parameter(request, "name");
    *is_filtered = text && *text;
    if (!*is_filtered)
        return true;
    struct array hits = ui_names_find(request->subject->names, text);
    struct filter *filter = memory_get(sizeof *filter);
    for (size_t i = 0; i < hits.count; i++)
        if (ARRAY_AT(struct ui_name_hit, &hits, i)->function >= filter->count)
            filter->count = (size_t)ARRAY_AT(struct ui_name_hit, &hits, i)->function + 1;
    filter->fits = memory_get(filter->count + 1);
    for (size_t i = 0; i < hits.count; i++)
        filter->fits[ARRAY_AT(struct ui_name_hit, &hits, i)->function] = 1;
    array_free(&hits);
    if (sqlite3_create_function_v2(request->connection, "fits_name", 1, SQLITE_UTF8, filter, sql_fits, NULL,
                                   NULL, free_filter) == SQLITE_OK)
        return true;
    return error_set(error, NULL, "cannot add an SQL function: %s", store_problem(request->connection));
}

/* ---- the table ---- */

struct order {
    const struct list_column *column;
    bool is_up;
};

static struct order order_of(const struct ui_request *request, const struct ui_list *list)
{
    const char *key = ui_parameter(request, "sort"), *order = ui_parameter(request, "order");
    struct order found = {NULL, false};
    for (unsigned pass = 0; pass < 2 && !found.column; pass++)
        for (unsigned i = 0; i < list->column_count; i++) {
            const char *wanted = pass || !key ? list->usual : key;
            if (list->columns[i].key && !strcmp(list->columns[i].key, wanted))
                found.column = &list->columns[i];
        }
    found.is_up = order && (!strcmp(order, "up") || !strcmp(order, "down")) ? !strcmp(order, "up")
                                                                            : !found.column->is_figure;
    return found;
}

static void print_heading(const struct ui_request *request, FILE *out, const struct list_column *column,
                          const struct order *order)
{
    bool is_sorted = order->column == column;
    fputs(column->is_figure ? "<th scope=\"col\" class=\"figure\"" : "<th scope=\"col\"", out);
    if (is_sorted)
        fprintf(out, " aria-sort=\"%s\"", order->is_up ? "ascending" : "descending");
    if (column->title)
        fprintf(out, " title=\"%s\"", column->title);
    fputs(">", out);
    if (column->key) {
        char address[200];
        snprintf(address, sizeof address, "%s", column->key);
        fputs("<a href=\"", out);
        ui_print_query(request, out, "sort", address);
        if (is_sorted)
            fprintf(out, "&amp;order=%s", order->is_up ? "down" : "up");
        fputs("\">", out);
    }
    fprintf(out, "%s%s</th>", column->word, column->key ? "</a>" : "");
}

static void print_pages(const struct ui_request *request, FILE *out, int64_t page, int64_t count)
{
    int64_t last = count ? (count + ROWS - 1) / ROWS : 1;
    char number[32];
    fputs("<nav class=\"pages\" aria-label=\"Pages of the table\"><span class=\"dim\">", out);
    if (count) {
        html_count(out, (uint64_t)((page - 1) * ROWS + 1));
        fputs("–", out);
        html_count(out, (uint64_t)(page * ROWS < count ? page * ROWS : count));
        fputs(" of ", out);
    }
    html_count(out, (uint64_t)count);
    fputs("</span>\n", out);
    if (page > 1) {
        snprintf(number, sizeof number, "%lld", (long long)page - 1);
        fputs("<a rel=\"prev\" href=\"", out);
        ui_print_query(request, out, "page", number);
        fputs("\">Page before</a>\n", out);
    }
    if (page < last) {
        snprintf(number, sizeof number, "%lld", (long long)page + 1);
        fputs("<a rel=\"next\" href=\"", out);
        ui_print_query(request, out, "page", number);
        fputs("\">Next page</a>\n", out);
    }
    fputs("</nav>\n", out);
}

static bool print_rows(struct ui_request *request, FILE *out, const struct ui_list *list,
                       const struct order *order, const char *condition, int64_t page, struct error *error)
{
    const char *join = order->column->join ? order->column->join : "", *by = order->column->order;
    const char *direction = order->is_up ? "asc" : "desc";
    autofree char *sql = memory_format(
        "%s from (select %s as chosen from %s%s where %s and %s order by %s %s nulls "
        "last, %s limit %d offset "
        "%lld) join %s on %s = chosen%s order by %s %s nulls last, %s",
        list->select, list->id, list->rows, join, list->condition, condition, by, direction, list->last, ROWS,
        (long long)(page - 1) * ROWS, list->rows, list->id, list->join, by, direction, list->last);
    sqlite3_stmt *statement = ui_ask(request, sql, error);
    int state = SQLITE_ERROR;
    fprintf(out,
            "<div class=\"wide\"><table class=\"rows\">\n<caption class=\"unseen\">%s</caption>\n<thead><tr>",
            list->caption);
    for (unsigned i = 0; i < list->column_count; i++)
        print_heading(request, out, &list->columns[i], order);
    fputs("</tr></thead>\n<tbody>\n", out);
    while (statement && (state = sqlite3_step(statement)) == SQLITE_ROW) {
        fputs("<tr>", out);
        list->print_row(request, out, statement, list->context);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (statement && state != SQLITE_DONE)
        error_set(error, request->subject->path, "%s", store_problem(request->connection));
    sqlite3_finalize(statement);
    return state == SQLITE_DONE;
}

bool ui_print_list(struct ui_request *request, struct ui_answer *answer, const struct ui_list *list,
                   struct error *error)
{
    bool is_filtered;
    if (!take_filter(request, &is_filtered, error))
        return false;
    autofree char *condition =
        is_filtered ? memory_format("fits_name(%s)", list->function) : memory_format("1");
    autofree char *sql =
        memory_format("select count(*) from %s where %s and %s", list->rows, list->condition, condition);
    int64_t count = is_filtered ? ui_ask_number(request, sql) : ui_recall_number(request, sql);
    int64_t page = ui_number(request, "page", 1);
    struct order order = order_of(request, list);
    int64_t last = (count + ROWS - 1) / ROWS;
    page = page < 1 ? 1 : page > last && last ? last : page;
    bool done = true;
    if (count)
        done = print_rows(request, answer->out, list, &order, condition, page, error);
    else
        fputs("<p class=\"lead\">Nothing fits.</p>\n", answer->out);
    print_pages(request, answer->out, page, count);
    if (is_filtered) /* the connection serves others, too */
        sqlite3_create_function_v2(request->connection, "fits_name", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL,
                                   NULL);
    return done;
}
