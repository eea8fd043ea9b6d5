#include "ui/pages/function.h"

#include "report/common/html.h"
#include "store/problem.h"
#include "ui/cells.h"

enum { MOST_NAMED = 20 };

static bool print_list(const struct ui_request *request, FILE *out, const char *title, const char *none,
                       const char *sql, int64_t function, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, sql, error);
    int state;
    uint64_t count = 0;
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, function);
    fprintf(out, "<section>\n<h2>%s</h2>\n<ul class=\"plain calls\">\n", title);
    for (; (state = sqlite3_step(row)) == SQLITE_ROW; count++) {
        int64_t sites = sqlite3_column_int64(row, 2);
        if (count >= MOST_NAMED)
            continue;
        fputs("<li class=\"row\">", out);
        ui_print_function(request, out, sqlite3_column_int64(row, 0), ui_column(row, 1));
        if (sites > 1) {
            fputs(" <span class=\"dim\">", out);
            html_counted(out, (uint64_t)sites, "call", "calls");
            fputs("</span>", out);
        }
        fputs("</li>\n", out);
    }
    if (count > MOST_NAMED) {
        fputs("<li class=\"dim\">and ", out);
        html_counted(out, count - MOST_NAMED, "other", "others");
        fputs("</li>\n", out);
    }
    fprintf(out, "%s</ul>\n</section>\n", count ? "" : none);
    sqlite3_finalize(row);
    return state == SQLITE_DONE ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

bool function_calls(const struct ui_request *request, FILE *out, int64_t function, struct error *error)
{
    fputs("<div class=\"facts-below\">\n", out);
    bool done =
        print_list(request, out, "Called by", "<li>No direct call is known.</li>\n",
                   "select f.id, f.name, count(*) from calls c join functions f on f.id = c.caller where "
                   "c.callee = ?1 group by 1 order by 3 desc, 1",
                   function, error) &&
        print_list(request, out, "Calls", "<li>Nothing.</li>\n",
                   "select f.id, f.name, count(*) from calls c join functions f on f.id = c.callee where "
                   "c.caller = ?1 group by 1 order by 3 desc, 1",
                   function, error);
    fputs("</div>\n", out);
    return done;
}
