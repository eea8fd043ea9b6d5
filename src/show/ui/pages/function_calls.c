#include "show/ui/pages/function.h"

#include "show/report/common/html.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/names.h"
#include "show/ui/pages/queries.h"

enum { MOST_NAMED = 20 };

static void print_item(const struct ui_request *request, FILE *out, int64_t id, const char *name,
                       int64_t calls)
{
    fputs("<li class=\"row\">", out);
    ui_print_function(request, out, id, name);
    if (calls > 1) {
        fputs(" <span class=\"dim\">", out);
        html_counted(out, (uint64_t)calls, "call", "calls");
        fputs("</span>", out);
    }
    fputs("</li>\n", out);
}

static void end_list(FILE *out, uint64_t count, const char *none)
{
    if (count > MOST_NAMED) {
        fputs("<li class=\"dim\">and ", out);
        html_counted(out, count - MOST_NAMED, "other", "others");
        fputs("</li>\n", out);
    }
    fprintf(out, "%s</ul>\n</section>\n", count ? "" : none);
}

static bool print_callers(const struct ui_request *request, FILE *out, int64_t function, struct error *error)
{
    struct array callers = ui_names_callers(request->subject->names, (uint32_t)function);
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "function_name"), error);
    fputs("<section>\n<h2>Called by</h2>\n<ul class=\"plain calls\">\n", out);
    for (size_t i = 0; row && i < callers.count && i < MOST_NAMED; i++) {
        const struct ui_caller *it = ARRAY_AT(struct ui_caller, &callers, i);
        sqlite3_bind_int64(row, 1, it->caller);
        if (sqlite3_step(row) == SQLITE_ROW)
            print_item(request, out, it->caller, ui_column(row, 0), it->calls);
        sqlite3_reset(row);
    }
    end_list(out, callers.count, "<li>No direct call is known.</li>\n");
    sqlite3_finalize(row);
    array_free(&callers);
    return row;
}

static bool print_callees(const struct ui_request *request, FILE *out, int64_t function, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "print_callees"), error);
    int state;
    uint64_t count = 0;
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, function);
    fputs("<section>\n<h2>Calls</h2>\n<ul class=\"plain calls\">\n", out);
    for (; (state = sqlite3_step(row)) == SQLITE_ROW; count++)
        if (count < MOST_NAMED)
            print_item(request, out, sqlite3_column_int64(row, 0), ui_column(row, 1),
                       sqlite3_column_int64(row, 2));
    end_list(out, count, "<li>Nothing.</li>\n");
    sqlite3_finalize(row);
    return state == SQLITE_DONE ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

bool function_calls(const struct ui_request *request, FILE *out, int64_t function, struct error *error)
{
    fputs("<div class=\"facts-below\">\n", out);
    bool done = print_callers(request, out, function, error) && print_callees(request, out, function, error);
    fputs("</div>\n", out);
    return done;
}
