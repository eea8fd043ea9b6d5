#include "show/ui/pages/start.h"

#include "base/path.h"
#include "show/report/common/html.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/sources.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COMPILERS = 5, MOST_PROGRAMS = 8, MOST_PROBLEMS = 12 };

static bool end_query(struct ui_request *request, sqlite3_stmt *statement, int state, struct error *error)
{
    sqlite3_finalize(statement);
    return state == SQLITE_DONE || state == SQLITE_ROW ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

/* "shared object for aarch64, build 4f3a…" of each program. */
static bool print_programs(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "programs"), error);
    int state = SQLITE_DONE;
    if (!row)
        return false;
    int64_t count = ui_ask_number(request, query_named(page_queries, "count_programs"));
    for (int i = 0; i < MOST_PROGRAMS && (state = sqlite3_step(row)) == SQLITE_ROW; i++) {
        fputs(i ? "<dd>" : "<dt>File</dt><dd>", out);
        if (count > 1 || strcmp(request->subject->path, ui_column(row, 0) ? ui_column(row, 0) : "")) {
            html_string(out, ui_column(row, 0));
            fputs(ui_column(row, 1) ? "(" : "", out);
            html_string(out, ui_column(row, 1));
            fputs(ui_column(row, 1) ? "), " : ", ", out);
        }
        const char *format = ui_column(row, 3);
        html_format(out, "%s for %s</dd>\n",
                    format && !strcmp(format, "pie") ? "position-independent executable" : format,
                    ui_column(row, 2));
    }
    if (count > MOST_PROGRAMS) {
        fputs("<dd class=\"dim\">and ", out);
        html_counted(out, (uint64_t)(count - MOST_PROGRAMS), "other", "others");
        fputs("</dd>\n", out);
    }
    return end_query(request, row, state, error);
}

static uint64_t count_of(const struct ui_request *request, const char *query)
{
    int64_t count = ui_recall_number(request, query_named(page_queries, query));
    return count > 0 ? (uint64_t)count : 0;
}

static void print_counts(struct ui_request *request, FILE *out)
{
    unsigned number = request->subject->number;
    fprintf(out, "<dt>Code</dt><dd><a href=\"/%u/functions\">", number);
    html_counted(out, count_of(request, "count_functions"), "function", "functions");
    fprintf(out, "</a>, <a href=\"/%u/loops\">", number);
    html_counted(out, count_of(request, "count_loops"), "loop", "loops");
    fputs("</a> (", out);
    html_count(out, count_of(request, "count_innermost"));
    fputs(" innermost), ", out);
    html_counted(out, count_of(request, "count_instructions"), "instruction", "instructions");
    fputs("</dd>\n", out);
}

bool start_head(struct ui_request *request, FILE *out, struct error *error)
{
    html_format(out, "<h1>%s</h1>\n<dl class=\"facts\">\n", request->subject->path);
    bool done = print_programs(request, out, error);
    print_counts(request, out);
    fputs("</dl>\n", out);
    return done;
}

/* ---- compilers ---- */

static void print_compiler(FILE *out, sqlite3_stmt *row, bool is_only)
{
    html_format(out, "<li>%s", ui_column(row, 0) ? ui_column(row, 0) : "unknown compiler");
    if (ui_column(row, 1)) {
        html_format(out, " <code>%s</code>", ui_column(row, 1));
    } else {
        fputs(" <span class=\"dim\">options unknown</span>", out);
    }
    if (!is_only) {
        fputs(" <span class=\"dim\">", out);
        html_counted(out, (uint64_t)sqlite3_column_int64(row, 2), "loop", "loops");
        fputs("</span>", out);
    }
    fputs("</li>\n", out);
}

/* Those of compile units, with the loops in their code; of programs without debug information, what .comment
 * says. */
bool start_compilers(struct ui_request *request, FILE *out, struct error *error)
{
    const char *query = query_named(page_queries, "start_compilers");
    sqlite3_stmt *row = ui_ask(request, query, error);
    int state, count = 0;
    if (!row)
        return false;
    while ((state = sqlite3_step(row)) == SQLITE_ROW)
        count++;
    sqlite3_reset(row);
    fputs("<section>\n<h2>Compilers and options</h2>\n<ul class=\"plain\">\n", out);
    for (int i = 0; i < MOST_COMPILERS && sqlite3_step(row) == SQLITE_ROW; i++)
        print_compiler(out, row, count == 1);
    if (count > MOST_COMPILERS)
        fprintf(out, "<li class=\"dim\">and %d other %s of compiler and options</li>\n",
                count - MOST_COMPILERS, count - MOST_COMPILERS == 1 ? "combination" : "combinations");
    if (!count)
        fputs("<li>The program does not name its compiler.</li>\n", out);
    fputs("</ul>\n</section>\n", out);
    return end_query(request, row, state, error);
}

/* ---- what is not known ---- */

/* Gaps that follow from the kind of file: the query that counts them, and what they mean. */
static const struct {
    const char *count, *one, *many, *words;
} lacks[] = {
    {"count_no_debug", "program has", "programs have",
     " no debug information: source lines, inlined functions and compiler options are unknown. Compile with "
     "<code>-g</code>."},
    {"count_stripped", "program is", "programs are",
     " stripped: functions without a name are called by their address."},
    {"count_guessed", "function has", "functions have", " guessed bounds."},
    {"count_no_cycles", "loop has", "loops have", " no cycles: the machine cannot execute some instruction."},
};

static bool print_lack(struct ui_request *request, FILE *out, unsigned i)
{
    uint64_t count = count_of(request, lacks[i].count);
    if (!count)
        return false;
    fputs("<li>", out);
    html_counted(out, count, lacks[i].one, lacks[i].many);
    fprintf(out, "%s</li>\n", lacks[i].words);
    return true;
}

static void print_problem(struct ui_request *request, FILE *out, sqlite3_stmt *row)
{
    int64_t count = sqlite3_column_int64(row, 1);
    fputs("<li>", out);
    if (count > 1) {
        html_count(out, (uint64_t)count);
        fputs(" ", out);
    }
    html_string(out, ui_column(row, 0));
    if (sqlite3_column_type(row, 2) != SQLITE_NULL) {
        unsigned long long address = (unsigned long long)sqlite3_column_int64(row, 2);
        fprintf(out, " <span class=\"dim\">(%s<a href=\"/%u/search?q=0x%llx\">0x%llx</a>)</span>",
                count > 1 ? "the first at " : "at ", request->subject->number, address, address);
    }
    fputs("</li>\n", out);
}

/* Of the files with the most loops, those whose text cannot be shown; the number of them. */
static int print_unreadable(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "files_with_loops"), error);
    int count = 0;
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        struct error why = {0};
        autofree char *path = NULL,
                      *text = ui_source_text(request, sqlite3_column_int64(row, 0), &path, &why);
        if (!text && path) {
            fputs(count++ ? ", " : "<li>The source of loops cannot be shown: ", out);
            html_format(out, "<a href=\"/%u/source/%lld\" title=\"%s\">%s</a>", request->subject->number,
                        (long long)sqlite3_column_int64(row, 0), path, path_name(path));
        }
    }
    sqlite3_finalize(row);
    fputs(count ? "</li>\n" : "", out);
    return count;
}

bool start_gaps(struct ui_request *request, FILE *out, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "problems"), error);
    int state = SQLITE_DONE, shown = 0;
    int64_t count = ui_ask_number(request, query_named(page_queries, "count_problems"));
    if (!row)
        return false;
    fputs("<section>\n<h2>What is not known</h2>\n<ul class=\"plain\">\n", out);
    for (unsigned i = 0; i < sizeof lacks / sizeof *lacks; i++)
        shown += print_lack(request, out, i);
    shown += print_unreadable(request, out, error);
    for (int i = 0; i < MOST_PROBLEMS && (state = sqlite3_step(row)) == SQLITE_ROW; i++, shown++)
        print_problem(request, out, row);
    if (count > MOST_PROBLEMS)
        fprintf(out, "<li class=\"dim\">and %lld more in the table <code>problems</code></li>\n",
                (long long)count - MOST_PROBLEMS);
    if (!shown)
        fputs("<li>Nothing: all code was decoded, and all jumps have known targets.</li>\n", out);
    fputs("</ul>\n</section>\n", out);
    return end_query(request, row, state, error);
}
