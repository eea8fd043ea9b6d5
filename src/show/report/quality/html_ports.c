/* The execution ports: how busy a path keeps each of them, and what each is for. */
#include "show/report/quality/html.h"

#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/port_words.h"
#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The drawing, in pixels. */
enum { PORT_STEP = 40, PORT_WIDTH = 26, PORT_HEIGHT = 110, PORT_TOP = 22, PORT_BOTTOM = 20, PORT_SIDE = 74 };

/* Below this a figure is 0.00. */
static const double nothing = 0.005;

/* The port of a row; machine->port_count: unknown. */
static unsigned port_of(const struct machine *machine, const struct port_use *use)
{
    return machine && use->position <= machine->port_count ? use->position - 1
           : machine                                       ? machine->port_count
                                                           : 0;
}

static char *words_of(const struct machine *machine, const struct port_use *use)
{
    if (!machine || port_of(machine, use) == machine->port_count)
        return memory_format("%s", "");
    return port_words(machine, port_of(machine, use));
}

static void draw_port(const struct html_report *report, const struct machine *machine,
                      const struct port_use *use, size_t place, double scale, double cycles)
{
    double x = (double)place * PORT_STEP, height = use->uops / scale * PORT_HEIGHT;
    double y = PORT_TOP + PORT_HEIGHT - height, middle = x + PORT_WIDTH / 2.0;
    const char *name = model_text(report->model, use->port);
    autofree char *words = words_of(machine, use);
    fputs("<g>", report->out);
    if (*words && use->uops >= nothing)
        fprintf(report->out, "<title>%s</title>", words);
    fprintf(report->out, "<rect class=\"port%s\" x=\"%.0f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>",
            use->uops > 0.995 * cycles ? " full" : "", x, y, PORT_WIDTH, height);
    if (use->uops >= nothing)
        fprintf(report->out, "<text x=\"%.0f\" y=\"%.1f\">%.2f</text>", middle, y - 4, use->uops);
    fprintf(report->out, "<text class=\"name\" x=\"%.0f\" y=\"%d\">", middle, PORT_TOP + PORT_HEIGHT + 15);
    fputs(name && !name[1] ? "p" : "", report->out);
    html_format(report->out, "%s</text></g>\n", name ? name : "?");
}

/* "pm is the busiest port: integer additions, shifts, multiplications, divisions." */
static void say_busiest(const struct html_report *report, const struct machine *machine,
                        const struct quality_rows *path, double most)
{
    char *words = NULL;
    unsigned count = 0;
    fputs("<p class=\"note\">", report->out);
    for (size_t i = 0; machine && i < path->port_count; i++) {
        if (path->ports[i].uops < most - nothing || port_of(machine, &path->ports[i]) == machine->port_count)
            continue;
        autofree char *own = words_of(machine, &path->ports[i]);
        if (!words)
            words = memory_format("%s", own);
        if (!strcmp(own, words)) {
            autofree char *name = port_name(machine, port_of(machine, &path->ports[i]));
            fprintf(report->out, "%s%s", count++ ? ", " : "", name);
        }
    }
    if (count && *words)
        fprintf(report->out, " %s busiest: %s. ", count == 1 ? "is" : "are", words);
    else if (count)
        fprintf(report->out, " %s busiest. ", count == 1 ? "is" : "are");
    fputs("<a href=\"#ports\">What each port is for</a></p>\n", report->out);
    free(words);
}

/* Columns for the ports; a line across at the cycles of an iteration, where a port is always busy. */
void html_draw_ports(const struct html_report *report, const struct quality_rows *path, bool is_first)
{
    const struct machine *machine = quality_machine(report->view, path->loop);
    double most = 0, cycles = path->cycle_count ? path->cycles->cycles : NAN;
    for (size_t i = 0; i < path->port_count; i++)
        most = fmax(most, path->ports[i].uops);
    if (most <= 0 || !(cycles > 0))
        return;
    double scale = fmax(most, cycles), line = PORT_TOP + PORT_HEIGHT * (1 - cycles / scale);
    unsigned width = (unsigned)path->port_count * PORT_STEP + PORT_SIDE;
    unsigned height = PORT_TOP + PORT_HEIGHT + PORT_BOTTOM;
    fputs("<div class=\"drawing\"><h3>Execution ports, µops per iteration</h3>\n", report->out);
    fprintf(report->out,
            "<svg class=\"ports\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" role=\"img\" "
            "aria-label=\"µops per iteration on each execution port\">\n",
            width, height, width, height);
    fprintf(report->out, "<line class=\"base\" x1=\"0\" x2=\"%u\" y1=\"%d\" y2=\"%d\"/>", width - PORT_SIDE,
            PORT_TOP + PORT_HEIGHT, PORT_TOP + PORT_HEIGHT);
    fprintf(report->out, "<line class=\"cycles\" x1=\"0\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\"/>",
            width - PORT_SIDE, line, line);
    fprintf(report->out, "<text class=\"cycles\" x=\"%u\" y=\"%.1f\">%.2f cycles</text>\n",
            width - PORT_SIDE + 2, line + 4, cycles);
    for (size_t i = 0; i < path->port_count; i++)
        draw_port(report, is_first ? machine : NULL, &path->ports[i], i, scale, cycles);
    fputs("</svg>\n", report->out);
    if (machine && is_first)
        say_busiest(report, machine, path, most);
    fputs("</div>\n", report->out);
}

/* Ports for the same work share a line. */
static void print_ports(const struct html_report *report, const struct machine *machine)
{
    char *words[MOST_PORTS];
    bool is_done[MOST_PORTS] = {false};
    for (unsigned i = 0; i < machine->port_count; i++)
        words[i] = port_words(machine, i);
    fputs("<dl class=\"facts\">\n", report->out);
    for (unsigned i = 0; i < machine->port_count; i++) {
        if (is_done[i] || !*words[i])
            continue;
        fputs("<dt>", report->out);
        for (unsigned k = i; k < machine->port_count; k++)
            if (!strcmp(words[i], words[k])) {
                autofree char *name = port_name(machine, k);
                fprintf(report->out, "%s%s", k == i ? "" : ", ", name);
                is_done[k] = true;
            }
        fprintf(report->out, "</dt>\n<dd>%s</dd>\n", words[i]);
    }
    fputs("</dl>\n", report->out);
    for (unsigned i = 0; i < machine->port_count; i++)
        free(words[i]);
}

void html_port_legend(const struct html_report *report)
{
    if (!report->section_count)
        return;
    fputs(
        "<section class=\"reference\" id=\"ports\">\n<h2>What each execution port is for</h2>\n<p "
        "class=\"note\">A port starts one µop in a cycle. A µop that several ports can take goes to the one "
        "that is free.</p>\n",
        report->out);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        if (report->view->machines[isa]) {
            html_format(report->out, "<h3>%s</h3>\n", report->view->machines[isa]->title);
            print_ports(report, report->view->machines[isa]);
        }
    fputs("</section>\n", report->out);
}
