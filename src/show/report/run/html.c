/* One file that a browser shows without a network: the run first (where its time went, the hottest loops and
   functions, what to change, the call tree, threads and ranks, counters, how it was measured), then the hot
   loops in full, as in the report on loops, and all others folded.  Everything can be read without the
   script, which sorts tables and zooms the call tree.  The policy allows only our own style and script. */
#include "show/report/run/parts.h"

#include "show/report/common/html.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/quality/html.h"
#include "show/report/run/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 12 };

/* Made by tools/page-to-c. */
extern const char report_run_page_style[], report_run_page_script[], report_run_page_policy[];

static void print_key(FILE *out, const char *class, const char *name, char *value)
{
    fprintf(out, "<div%s><dt>%s</dt><dd>", class, name);
    html_format(out, "%s</dd></div>\n", value);
    free(value);
}

static void print_head(const struct run_report *report, FILE *out)
{
    const struct sampled_run *run = report->run;
    const char *command = model_text(report->model, run->command);
    double saving = run_all_savings(report), lived = run->waiting_seconds + run->sampled_seconds;
    html_format(out,
                "<header class=\"page\">\n<p class=\"kicker\">Assay run</p>\n<h1>%s</h1>\n<dl "
                "class=\"keys\">\n",
                command ? command : "a run");
    print_key(out, "", "wall time", phrase_seconds(run->seconds));
    print_key(out, "", "processor time", phrase_seconds(run->cpu_seconds));
    if (run->ranks)
        print_key(out, "", "ranks", phrase_count(run->ranks));
    else if (run->processes > 1)
        print_key(out, "", "processes", phrase_count(run->processes));
    print_key(out, "", "threads", phrase_count(run->threads));
    if (run->waiting_seconds > 0 && lived > 0)
        print_key(out, "", "waiting", phrase_share(run->waiting_seconds / lived));
    print_key(out, saving >= 0.005 ? " class=\"gain\"" : "", "advice would save",
              saving >= 0.005 ? memory_format("up to %s %%", share_words(saving).text) : memory_format("–"));
    fputs("</dl>\n", out);
    autofree char *end = run_say_end(report), *where = run_say_where(report), *saved = run_say_saving(report),
                  *tried = run_say_best_trial(report), *hope = run_say_worth_a_trial(report);
    if (end)
        html_format(out, "<p class=\"lead failed\">The program: %s.</p>\n", end);
    fputs("<p class=\"lead\">", out);
    html_prose(out, where);
    if (tried) {
        fputs("</p>\n<p class=\"lead answer\">", out);
        html_prose(out, tried);
    }
    fputs("</p>\n<p class=\"lead answer\">", out);
    html_prose(out, saved);
    if (hope) {
        fputs("</p>\n<p class=\"lead\">", out);
        html_prose(out, hope);
    }
    fputs("</p>\n</header>\n", out);
}

static void print_bar_row(FILE *out, const char *class, char *name, double share, double of, char *figure)
{
    html_format(out, "<tr><th title=\"%s\">%s</th><td class=\"room\">", name, name);
    html_bar(out, class, of > 0 ? share / of : 0);
    html_format(out, "</td><td class=\"figure\">%s</td></tr>\n", figure);
    free(name);
    free(figure);
}

static const char *const classes[RUN_KINDS] = {"own", "shared", "system", "made", ""};

static void draw_files(const struct run_report *report, FILE *out)
{
    size_t count, drawn = 0;
    const struct run_file *rows = run_rows(&report->model->run_files, report->view->run, &count);
    autofree bool *is_done = memory_get(count + 1);
    double most = 0;
    fputs("<div class=\"drawing\"><h2>Where the processor time went</h2>\n<table class=\"bars\">\n", out);
    for (; drawn < count && drawn < MOST_FILES; drawn++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!is_done[i] && rows[i].share > (best < count ? rows[best].share : LEAST_SHOWN))
                best = i;
        if (best == count)
            break;
        is_done[best] = true;
        most = most > 0 ? most : rows[best].share;
        print_bar_row(out, classes[run_file_kind(report, &rows[best])],
                      run_file_name(report, (uint32_t)(&rows[best] - model_run_file(report->model, 0))),
                      rows[best].share, most, phrase_share(rows[best].share));
    }
    fputs("</table></div>\n", out);
}

/* Processor time by rank. */
static void draw_ranks(const struct run_report *report, FILE *out)
{
    struct array ranks = run_find_ranks(report);
    double most = 0;
    for (size_t i = 0; i < ranks.count; i++)
        most = fmax(most, ARRAY_AT(struct run_rank, &ranks, i)->cpu);
    if (ranks.count > 1) {
        fputs(
            "<div class=\"drawing\"><h2>Computing by rank, without MPI calls</h2>\n<table class=\"bars\">\n",
            out);
        for (size_t i = 0; i < ranks.count; i++) {
            const struct run_rank *rank = ARRAY_AT(struct run_rank, &ranks, i);
            print_bar_row(out, "own", memory_format("rank %d", rank->rank), rank->cpu - rank->mpi, most,
                          phrase_seconds(rank->cpu - rank->mpi));
        }
        fputs("</table></div>\n", out);
    }
    array_free(&ranks);
}

/* The hottest loops that are not outermost shells have sections; the table links to them. */
static bool has_section(const struct run_page *page, uint32_t loop)
{
    for (size_t i = 0; i < page->section_count; i++)
        if (page->loops[i] == loop)
            return true;
    return false;
}

/* The start of a link, without its end, to a loop or to a function outside its loops; false: there is none to
 * link to, and nothing was written. */
static bool begin_link(const struct run_page *page, uint32_t loop, uint32_t function)
{
    if (page->links && loop)
        fprintf(page->out, "<a href=\"%s%u%s\"", page->links->loop, loop, page->links->behind);
    else if (page->links && function)
        fprintf(page->out, "<a href=\"%s%u\"", page->links->function, function);
    else if (!page->links && loop && has_section(page, loop))
        fprintf(page->out, "<a href=\"#loop-%u\"", loop);
    else
        return false;
    return true;
}

static void print_hot_name(const struct run_page *page, const struct run_hot *hot)
{
    FILE *out = page->out;
    autofree char *name = run_hot_name(page->report, hot), *shown = name_shorten(name, NAME_COLUMNS, true);
    bool is_link = begin_link(page, hot->loop, hot->function);
    if (!is_link)
        fputs("<span", out);
    if (strcmp(name, shown))
        html_format(out, " title=\"%s\"", name);
    html_format(out, ">%s", shown);
    fputs(is_link ? "</a>" : "</span>", out);
    autofree char *remark = run_hot_remark(page->report, hot);
    if (remark)
        html_format(out, "<span class=\"dim\">, %s</span>", remark);
}

static void print_cell(FILE *out, char *text)
{
    html_format(out, "<td class=\"figure\">%s</td>", text);
    free(text);
}

static char *cycles_words(double cycles)
{
    return isfinite(cycles) ? run_figure(cycles) : memory_format("–");
}

static void print_hot_row(const struct run_page *page, const struct run_hot *hot, double most)
{
    const struct run_report *report = page->report;
    FILE *out = page->out;
    const struct run_saving *saving = hot->loop ? run_saving_of(report, hot->loop) : NULL;
    double error = hot->loop && hot->figures->error > 0 ? hot->figures->error : run_error(hot->samples);
    autofree char *place = run_hot_place(report, hot);
    fputs("<tr>", out);
    print_cell(out, run_share(report, hot->share, error));
    fputs("<td class=\"room\">", out);
    const struct run_file *file =
        hot->code ? model_run_file(report->model, model_run_function(report->model, hot->code)->file) : NULL;
    const char *class = hot->library_call ? classes[RUN_LIBRARY]
                        : file            ? classes[run_file_kind(report, file)]
                                          : "own";
    html_bar(out, class, most > 0 ? hot->share / most : 0);
    fputs("</td><td class=\"function\">", out);
    print_hot_name(page, hot);
    fputs("</td><td class=\"place\"", out);
    html_place(out, place, place, PLACE_COLUMNS);
    fputs("</td>", out);
    print_cell(out, hot->loop ? memory_format("%u", hot->loop) : memory_format("%s", ""));
    const struct run_function *row = run_hot_function(report, hot);
    bool has_cycles = hot->loop || row;
    double predicted = hot->loop                  ? hot->figures->predicted_cycles
                       : row && row->predicted_by ? row->predicted_cycles
                                                  : NAN;
    print_cell(out, has_cycles ? cycles_words(run_hot_measured(report, hot)) : memory_format("%s", ""));
    print_cell(out, has_cycles ? cycles_words(predicted) : memory_format("%s", ""));
    print_cell(out, saving ? phrase_share(saving->saving) : memory_format("%s", ""));
    fputs("</tr>\n", out);
}

static void print_hot(const struct run_page *page)
{
    const struct run_report *report = page->report;
    FILE *out = page->out;
    struct array lacks = ARRAY_OF(char *);
    size_t shown = report->shown;
    if (!shown)
        return;
    fputs("<section class=\"loops told\" id=\"hottest\">\n<h2>Hottest loops and functions</h2>\n"
          "<p class=\"note\">Shares are of processor time; each sample counts once. Cycles are for an "
          "iteration of a loop, or a call of a function.</p>\n"
          "<div class=\"wide\"><table class=\"loops sortable\">\n<thead><tr><th scope=\"col\" "
          "class=\"figure\">share</th><td class=\"room\"></td><th scope=\"col\">function</th><th "
          "scope=\"col\">place</th><th scope=\"col\" class=\"figure\">loop</th><th scope=\"col\" "
          "class=\"figure\">measured</th><th scope=\"col\" class=\"figure\">predicted</th><th scope=\"col\" "
          "class=\"figure\">would save</th></tr></thead>\n<tbody>\n",
          out);
    double most = ARRAY_AT(struct run_hot, &report->hot, 0)->share;
    for (size_t i = 0; i < shown; i++)
        print_hot_row(page, ARRAY_AT(struct run_hot, &report->hot, i), most);
    fputs("</tbody></table></div>\n", out);
    run_say_lacks(report, &lacks);
    for (size_t i = 0; i < lacks.count; i++) {
        fputs("<p class=\"note\">", out);
        html_prose(out, *ARRAY_AT(char *, &lacks, i));
        fputs("</p>\n", out);
    }
    if (run_has_more(report))
        fprintf(out, "<p class=\"note\">… and %zu more%s.</p>\n", report->hot.count - shown,
                page->links ? "" : "; <code>--top</code> shows more rows");
    sentences_free(&lacks);
    fputs("</section>\n", out);
}

static void print_change(const struct run_page *page, const struct run_change *change, size_t number)
{
    const struct run_report *report = page->report;
    FILE *out = page->out;
    autofree char *place = run_loop_places(report, change->loop);
    autofree char *name = run_loop_origin(report, change->loop);
    autofree char *shorter = name_shorten(name, 40, true), *cycles = run_say_cycles(report, change->loop);
    autofree char *share = run_share(report, change->figures->self_share, change->figures->error);
    fprintf(out, "<div class=\"card%s\"><header><span class=\"number\">%zu</span><h3>",
            change->worth > 0 ? " gain" : "", number);
    bool is_link = begin_link(page, change->loop, 0);
    fputs(is_link ? ">" : "", out);
    html_string(out, shorter);
    fputs(is_link ? "</a> <span class=\"dim\">" : " <span class=\"dim\">", out);
    html_format(out, "%s</span></h3>", place);
    if (change->worth > 0)
        fprintf(out, "<span class=\"gain\">saves %s%s&nbsp;%%</span>",
                quality_up_to(run_change_is_upper(report->model, change)), share_words(change->worth).text);
    fprintf(out, "</header>\n<p>%s of the time. ", share);
    if (cycles)
        html_prose(out, cycles);
    fputs("</p>\n", out);
    autofree char *advice = run_say_change(report, change), *besides = run_say_native(report, change);
    if (advice) {
        fputs("<p class=\"advice\">", out);
        html_prose(out, advice);
        fprintf(out, "%s%s%s</p>\n", besides ? " It saves " : "", besides ? besides : "", besides ? "." : "");
    }
    fputs("</div>\n", out);
}

static void print_trials(const struct run_page *page)
{
    struct array sentences = ARRAY_OF(char *);
    run_say_trials(page->report, &sentences);
    if (sentences.count)
        fputs("<section class=\"loops\" id=\"trials\">\n<h2>Other options, tried by whole runs</h2>\n"
              "<div class=\"card gain\">\n",
              page->out);
    for (size_t i = 0; i < sentences.count; i++) {
        fputs("<p class=\"advice\">", page->out);
        html_prose(page->out, *ARRAY_AT(char *, &sentences, i));
        fputs("</p>\n", page->out);
    }
    if (sentences.count)
        fputs("</div>\n</section>\n", page->out);
    sentences_free(&sentences);
}

static void print_options(const struct run_page *page)
{
    size_t count;
    const struct run_option *options = run_options_of(page->report, &count);
    FILE *out = page->out;
    if (!count)
        return;
    fputs("<section class=\"loops\" id=\"options\">\n<h2>How it was compiled costs time</h2>\n"
          "<div class=\"cards\">\n",
          out);
    for (size_t i = 0; i < count; i++) {
        if (!run_option_is_first(options, i))
            continue;
        autofree char *heading = run_option_heading(page->report, &options[i]);
        autofree char *words = run_say_option(page->report, &options[i]);
        html_format(out, "<div class=\"card gain\"><header><h3>%s</h3></header>\n<p class=\"advice\">",
                    heading);
        html_prose(out, words);
        fputs("</p>\n</div>\n", out);
    }
    fputs("</div>\n</section>\n", out);
}

static void print_points(const struct run_page *page)
{
    size_t count;
    const struct run_point *points = run_points_of(page->report, &count);
    FILE *out = page->out;
    if (!count)
        return;
    fputs("<section class=\"loops\" id=\"points\">\n<h2>Instructions that take much of the time</h2>\n"
          "<div class=\"cards\">\n",
          out);
    for (size_t i = 0; i < count && i < page->report->rows; i++) {
        autofree char *heading = run_point_heading(page->report, &points[i]);
        autofree char *source = run_point_source(page->report, &points[i]);
        autofree char *words = run_say_point(page->report, &points[i]);
        html_format(out, "<div class=\"card\"><header><h3>%s</h3></header>\n", heading);
        if (source)
            html_format(out, "<p><code>%s</code></p>\n", source);
        fputs("<p class=\"advice\">", out);
        html_prose(out, words);
        fputs("</p>\n</div>\n", out);
    }
    fputs("</div>\n</section>\n", out);
}

static void print_changes(const struct run_page *page)
{
    const struct run_report *report = page->report;
    if (!report->changes.count)
        return;
    fprintf(page->out, "<section class=\"loops\" id=\"changes\">\n<h2>%s</h2>\n<div class=\"cards\">\n",
            ARRAY_AT(struct run_change, &report->changes, 0)->saving
                ? "What to change, the largest saving first"
                : "Slower than predicted");
    for (size_t i = 0; i < report->changes.count; i++)
        print_change(page, ARRAY_AT(struct run_change, &report->changes, i), i + 1);
    fputs("</div>\n</section>\n", page->out);
}

static void print_story(FILE *out, const char *title, struct array *sentences)
{
    if (sentences->count)
        fprintf(out, "<section class=\"loops\">\n<h2>%s</h2>\n<ul class=\"story\">\n", title);
    for (size_t i = 0; i < sentences->count; i++) {
        fputs("<li>", out);
        html_prose(out, *ARRAY_AT(char *, sentences, i));
        fputs("</li>\n", out);
    }
    fputs(sentences->count ? "</ul>\n</section>\n" : "", out);
    sentences_free(sentences);
}

static void print_library(const struct run_page *page)
{
    struct array pairs = ARRAY_OF(char *), sentences = ARRAY_OF(char *);
    run_say_library(page->report, &pairs);
    for (size_t i = 0; i + 1 < pairs.count; i += 2)
        sentences_say(&sentences, memory_format("%s. %s", *ARRAY_AT(char *, &pairs, i),
                                                *ARRAY_AT(char *, &pairs, i + 1)));
    sentences_free(&pairs);
    print_story(page->out, "Library calls, by who calls them", &sentences);
}

static void print_measured(const struct run_page *page)
{
    struct array measured = ARRAY_OF(char *);
    run_say_measured(page->report, &measured);
    run_say_limits(page->report, &measured);
    struct array faults = ARRAY_OF(char *);
    run_say_faults(page->report, &faults);
    for (size_t i = 0; i < faults.count; i += 2)
        sentences_say(&measured, memory_format("%s `%s`", *ARRAY_AT(char *, &faults, i),
                                               *ARRAY_AT(char *, &faults, i + 1)));
    sentences_free(&faults);
    print_story(page->out, "How it was measured", &measured);
    if (page->links)
        return; /* what comes next is a click */
    run_say_next(page->report, &measured);
    print_story(page->out, "Next", &measured);
}

/* What the run says about a loop, in its section. */
static void print_loop(void *context, uint32_t loop)
{
    const struct run_page *page = context;
    const struct run_report *report = page->report;
    const struct run_loop *figures = run_figures(report, loop);
    const struct run_saving *saving = run_saving_of(report, loop);
    if (!figures)
        return;
    autofree char *share = run_share(report, figures->self_share, figures->error),
                  *cycles = run_say_cycles(report, loop);
    fprintf(page->out, "<p class=\"lead measured\"><b>%s of the run.</b> ", share);
    if (cycles)
        html_prose(page->out, cycles);
    if (saving)
        fprintf(page->out, " The advice with the largest gain would save %s%s %% of the whole run.",
                quality_up_to(run_saving_is_upper(report->model, saving)), share_words(saving->saving).text);
    if (figures->iterations && figures->entries) {
        fputs(" ", page->out);
        html_count(page->out, figures->iterations);
        fputs(" iterations in ", page->out);
        html_counted(page->out, figures->entries, "entry.", "entries.");
    }
    autofree char *seen = run_say_seen(figures);
    if (seen)
        fprintf(page->out, " %s", seen);
    autofree char *paths = run_say_paths(report, loop);
    if (paths)
        fprintf(page->out, " %s", paths);
    fputs("</p>\n", page->out);
}

void report_run_html_loop(const struct run_view *view, uint32_t loop, FILE *out)
{
    struct run_report report;
    struct error ignored = {0};
    if (!run_report_begin(&report, view, false, &ignored))
        return;
    struct run_page page = {.report = &report, .out = out};
    print_loop(&page, loop);
    run_report_end(&report);
}

/* Loops with a section first: those to change, then the hottest; then all others that were analysed. */
static void find_sections(struct run_page *page)
{
    const struct run_report *report = page->report;
    const struct quality_view *quality = &report->view->quality;
    autofree bool *is_there = memory_get(report->model->loops.count + 1);
    size_t count = 0;
    page->loops = memory_get((quality->analysed_count + 1) * sizeof *page->loops);
    for (size_t i = 0; i < quality->analysed_count; i++)
        is_there[quality->loops[i]] = true;
    for (size_t i = 0; i < report->changes.count + report->hot.count; i++) {
        uint32_t loop = i < report->changes.count
                            ? ARRAY_AT(struct run_change, &report->changes, i)->loop
                            : ARRAY_AT(struct run_hot, &report->hot, i - report->changes.count)->loop;
        if (!loop || !is_there[loop])
            continue;
        is_there[loop] = false;
        page->loops[count++] = loop;
    }
    page->section_count = quality->is_chosen ? quality->analysed_count : count;
    if (page->section_count > quality->loop_count)
        page->section_count = quality->loop_count;
    for (size_t i = 0; i < quality->analysed_count; i++)
        if (is_there[quality->loops[i]]) {
            is_there[quality->loops[i]] = false;
            page->loops[count++] = quality->loops[i];
        }
    page->loop_count = count;
}

static void print_loops(const struct run_page *page)
{
    const struct run_report *report = page->report;
    struct quality_view quality = report->view->quality;
    quality.loops = page->loops;
    quality.analysed_count = page->loop_count;
    quality.loop_count = page->section_count;
    struct places places;
    struct html_report loops = {.view = &quality,
                                .model = report->model,
                                .out = page->out,
                                .places = &places,
                                .section_count = page->section_count,
                                .print_run = print_loop,
                                .context = (void *)(uintptr_t)page};
    if (!page->loop_count)
        return;
    places_take(&places, report->model, quality.demangle, quality.trust);
    for (size_t i = 0; i < page->section_count; i++)
        html_loop(&loops, i + 1, page->loops[i]);
    fprintf(
        page->out,
        "<details class=\"fold all\"><summary>All %zu loops that were analysed, and the machine</summary>\n",
        page->loop_count);
    html_head(&loops);
    html_actions(&loops);
    html_table(&loops);
    fputs("</details>\n", page->out);
    html_port_legend(&loops);
    html_figure_legend(&loops);
    places_free(&places);
}

static void print_answer(const struct run_page *page)
{
    print_head(page->report, page->out);
    fputs("<section class=\"summary\">\n<div class=\"drawings\">\n", page->out);
    draw_files(page->report, page->out);
    draw_ranks(page->report, page->out);
    fputs("</div>\n</section>\n", page->out);
    print_hot(page);
    print_trials(page);
    print_options(page);
    print_changes(page);
    print_points(page);
    print_library(page);
}

bool report_run_answer(const struct run_view *view, const struct run_links *links, FILE *out,
                       struct error *error)
{
    struct run_report report;
    if (!run_report_begin(&report, view, false, error))
        return false;
    struct run_page page = {.report = &report, .out = out, .links = links};
    print_answer(&page);
    print_measured(&page);
    run_report_end(&report);
    return true;
}

static void print_content(const struct run_page *page)
{
    struct array counters = ARRAY_OF(char *), balance = ARRAY_OF(char *);
    print_answer(page);
    if (!page->links)
        run_html_heat(page);
    run_html_flame(page);
    run_say_balance(page->report, &balance);
    print_story(page->out, page->report->run->ranks > 1 ? "Ranks and threads" : "Threads", &balance);
    run_html_threads(page);
    run_say_counters(page->report, &counters);
    print_story(page->out, "Counters", &counters);
    run_html_counters(page);
    print_measured(page);
}

bool report_run_content(const struct run_view *view, const struct run_links *links, FILE *out,
                        struct error *error)
{
    struct run_report report;
    if (!run_report_begin(&report, view, false, error))
        return false;
    struct run_page page = {.report = &report, .out = out, .links = links};
    print_content(&page);
    run_report_end(&report);
    return true;
}

bool report_run_html(const struct run_view *view, FILE *out, struct error *error)
{
    struct run_report report;
    if (!run_report_begin(&report, view, false, error))
        return false;
    struct run_page page = {.report = &report, .out = out};
    const char *command = model_text(report.model, report.run->command);
    find_sections(&page);
    html_begin_page(out, report_run_page_policy, "", command ? command : "run", "Assay run",
                    report_run_page_style);
    print_content(&page);
    print_loops(&page);
    fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_run_page_script);
    free(page.loops);
    run_report_end(&report);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
