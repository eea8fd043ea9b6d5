/* One file that a browser shows without a network: style, script, source and drawings are inside.  Everything
   can be read without the script, which sorts and filters the table, lights up what belongs together and
   moves marks.  The policy in the head allows only the style and the script that Assay was built with, so
   that nothing from a hostile file could run, even if some text were not escaped. The page is written as a
   stream; only the listing of one loop is kept in memory. */
#include "show/report/quality/html.h"

#include "show/report/common/html.h"

/* Made by tools/page-to-c. */
extern const char report_page_style[], report_page_script[], report_page_policy[];

static void print_end(const struct html_report *report)
{
    fprintf(report->out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_page_script);
}

bool report_quality_html(const struct quality_view *view, FILE *out, struct error *error)
{
    struct places places;
    struct html_report report = {
        .view = view, .model = view->model, .out = out, .places = &places, .section_count = view->loop_count};
    places_take(&places, view->model, view->demangle, view->trust);
    html_begin_page(out, report_page_policy, "", view->path, "Assay report", report_page_style);
    html_head(&report);
    html_actions(&report);
    html_summary(&report);
    html_table(&report);
    for (size_t i = 0; i < report.section_count; i++)
        html_loop(&report, i + 1, view->loops[i]);
    html_port_legend(&report);
    html_figure_legend(&report);
    print_end(&report);
    places_free(&places);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
