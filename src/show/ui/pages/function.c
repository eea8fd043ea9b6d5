/* A function: its loops as a tree with their figures on the chosen machine, who calls it, and its source
   beside its instructions.  A long function is listed in pages. */
#include "show/ui/judging.h"
#include "show/ui/pages/function.h"

#include "show/report/common/html.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/quality/html.h"
#include "show/ui/cells.h"
#include "show/ui/machines.h"
#include "show/ui/pages/pages.h"
#include "show/ui/routes.h"
#include "show/ui/workshop.h"
#include "show/ui/pages/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct function_page {
    struct ui_request *request;
    const struct workshop_visit *visit;
    struct html_report *report;
    const struct function *row;
    FILE *out;
};

static const char *path_of(const struct model *model, uint32_t file)
{
    return file ? model_text(model, model_file(model, file)->path) : NULL;
}

static void print_place(const struct function_page *page, uint32_t file, uint32_t first, uint32_t last,
                        uint64_t address)
{
    struct ui_place place = {.file = file,
                             .path = path_of(page->visit->model, file),
                             .first_line = first,
                             .last_line = last,
                             .address = address == NO_ADDRESS ? -1 : (int64_t)address};
    ui_print_place(page->request, page->out, &place);
}

/* ---- the head ---- */

static void print_run_share(const struct function_page *page)
{
    struct error ignored = {0};
    sqlite3_stmt *row = ui_ask(page->request, query_named(page_queries, "print_run_share"), &ignored);
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, page->visit->function);
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL)
        fprintf(
            page->out, "<dt>Run</dt><dd>%s&nbsp;%% of the processor time, %s&nbsp;%% in its own code</dd>\n",
            share_words(sqlite3_column_double(row, 0)).text, share_words(sqlite3_column_double(row, 1)).text);
    sqlite3_finalize(row);
}

static bool has_flow_graph(void)
{
    unsigned number;
    const char *rest;
    bool other_method;
    return ui_route("GET", "/1/graph/flow/1", &number, &rest, &other_method);
}

static void print_head(const struct function_page *page, const char *whole, const char *shown)
{
    FILE *out = page->out;
    fputs("<p class=\"kicker\">Function</p>\n", out);
    workshop_print_heading(page->visit, out);
    html_format(out, "%s</h1>\n<dl class=\"facts\">\n", shown);
    if (strcmp(whole, shown))
        html_format(out, "<dt>In full</dt><dd><code>%s</code></dd>\n", whole);
    fputs("<dt>Place</dt><dd>", out);
    print_place(page, page->row->file, page->row->line, 0, page->row->address);
    if (page->row->file && page->row->address != NO_ADDRESS)
        fprintf(out, " <span class=\"dim\">0x%llx</span>", (unsigned long long)page->row->address);
    fputs("</dd>\n<dt>Code</dt><dd>", out);
    html_counted(out, page->row->instruction_count, "instruction", "instructions");
    fputs(", ", out);
    html_counted(out, page->row->block_count, "block", "blocks");
    fputs(", ", out);
    html_counted(out, page->row->size, "byte", "bytes");
    if (page->row->block_count && has_flow_graph())
        fprintf(out, "; <a href=\"/%u/graph/flow/%u\">its control flow</a>", page->request->subject->number,
                page->visit->function);
    fputs("</dd>\n", out);
    print_run_share(page);
    fputs("</dl>\n", out);
}

/* ---- loops ---- */

static void print_figures(const struct function_page *page, uint32_t loop)
{
    struct quality_rows rows;
    struct html_figures figures;
    FILE *out = page->out;
    quality_rows_find(&rows, page->visit->model, loop);
    html_figures_find(&figures, page->report, &rows);
    fputs("<td class=\"figure\">", out);
    if (figures.cycle && isfinite(figures.cycle->cycles))
        html_number(out, figures.cycle->cycles);
    fputs("</td><td>", out);
    if (figures.cycle && isfinite(figures.cycle->cycles))
        fputs(core_part_word(figures.cycle->limit), out);
    fputs("</td><td class=\"figure\">", out);
    if (figures.gain > 1)
        html_gain(out, figures.gain, figures.is_upper);
    fputs("</td><td>", out);
    if (figures.level)
        fprintf(out, "<i class=\"level %s\">%s</i>", figures.level, figures.level);
    fputs("</td>", out);
}

static void print_loop_row(const struct function_page *page, uint32_t id)
{
    const struct loop *loop = model_loop(page->visit->model, id);
    FILE *out = page->out;
    fprintf(out, "<tr><td class=\"tree depth-%u\"><a href=\"", loop->depth < 8 ? loop->depth : 8);
    ui_print_loop_address(page->request, out, id);
    fprintf(out, "\">loop %u</a></td><td class=\"place\">", id);
    print_place(page, loop->file, loop->first_line, loop->last_line,
                model_block(page->visit->model, loop->header)->address);
    fputs("</td><td class=\"figure\">", out);
    html_count(out, loop->instruction_count);
    fputs("</td>", out);
    if (loop->is_innermost)
        print_figures(page, id);
    else
        fputs("<td></td><td></td><td></td><td></td>", out);
    fputs("</tr>\n", out);
}

static void print_loops(const struct function_page *page)
{
    const struct model *model = page->visit->model;
    FILE *out = page->out;
    size_t at =
        array_first_not_below(&model->loops, 1, offsetof(struct loop, function), page->visit->function);
    if (at >= model->loops.count || model_loop(model, (uint32_t)at)->function != page->visit->function)
        return;
    fputs("<section>\n<h2>Loops</h2>\n<p class=\"note\">", out);
    if (page->visit->machine)
        html_format(out, "Cycles are those of an iteration on %s, with the data in the L1 cache.",
                    page->visit->machine->title ? page->visit->machine->title : page->visit->machine->name);
    if (page->visit->left_out)
        fprintf(out, " %zu more innermost loops are not computed here; their own pages have them.",
                page->visit->left_out);
    fputs("</p>\n<div class=\"wide\"><table class=\"rows\">\n<thead><tr><th scope=\"col\">loop</th><th "
          "scope=\"col\">place</th><th scope=\"col\" class=\"figure\">instructions</th><th scope=\"col\" "
          "class=\"figure\">cycles</th><th scope=\"col\">limit</th><th scope=\"col\" "
          "class=\"figure\">faster</th><th scope=\"col\">advice</th></tr></thead>\n<tbody>\n",
          out);
    for (; at < model->loops.count && model_loop(model, (uint32_t)at)->function == page->visit->function;
         at++)
        print_loop_row(page, (uint32_t)at);
    fputs("</tbody></table></div>\n</section>\n", out);
}

/* ---- code ---- */

static void print_link(const struct function_page *page, const char *rel, const char *words, uint32_t from)
{
    const char *machine = ui_parameter(page->request, "machine");
    fprintf(page->out, "<a rel=\"%s\" href=\"/%u/function/%u?from=%u", rel, page->request->subject->number,
            page->visit->function, from);
    if (machine && *machine) {
        fputs("&amp;machine=", page->out);
        ui_print_encoded(page->out, machine);
    }
    fprintf(page->out, "#code\">%s</a>\n", words);
}

static void print_pages(const struct function_page *page, uint32_t from)
{
    uint32_t all = page->row->instruction_count;
    if (all <= FUNCTION_ROWS)
        return;
    fputs("<nav class=\"pages\" aria-label=\"Pages of the code\"><span class=\"dim\">Instructions ",
          page->out);
    html_count(page->out, from + 1);
    fputs("–", page->out);
    html_count(page->out, from + FUNCTION_ROWS < all ? from + FUNCTION_ROWS : all);
    fputs(" of ", page->out);
    html_count(page->out, all);
    fputs("</span>\n", page->out);
    if (from)
        print_link(page, "prev", "Page before", from > FUNCTION_ROWS ? from - FUNCTION_ROWS : 0);
    if (all - from > FUNCTION_ROWS)
        print_link(page, "next", "Next page", from + FUNCTION_ROWS);
    fputs("</nav>\n", page->out);
}

static void print_code(const struct function_page *page)
{
    struct html_listing listing;
    struct array findings = ARRAY_OF(struct quality_finding);
    struct quality_rows rows = {.model = page->visit->model};
    int64_t wanted = ui_number(page->request, "from", 0);
    uint32_t all = page->row->instruction_count;
    uint32_t from = wanted > 0 && wanted < all ? (uint32_t)wanted / FUNCTION_ROWS * FUNCTION_ROWS : 0;
    fputs("<section id=\"code\">\n<h2>Code</h2>\n", page->out);
    if (page->row->block_count) {
        html_listing_find_function(&listing, page->report, page->visit->function, from, FUNCTION_ROWS);
        html_code(page->report, &listing, &findings, &rows);
        html_listing_free(&listing);
        print_pages(page, from);
    } else {
        fputs("<p>Its code is not in this file.</p>\n", page->out);
    }
    fputs("</section>\n", page->out);
}

bool page_function(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"listing.css", "heat.css", "listing.js", "heat.js", "function.css",
                                        "function.js", "plan.css", "plan.js",    NULL};
    int64_t id = ui_rest_number(request);
    struct workshop_visit visit;
    if (id <= 0 || id > UINT32_MAX)
        return ui_missing(answer, error, "there is no function '%s'", request->rest);
    if (!workshop_enter(request, answer, (uint32_t)id, 0, NULL, &visit, error))
        return false;
    workshop_analyse(&visit);
    judging_add(request, &visit);
    struct html_report report = {
        .view = &visit.view, .model = visit.model, .out = answer->out, .places = visit.places};
    struct function_page page = {request, &visit, &report, model_function(visit.model, (uint32_t)id),
                                 answer->out};
    autofree char *whole = ui_name(request, model_text(visit.model, page.row->name)),
                  *shown = name_shorten(whole, NAME_COLUMNS, true);
    ui_begin_page(request, answer, shown, "functions", files);
    print_head(&page, whole, shown);
    print_loops(&page);
    function_heat(request, &visit, answer->out);
    bool done = function_calls(request, answer->out, id, error);
    print_code(&page);
    ui_end_page(request, answer);
    workshop_leave(&visit);
    return done;
}
