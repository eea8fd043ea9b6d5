/* The program on one screen, the answer first: where the time went if a run was recorded, else the loops with
   the most to gain; what would help many loops at once; compilers and options; what is not known.

   Only what a run measured is loaded into a model, because that is small.  All else is asked in SQL, so that
   the page of a program with 100,000 loops is there at once. */
#include "ui/pages/start.h"

#include "ui/pages/pages.h"

bool page_start(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"run.css", "run-page.css", "start.css", "start.js", NULL};
    FILE *out = answer->out;
    ui_begin_page(request, answer, request->subject->name, "start", files);
    bool done = start_has_run(request) ? start_run(request, out, error)
                                       : start_head(request, out, error) && start_gains(request, out, error);
    done = done && start_actions(request, out, error);
    fputs("<div class=\"facts-below\">\n", out);
    done = done && start_compilers(request, out, error) && start_gaps(request, out, error);
    fputs("</div>\n", out);
    ui_end_page(request, answer);
    return done;
}
