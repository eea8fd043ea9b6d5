/* /N/loop/ID: everything that is known about a loop, on the machine that the reader chooses.

   An innermost loop has figures, advice, its code and drawings, as its section of assay report --html: one
   path at a time (?path=), advice up to a level (?level=).  Another loop lists the innermost ones inside it.
 */
#include "show/report/quality/html.h"

#include "code/machine/extensions.h"
#include "model/tables.h"
#include "code/quality/compiler.h"
#include "show/report/common/html.h"
#include "show/report/common/short_name.h"
#include "show/report/cycles.h"
#include "show/report/quality/sentences.h"
#include "show/ui/judging.h"
#include "show/ui/machines.h"
#include "show/ui/pages/loop.h"
#include "show/ui/pages/pages.h"
#include "show/ui/workshop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"listing.css", "histogram.css", "listing.js", "loop.css",
                                    "loop.js",     "plan.css",      "plan.js",    NULL};

static void print_link(const struct loop_page *page, const char *where, uint32_t id, const char *words)
{
    fprintf(page->out, "<a href=\"/%u/%s/%u", page->request->subject->number, where, id);
    ui_print_machine(page->request, page->out);
    fprintf(page->out, "\">%s</a>", words);
}

/* The function and the loops around, the outermost first. */
static void print_around(const struct loop_page *page)
{
    enum { MOST_AROUND = 16 };
    const struct model *model = page->report.model;
    uint32_t around[MOST_AROUND], count = 0;
    for (uint32_t id = page->loop; count < MOST_AROUND && id;) {
        uint32_t parent = model_loop(model, id)->parent;
        id = parent < id ? parent : 0;
        if (id)
            around[count++] = id;
    }
    autofree char *name = quality_function(model, page->loop, page->report.view->demangle);
    autofree char *shown = name_shorten(name, NAME_COLUMNS, true);
    fprintf(page->out,
            "<nav class=\"trail\" aria-label=\"What the loop is in\"><a class=\"function\" "
            "href=\"/%u/function/%u",
            page->request->subject->number, model_loop(model, page->loop)->function);
    ui_print_machine(page->request, page->out);
    html_format(page->out, "\" title=\"%s\">%s</a>", name, shown);
    while (count--) {
        char words[32];
        snprintf(words, sizeof words, "loop %u", around[count]);
        fputs(" <span aria-hidden=\"true\">›</span> ", page->out);
        print_link(page, "loop", around[count], words);
    }
    fputs("</nav>\n", page->out);
}

static void print_option(FILE *out, const char *value, bool is_chosen)
{
    fprintf(out, "<option value=\"%s\"%s>", value, is_chosen ? " selected" : "");
}

static void print_levels(const struct loop_page *page)
{
    fputs("<label>Advice <select name=\"level\">\n", page->out);
    for (unsigned level = 0; level < advice_level_COUNT; level++) {
        print_option(page->out, advice_level_word(level), level == page->report.view->level);
        fprintf(page->out, "%s%s</option>\n", level ? "up to " : "", advice_level_word(level));
    }
    fputs("</select></label>\n", page->out);
}

static void print_paths(const struct loop_page *page)
{
    const struct quality_rows *rows = &page->rows;
    if (rows->cycle_count < 2)
        return;
    fputs("<label>Path <select name=\"path\">\n", page->out);
    for (size_t i = 0; i < rows->cycle_count; i++) {
        const struct loop_cycle *row = &rows->cycles[i];
        char number[16];
        snprintf(number, sizeof number, "%u", row->path);
        print_option(page->out, number, row->path == page->path);
        fprintf(page->out, "%u: ", row->path);
        if (isfinite(row->cycles))
            fprintf(page->out, "%.2f cycles, %s</option>\n", row->cycles, core_part_word(row->limit));
        else
            fputs("cycles unknown</option>\n", page->out);
    }
    fputs("</select></label>\n", page->out);
}

/* What the figures are for: the machine, and the compiler of the code. */
static void print_basis(const struct loop_page *page)
{
    const struct model *model = page->report.model;
    struct compiler compiler = {0};
    autofree char *machine = machine_words(page->visit->machine);
    compiler_find(&compiler, model, model_loop(model, page->loop)->function);
    html_format(page->out, "<p class=\"note\">Figures for %s", machine);
    fputs(page->visit->is_host ? ", this computer’s; compiled by " : "; compiled by ", page->out);
    html_string(page->out, compiler.name ? compiler.name : "an unknown compiler");
    if (compiler.flags)
        html_format(page->out, " with <code>%s</code>", compiler.flags);
    fputs(compiler.flags ? ".</p>\n" : ", options unknown.</p>\n", page->out);
}

/* Choices of this page; the frame has the machine. */
static void print_choices(const struct loop_page *page)
{
    const char *machine = ui_parameter(page->request, "machine");
    fputs("<form class=\"machine choices\" method=\"get\">\n", page->out);
    if (machine && *machine)
        html_format(page->out, "<input type=\"hidden\" name=\"machine\" value=\"%s\">\n", machine);
    print_paths(page);
    print_levels(page);
    fputs("<button>Show</button>\n</form>\n", page->out);
}

static void print_head(const struct loop_page *page, const char *place)
{
    bool is_innermost = model_loop(page->report.model, page->loop)->is_innermost;
    fputs("<header class=\"page\">\n", page->out);
    print_around(page);
    workshop_print_heading(page->visit, page->out);
    html_format(page->out, "%s</h1>\n<p class=\"links\"><span>loop %u</span> ", place, page->loop);
    fprintf(page->out, "<a href=\"%s\">Control flow</a>", page->report.flow);
    if (is_innermost)
        fputs(" ", page->out), print_link(page, "whatif", page->loop, "What if …");
    fputs("</p>\n</header>\n", page->out);
}

/* The costs of the path that is shown, once more, with what its dependences and its block need. */
static bool predict(const struct loop_page *page, struct block_costs *costs, struct loop_path *path)
{
    const struct model *model = page->report.model;
    const struct machine *machine = loop_machine(&page->visit->machines, model, page->loop);
    struct array paths = ARRAY_OF(struct loop_path);
    bool is_there = false;
    loop_paths_list(model, page->loop, &paths);
    for (size_t i = 0; machine && i < paths.count && !is_there; i++) {
        *path = *ARRAY_AT(struct loop_path, &paths, i);
        is_there = path->path == page->path;
    }
    array_free(&paths);
    if (!is_there)
        return false;
    block_costs_begin(costs, machine, model);
    loop_path_take(model, path, costs);
    loop_path_note(costs, block_costs_predict(costs, cost_LOOP, cost_MARKS), path);
    if (!costs->missing && !costs->is_cut && costs->items.count)
        return true;
    block_costs_end(costs);
    return false;
}

static void print_dependences(const struct loop_page *page, const struct html_listing *listing,
                              const struct quality_rows *path)
{
    struct block_costs costs = {0};
    struct loop_path predicted;
    struct cost_links links;
    if (!predict(page, &costs, &predicted))
        return;
    if (!costs.is_bundled) {
        cost_links_find(&links, &costs);
        html_dependences(&page->report, listing, path, &costs, &links);
        cost_links_free(&links);
    }
    block_costs_end(&costs);
}

/* Expert level: the instructions of a path as assay cycles prints them. */
static void print_block(void *context, uint32_t loop, uint32_t path, const char *const *notes, FILE *out)
{
    const struct loop_page *page = context;
    struct block_costs costs = {0};
    struct loop_path predicted;
    struct report_style style = {.unicode = true, .demangle = page->report.view->demangle};
    (void)loop, (void)path;
    if (!predict(page, &costs, &predicted))
        return;
    struct cycles_view view = {.model = page->report.model,
                               .machine = costs.costs.machine,
                               .path = &predicted,
                               .mode = cost_LOOP,
                               .notes = notes};
    struct cycles_details details;
    cycles_details_begin(&details, &view, &costs);
    report_cycles_block(&view, &style, out);
    cycles_details_end(&details);
    block_costs_end(&costs);
}

static void print_innermost(struct loop_page *page)
{
    struct html_report *report = &page->report;
    struct html_listing listing;
    struct quality_rows path = quality_rows_of_path(&page->rows, page->path);
    struct array findings = quality_findings(&page->rows, report->view->level);
    html_listing_find(&listing, report, page->loop);
    fputs("<h2 class=\"unseen\">Cycles of an iteration</h2>\n", page->out);
    html_loop_keys(report, &page->rows, &path);
    html_loop_role(report, &page->rows);
    html_loop_words(report, &path, page->rows.cycle_count > 1);
    html_loop_path_count(report, &page->rows);
    print_basis(page);
    loop_page_measured(page);
    print_choices(page);
    fputs("<h3>Advice</h3>\n", page->out);
    html_cards(report, &page->rows, &findings, &listing);
    if (!findings.count)
        fputs("<p class=\"note\">No advice at this level for this loop.</p>\n", page->out);
    html_code(report, &listing, &findings, &path);
    html_drawings(report, &path, true);
    print_dependences(page, &listing, &path);
    html_accesses(report, &path, &listing);
    html_metrics(report, &page->rows);
    html_loop_block(report, page->loop, page->path);
    array_free(&findings);
    html_listing_free(&listing);
}

static void print_inner_row(const struct loop_page *page, uint32_t loop)
{
    struct quality_rows rows;
    struct html_figures figures;
    quality_rows_find(&rows, page->report.model, loop);
    html_figures_find(&figures, &page->report, &rows);
    autofree char *place = loop_place_words(page->report.model, loop, page->report.places->working_directory);
    char words[32];
    snprintf(words, sizeof words, "loop %u", loop);
    fputs("<tr><td>", page->out);
    print_link(page, "loop", loop, words);
    fputs("</td><td class=\"place\"", page->out);
    html_place(page->out, place, place, PLACE_COLUMNS);
    fputs("</td><td class=\"figure\">", page->out);
    html_number(page->out, figures.cycle ? figures.cycle->cycles : NAN);
    fprintf(page->out, "</td><td>%s</td><td class=\"figure\">",
            figures.cycle ? core_part_word(figures.cycle->limit) : "–");
    html_share(page->out, figures.metric ? figures.metric->vector_ratio : NAN);
    fputs("</td><td class=\"figure\">", page->out);
    html_gain(page->out, figures.gain, figures.is_upper);
    fprintf(page->out, "</td><td><span class=\"level %s\">%s</span></td></tr>\n",
            figures.level ? figures.level : "none", figures.level ? figures.level : "–");
}

/* A loop that contains others. */
static void print_outer(struct loop_page *page)
{
    const struct quality_view *view = page->report.view;
    const struct loop *loop = model_loop(page->report.model, page->loop);
    fprintf(page->out,
            "<h2 class=\"unseen\">What is known</h2>\n<p class=\"lead\">This loop contains other loops, so "
            "its cycles depend on how often they run. "
            "Cycles and advice are about the innermost loops inside.</p>\n<p class=\"note\">%u basic blocks, "
            "%u instructions; depth %u of the nest.</p>\n",
            loop->block_count, loop->instruction_count, loop->depth);
    loop_page_measured(page);
    fputs("<h2 class=\"inner\">Innermost loops inside</h2>\n<div class=\"wide\"><table "
          "class=\"loops\"><thead><tr><th>loop</th><th>place</th><th class=\"figure\">cycles per "
          "iteration</th><th>limit</th><th class=\"figure\">vectorised</th><th class=\"figure\">possible "
          "gain</th><th>advice</th></tr></thead>\n<tbody>\n",
          page->out);
    for (size_t i = 0; i < view->loop_count; i++)
        print_inner_row(page, view->loops[i]);
    fputs("</tbody></table></div>\n", page->out);
    if (page->visit->left_out) {
        fputs("<p class=\"note\">", page->out);
        html_counted(page->out, page->visit->left_out, "loop is", "loops are");
        fputs(" not shown.</p>\n", page->out);
    }
}

static void take_path(struct loop_page *page)
{
    quality_rows_find(&page->rows, page->report.model, page->loop);
    const struct loop_cycle *slowest = quality_slowest(&page->rows);
    int64_t wanted = ui_number(page->request, "path", 0);
    page->path = slowest ? slowest->path : page->rows.cycle_count ? page->rows.cycles[0].path : 0;
    for (size_t i = 0; i < page->rows.cycle_count; i++)
        if (page->rows.cycles[i].path == wanted)
            page->path = (uint32_t)wanted;
}

static enum advice_level chosen_level(const struct ui_request *request)
{
    const char *wanted = ui_parameter(request, "level");
    for (unsigned level = 0; wanted && level < advice_level_COUNT; level++)
        if (!strcmp(advice_level_word(level), wanted))
            return (enum advice_level)level;
    return advice_level_POTENTIAL;
}

static void print_page(struct loop_page *page)
{
    const struct model *model = page->report.model;
    bool is_innermost = model_loop(model, page->loop)->is_innermost;
    autofree char *place = loop_place_words(model, page->loop, page->report.places->working_directory);
    ui_begin_page(page->request, page->answer, place, "loops", files);
    take_path(page);
    fprintf(page->out, "<article class=\"loop single\" id=\"loop-%u\">\n", page->loop);
    print_head(page, place);
    if (is_innermost)
        print_innermost(page);
    else
        print_outer(page);
    fputs("</article>\n", page->out);
    if (is_innermost) {
        html_port_legend(&page->report);
        html_figure_legend(&page->report);
    }
    ui_end_page(page->request, page->answer);
}

bool page_loop(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    int64_t id = ui_rest_number(request);
    struct workshop_visit visit;
    if (id <= 0 || id > UINT32_MAX)
        return ui_missing(answer, error, "there is no loop '%s'", request->rest);
    if (!workshop_enter(request, answer, 0, (uint32_t)id, NULL, &visit, error))
        return false;
    workshop_analyse(&visit);
    judging_add(request, &visit);
    struct loop_page page = {.request = request,
                             .answer = answer,
                             .visit = &visit,
                             .loop = (uint32_t)id,
                             .out = answer->out,
                             .report = {.view = &visit.view,
                                        .model = visit.model,
                                        .out = answer->out,
                                        .places = visit.places,
                                        .section_count = visit.view.loop_count}};
    char flow[64];
    snprintf(flow, sizeof flow, "/%u/graph/flow/%u", request->subject->number, visit.function);
    page.report.flow = flow;
    visit.view.level = chosen_level(request);
    visit.view.print_block = print_block;
    visit.view.context = &page;
    print_page(&page);
    workshop_leave(&visit);
    return true;
}
