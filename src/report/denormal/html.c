/* One file that a browser shows without a network: the answer, what to change, the story with its graph, maps
   with their phases, then tables.  Everything can be read without the script, which sorts tables and plays
   phases.  As in the report of code quality, the policy allows only our own style and script; here it also
   allows pictures in the page itself. */
#include "report/denormal/html.h"

#include "report/common/drawing.h"
#include "report/common/html.h"
#include "report/common/rows.h"

#include <stdlib.h>
#include <string.h>

/* Made by tools/page-to-c. */
extern const char report_denormal_page_style[], report_denormal_page_script[], report_denormal_page_policy[];

static void print_start(const struct denormal_page *page)
{
    html_begin_page(page->out, report_denormal_page_policy, "; img-src data:", page->view->path,
                    "Assay denormals", report_denormal_page_style);
    fputs("<header class=\"page\">\n<p class=\"kicker\">Assay denormals</p>\n<h1>", page->out);
    html_string(page->out, page->view->path);
    fputs("</h1>\n</header>\n", page->out);
}

static void print_fact(const struct denormal_page *page, const char *name, const char *value)
{
    fprintf(page->out, "<dt>%s</dt><dd>", name);
    html_string(page->out, value ? value : "unknown");
    fputs("</dd>\n", page->out);
}

static void print_facts(const struct denormal_page *page, const struct shown_run *run)
{
    char *seconds = denormal_time_words(run->seconds), *end = denormal_end_words(run);
    char *tool = memory_format("%s, %s", run->tool ? run->tool : "?", run->mode ? run->mode : "?");
    char *time = memory_format("%s under the %s, process %lld, %s", seconds, run->tool ? run->tool : "?",
                               (long long)run->process, end);
    fputs("<dl class=\"facts\">\n", page->out);
    print_fact(page, "Watched by", tool);
    print_fact(page, "Processor", run->processor);
    print_fact(page, "Run", time);
    fputs("</dl>\n", page->out);
    free(seconds);
    free(end);
    free(tool);
    free(time);
}

static void print_answer(const struct denormal_page *page, const struct array *answer,
                         const struct array *changes)
{
    fputs("<p class=\"lead answer\">", page->out);
    for (size_t i = 0; i < answer->count; i++) {
        fputs(i ? " " : "<b>", page->out);
        html_prose(page->out, *ARRAY_AT(char *, answer, i));
        fputs(i ? "" : "</b>", page->out);
    }
    fputs("</p>\n", page->out);
    if (!changes->count)
        return;
    fputs("<h2>What to change</h2>\n<div class=\"cards\">\n", page->out);
    for (size_t i = 0; i < changes->count; i++) {
        fprintf(page->out, "<div class=\"card%s\"><p>", i ? "" : " gain");
        html_prose(page->out, *ARRAY_AT(char *, changes, i));
        fputs("</p></div>\n", page->out);
    }
    fputs("</div>\n", page->out);
}

/* The drawing without what a page must not have twice or at all: its head, comments, ids and names for the
 * mouse. */
static void print_svg(FILE *out, const char *text)
{
    const char *at = strstr(text, "<svg");
    while (at && *at) {
        const char *end = NULL;
        if (!strncmp(at, "<!--", 4))
            end = strstr(at, "-->") ? strstr(at, "-->") + 3 : NULL;
        else if (!strncmp(at, "<title>", 7))
            end = strstr(at, "</title>") ? strstr(at, "</title>") + 8 : NULL;
        else if (!strncmp(at, "<g id=\"", 7)) {
            fputs("<g", out);
            end = strchr(at + 7, '"') ? strchr(at + 7, '"') + 1 : NULL;
        } else {
            putc(*at, out);
            end = at + 1;
        }
        at = end;
    }
}

static bool print_graph(const struct denormal_page *page, const struct shown_run *run, struct error *error)
{
    struct drawing *drawing = denormal_draw_story(page->view, run->id, error);
    if (!drawing)
        return !error->set;
    char *text = NULL;
    size_t size = 0;
    FILE *svg = open_memstream(&text, &size);
    bool done = drawing_write(drawing, "svg", svg, error);
    fclose(svg);
    if (done) {
        fputs("<figure class=\"graph\">\n", page->out);
        print_svg(page->out, text);
        fputs("<figcaption class=\"note\">Top: where denormals arise; below: arrays. Numbers count the "
              "denormal values on each way. Dashed: not part of the story.</figcaption>\n</figure>\n",
              page->out);
    }
    free(text);
    drawing_free(drawing);
    return done;
}

static bool print_story(const struct denormal_page *page, const struct shown_run *run, struct error *error)
{
    struct array story;
    if (!denormal_story(page->view, run, &story, error))
        return false;
    if (story.count) {
        fputs("<section class=\"loops told\">\n<h2>The story</h2>\n<ul class=\"story\">\n", page->out);
        for (size_t i = 0; i < story.count; i++) {
            fputs("<li>", page->out);
            html_string(page->out, *ARRAY_AT(char *, &story, i));
            fputs("</li>\n", page->out);
        }
        fputs("</ul>\n", page->out);
    }
    bool done = print_graph(page, run, error);
    if (story.count)
        fputs("</section>\n", page->out);
    denormal_free_sentences(&story);
    return done;
}

struct page_column {
    bool is_figure, is_used, is_code, is_stack;
};

/* Which columns hold numbers, and which are not empty; *largest: of the column drawn as bars. */
static bool look_at_columns(sqlite3_stmt *statement, const struct denormal_section *section,
                            struct page_column *columns, int count, double *largest, struct error *error)
{
    static const char *const code[] = {"function", "place", "instruction", "stack", "mnemonic",
                                       "name",     "to",    "from",        "in"};
    int state;
    for (int i = 0; i < count; i++) {
        columns[i].is_figure = true;
        columns[i].is_stack = !strcmp(sqlite3_column_name(statement, i), "stack");
        for (size_t c = 0; c < sizeof code / sizeof *code; c++)
            columns[i].is_code |= !strcmp(sqlite3_column_name(statement, i), code[c]);
    }
    while ((state = report_step(statement, error)) == 1) {
        for (int i = 0; i < count; i++) {
            int type = sqlite3_column_type(statement, i);
            columns[i].is_used |= type != SQLITE_NULL;
            columns[i].is_figure &= type == SQLITE_NULL || type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        }
        if (section->bars >= 0 && sqlite3_column_double(statement, section->bars) > *largest)
            *largest = sqlite3_column_double(statement, section->bars);
    }
    sqlite3_reset(statement);
    return state == 0;
}

static void print_cell(const struct denormal_page *page, sqlite3_stmt *statement, int column,
                       const struct page_column *it)
{
    fprintf(page->out, "<td%s>",
            it->is_figure  ? " class=\"figure\""
            : it->is_stack ? " class=\"text calls\""
            : it->is_code  ? " class=\"text\""
                           : "");
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        if (sqlite3_column_int64(statement, column) < 0)
            fprintf(page->out, "%lld", (long long)sqlite3_column_int64(statement, column));
        else
            html_count(page->out, (uint64_t)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        fprintf(page->out, "%.6g", sqlite3_column_double(statement, column));
        break;
    case SQLITE_NULL:
        break;
    default:
        html_string(page->out, (const char *)sqlite3_column_text(statement, column));
    }
    fputs("</td>", page->out);
}

static bool print_rows(const struct denormal_page *page, sqlite3_stmt *statement,
                       const struct denormal_section *section, struct error *error)
{
    int count = sqlite3_column_count(statement), state;
    struct page_column *columns = memory_get((size_t)count * sizeof *columns);
    double largest = 0;
    bool done = look_at_columns(statement, section, columns, count, &largest, error);
    fputs("<div class=\"wide\"><table class=\"loops sortable\">\n<thead><tr>", page->out);
    for (int i = 0; done && i < count; i++)
        if (columns[i].is_used) {
            fprintf(page->out, "<th scope=\"col\"%s>", columns[i].is_figure ? " class=\"figure\"" : "");
            html_string(page->out, sqlite3_column_name(statement, i));
            fputs("</th>", page->out);
        }
    fputs(section->bars >= 0 ? "<th class=\"room\"></th></tr></thead>\n<tbody>\n"
                             : "</tr></thead>\n<tbody>\n",
          page->out);
    while (done && (state = report_step(statement, error)) != 0) {
        if (state < 0) {
            done = false;
            break;
        }
        fputs("<tr>", page->out);
        for (int i = 0; i < count; i++)
            if (columns[i].is_used)
                print_cell(page, statement, i, &columns[i]);
        if (section->bars >= 0) {
            fputs("<td class=\"room\">", page->out);
            html_bar(page->out, "",
                     largest > 0 ? sqlite3_column_double(statement, section->bars) / largest : 0);
            fputs("</td>", page->out);
        }
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody></table></div>\n", page->out);
    free(columns);
    return done;
}

static bool print_limits(const struct denormal_page *page, sqlite3_stmt *statement, struct error *error)
{
    int state;
    fputs("<ul class=\"story\">\n", page->out);
    while ((state = report_step(statement, error)) == 1) {
        fputs("<li>", page->out);
        html_string(page->out, (const char *)sqlite3_column_text(statement, 0));
        if (sqlite3_column_type(statement, 1) != SQLITE_NULL) {
            fputs(" (", page->out);
            html_count(page->out, (uint64_t)sqlite3_column_int64(statement, 1));
            fputs(")", page->out);
        }
        fputs("</li>\n", page->out);
    }
    fputs("</ul>\n", page->out);
    return state == 0;
}

static bool print_section(const struct denormal_page *page, const struct denormal_section *section,
                          const struct shown_run *run, struct error *error)
{
    uint64_t all;
    bool is_list = !strcmp(section->name, "limits");
    const char *note = denormal_note(section, run);
    int64_t most = page->view->top && !is_list ? (int64_t)page->view->top : -1;
    if (!denormal_count_rows(page->view, section->sql, run->id, &all, error))
        return false;
    sqlite3_stmt *statement = all ? denormal_ask(page->view, section->sql, run->id, most, error) : NULL;
    if (!statement)
        return !all;
    fprintf(page->out, "<section class=\"loops told\">\n<h2>%s</h2>\n", section->title);
    if (note) {
        fputs("<p class=\"note\">", page->out);
        html_string(page->out, note);
        fputs("</p>\n", page->out);
    }
    bool done = is_list ? print_limits(page, statement, error) : print_rows(page, statement, section, error);
    sqlite3_finalize(statement);
    if (most >= 0 && all > (uint64_t)most) {
        fputs("<p class=\"note\">… and ", page->out);
        html_count(page->out, all - (uint64_t)most);
        fputs(" more; <code>--top</code> shows more rows.</p>\n", page->out);
    }
    fputs("</section>\n", page->out);
    return done;
}

static bool print_run(struct denormal_page *page, const struct shown_run *run, struct error *error)
{
    struct array answer, changes;
    if (!denormal_answer(page->view, run, &answer, &changes, error))
        return false;
    fprintf(page->out, "<article class=\"run\" id=\"run-%lld\">\n<h2 class=\"command\">", (long long)run->id);
    html_string(page->out, run->command ? run->command : "a run");
    fputs("</h2>\n", page->out);
    print_facts(page, run);
    print_answer(page, &answer, &changes);
    denormal_free_sentences(&answer);
    denormal_free_sentences(&changes);
    bool done = print_story(page, run, error) && denormal_html_maps(page, run, error);
    for (size_t i = 0; done && i < denormal_section_count; i++)
        done = print_section(page, &denormal_sections[i], run, error);
    fputs("</article>\n", page->out);
    return done;
}

static void print_contents(const struct denormal_page *page, const struct array *runs)
{
    if (runs->count < 2)
        return;
    fputs("<ul class=\"story\">\n", page->out);
    for (size_t i = 0; i < runs->count; i++) {
        const struct shown_run *run = ARRAY_AT(struct shown_run, runs, i);
        fprintf(page->out, "<li><a href=\"#run-%lld\"><code>", (long long)run->id);
        html_string(page->out, run->command ? run->command : "a run");
        fprintf(page->out, "</code></a> <span class=\"dim\">process %lld, ", (long long)run->process);
        html_counted(page->out, run->operand_events, "operation on denormals", "operations on denormals");
        fputs("</span></li>\n", page->out);
    }
    fputs("</ul>\n", page->out);
}

bool report_denormal_html(const struct denormal_view *view, FILE *out, struct error *error)
{
    struct array runs = {0};
    struct denormal_page page = {.view = view, .out = out};
    bool done = denormal_begin(view, error) && denormal_find_runs(view, &runs, error);
    if (done) {
        print_start(&page);
        print_contents(&page, &runs);
    }
    for (size_t i = 0; done && i < runs.count; i++)
        done = print_run(&page, ARRAY_AT(struct shown_run, &runs, i), error);
    if (done)
        fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_denormal_page_script);
    denormal_free_runs(&runs);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
