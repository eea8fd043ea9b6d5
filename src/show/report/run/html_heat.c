/* The hottest functions of the run, line by line: the first is open, the others are folded. */
#include "show/report/common/html.h"
#include "show/report/common/short_name.h"
#include "show/report/heat/heat.h"
#include "show/report/run/html.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 12 };
static const double least_share = 0.01;

void run_html_heat(const struct run_page *page)
{
    const struct run_report *report = page->report;
    const struct quality_view *quality = &report->view->quality;
    FILE *out = page->out;
    struct array functions;
    struct places places;
    heat_functions(report->model, report->view->run, least_share, false, MOST_FUNCTIONS, &functions);
    if (functions.count)
        fputs(
            "<section class=\"hot\" id=\"heat\">\n<h2>Hot functions, line by line</h2>\n<p class=\"note\">Shares are of "
            "the run's processor time. A line has the time of all code that the compiler inlined there with it: a click "
            "on the line unfolds that. A sample stands at or shortly after the instruction that waited.</p>\n",
            out);
    places_take(&places, report->model, quality->demangle, quality->trust);
    struct heat_view view = {.model = report->model,
                             .run = report->view->run,
                             .functions = functions.data,
                             .count = functions.count,
                             .places = &places,
                             .demangle = quality->demangle};
    for (size_t i = 0; i < functions.count; i++) {
        uint32_t function = view.functions[i];
        autofree char *name = run_name(report, function, 0), *shown = name_shorten(name, NAME_COLUMNS, true);
        autofree char *words = report_heat_words(&view, function);
        html_format(
            out,
            "<details class=\"fold heat-of\" id=\"heat-%u\"%s><summary title=\"%s\"><code>%s</code> <span class=\"dim\">%s</span></summary>\n",
            function, i ? "" : " open", name, shown, words);
        report_heat_html(&view, function, out);
        fputs("</details>\n", out);
    }
    fputs(functions.count ? "</section>\n" : "", out);
    places_free(&places);
    array_free(&functions);
}
