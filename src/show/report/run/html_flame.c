/* The call tree as a flame graph: a row of boxes for each depth, the callers above what they call, each as
   wide as its share of the time.  Boxes are placed in per cent, so the drawing fits any width; each is an
   SVG of its own, which cuts the name that does not fit.  The tree comes from a database: it is walked with a
   stack of our own, and what no stack leads to is not drawn. */
#include "show/report/run/html.h"

#include "show/report/common/html.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_DEPTH = 48, BOX_HEIGHT = 18 };
static const double NARROWEST = 0.001;

struct child {
    uint32_t caller, call;
    double seconds;
};
struct box {
    uint32_t call, depth;
    double start, width; /* shares of the whole */
};

static int compare_children(const void *left, const void *right)
{
    const struct child *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

static struct array find_children(const struct run_report *report, double *all)
{
    const struct model *model = report->model;
    struct array children = ARRAY_OF(struct child);
    for (uint32_t id = 1; id < model->run_calls.count; id++) {
        const struct run_call *call = model_run_call(model, id);
        if (call->run != report->view->run || !(call->total_seconds > 0) || !isfinite(call->total_seconds))
            continue;
        *(struct child *)array_add(&children) =
            (struct child){.caller = call->caller, .call = id, .seconds = call->total_seconds};
        *all += call->caller ? 0 : call->total_seconds;
    }
    if (children.count)
        qsort(children.data, children.count, children.width, compare_children);
    return children;
}

/* Boxes of all calls that are wide enough, callers first. */
static struct array find_boxes(const struct array *children, double all, uint32_t *deepest)
{
    struct array boxes = ARRAY_OF(struct box);
    struct box outside = {.width = 1};
    for (size_t done = 0; done <= boxes.count; done++) {
        struct box caller = done ? *ARRAY_AT(struct box, &boxes, done - 1) : outside;
        double start = caller.start;
        size_t at = array_first_not_below(children, 0, 0, caller.call);
        for (; caller.depth < MOST_DEPTH && at < children->count; at++) {
            const struct child *child = ARRAY_AT(struct child, children, at);
            double width = child->seconds / all;
            if (child->caller != caller.call)
                break;
            if (width < NARROWEST)
                continue;
            *(struct box *)array_add(&boxes) =
                (struct box){.call = child->call, .depth = caller.depth + 1, .start = start, .width = width};
            if (caller.depth + 1 > *deepest)
                *deepest = caller.depth + 1;
            start += width;
        }
    }
    return boxes;
}

static const char *box_class(const struct run_report *report, const struct run_call *call)
{
    if (!call->function)
        return "system";
    uint32_t program = model_function(report->model, call->function)->program;
    return model_program(report->model, program)->format == format_SHARED ? "shared" : "own";
}

static void draw_box(const struct run_page *page, const struct box *box)
{
    const struct run_report *report = page->report;
    const struct run_call *call = model_run_call(report->model, box->call);
    const char *known = model_text(report->model, call->name);
    autofree char *name = call->function ? run_name(report, call->function, 0)
                          : known        ? run_code_name(report, known)
                                         : memory_format("unknown code");
    autofree char *shown = name_shorten(name, 32, true), *seconds = phrase_seconds(call->total_seconds);
    double own =
        call->total_seconds > 0 && call->self_seconds > 0 ? call->self_seconds / call->total_seconds : 0;
    html_format(page->out,
                "<svg class=\"box %s\" x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"><title>%s: %s "
                "%% (%s), %s %% of it in its own code</title><rect width=\"100%%\" height=\"100%%\"/>",
                box_class(report, call), box->start * 100, (box->depth - 1) * BOX_HEIGHT, box->width * 100,
                BOX_HEIGHT - 1, name, share_words(box->width).text, seconds, share_words(own).text);
    if (box->width > 0.01)
        html_format(page->out, "<text x=\"4\" y=\"12.5\">%s</text>", shown);
    fputs("</svg>\n", page->out);
}

void run_html_flame(const struct run_page *page)
{
    double all = 0;
    uint32_t deepest = 0;
    struct array children = find_children(page->report, &all);
    struct array boxes = all > 0 ? find_boxes(&children, all, &deepest) : ARRAY_OF(struct box);
    if (boxes.count) {
        fprintf(page->out,
                "<section class=\"loops\" id=\"calls\">\n<h2>Call tree</h2>\n<p class=\"note\">Callers stand "
                "above what "
                "they call; a box is as wide as its share of processor time. <span class=\"key "
                "own\">program</span> "
                "<span class=\"key shared\">libraries</span> <span class=\"key system\">other "
                "code</span></p>\n<svg "
                "class=\"flame\" role=\"img\" aria-label=\"call tree\" width=\"100%%\" height=\"%u\">\n",
                deepest * BOX_HEIGHT);
        for (size_t i = 0; i < boxes.count; i++)
            draw_box(page, ARRAY_AT(struct box, &boxes, i));
        fputs("</svg>\n</section>\n", page->out);
    }
    array_free(&children);
    array_free(&boxes);
}
