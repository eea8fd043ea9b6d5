/* The frame of every page: head, navigation of the program, search. */
#include "report/common/html.h"
#include "ui/request.h"

#include <string.h>

static const struct {
    const char *here, *address, *word;
} places[] = {
    {"start", "", "Start"},
};
enum { PLACES = sizeof places / sizeof *places };

static void print_file(FILE *out, const char *name)
{
    const char *ending = strrchr(name, '.');
    if (ending && !strcmp(ending, ".css"))
        fprintf(out, "<link rel=\"stylesheet\" href=\"/static/%s\">\n", name);
    else
        fprintf(out, "<script type=\"module\" src=\"/static/%s\"></script>\n", name);
}

void ui_begin_page(struct ui_request *request, struct ui_answer *answer, const char *title, const char *here,
                   const char *const *files)
{
    FILE *out = answer->out;
    const struct ui_subject *subject = request->subject;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    html_string(out, title);
    fputs("</title>\n<link rel=\"icon\" href=\"/static/icon.svg\">\n", out);
    print_file(out, "page.css");
    print_file(out, "frame.css");
    print_file(out, "frame.js");
    for (; files && *files; files++)
        print_file(out, *files);
    fputs("</head>\n<body>\n<header class=\"frame\">\n<nav aria-label=\"Pages\">\n<a class=\"all\" "
          "href=\"/\">Assay</a>\n",
          out);
    for (unsigned i = 0; subject && i < PLACES; i++) {
        bool is_here = here && !strcmp(here, places[i].here);
        fprintf(out, "<a href=\"/%u/%s\"%s>%s</a>\n", subject->number, places[i].address,
                is_here ? " aria-current=\"page\"" : "", places[i].word);
    }
    fputs("</nav>\n</header>\n<main>\n", out);
}

void ui_end_page(struct ui_request *request, struct ui_answer *answer)
{
    (void)request;
    fputs("</main>\n</body>\n</html>\n", answer->out);
}
