/* The chart as a picture: SVG, alone or in the page.

   Each host is a band whose height shows its processors; a bar covers those that its task has. Colours are
   those of workflows. What ran is full, what runs has a dark edge, what is planned is pale with an edge in
   its colour; probes are hatched, speculative tasks dashed, failures have a colour and a cross of their own,
   so that nothing depends on colour alone. Bars that are wide enough carry a name, all have a title. Where
   there are thousands, the narrow ones of a kind are one path: a browser draws that at once, and nobody
   points at a bar of a pixel. */
#include "show/report/common/html.h"
#include "show/report/common/phrases.h"
#include "show/report/common/text.h"
#include "show/report/common/times.h"
#include "show/report/schedule/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char report_gantt_style[];

enum {
    WIDTH = 1200,
    RIGHT = 16,
    LINE = 15, /* of a processor, at most */
    HEAD = 34,
    MANY_BARS = 4000,
    COLOURS = 8,
    LOOKS = COLOURS * bar_KINDS * 3,
    MOST_NAMED = 12
};
#define LETTER 6.1 /* width of a letter of 11 pixels */

struct gantt {
    const struct schedule_view *view;
    FILE *out;
    double left, right, scale; /* pixels; scale: of a second */
    double *tops;              /* by host, and the end of the last */
    struct {
        FILE *out;
        char *text;
        size_t size;
    } narrow[LOOKS];
    size_t shown; /* hosts */
};

static double x_of(const struct gantt *gantt, double time)
{
    double x = gantt->left + (time - gantt->view->begins) * gantt->scale;
    return x < gantt->left ? gantt->left : x > gantt->right ? gantt->right : x;
}

static double host_height(const struct schedule_view *view, const struct view_host *host)
{
    size_t hosts = view->hosts.count;
    double most = hosts > 400   ? 8
                  : hosts > 100 ? 14
                  : hosts > 24  ? 36
                                : 160,
           height = (double)host->processors * LINE;
    return fmin(fmax(height, fmin(most, 18)), most);
}

static unsigned look_of(const struct gantt *gantt, const struct view_bar *bar)
{
    const struct view_task *task = VIEW_TASK(gantt->view, bar->task);
    const struct view_workflow *workflow = view_workflow_of(gantt->view, task);
    unsigned extra = workflow->is_speculative ? 2 : task->is_probe ? 1 : 0;
    return (workflow->group % COLOURS * bar_KINDS + bar->kind) * 3 + extra;
}

static void print_classes(FILE *out, unsigned look)
{
    static const char *const kinds[] = {"ran", "runs", "planned", "failed"}, *const extras[] = {
                                                                                 "", " probe",
                                                                                 " speculative"};
    fprintf(out, "c%u %s%s", look / 3 / bar_KINDS, kinds[look / 3 % bar_KINDS], extras[look % 3]);
}

static void print_title(const struct gantt *gantt, const struct view_bar *bar)
{
    static const char *const words[] = {"ran", "runs", "planned", "failed or lost"};
    const struct schedule_view *view = gantt->view;
    const struct view_task *task = VIEW_TASK(view, bar->task);
    autofree char *name = view_task_name(view, task),
                  *begins = phrase_moment(bar->begins, view->now, view->has_clock),
                  *ends = phrase_moment(bar->ends, view->now, view->has_clock),
                  *took = phrase_duration(bar->ends - bar->begins);
    html_format(gantt->out, "<title>%s", name);
    fprintf(gantt->out, "%s, %s: %s from %s to %s, %u processor%s of ", task->is_probe ? " (probe)" : "",
            words[bar->kind], took, begins, ends, bar->tracks, bar->tracks == 1 ? "" : "s");
    html_format(gantt->out, "%s</title>", VIEW_HOST(view, bar->host)->name);
}

static void print_label(const struct gantt *gantt, const struct view_bar *bar, double x, double y,
                        double width, double height)
{
    const char *name = VIEW_TASK(gantt->view, bar->task)->name;
    double room = floor((width - 6) / LETTER);
    if (room < 3 || height < 11)
        return;
    autofree char *safe = text_safe(name, strlen(name)),
                  *cut = text_cut(safe, (size_t)fmin(room, 200), false, true);
    html_format(gantt->out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", x + 3, y + height / 2 + 4, cut);
}

static void print_bar(struct gantt *gantt, const struct view_bar *bar, bool is_many)
{
    const struct view_host *host = VIEW_HOST(gantt->view, bar->host);
    double top = gantt->tops[bar->host], band = gantt->tops[bar->host + 1] - top - 3,
           track = band / host->processors, x = x_of(gantt, bar->begins), whole = x_of(gantt, bar->ends) - x,
           width = fmax(whole > 3 ? whole - 1 : whole, 0.6), y = top + track * bar->track,
           height = fmax(track * bar->tracks - (track > 4 ? 1 : 0), 0.6);
    unsigned look = look_of(gantt, bar);
    if (is_many && width < 4) {
        if (!gantt->narrow[look].out)
            gantt->narrow[look].out = open_memstream(&gantt->narrow[look].text, &gantt->narrow[look].size);
        fprintf(gantt->narrow[look].out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", x, y, width, height, width);
        return;
    }
    fputs("<g class=\"bar ", gantt->out);
    print_classes(gantt->out, look);
    fputs("\">", gantt->out);
    print_title(gantt, bar);
    fprintf(gantt->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"%s/>", x, y, width, height,
            width > 4 && height > 4 ? " rx=\"1.5\"" : "");
    if (bar->kind == bar_FAILED && width > 3)
        fprintf(gantt->out, "<path d=\"M%.1f %.1fl%.1f %.1fM%.1f %.1fl-%.1f %.1f\"/>", x, y,
                fmin(width, height), height, x + fmin(width, height), y, fmin(width, height), height);
    else if (look % 3 == 1)
        fprintf(gantt->out,
                "<rect class=\"hatch\" fill=\"url(#gantt-hatch)\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"/>",
                x, y, width, height);
    print_label(gantt, bar, bar->kind == bar_FAILED ? x + fmin(width, height) : x, y,
                bar->kind == bar_FAILED ? width - fmin(width, height) : width, height);
    fputs("</g>\n", gantt->out);
}

static void print_bars(struct gantt *gantt)
{
    bool is_many = gantt->view->bars.count > MANY_BARS;
    for (size_t i = 0; i < gantt->view->bars.count; i++)
        print_bar(gantt, VIEW_BAR(gantt->view, i), is_many);
    for (unsigned look = 0; look < LOOKS; look++)
        if (gantt->narrow[look].out) {
            fclose(gantt->narrow[look].out);
            fputs("<path class=\"bar ", gantt->out);
            print_classes(gantt->out, look);
            fprintf(gantt->out, "\" d=\"%s\"/>\n", gantt->narrow[look].text);
            free(gantt->narrow[look].text);
        }
}

static void print_hosts(const struct gantt *gantt)
{
    const struct schedule_view *view = gantt->view;
    double last = -100;
    for (size_t i = 0; i < view->hosts.count; i++) {
        const struct view_host *host = VIEW_HOST(view, i);
        double top = gantt->tops[i], height = gantt->tops[i + 1] - top - 3;
        bool is_up = !strcmp(host->state, "up");
        fprintf(gantt->out, "<rect class=\"band%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                is_up ? "" : " down", gantt->left, top, gantt->right - gantt->left, height);
        if (top - last < 13)
            continue;
        last = top;
        autofree char *safe = text_safe(host->name, strlen(host->name)),
                      *cut = text_cut(safe, 20, false, true);
        html_format(gantt->out, "<text class=\"host\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", gantt->left - 8,
                    top + fmin(height, 18) / 2 + 4, cut);
        if (!is_up && height >= 28)
            html_format(gantt->out, "<text class=\"host state\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                        gantt->left - 8, top + 25, host->state);
    }
}

static void print_axis(const struct gantt *gantt)
{
    const struct schedule_view *view = gantt->view;
    unsigned most = (unsigned)((gantt->right - gantt->left) / 90);
    struct time_axis axis = time_axis_make(view->begins, view->ends, most, view->has_clock);
    double bottom = gantt->tops[view->hosts.count];
    for (unsigned i = 0; i <= most; i++) {
        double tick = axis.first + i * axis.step, x = x_of(gantt, tick);
        if (tick > view->ends)
            break;
        autofree char *label = time_axis_label(&axis, tick);
        fprintf(gantt->out, "<path class=\"tick\" d=\"M%.1f %dV%.1f\"/>", x, HEAD - 4, bottom);
        if (x + (double)text_width(label) * LETTER < gantt->right + RIGHT)
            fprintf(gantt->out, "<text class=\"axis\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, HEAD - 9, label);
    }
}

static void print_now(const struct gantt *gantt)
{
    const struct schedule_view *view = gantt->view;
    if (!view_shows_now(view))
        return;
    double x = x_of(gantt, view->now), bottom = gantt->tops[view->hosts.count];
    fprintf(gantt->out,
            "<path class=\"now\" d=\"M%.1f %dV%.1f\"/><text class=\"now\" x=\"%.1f\" y=\"11\">now</text>\n",
            x, 14, bottom, fmin(fmax(x, gantt->left + 12), gantt->right - 12));
}

/* Deadlines of workflows. */
static void print_deadlines(const struct gantt *gantt)
{
    const struct schedule_view *view = gantt->view;
    for (size_t i = 0; i < view->workflows.count; i++) {
        const struct view_workflow *workflow = VIEW_WORKFLOW(view, i);
        if (!workflow->is_chosen || !(workflow->deadline >= view->begins && workflow->deadline <= view->ends))
            continue;
        double x = x_of(gantt, workflow->deadline);
        html_format(gantt->out,
                    "<path class=\"due\" d=\"M%.1f %dV%.1f\"><title>deadline of %s</title></path><text "
                    "class=\"due\" x=\"%.1f\" y=\"11\">due</text>\n",
                    x, 14, gantt->tops[view->hosts.count], workflow->name,
                    fmin(fmax(x, gantt->left + 12), gantt->right - 12));
    }
}

struct legend {
    double x, y;
};

static void print_key(struct gantt *gantt, struct legend *at, const char *classes, const char *words)
{
    autofree char *safe = text_safe(words, strlen(words)), *cut = text_cut(safe, 28, false, true);
    double width = 24 + (double)text_width(cut) * LETTER + 16;
    if (at->x + width > gantt->right) {
        at->x = gantt->left;
        at->y += 18;
    }
    fprintf(gantt->out, "<g class=\"bar %s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"11\"/>",
            classes, at->x, at->y - 9);
    if (strstr(classes, "probe"))
        fprintf(gantt->out,
                "<rect class=\"hatch\" fill=\"url(#gantt-hatch)\" x=\"%.1f\" y=\"%.1f\" width=\"16\" "
                "height=\"11\"/>",
                at->x, at->y - 9);
    if (strstr(classes, "failed"))
        fprintf(gantt->out, "<path d=\"M%.1f %.1fl11 11M%.1f %.1fl-11 11\"/>", at->x, at->y - 9, at->x + 11,
                at->y - 9);
    html_format(gantt->out, "</g><text class=\"key\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", at->x + 22, at->y,
                cut);
    at->x += width;
}

static double print_legend(struct gantt *gantt)
{
    static const char *const kinds[bar_KINDS][2] = {
        {"c0 ran", "ran"}, {"c0 runs", "runs"}, {"c0 planned", "planned"}, {"c0 failed", "failed or lost"}};
    const struct schedule_view *view = gantt->view;
    struct legend at = {gantt->left, gantt->tops[view->hosts.count] + 20};
    bool has[bar_KINDS] = {0}, has_probe = false, has_speculative = false;
    unsigned named = 0;
    for (size_t i = 0; i < view->bars.count; i++) {
        const struct view_bar *bar = VIEW_BAR(view, i);
        unsigned extra = look_of(gantt, bar) % 3;
        has[bar->kind] = true;
        has_probe |= extra == 1;
        has_speculative |= extra == 2;
    }
    for (unsigned kind = 0; kind < bar_KINDS; kind++)
        if (has[kind])
            print_key(gantt, &at, kinds[kind][0], kinds[kind][1]);
    if (has_probe)
        print_key(gantt, &at, "c0 ran probe", "probe");
    if (has_speculative)
        print_key(gantt, &at, "c0 planned speculative", "speculative");
    at = (struct legend){gantt->left, at.y + 20};
    for (size_t i = 0; i < view->workflows.count && named < MOST_NAMED; i++) {
        const struct view_workflow *workflow = VIEW_WORKFLOW(view, i);
        if (!workflow->is_chosen)
            continue;
        char classes[40];
        snprintf(classes, sizeof classes, "c%u ran", workflow->group % COLOURS);
        print_key(gantt, &at, classes, workflow->name);
        named++;
    }
    return at.y + 10;
}

static double lay_out(struct gantt *gantt)
{
    const struct schedule_view *view = gantt->view;
    size_t longest = 4;
    gantt->tops = memory_get((view->hosts.count + 1) * sizeof *gantt->tops);
    gantt->tops[0] = HEAD;
    for (size_t i = 0; i < view->hosts.count; i++) {
        const struct view_host *host = VIEW_HOST(view, i);
        autofree char *safe = text_safe(host->name, strlen(host->name));
        longest = text_width(safe) > longest ? text_width(safe) : longest;
        gantt->tops[i + 1] = gantt->tops[i] + host_height(view, host) + 3;
    }
    gantt->left = (double)(longest > 20 ? 20 : longest < 7 ? 7 : longest) * 6.8 + 16;
    gantt->right = WIDTH - RIGHT;
    gantt->scale = (gantt->right - gantt->left) / (view->ends - view->begins);
    return gantt->tops[view->hosts.count];
}

static void print_description(const struct gantt *gantt)
{
    const struct schedule_view *view = gantt->view;
    struct array sentences = schedule_answer(view);
    fputs("<title id=\"gantt-title\">Schedule: ", gantt->out);
    html_counted(gantt->out, view->hosts.count, "host", "hosts");
    fputs(" over time</title>\n<desc id=\"gantt-desc\">", gantt->out);
    for (size_t i = 0; i < sentences.count; i++) {
        fputs(i ? " " : "", gantt->out);
        html_string(gantt->out, *ARRAY_AT(char *, &sentences, i));
    }
    fputs("</desc>\n", gantt->out);
    sentences_free(&sentences);
}

void schedule_print_gantt(const struct schedule_view *view, bool is_alone, FILE *out)
{
    struct gantt gantt = {.view = view};
    autofree char *body = NULL;
    size_t size = 0;
    double height = lay_out(&gantt);
    gantt.out = open_memstream(&body, &size);
    print_hosts(&gantt);
    print_axis(&gantt);
    print_bars(&gantt);
    print_deadlines(&gantt);
    print_now(&gantt);
    height = view->bars.count ? print_legend(&gantt) : height + 30;
    if (!view->bars.count)
        fprintf(gantt.out,
                "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">Nothing ran, and nothing is planned.</text>\n",
                gantt.left, height - 10);
    fclose(gantt.out);
    gantt.out = out;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gantt\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\" role=\"img\" aria-labelledby=\"gantt-title gantt-desc\">\n",
            WIDTH, height, WIDTH, height);
    print_description(&gantt);
    if (is_alone)
        fprintf(out, "<style>%s</style>\n<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n",
                report_gantt_style, WIDTH, height);
    fputs("<defs><pattern id=\"gantt-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><path class=\"hatching\" d=\"M0 0V5\"/></pattern></defs>\n",
          out);
    fwrite(body, 1, size, out);
    fputs("</svg>\n", out);
    free(gantt.tops);
}

bool report_schedule_picture(const struct schedule_view *view, FILE *out, struct error *error)
{
    schedule_print_gantt(view, true, out);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
