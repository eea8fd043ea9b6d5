/* What is open: a list, or straight to the only one. */
#include "show/report/common/html.h"
#include "show/ui/pages/pages.h"

bool page_open_files(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    (void)error;
    if (request->subject_count == 1) {
        answer->location = "/1/";
        return true;
    }
    ui_begin_page(request, answer, "Assay", NULL, NULL);
    fputs("<h1>Open files</h1>\n<ul>\n", answer->out);
    for (unsigned i = 1; i <= request->subject_count; i++)
        html_format(answer->out, "<li><a href=\"/%u/\">%s</a></li>\n", i, ui_subject(request, i)->path);
    fputs("</ul>\n", answer->out);
    ui_end_page(request, answer);
    return true;
}
