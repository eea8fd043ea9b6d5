/* The report as text: one screen about the whole program, then a page for each loop that matters. */
#include "show/report/quality/text.h"

#include "show/report/common/wrap.h"

#include <stdlib.h>

static bool has_advice(const struct quality_view *view, uint32_t loop)
{
    struct quality_rows rows;
    quality_rows_find(&rows, view->model, loop);
    for (size_t i = 0; i < rows.advice_count; i++)
        if (rows.advice[i].level <= view->level)
            return true;
    return false;
}

/* The loops with a page: those that were chosen, all if all are asked for, or those with advice. */
static void choose_loops(struct text_report *report)
{
    const struct quality_view *view = report->view;
    bool takes_any = view->is_chosen || view->is_whole || view->analysed_count == 1;
    report->loops = ARRAY_OF(uint32_t);
    for (size_t i = 0; i < view->loop_count && report->loops.count < view->page_limit; i++)
        if (takes_any || has_advice(view, view->loops[i]))
            *(uint32_t *)array_push(&report->loops) = view->loops[i];
}

static void print_end(struct text_report *report)
{
    size_t advised = report->summary.advised_count, shown = report->loops.count;
    if (!shown)
        fputs("\nNo loop has advice at this level; --loop N shows one anyway.\n", report->out);
    else if (!report->view->is_chosen && shown < advised) {
        putc('\n', report->out);
        wrap_say(report->out, 0, report->width,
                 "%zu more loop%s advice: --all shows %s, --top N the first N, --html a page with all.",
                 advised - shown, advised - shown == 1 ? " has" : "s have",
                 advised - shown == 1 ? "it" : "them");
    }
}

static struct text_report begin(const struct quality_view *view, const struct report_style *style, FILE *out)
{
    struct text_report report = {.view = view,
                                 .style = style,
                                 .out = out,
                                 .width = style->width ? style->width : WRAP_USUAL_WIDTH,
                                 .said = ARRAY_OF(struct text_said),
                                 .loops = ARRAY_OF(uint32_t)};
    if (report.width > WRAP_WIDEST)
        report.width = WRAP_WIDEST;
    places_take(&report.places, view->model, view->demangle, view->trust);
    report.explained = memory_get((view->model->rules.count + 1) * sizeof *report.explained);
    return report;
}

static bool end(struct text_report *report, struct error *error)
{
    array_free(&report->loops);
    array_free(&report->said);
    free(report->explained);
    places_free(&report->places);
    return !ferror(report->out) || error_set_errno(error, NULL, "cannot write the report");
}

bool report_quality_page(const struct quality_view *view, const struct report_style *style, uint32_t loop,
                         bool is_full, FILE *out, struct error *error)
{
    struct text_report report = begin(view, style, out);
    report.is_alone = true;
    report.is_full = is_full;
    page_print(&report, loop);
    return end(&report, error);
}

bool report_quality_text(const struct quality_view *view, const struct report_style *style, FILE *out,
                         struct error *error)
{
    struct text_report report = begin(view, style, out);
    report.is_full =
        view->is_chosen || view->is_whole || view->level >= advice_level_HINT || view->analysed_count == 1;
    quality_summarise(&report.summary, view);
    choose_loops(&report);
    text_find_actions(&report);
    text_print_summary(&report);
    for (size_t i = 0; i < report.loops.count && !ferror(out); i++)
        page_print(&report, *ARRAY_AT(uint32_t, &report.loops, i));
    print_end(&report);
    quality_summary_free(&report.summary);
    return end(&report, error);
}
