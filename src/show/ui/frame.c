/* The frame of every page: head, choice of the program, navigation, search, choice of the machine.

   Everything in it is a link or a form and works without script.  frame.js adds what has to be quick:
   shortcuts, suggestions below the search box, a choice that takes effect at once. */
#include "show/report/common/html.h"
#include "show/ui/machines.h"
#include "show/ui/queries.h"
#include "show/ui/request.h"

#include <string.h>

static bool is_true(const struct ui_request *request, const char *query)
{
    sqlite3_stmt *statement = NULL;
    bool answer =
        request->connection &&
        !sqlite3_prepare_v2(request->connection, query_named(ui_queries, query), -1, &statement, NULL) &&
        sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return answer;
}

static bool has_denormals(const struct ui_request *request)
{
    return is_true(request, "has_denormals");
}

static bool has_probes(const struct ui_request *request)
{
    return is_true(request, "has_probes");
}

static bool has_run(const struct ui_request *request)
{
    return is_true(request, "has_run");
}

static bool are_several(const struct ui_request *request)
{
    return request->subject_count > 1;
}

/* Where the navigation leads.  A page belongs to the place that it names in ui_begin_page; the letter goes
   there after g.  A part of the page that is new gets a line here, next to a line in routes.def. */
static const struct place {
    const char *here, *address, *word;
    char letter;
    bool takes_machine;                          /* its pages depend on the chosen machine */
    bool (*is_there)(const struct ui_request *); /* NULL: always */
} places[] = {
    {"start", "", "Start", 's', false, NULL},
    {"loops", "loops", "Loops", 'l', true, NULL},
    {"functions", "functions", "Functions", 'f', true, NULL},
    {"ask", "ask", "Ask", 'a', false, NULL},
    {"whatif", "whatif/", "What if", 'w', false, NULL},
    {"graph", "graph/calls", "Calls", 'c', false, NULL},
    {"run", "run", "Run", 'r', false, has_run},
    {"probes", "probes", "Probes", 'b', false, has_probes},
    {"denormals", "denormals", "Denormals", 'd', false, has_denormals},
    {"two", "two", "Two programs", 't', false, are_several},
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

static void print_head(FILE *out, const struct ui_subject *subject, const char *title,
                       const char *const *files)
{
    html_format(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s",
                title);
    if (subject && strcmp(title, subject->name))
        html_format(out, " · %s", subject->name);
    fputs(" · Assay</title>\n<link rel=\"icon\" type=\"image/svg+xml\" href=\"/static/icon.svg\">\n", out);
    print_file(out, "page.css");
    print_file(out, "frame.css");
    print_file(out, "frame.js");
    print_file(out, "search.js");
    for (; files && *files; files++)
        print_file(out, *files);
    fputs("</head>\n", out);
}

static void print_programs(const struct ui_request *request, FILE *out)
{
    const struct ui_subject *subject = request->subject;
    if (request->subject_count < 2) {
        html_format(out, "<a class=\"program\" href=\"/%u/\" title=\"%s\">%s</a>\n", subject->number,
                    subject->path, subject->name);
        return;
    }
    html_format(out, "<details class=\"programs\"><summary class=\"program\">%s</summary>\n<ul>\n",
                subject->name);
    for (unsigned i = 1; i <= request->subject_count; i++) {
        fprintf(out, "<li><a href=\"/%u/\"%s>", i, i == subject->number ? " aria-current=\"true\"" : "");
        html_format(out, "%s</a></li>\n", ui_subject(request, i)->path);
    }
    fputs("</ul></details>\n", out);
}

static void print_places(const struct ui_request *request, FILE *out, const char *here)
{
    fputs("<nav aria-label=\"Pages\"><ul>\n", out);
    for (unsigned i = 0; i < PLACES; i++) {
        const struct place *place = &places[i];
        if (place->is_there && !place->is_there(request))
            continue;
        fprintf(out, "<li><a href=\"/%u/%s", request->subject->number, place->address);
        if (place->takes_machine && request->connection)
            ui_print_machine(request, out);
        fprintf(out, "\" data-letter=\"%c\"%s>%s</a></li>\n", place->letter,
                here && !strcmp(here, place->here) ? " aria-current=\"page\"" : "", place->word);
    }
    fputs("</ul></nav>\n", out);
}

static void print_hidden(void *context, const char *name, const char *value)
{
    FILE *out = context;
    if (!strcmp(name, "machine"))
        return;
    html_format(out, "<input type=\"hidden\" name=\"%s\" value=\"%s\">\n", name, value);
}

/* A form without an address of its own: it comes back to this page with another machine. */
static void print_machine_choice(const struct ui_request *request, FILE *out)
{
    fputs("<form class=\"machine\" method=\"get\">\n<label for=\"machine\">Machine</label>\n", out);
    ui_each_parameter(request, print_hidden, out);
    ui_print_machines(request, out);
    fputs("<button>Show</button>\n</form>\n", out);
}

/* A list shows the machine that its figures were computed for; a single loop or function can be computed for
 * any. */
static bool takes_machine(const struct ui_request *request, const char *here)
{
    if (!request->connection || !*request->rest)
        return false;
    for (unsigned i = 0; here && i < PLACES; i++)
        if (!strcmp(here, places[i].here))
            return places[i].takes_machine;
    return false;
}

static void print_search(const struct ui_request *request, FILE *out)
{
    const char *query = request->connection ? ui_parameter(request, "q") : NULL;
    html_format(out,
                "<form class=\"search\" role=\"search\" action=\"/%u/search\">\n<input type=\"search\" "
                "id=\"search\" name=\"q\" autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Search "
                "functions, lines, loops and instructions\" placeholder=\"Function, file.c:40, loop, "
                "instruction\" value=\"%s\">\n</form>\n",
                request->subject->number, query);
}

static void begin_body(const struct ui_request *request, FILE *out, const char *here)
{
    fputs("<body>\n<a class=\"skip\" href=\"#content\">Skip to content</a>\n<header class=\"frame\">\n"
          "<a class=\"all\" href=\"/\">Assay</a>\n",
          out);
    if (request && request->subject) {
        print_programs(request, out);
        print_places(request, out, here);
        if (takes_machine(request, here))
            print_machine_choice(request, out);
        print_search(request, out);
    }
    fputs("</header>\n<main id=\"content\" tabindex=\"-1\">\n", out);
}

void ui_begin_page(struct ui_request *request, struct ui_answer *answer, const char *title, const char *here,
                   const char *const *files)
{
    print_head(answer->out, request->subject, title, files);
    begin_body(request, answer->out, here);
}

void ui_end_page(struct ui_request *request, struct ui_answer *answer)
{
    (void)request;
    fputs("</main>\n</body>\n</html>\n", answer->out);
}

void ui_error_page(const struct ui_request *request, struct ui_answer *answer, const char *words)
{
    FILE *out = answer->out;
    print_head(out, request ? request->subject : NULL, "Error", NULL);
    begin_body(request, out, NULL);
    fprintf(out, "<p class=\"kicker\">Error %u</p>\n<h1 class=\"words\">", answer->status);
    fputs(answer->status == 404 ? "Nothing is here" : "This did not work", out);
    html_format(out, "</h1>\n<p>%s</p>\n", words);
    if (request && request->subject)
        fprintf(out, "<p><a href=\"/%u/\">Go to the start page</a></p>\n", request->subject->number);
    fputs("</main>\n</body>\n</html>\n", out);
}
