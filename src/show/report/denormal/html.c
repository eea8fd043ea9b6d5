/* One file that a browser shows without a network: the answer, what to change, the story with its graph, maps
   with their phases, then tables.  Everything can be read without the script, which sorts tables and plays
   phases.  As in the report of code quality, the policy allows only our own style and script; here it also
   allows pictures in the page itself. */
#include "show/report/denormal/html.h"

#include "base/built.h"
#include "show/report/common/drawing.h"
#include "show/report/common/html.h"
#include "show/report/common/html_table.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

/* Made by tools/page-to-c. */
extern const char report_denormal_page_style[], report_denormal_page_script[], report_denormal_page_policy[];

static void print_start(const struct denormal_page *page)
{
    html_format(page->out,
                "<header class=\"page\">\n<p class=\"kicker\">Assay denormals</p>\n<h1>%s</h1>\n</header>\n",
                page->view->path);
}

static void print_fact(const struct denormal_page *page, const char *name, const char *value)
{
    fprintf(page->out, "<dt>%s</dt><dd>", name);
    html_format(page->out, "%s</dd>\n", value ? value : "unknown");
}

static void print_facts(const struct denormal_page *page, const struct shown_run *run)
{
    autofree char *seconds = phrase_seconds(run->seconds),
                  *end = phrase_end(run->exit_status, run->end_signal);
    autofree char *tool = memory_format("%s, %s", run->tool ? run->tool : "?", run->mode ? run->mode : "?");
    autofree char *time = memory_format("%s under the %s, process %lld, %s", seconds,
                                        run->tool ? run->tool : "?", (long long)run->process, end);
    fputs("<dl class=\"facts\">\n", page->out);
    print_fact(page, "Watched by", tool);
    print_fact(page, "Processor", run->processor);
    print_fact(page, "Run", time);
    fputs("</dl>\n", page->out);
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
void denormal_print_svg(FILE *out, const char *text)
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
    autofree char *text = NULL;
    size_t size = 0;
    FILE *svg = open_memstream(&text, &size);
    bool done = drawing_write(drawing, "svg", svg, error);
    fclose(svg);
    if (done) {
        fputs("<figure class=\"graph\">\n", page->out);
        denormal_print_svg(page->out, text);
        fputs("<figcaption class=\"note\">Top: where denormals arise; below: arrays. Numbers count the "
              "denormal values on each way. Dashed: not part of the story.</figcaption>\n</figure>\n",
              page->out);
    }
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
        for (size_t i = 0; i < story.count; i++)
            html_format(page->out, "<li>%s</li>\n", *ARRAY_AT(char *, &story, i));
        fputs("</ul>\n", page->out);
    }
    struct error missing = {0};
    bool done = print_graph(page, run, error);
    if (story.count && !feature_needed(feature_GRAPHS, &missing))
        html_format(page->out, "<p class=\"note\">%s</p>\n", missing.text);
    if (story.count)
        fputs("</section>\n", page->out);
    sentences_free(&story);
    return done;
}

static bool print_limits(const struct denormal_page *page, const struct query *section,
                         const struct shown_run *run, struct error *error)
{
    int state;
    sqlite3_stmt *statement = run->limits ? denormal_ask(page->view, section->sql, run->id, -1, error) : NULL;
    if (!statement)
        return !run->limits;
    fprintf(page->out, "<section class=\"loops told\">\n<h2>%s</h2>\n<ul class=\"story\">\n", section->title);
    while ((state = report_step(statement, error)) == 1) {
        html_format(page->out, "<li>%s", (const char *)sqlite3_column_text(statement, 0));
        if (sqlite3_column_type(statement, 1) != SQLITE_NULL) {
            fputs(" (", page->out);
            html_count(page->out, (uint64_t)sqlite3_column_int64(statement, 1));
            fputs(")", page->out);
        }
        fputs("</li>\n", page->out);
    }
    fputs("</ul>\n</section>\n", page->out);
    sqlite3_finalize(statement);
    return state == 0;
}

static bool print_section(const struct denormal_page *page, const struct query *section,
                          const struct shown_run *run, struct error *error)
{
    struct asked asked = denormal_asked(page->view);
    struct query table = denormal_section_of(section, run, false);
    if (!strcmp(section->name, "limits"))
        return print_limits(page, section, run, error);
    return html_print_table(page->out, &asked, &table, run->id,
                            page->view->top ? (int64_t)page->view->top : -1, error);
}

static bool print_run(struct denormal_page *page, const struct shown_run *run, struct error *error)
{
    struct array answer, changes;
    if (!denormal_answer(page->view, run, &answer, &changes, error))
        return false;
    html_format(page->out, "<article class=\"run\" id=\"run-%lld\">\n<h2 class=\"command\">%s</h2>\n",
                (long long)run->id, run->command ? run->command : "a run");
    print_facts(page, run);
    print_answer(page, &answer, &changes);
    sentences_free(&answer);
    sentences_free(&changes);
    if (page->view->pages && denormal_has_log(page->view, run->id))
        html_format(page->out,
                    "<p><a href=\"%sdenormal-log\">The log: each operation, with its values</a></p>\n",
                    page->view->pages);
    bool done = print_story(page, run, error) && denormal_html_maps(page, run, error);
    for (const struct query *section = denormal_sections; done && section->name; section++)
        done = !section->title || print_section(page, section, run, error);
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
        html_format(page->out,
                    "<li><a href=\"#run-%lld\"><code>%s</code></a> <span class=\"dim\">process %lld, ",
                    (long long)run->id, run->command ? run->command : "a run", (long long)run->process);
        html_counted(page->out, run->operand_events, "operation on denormals", "operations on denormals");
        fputs("</span></li>\n", page->out);
    }
    fputs("</ul>\n", page->out);
}

bool report_denormal_content(const struct denormal_view *view, FILE *out, struct error *error)
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
    denormal_free_runs(&runs);
    return done;
}

bool report_denormal_html(const struct denormal_view *view, FILE *out, struct error *error)
{
    html_begin_page(out, report_denormal_page_policy, "; img-src data:", view->path, "Assay denormals",
                    report_denormal_page_style);
    bool done = report_denormal_content(view, out, error);
    if (done)
        fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_denormal_page_script);
    return done && (!ferror(out) || error_set_errno(error, NULL, "cannot write"));
}
