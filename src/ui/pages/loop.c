/* A loop: everything that is known about it, on the machine that the reader chooses. */
#include "report/quality/html.h"
#include "ui/pages/pages.h"
#include "ui/workshop.h"

bool page_loop(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    int64_t id = ui_rest_number(request);
    struct workshop_visit visit;
    if (id <= 0 || id > UINT32_MAX)
        return ui_missing(answer, error, "there is no loop '%s'", request->rest);
    if (!workshop_enter(request, answer, 0, (uint32_t)id, NULL, &visit, error))
        return false;
    struct html_report report = {.view = &visit.view,
                                 .model = visit.model,
                                 .out = answer->out,
                                 .places = visit.places,
                                 .section_count = visit.view.loop_count};
    ui_begin_page(request, answer, "Loop", "loops", NULL);
    for (size_t i = 0; i < visit.view.loop_count; i++)
        html_loop(&report, i + 1, visit.view.loops[i]);
    html_port_legend(&report);
    html_figure_legend(&report);
    ui_end_page(request, answer);
    workshop_leave(&visit);
    return true;
}
