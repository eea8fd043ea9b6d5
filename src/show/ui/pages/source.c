/* A source file of the program: its text, with the functions and loops that the compiler made of its lines in
   the margin. */
#include "show/report/common/html.h"
#include "show/report/common/share.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/pages/pages.h"
#include "show/ui/sources.h"

#include "base/path.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 4, LONGEST_LINE = 400, MOST_LINES = 20000 };

/* What stands in the margin, by line. */
struct note {
    int64_t line, id;
    char *words;
    bool is_loop;
};

static int compare_notes(const void *left, const void *right)
{
    const struct note *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->is_loop != b->is_loop)
        return a->is_loop - b->is_loop;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool take_notes(struct ui_request *request, const char *sql, int64_t file, bool is_loop,
                       struct array *notes, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, sql, error);
    int state;
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, file);
    while ((state = sqlite3_step(row)) == SQLITE_ROW) {
        char *words = NULL;
        if (!is_loop)
            words = ui_name(request, ui_column(row, 2));
        else if (sqlite3_column_type(row, 2) != SQLITE_NULL)
            words = memory_format("%.2f cycles", sqlite3_column_double(row, 2));
        *(struct note *)array_push(notes) = (struct note){.line = sqlite3_column_int64(row, 0),
                                                          .id = sqlite3_column_int64(row, 1),
                                                          .words = words,
                                                          .is_loop = is_loop};
    }
    sqlite3_finalize(row);
    return state == SQLITE_DONE ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

static bool find_notes(struct ui_request *request, int64_t file, struct array *notes, struct error *error)
{
    bool done =
        take_notes(request, query_named(page_queries, "functions_of_file"), file, false, notes, error) &&
        take_notes(request, query_named(page_queries, "find_notes"), file, true, notes, error);
    if (notes->count)
        qsort(notes->data, notes->count, notes->width, compare_notes);
    return done;
}

/* Lines that code was made of: 1 by number. */
static uint8_t *find_lines(struct ui_request *request, int64_t file, int64_t most, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(page_queries, "lines_of_file"), error);
    uint8_t *has_code = memory_get((size_t)most + 1);
    if (row)
        sqlite3_bind_int64(row, 1, file);
    while (row && sqlite3_step(row) == SQLITE_ROW)
        if (sqlite3_column_int64(row, 0) > 0 && sqlite3_column_int64(row, 0) <= most)
            has_code[sqlite3_column_int64(row, 0)] = 1;
    sqlite3_finalize(row);
    return has_code;
}

static void print_notes(const struct ui_request *request, FILE *out, const struct array *notes, size_t *at,
                        int64_t line)
{
    size_t shown = 0, more = 0;
    while (*at < notes->count && ARRAY_AT(struct note, notes, *at)->line < line)
        ++*at;
    for (; *at < notes->count && ARRAY_AT(struct note, notes, *at)->line == line; ++*at) {
        const struct note *note = ARRAY_AT(struct note, notes, *at);
        if (shown == MOST_NOTES) {
            more++;
            continue;
        }
        fputs(shown++ ? ", " : "", out);
        if (!note->is_loop) {
            ui_print_function(request, out, note->id, note->words);
            continue;
        }
        fputs("<a href=\"", out);
        ui_print_loop_address(request, out, note->id);
        fprintf(out, "\">loop %lld</a>", (long long)note->id);
        if (note->words)
            fprintf(out, " <span class=\"dim\">%s</span>", note->words);
    }
    if (more)
        fprintf(out, " <span class=\"dim\">and %zu more</span>", more);
}

static void print_text(struct ui_request *request, FILE *out, const char *text, const struct array *notes,
                       const uint8_t *has_code, int64_t lines)
{
    int64_t chosen = ui_number(request, "line", 0);
    size_t at = 0;
    fputs("<div class=\"wide source-text\"><table class=\"code-lines\">\n<tbody>\n", out);
    for (int64_t line = 1; line <= lines && *text; line++) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "<tr id=\"line-%lld\" class=\"%s%s\"><td class=\"number\">%lld</td><td class=\"text\">",
                (long long)line, has_code[line] ? "" : "around", line == chosen ? " chosen" : "",
                (long long)line);
        html_text(out, text, length < LONGEST_LINE ? length : LONGEST_LINE);
        fputs(length > LONGEST_LINE ? "…</td><td class=\"margin\">" : "</td><td class=\"margin\">", out);
        print_notes(request, out, notes, &at, line);
        fputs("</td></tr>\n", out);
        text += length + (text[length] == '\n');
    }
    fputs("</tbody></table></div>\n", out);
}

static int64_t count_lines(const char *text)
{
    int64_t count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Without its text: what is known of its lines. */
static void print_list(struct ui_request *request, FILE *out, const struct array *notes)
{
    int64_t line = 0;
    size_t at = 0;
    fputs("<ul class=\"plain\">\n", out);
    while (at < notes->count) {
        line = ARRAY_AT(struct note, notes, at)->line;
        fprintf(out, "<li class=\"row\" id=\"line-%lld\">line %lld: ", (long long)line, (long long)line);
        print_notes(request, out, notes, &at, line);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

bool page_source(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"start.css", "function.css", NULL};
    int64_t file = ui_rest_number(request);
    struct error why = {0};
    struct array notes = ARRAY_OF(struct note);
    if (!ui_ask_number_of(request, query_named(page_queries, "count_files"), file))
        return ui_missing(answer, error, "there is no source file '%s'", request->rest);
    autofree char *path = NULL, *text = ui_source_text(request, file, &path, &why);
    bool done = find_notes(request, file, &notes, error);
    FILE *out = answer->out;
    ui_begin_page(request, answer, path ? path_name(path) : "Source", NULL, files);
    html_format(out, "<p class=\"kicker\">Source</p>\n<h1>%s</h1>\n", path ? path : "unknown");
    if (text) {
        int64_t lines = count_lines(text);
        lines = lines < MOST_LINES ? lines : MOST_LINES;
        autofree uint8_t *has_code = find_lines(request, file, lines, error);
        print_text(request, out, text, &notes, has_code, lines);
    } else {
        html_format(out, "<p class=\"lead\">Its text cannot be shown: %s</p>\n", why.text);
        print_list(request, out, &notes);
    }
    ui_end_page(request, answer);
    for (size_t i = 0; i < notes.count; i++)
        free(ARRAY_AT(struct note, &notes, i)->words);
    array_free(&notes);
    return done;
}
