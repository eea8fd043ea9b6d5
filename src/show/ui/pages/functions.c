/* All functions of the program as a table. */
#include "show/report/common/html.h"
#include "show/ui/cells.h"
#include "show/ui/list.h"
#include "show/ui/pages/pages.h"
#include "show/ui/pages/queries.h"
#include "show/ui/queries.h"

enum { MOST_COLUMNS = 8 };

static const struct list_column with_run[] = {
    {"share", "of the run", "r.total_share", NULL, true, "share of the processor time, with what it called"},
    {"self", "in itself", "r.self_share", NULL, true, "share of the processor time in its own code"},
};
static const struct list_column always[] = {
    {"name", "function", "f.name", NULL, false, NULL},
    {"place", "place", "p.path is null, p.path || printf(':%08d', f.line)",
     " left join files p on p.id = f.file", false, NULL},
    {"instructions", "instructions", "f.instruction_count", NULL, true, NULL},
    {"loops", "loops", "f.loop_count", NULL, true, NULL},
    {"blocks", "blocks", "f.block_count", NULL, true, "basic blocks"},
    {"size", "bytes", "f.size", NULL, true, NULL},
};
enum { RUN_COLUMNS = 2, ALWAYS = sizeof always / sizeof *always };

static void print_row(const struct ui_request *request, FILE *out, sqlite3_stmt *row, const void *context)
{
    const bool *has_run = context;
    struct ui_place place = {
        .file = sqlite3_column_int64(row, 2),
        .path = ui_column(row, 3),
        .first_line = sqlite3_column_int64(row, 4),
        .address = sqlite3_column_type(row, 5) == SQLITE_NULL ? -1 : sqlite3_column_int64(row, 5)};
    if (*has_run) {
        ui_print_share_cell(out, row, 10);
        ui_print_share_cell(out, row, 11);
    }
    fputs("<td class=\"name\">", out);
    ui_print_function(request, out, sqlite3_column_int64(row, 0), ui_column(row, 1));
    fputs("</td><td class=\"place\">", out);
    ui_print_place(request, out, &place);
    fputs("</td>", out);
    for (int i = 6; i < 10; i++)
        ui_print_count_cell(out, row, i);
}

static void print_controls(struct ui_request *request, FILE *out)
{
    fprintf(out, "<form class=\"tools\" action=\"/%u/functions\">\n", request->subject->number);
    ui_print_filter(request, out, "Name contains");
    fprintf(
        out,
        "<label class=\"check\"><input type=\"checkbox\" name=\"loops\" value=\"1\"%s> with loops</label>\n"
        "<label class=\"check\"><input type=\"checkbox\" name=\"imports\" value=\"1\"%s> functions of other "
        "files, too</label>\n<button>Filter</button>\n</form>\n",
        ui_number(request, "loops", 0) ? " checked" : "", ui_number(request, "imports", 0) ? " checked" : "");
}

bool page_functions(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    bool has_run = ui_ask_number(request, query_named(ui_queries, "has_run"));
    struct list_column columns[MOST_COLUMNS];
    unsigned count = 0;
    /* The query is put together of what the tables know and of the column that sorts (list.h). */
    autofree char *run = memory_format(" left join (%s) r on r.function = f.id",
                                       query_named(page_queries, "function_shares")),
                  *tables = memory_format(" left join files p on p.id = f.file%s", has_run ? run : "");
    for (unsigned i = 0; has_run && i < RUN_COLUMNS; i++) {
        columns[count] = with_run[i];
        columns[count++].join = run;
    }
    for (unsigned i = 0; i < ALWAYS; i++)
        columns[count++] = always[i];
    struct ui_list list = {
        .columns = columns,
        .column_count = count,
        .usual = has_run ? "share" : "instructions",
        .select = has_run ? "select f.id, f.name, f.file, p.path, f.line, f.address, f.instruction_count, "
                            "f.loop_count, f.block_count, f.size, r.total_share, r.self_share"
                          : "select f.id, f.name, f.file, p.path, f.line, f.address, f.instruction_count, "
                            "f.loop_count, f.block_count, f.size",
        .rows = "functions f",
        .id = "f.id",
        .join = tables,
        .condition = ui_number(request, "loops", 0)     ? "f.loop_count > 0"
                     : ui_number(request, "imports", 0) ? "1"
                                                        : "f.section is not null",
        .function = "f.id",
        .last = "f.id",
        .caption = "Functions",
        .print_row = print_row,
        .context = &has_run};
    ui_begin_page(request, answer, "Functions", "functions", NULL);
    fputs("<h1 class=\"words\">Functions</h1>\n", answer->out);
    print_controls(request, answer->out);
    bool done = ui_print_list(request, answer, &list, error);
    ui_end_page(request, answer);
    return done;
}
