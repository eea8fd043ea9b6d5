/* How far the tables of the report are, for scripts that wait for them. */
#include "show/ui/pages/pages.h"

#include <stdatomic.h>

bool page_progress(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    const struct ui_subject *subject = request->subject;
    unsigned done = subject->is_working ? atomic_load(&subject->work->done) : subject->has_report ? 1000 : 0;
    (void)error;
    answer->type = "application/json";
    fprintf(answer->out, "{\"is_working\":%s,\"has_report\":%s,\"share\":%.3f,\"problem\":",
            subject->is_working ? "true" : "false", subject->has_report ? "true" : "false", done / 1000.0);
    ui_json_string(answer->out, subject->problem);
    fputs("}\n", answer->out);
    return true;
}
