/* The log on a page of its own (assay ui): some entries, and what led to one of them as a graph.

   Numbers of entries are links to the page about them; it works without a script. */
#include "show/report/denormal/html.h"
#include "show/report/denormal/log.h"

#include "base/built.h"
#include "show/report/common/drawing.h"
#include "show/report/common/html.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60, BEFORE = 20 };

bool denormal_has_log(const struct denormal_view *view, int64_t run)
{
    struct error ignored = {0};
    sqlite3_stmt *row = denormal_ask(view, query_named(denormal_queries, "log_runs"), run, -1, &ignored);
    bool has_one = row && sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return has_one;
}

static void print_link(FILE *out, const struct denormal_view *view, uint64_t number, const char *text)
{
    html_format(out, "<a href=\"%sdenormal-log?value=%llu#entry\">%s</a>", view->pages,
                (unsigned long long)number, text);
}

/* "[#17]" becomes a link; everything else is text. */
static void print_words(FILE *out, const struct denormal_view *view, const char *words)
{
    for (const char *mark; (mark = strstr(words, "[#")); words = mark) {
        html_text(out, words, (size_t)(mark - words));
        char *end;
        unsigned long long number = strtoull(mark + 2, &end, 10);
        if (*end != ']') {
            html_text(out, mark, 2);
            mark += 2;
            continue;
        }
        autofree char *text = memory_format("[#%llu]", number);
        print_link(out, view, number, text);
        mark = end + 1;
    }
    html_string(out, words);
}

static void print_row(FILE *out, const struct denormal_view *view, const struct denormal_logged *entry,
                      uint64_t value)
{
    bool is_access = !strcmp(entry->action ? entry->action : "", "load") ||
                     !strcmp(entry->action ? entry->action : "", "store");
    autofree char *number = memory_format("%llu", (unsigned long long)entry->number);
    autofree char *words = denormal_logged_words(entry);
    autofree char *result = denormal_logged_value(entry->result, entry->result_bytes);
    fprintf(out, "<tr%s><td class=\"figure\">",
            entry->number == value ? " id=\"entry\" aria-current=\"true\"" : "");
    print_link(out, view, entry->number, number);
    html_format(out, "</td><td><code>%s</code></td><td><code>%s</code></td><td>", entry->place,
                entry->function);
    print_words(out, view, words);
    html_format(out, "</td><td class=\"figure\">%s</td></tr>\n",
                is_access || !entry->result_bytes ? "" : result);
}

static bool print_rows(const struct denormal_view *view, uint64_t value, FILE *out, struct error *error)
{
    int state = -1;
    sqlite3_stmt *row =
        denormal_ask(view, query_named(denormal_queries, "log_lines"), view->run, SHOWN, error);
    if (row)
        sqlite3_bind_int64(row, 3, value > BEFORE ? (int64_t)(value - BEFORE) : 1);
    fputs(
        "<div class=\"wide\"><table class=\"loops\">\n<thead><tr><th scope=\"col\" class=\"figure\">entry</th>"
        "<th scope=\"col\">place</th><th scope=\"col\">function</th><th scope=\"col\">operation</th>"
        "<th scope=\"col\" class=\"figure\">result</th></tr></thead>\n<tbody>\n",
        out);
    while (row && (state = report_step(row, error)) == 1) {
        struct denormal_logged entry = denormal_logged_of(row);
        print_row(out, view, &entry, value);
        denormal_logged_free(&entry);
    }
    fputs("</tbody></table></div>\n", out);
    sqlite3_finalize(row);
    return state == 0;
}

static bool print_graph(const struct denormal_view *view, uint64_t value, FILE *out, struct error *error)
{
    size_t drawn = 0, behind = 0, size = 0;
    struct error missing = {0};
    autofree char *text = NULL;
    if (!feature_needed(feature_GRAPHS, &missing)) {
        html_format(out, "<p class=\"note\">%s</p>\n", missing.text);
        return true;
    }
    struct drawing *drawing = report_denormal_log_graph(view, value, &drawn, &behind, error);
    if (!drawing)
        return false;
    FILE *svg = open_memstream(&text, &size);
    bool done = drawing_write(drawing, "svg", svg, error);
    fclose(svg);
    drawing_free(drawing);
    if (!done)
        return false;
    fputs("<figure class=\"graph\">\n", out);
    denormal_print_svg(out, text);
    html_format(out, "<figcaption class=\"note\">What led to entry %llu. ", (unsigned long long)value);
    if (drawn < behind)
        html_format(out, "The %zu operations nearest to it of %zu. ", drawn, behind);
    fputs("Rounded: loads and stores.</figcaption>\n</figure>\n", out);
    return true;
}

bool report_denormal_log_content(const struct denormal_view *asked, uint64_t value, FILE *out,
                                 struct error *error)
{
    struct denormal_view view = *asked;
    struct array runs = {0};
    bool done = denormal_begin(&view, error) && denormal_find_runs(&view, &runs, error);
    denormal_free_runs(&runs);
    if (!done || !denormal_log_run(&view, error))
        return false;
    html_format(
        out,
        "<h1 class=\"words\">The log of denormals</h1>\n<p class=\"lead\">Each operation that made, passed on "
        "or consumed a denormal, in order. <code>[#17]</code> is the entry that a value comes from.</p>\n"
        "<form class=\"tools\" method=\"get\"><label>Entry <input name=\"value\" inputmode=\"numeric\" "
        "size=\"10\" value=\"");
    if (value)
        html_format(out, "%llu", (unsigned long long)value);
    fputs("\"></label> <button>Show</button></form>\n", out);
    return (!value || print_graph(&view, value, out, error)) && print_rows(&view, value, out, error);
}
