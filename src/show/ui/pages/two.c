/* Two of the open files compared: what assay diff shows, with the same code.

   Both are loaded whole, so that large ones would take seconds and gigabytes for every click: for these the
   page names the command instead. */
#include "code/diff/difference.h"
#include "model/isa.h"
#include "code/quality/quality.h"
#include "code/quality/weight.h"
#include "show/report/common/html.h"
#include "show/report/diff/diff.h"
#include "store/load.h"
#include "show/ui/machines.h"
#include "show/ui/pages/pages.h"
#include "show/ui/workshop.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_BYTES = 100 << 20, MOST_ROWS = 50 };
static const double THRESHOLD = 0.05;

static bool load(const struct ui_subject *subject, struct model *model, struct error *error)
{
    struct store *store = store_open_file(subject->database, error);
    bool done = store && store_load(store, model, difference_tables, error);
    store_close(store);
    return done;
}

static bool is_large(const struct ui_subject *subject)
{
    struct stat status;
    return !subject->database || stat(subject->database, &status) || status.st_size > MOST_BYTES;
}

/* The file that this one is compared with: `old` of the address, else the first other one. */
static const struct ui_subject *find_old(const struct ui_request *request)
{
    unsigned own = request->subject->number;
    int64_t number = ui_number(request, "old", own == 1 ? 2 : 1);
    return number > 0 && number <= request->subject_count ? ui_subject(request, (unsigned)number) : NULL;
}

static void print_choice(const struct ui_request *request, const struct ui_subject *old, FILE *out)
{
    fputs(
        "<form class=\"tools\" method=\"get\">\n<label for=\"old\">Compared with</label>\n<select id=\"old\" "
        "name=\"old\">\n",
        out);
    for (unsigned i = 1; i <= request->subject_count; i++)
        html_format(out, "<option value=\"%u\"%s>%s</option>\n", i, i == old->number ? " selected" : "",
                    ui_subject(request, i)->path);
    fputs("</select>\n<button>Show</button>\n</form>\n", out);
}

static void print_difference(const struct ui_request *request, struct model models[diff_BUILDS],
                             const struct machine *machine, const struct ui_subject *old, FILE *out)
{
    struct difference difference = {.models = {&models[diff_OLD], &models[diff_NEW]},
                                    .path_limit = QUALITY_PATHS};
    for (int side = 0; side < diff_BUILDS; side++)
        if (machine)
            difference.machines[side].of[machine->isa] = machine;
    difference_match(&difference);
    difference_time(&difference, NULL, false);
    struct diff_view view = {.comparison = &difference.comparison,
                             .changes = &difference.changes,
                             .paths = {old->path, request->subject->path},
                             .machines = {machine ? machine->title : NULL},
                             .is_sampled = weight_is_sampled(&models[diff_OLD]),
                             .threshold = THRESHOLD,
                             .most = MOST_ROWS,
                             .demangle = request->options->demangle};
    autofree uint8_t *chosen = diff_choose(&view);
    difference_explain(&difference, chosen);
    report_diff_body(&view, out);
    difference_end(&difference);
}

static bool compare(struct ui_request *request, struct ui_answer *answer, const struct ui_subject *old,
                    const struct machine *machine, struct error *error)
{
    struct model models[diff_BUILDS];
    static const char *const files[] = {"diff-page.css", "tables.js", NULL};
    for (int side = 0; side < diff_BUILDS; side++)
        model_init(&models[side]);
    bool done = load(old, &models[diff_OLD], error) && load(request->subject, &models[diff_NEW], error);
    if (done) {
        ui_begin_page(request, answer, "Two programs", "two", files);
        html_format(answer->out, "<h1>%s → %s</h1>\n", old->name, request->subject->name);
        print_choice(request, old, answer->out);
        print_difference(request, models, machine, old, answer->out);
        ui_end_page(request, answer);
    }
    for (int side = 0; side < diff_BUILDS; side++)
        model_free(&models[side]);
    return done;
}

static bool say_command(struct ui_request *request, struct ui_answer *answer, const struct ui_subject *old)
{
    ui_begin_page(request, answer, "Two programs", "two", NULL);
    fputs("<h1>Two programs</h1>\n", answer->out);
    print_choice(request, old, answer->out);
    html_format(answer->out,
                "<p>These are too large to be compared in a page. This command writes one:</p>\n<pre>assay "
                "diff %s %s --html -o diff.html</pre>\n",
                old->path, request->subject->path);
    ui_end_page(request, answer);
    return true;
}

bool page_two(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    const struct ui_subject *old = find_old(request);
    struct workshop_visit visit;
    if (!old)
        return ui_missing(answer, error, "a comparison needs two open files: assay ui OLD NEW");
    if (is_large(old) || is_large(request->subject))
        return say_command(request, answer, old);
    if (!workshop_enter_machine(request, answer, ui_isa(request), NULL, &visit, error))
        return false;
    bool done = compare(request, answer, old, visit.machine, error);
    workshop_leave(&visit);
    return done;
}
