/* The program on one screen, the answer first: where the time went if a run was recorded, else the loops with
   the most to gain; what would help many loops at once; compilers and options; what is not known.

   Only what a run measured is loaded into a model, because that is small.  All else is asked in SQL, so that
   the page of a program with 100,000 loops is there at once. */
#include "show/ui/pages/start.h"

#include "show/ui/pages/pages.h"
#include "show/ui/tables.h"

#include <stdlib.h>

/* A section that takes time: it looks through whole tables, and says the same until the report is there. */
static bool print_once(struct ui_request *request, FILE *out, const char *name,
                       bool (*print)(struct ui_request *, FILE *, struct error *), struct error *error)
{
    const struct ui_subject *subject = request->subject;
    autofree char *key = memory_format("%s, %s%s", name, subject->is_working ? "working" : "",
                                       subject->problem ? subject->problem : "");
    char *text = ui_tables_recall_text(subject->tables, key);
    bool done = text;
    if (!text) {
        size_t size;
        FILE *written = open_memstream(&text, &size);
        done = written && print(request, written, error);
        done = written && !fclose(written) && done;
        if (done)
            ui_tables_note_text(subject->tables, key, text);
    }
    if (text)
        fputs(text, out);
    free(text);
    return done || (!error->set && error_set_errno(error, NULL, "no memory"));
}

bool page_start(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"run.css", "run-page.css", "start.css", "start.js", NULL};
    FILE *out = answer->out;
    ui_begin_page(request, answer, request->subject->name, "start", files);
    bool done = start_has_run(request) ? start_run(request, out, error)
                                       : start_head(request, out, error) &&
                                             print_once(request, out, "gains", start_gains, error);
    done = done && print_once(request, out, "actions", start_actions, error);
    fputs("<div class=\"facts-below\">\n", out);
    done = done && print_once(request, out, "compilers", start_compilers, error) &&
           start_gaps(request, out, error);
    fputs("</div>\n", out);
    ui_end_page(request, answer);
    return done;
}
