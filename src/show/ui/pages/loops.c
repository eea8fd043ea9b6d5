/* All loops of the program as a table: by structure, and with their cycles and what could be gained once the
   report is there. */
#include "show/report/common/html.h"
#include "show/ui/cells.h"
#include "show/ui/list.h"
#include "show/ui/pages/pages.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>

enum { MOST_COLUMNS = 16 };

/* The query of the page is put together of what the tables know and of the column that sorts (list.h). */
#define RUN " left join run_loops r on r.loop = l.id and r.run = (select max(id) from runs)"

/* What the tables of this program can say about a loop. */
struct knowledge {
    bool has_run, has_cycles, has_advice;
    char *cycles, *gains; /* joins, to be freed */
};

static struct knowledge knowledge_of(const struct ui_request *request)
{
    return (struct knowledge){
        .has_run = ui_ask_number(request, query_named(page_queries, "has_run_loops")),
        .has_cycles = ui_ask_number(request, query_named(page_queries, "has_cycles")),
        .has_advice = ui_ask_number(request, query_named(page_queries, "has_weights")),
        .cycles =
            memory_format(" left join (%s) c on c.loop = l.id", query_named(page_queries, "slowest_paths")),
        .gains = memory_format(" left join (%s) a on a.loop = l.id", query_named(page_queries, "loop_gains")),
    };
}

static const struct list_column run_column = {
    "share", "of the run", "r.self_share", RUN, true, "share of the processor time, without inner loops"};
static const struct list_column structure[] = {
    {"loop", "loop", "l.id", NULL, true, NULL},
    {"function", "function", "f.name", " join functions f on f.id = l.function", false, NULL},
    {"place", "place", "p.path is null, p.path || printf(':%08d', l.first_line)",
     " left join files p on p.id = l.file", false, NULL},
    {"depth", "depth", "l.depth", NULL, true, "1: outermost"},
    {"instructions", "instructions", "l.instruction_count", NULL, true, "with those of inner loops"},
    {"paths", "paths", "l.path_count", NULL, true, "ways through an innermost loop"},
};
static const struct list_column cycles[] = {
    {"cycles", "cycles", "c.cycles", NULL, true, "of an iteration on the slowest path"},
    {NULL, "limit", NULL, NULL, false, "the part of the core that limits it"},
};
static const struct list_column advice[] = {
    {"gain", "gain", "a.gain", NULL, true, "how many times faster the best advice makes it"},
    {"saving", "saves", "a.saving", NULL, true,
     "share of the time in innermost loops, estimated from the structure"},
};

/* Columns of every query, in this order; those that are not known are NULL. */
enum {
    C_LOOP,
    C_FUNCTION,
    C_FILE,
    C_PATH,
    C_FIRST,
    C_LAST,
    C_ADDRESS,
    C_DEPTH,
    C_INSTRUCTIONS,
    C_PATHS,
    C_INLINED,
    C_SHARE,
    C_CYCLES,
    C_LIMIT,
    C_GAIN,
    C_UPPER,
    C_SAVING
};

static void print_structure(const struct ui_request *request, FILE *out, sqlite3_stmt *row)
{
    struct ui_place place = {.file = sqlite3_column_int64(row, C_FILE),
                             .path = ui_column(row, C_PATH),
                             .first_line = sqlite3_column_int64(row, C_FIRST),
                             .last_line = sqlite3_column_int64(row, C_LAST),
                             .address = sqlite3_column_int64(row, C_ADDRESS)};
    int64_t loop = sqlite3_column_int64(row, C_LOOP);
    fputs("<td class=\"figure\"><a href=\"", out);
    ui_print_loop_address(request, out, loop);
    fprintf(out, "\">%lld</a></td><td class=\"name\">", (long long)loop);
    ui_print_loop(request, out, loop, ui_column(row, C_FUNCTION));
    if (ui_column(row, C_INLINED)) {
        fputs("<div class=\"dim\">from ", out);
        ui_print_function(request, out, 0, ui_column(row, C_INLINED));
        fputs("</div>", out);
    }
    fputs("</td><td class=\"place\">", out);
    ui_print_place(request, out, &place);
    fputs("</td>", out);
    ui_print_count_cell(out, row, C_DEPTH);
    ui_print_count_cell(out, row, C_INSTRUCTIONS);
    ui_print_count_cell(out, row, C_PATHS);
}

static void print_advice(FILE *out, sqlite3_stmt *row)
{
    fputs("<td class=\"figure\">", out);
    if (sqlite3_column_type(row, C_GAIN) != SQLITE_NULL)
        fprintf(out, "%s×%.2g", sqlite3_column_int(row, C_UPPER) ? "up to " : "",
                sqlite3_column_double(row, C_GAIN));
    fputs("</td>", out);
    ui_print_share_cell(out, row, C_SAVING);
}

static void print_row(const struct ui_request *request, FILE *out, sqlite3_stmt *row, const void *context)
{
    const struct knowledge *known = context;
    if (known->has_run)
        ui_print_share_cell(out, row, C_SHARE);
    print_structure(request, out, row);
    if (known->has_cycles) {
        ui_print_figure_cell(out, row, C_CYCLES, 2);
        fprintf(out, "<td>%s</td>", ui_column(row, C_LIMIT) ? ui_column(row, C_LIMIT) : "");
    }
    if (known->has_advice)
        print_advice(out, row);
}

static unsigned take_columns(struct list_column *columns, const struct knowledge *known)
{
    unsigned count = 0;
    if (known->has_run)
        columns[count++] = run_column;
    for (unsigned i = 0; i < sizeof structure / sizeof *structure; i++)
        columns[count++] = structure[i];
    for (unsigned i = 0; known->has_cycles && i < sizeof cycles / sizeof *cycles; i++) {
        columns[count] = cycles[i];
        columns[count++].join = known->cycles;
    }
    for (unsigned i = 0; known->has_advice && i < sizeof advice / sizeof *advice; i++) {
        columns[count] = advice[i];
        columns[count++].join = known->gains;
    }
    return count;
}

static char *tables_of(const struct knowledge *known)
{
    return memory_format(
        " join functions f on f.id = l.function join blocks h on h.id = l.header left join files p "
        "on p.id = l.file left join inlined_calls i on i.id = l.inlined_call%s%s%s",
        known->has_run ? RUN : "", known->has_cycles ? known->cycles : "",
        known->has_advice ? known->gains : "");
}

static char *selection_of(const struct knowledge *known)
{
    return memory_format(
        "select l.id, f.name, l.file, p.path, l.first_line, l.last_line, h.address, l.depth, "
        "l.instruction_count, nullif(l.path_count, 0), i.name, %s, %s, %s",
        known->has_run ? "r.self_share" : "null", known->has_cycles ? "c.cycles, c.\"limit\"" : "null, null",
        known->has_advice ? "a.gain, a.is_upper, a.saving" : "null, null, null");
}

static void print_controls(const struct ui_request *request, FILE *out)
{
    fprintf(out, "<form class=\"tools\" action=\"/%u/loops\">\n", request->subject->number);
    ui_print_filter(request, out, "Function contains");
    fprintf(out,
            "<label class=\"check\"><input type=\"checkbox\" name=\"innermost\" value=\"1\"%s> innermost "
            "only</label>\n<button>Filter</button>\n</form>\n",
            ui_number(request, "innermost", 0) ? " checked" : "");
}

bool page_loops(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    struct knowledge known = knowledge_of(request);
    struct list_column columns[MOST_COLUMNS];
    autofree char *tables = tables_of(&known), *selection = selection_of(&known);
    struct ui_list list = {.columns = columns,
                           .column_count = take_columns(columns, &known),
                           .usual = known.has_run      ? "share"
                                    : known.has_advice ? "saving"
                                                       : "depth",
                           .select = selection,
                           .join = tables,
                           .rows = "loops l",
                           .id = "l.id",
                           .condition = ui_number(request, "innermost", 0) ? "l.is_innermost" : "1",
                           .function = "l.function",
                           .last = "l.instruction_count desc, l.id",
                           .caption = "Loops",
                           .print_row = print_row,
                           .context = &known};
    ui_begin_page(request, answer, "Loops", "loops", NULL);
    fputs("<h1 class=\"words\">Loops</h1>\n", answer->out);
    print_controls(request, answer->out);
    bool done = ui_print_list(request, answer, &list, error);
    ui_end_page(request, answer);
    free(known.cycles);
    free(known.gains);
    return done;
}
