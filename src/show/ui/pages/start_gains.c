#include "show/ui/pages/start.h"

#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/common/share.h"
#include "show/report/quality/html.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/pages/queries.h"

#include <math.h>
#include <string.h>

enum { FIRST_ACTIONS = 6 };

/* Columns of both queries about loops. */
enum { C_LOOP, C_FUNCTION, C_FILE, C_PATH, C_FIRST, C_LAST, C_ADDRESS, C_OWN };

static bool end_query(struct ui_request *request, sqlite3_stmt *statement, int state, struct error *error)
{
    sqlite3_finalize(statement);
    return state == SQLITE_DONE ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

static void print_where(struct ui_request *request, FILE *out, sqlite3_stmt *row)
{
    struct ui_place place = {.file = sqlite3_column_int64(row, C_FILE),
                             .path = ui_column(row, C_PATH),
                             .first_line = sqlite3_column_int64(row, C_FIRST),
                             .last_line = sqlite3_column_int64(row, C_LAST),
                             .address = sqlite3_column_int64(row, C_ADDRESS)};
    fputs("<td class=\"name\">", out);
    ui_print_loop(request, out, sqlite3_column_int64(row, C_LOOP), ui_column(row, C_FUNCTION));
    fputs("</td><td class=\"place\">", out);
    ui_print_place(request, out, &place);
    fputs("</td>", out);
}

/* ---- with the report ---- */

static void print_gain_row(struct ui_request *request, FILE *out, sqlite3_stmt *row, double most)
{
    double saving = sqlite3_column_double(row, C_OWN);
    fputs("<tr>", out);
    print_where(request, out, row);
    fputs("<td class=\"room\">", out);
    html_bar(out, "gain", most > 0 ? saving / most : 0);
    fprintf(out, "</td><td class=\"figure\">%s&nbsp;%%</td><td class=\"figure\">", share_words(saving).text);
    html_gain(out, sqlite3_column_double(row, C_OWN + 1), sqlite3_column_int(row, C_OWN + 2));
    fputs("</td>", out);
    ui_print_figure_cell(out, row, C_OWN + 3, 2);
    html_format(out, "<td>%s</td><td class=\"finding\">", ui_column(row, C_OWN + 4));
    html_prose(out, ui_column(row, C_OWN + 5) ? ui_column(row, C_OWN + 5) : "");
    fputs("</td></tr>\n", out);
}

static void print_machine_of_figures(struct ui_request *request, FILE *out)
{
    struct error ignored = {0};
    sqlite3_stmt *statement = ui_ask(request, query_named(page_queries, "machines_of_figures"), &ignored);
    bool is_first = true;
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        fputs(is_first ? " Cycles are those of an iteration on " : " or ", out);
        html_string(out, ui_column(statement, 0) ? ui_column(statement, 0) : ui_column(statement, 1));
        is_first = false;
    }
    fputs(is_first ? "" : ", with the data in the L1 cache.", out);
    sqlite3_finalize(statement);
}

static bool print_gains(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "most_to_gain"), error);
    double most = 0;
    int state = SQLITE_DONE;
    if (!row)
        return false;
    fputs("<section>\n<h2>The loops with the most to gain</h2>\n", out);
    for (bool is_first = true; (state = sqlite3_step(row)) == SQLITE_ROW; is_first = false) {
        if (is_first) {
            most = sqlite3_column_double(row, C_OWN);
            fputs(
                "<p class=\"note\">Shares are of the time in innermost loops, estimated from the structure; "
                "<code>assay run</code> measures it.",
                out);
            print_machine_of_figures(request, out);
            fputs(
                "</p>\n<div class=\"wide\"><table class=\"rows gains\">\n<thead><tr><th scope=\"col\">loop "
                "in</th><th scope=\"col\">place</th><td class=\"room\"></td><th scope=\"col\" "
                "class=\"figure\">saves</th><th scope=\"col\" class=\"figure\">faster</th><th scope=\"col\" "
                "class=\"figure\">cycles</th><th scope=\"col\">limit</th><th scope=\"col\">what is "
                "wrong</th></tr></thead>\n<tbody>\n",
                out);
        }
        print_gain_row(request, out, row, most);
    }
    fputs(most > 0 ? "</tbody></table></div>\n" : "<p class=\"lead\">No advice has a known gain.</p>\n", out);
    fprintf(out, "<p class=\"more\"><a href=\"/%u/loops\">All loops</a></p>\n</section>\n",
            request->subject->number);
    return end_query(request, row, state, error);
}

/* ---- without it ---- */

/* Why there are no cycles. */
static void print_state(const struct ui_request *request, FILE *out)
{
    const char *problem = request->subject->problem;
    if (request->subject->is_working)
        fputs("<p class=\"note working\" id=\"progress\">Cycles and advice are being computed "
              "<output></output> "
              "and will be here then.</p>\n",
              out);
    else if (problem) {
        html_format(out, "<p class=\"note\">Cycles and advice could not be computed: %s</p>\n", problem);
    } else
        fputs("<p class=\"note\">Cycles and advice are not in this database. <code>assay db --report</code> "
              "writes them into one.</p>\n",
              out);
}

static bool print_deepest(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "deepest"), error);
    int state, count = 0;
    if (!row)
        return false;
    fputs("<section>\n<h2>The innermost loops inside most others</h2>\n", out);
    print_state(request, out);
    for (; (state = sqlite3_step(row)) == SQLITE_ROW; count++) {
        if (!count)
            fputs("<div class=\"wide\"><table class=\"rows\">\n<thead><tr><th scope=\"col\">loop in</th><th "
                  "scope=\"col\">place</th><th scope=\"col\" class=\"figure\">depth</th><th scope=\"col\" "
                  "class=\"figure\">instructions</th><th scope=\"col\" "
                  "class=\"figure\">paths</th></tr></thead>\n<tbody>\n",
                  out);
        fputs("<tr>", out);
        print_where(request, out, row);
        for (int i = 0; i < 3; i++)
            ui_print_count_cell(out, row, C_OWN + i);
        fputs("</tr>\n", out);
    }
    fputs(count ? "</tbody></table></div>\n" : "<p class=\"lead\">This program has no loops.</p>\n", out);
    if (count)
        fprintf(out, "<p class=\"more\"><a href=\"/%u/loops\">All loops</a></p>\n", request->subject->number);
    fputs("</section>\n", out);
    return end_query(request, row, state, error);
}

bool start_gains(struct ui_request *request, FILE *out, struct error *error)
{
    return ui_ask_number(request, query_named(page_queries, "has_weights"))
               ? print_gains(request, out, error)
               : print_deepest(request, out, error);
}

/* ---- what would help many loops at once ---- */

static const char *action_words(const char *word)
{
    for (unsigned i = 0; word && i < action_COUNT; i++)
        if (!strcmp(action_word(i), word))
            return action_doc(i);
    return word ? word : "";
}

static void print_action(struct ui_request *request, FILE *out, sqlite3_stmt *row)
{
    bool has_gain = sqlite3_column_type(row, 3) != SQLITE_NULL;
    double saving = sqlite3_column_double(row, 4);
    const char *level = ui_column(row, 1);
    fputs("<tr><th scope=\"row\">", out);
    html_prose(out, action_words(ui_column(row, 0)));
    html_format(out, "</th><td><i class=\"level %s\">%s</i></td>", level, level);
    ui_print_count_cell(out, row, 2);
    fputs("<td class=\"figure\">", out);
    html_gain(out, has_gain ? sqlite3_column_double(row, 3) : NAN, false);
    fputs("</td><td class=\"figure\">", out);
    html_narrow_share(out, saving > 0 ? saving : NAN);
    fputs("</td><td class=\"name\">", out);
    if (sqlite3_column_int64(row, 5))
        ui_print_loop(request, out, sqlite3_column_int64(row, 5), ui_column(row, 6));
    fputs("</td></tr>\n", out);
}

bool start_actions(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "start_actions"), error);
    int state, count = 0;
    if (!row)
        return false;
    for (; (state = sqlite3_step(row)) == SQLITE_ROW; count++) {
        if (count == FIRST_ACTIONS)
            fputs("</tbody></table></div>\n<details class=\"fold\"><summary>More</summary>\n", out);
        if (!count)
            fputs("<section class=\"actions\">\n<h2>What would help many loops at once</h2>\n", out);
        if (!count || count == FIRST_ACTIONS)
            fputs("<div class=\"wide\"><table class=\"rows\">\n<thead><tr><th scope=\"col\">what to "
                  "do</th><th scope=\"col\">level</th><th scope=\"col\" class=\"figure\">loops</th><th "
                  "scope=\"col\" class=\"figure\" title=\"median of the gains in these "
                  "loops\">faster</th><th scope=\"col\" class=\"figure\">saves</th><th scope=\"col\">most "
                  "in</th></tr></thead>\n<tbody>\n",
                  out);
        print_action(request, out, row);
    }
    if (count)
        fprintf(out, "</tbody></table></div>\n%s</section>\n", count > FIRST_ACTIONS ? "</details>\n" : "");
    return end_query(request, row, state, error);
}
