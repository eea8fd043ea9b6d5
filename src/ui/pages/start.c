/* The program on one screen. */
#include "report/common/html.h"
#include "ui/pages/pages.h"

bool page_start(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    (void)error;
    ui_begin_page(request, answer, request->subject->name, "start", NULL);
    fputs("<h1>", answer->out);
    html_string(answer->out, request->subject->path);
    fputs("</h1>\n", answer->out);
    ui_end_page(request, answer);
    return true;
}
