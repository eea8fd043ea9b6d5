#include "show/report/graph/picture.h"

#include "show/report/common/html.h"
#include "show/report/common/text.h"
#include "show/report/graph/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char report_graph_page_style[];

enum { PADDING = 8, MOST_COLUMNS = 90, TITLE_COLUMNS = 56 };
#define LETTER 0.61

/* Sizes of type: of code, of titles by importance. */
static const double code_size = 11, title_sizes[] = {11.5, 13.5, 16, 19, 23};

struct sketch {
    const struct graph *graph;
    const struct picture_options *options;
    struct layout layout;
    FILE *out;
};

static unsigned title_rank(const struct graph_node *node, enum picture_size size)
{
    double value = size == size_TIME    ? 100 * fmax(node->share, 0)
                   : size == size_LOOPS ? (double)node->loops
                                        : 0;
    return value >= 25 ? 4 : value >= 10 ? 3 : value >= 4 ? 2 : value >= 1 ? 1 : 0;
}

/* The title of a node; without the address, which has a column of its own, but for the last character. */
static char *shown_title(const struct graph_node *node)
{
    autofree char *safe = text_safe(node->title, strlen(node->title));
    return text_cut(safe, TITLE_COLUMNS, false, true);
}

/* What stands below the title, for things that are not a single block. */
static void print_note(FILE *out, const struct graph_node *node, enum picture_size size)
{
    const char *between = "";
    if (node->kind == node_LOOP || node->kind == node_REGION) {
        html_counted(out, (uint64_t)node->blocks, "block", "blocks");
        between = " · ";
    }
    if (node->cycles > 0) {
        fprintf(out, "%s%.3g cycles", between, node->cycles);
        between = " · ";
    }
    if (node->share >= 0.0005) {
        fprintf(out, "%s%.1f %%", between, 100 * node->share);
        between = " · ";
    }
    if (node->kind == node_FUNCTION && node->loops && size != size_NONE) {
        fputs(between, out);
        html_counted(out, (uint64_t)node->loops, "loop", "loops");
    }
}

static char *note_of(const struct graph_node *node, enum picture_size size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return memory_format("%s", "");
    print_note(out, node, size);
    fclose(out);
    return text;
}

static void measure_node(const struct graph_node *node, enum picture_size size, struct layout_box *box)
{
    autofree char *title = shown_title(node), *note = note_of(node, size);
    double type = title_sizes[title_rank(node, size)];
    double width = (double)text_width(title) * LETTER * type, height = type * 1.4;
    if (*note) {
        width = fmax(width, (double)text_width(note) * LETTER * (code_size - 1));
        height += 14;
    }
    for (const char *line = node->lines; line && *line;) {
        size_t length = strcspn(line, "\n");
        autofree char *safe = text_safe(line, length);
        size_t columns = text_width(safe);
        width = fmax(width, (double)(columns > MOST_COLUMNS ? MOST_COLUMNS : columns) * LETTER * code_size);
        height += 14;
        line += length + (line[length] == '\n');
    }
    *box = (struct layout_box){.width = ceil(fmax(width, 30) + 2 * PADDING),
                               .height = ceil(height + 8 + (node->lines ? 3 : 0)),
                               .frame = node->frame};
}

static void place_all(struct sketch *sketch)
{
    const struct graph *graph = sketch->graph;
    struct layout *layout = &sketch->layout;
    *layout = (struct layout){.box_count = graph->nodes.count,
                              .frame_count = graph->frames.count,
                              .edge_count = graph->edges.count};
    layout->boxes = memory_get((layout->box_count + 1) * sizeof *layout->boxes);
    layout->frames = memory_get((layout->frame_count + 1) * sizeof *layout->frames);
    layout->edges = memory_get((layout->edge_count + 1) * sizeof *layout->edges);
    for (size_t i = 0; i < layout->box_count; i++)
        measure_node(graph_node(graph, i), sketch->options->size, &layout->boxes[i]);
    for (size_t i = 0; i < layout->frame_count; i++) {
        const struct graph_frame *frame = graph_frame(graph, i);
        size_t note = (frame->cycles > 0 ? 14 : 0) + (frame->share >= 0.0005 ? 9 : 0);
        layout->frames[i] = (struct layout_frame){
            .inside = frame->inside,
            .label_width = (double)(strlen(frame->title) + note) * LETTER * code_size + 16,
            .label_height = 22};
    }
    for (size_t i = 0; i < layout->edge_count; i++)
        layout->edges[i] =
            (struct layout_edge){.from = graph_edge(graph, i)->from, .to = graph_edge(graph, i)->to};
    graph_layout_run(layout);
}

void picture_node_name(FILE *out, const struct graph_node *node)
{
    switch (node->kind) {
    case node_BLOCK:
        fprintf(out, "B%lld", (long long)node->position);
        break;
    case node_REGION:
        fprintf(out, "region of B%lld", (long long)node->position);
        break;
    case node_LOOP:
        fprintf(out, "loop %lld", (long long)node->row);
        break;
    default:
        html_string(out, node->title);
    }
}

void picture_node_id(FILE *out, const struct graph_node *node)
{
    static const char *const words[] = {
        [node_BLOCK] = "block",     [node_ELSEWHERE] = "elsewhere", [node_FUNCTION] = "function",
        [node_IMPORT] = "function", [node_UNKNOWN] = "unknown",     [node_LOOP] = "closed-loop",
        [node_REGION] = "region",   [node_MORE] = "callees"};
    const char *word = node->kind == node_MORE && node->is_callers ? "callers"
                       : node->is_loop_region                      ? "loop-region"
                                                                   : words[node->kind];
    fprintf(out, "%s-%lld", word, (long long)node->row);
}

/* Six steps of warmth. */
static unsigned heat_of(double share)
{
    return share >= 0.4    ? 6
           : share >= 0.2  ? 5
           : share >= 0.1  ? 4
           : share >= 0.04 ? 3
           : share >= 0.01 ? 2
                           : share >= 0.001;
}

static void print_frame(struct sketch *sketch, size_t index)
{
    const struct graph_frame *frame = graph_frame(sketch->graph, index);
    const struct layout_frame *place = &sketch->layout.frames[index];
    FILE *out = sketch->out;
    int64_t depth = frame->depth < 1 ? 1 : frame->depth > 6 ? 6 : frame->depth;
    fprintf(out,
            "<g class=\"loop-frame d%lld h%u\" %s%lld\" transform=\"translate(%.1f %.1f)\"><rect "
            "width=\"%.1f\" height=\"%.1f\" rx=\"7\"/>",
            (long long)depth, heat_of(frame->share), frame->row ? "id=\"loop-" : "data-group=\"",
            (long long)(frame->row ? frame->row : (int64_t)index), place->x, place->y, place->width,
            place->height);
    bool has_link = sketch->options->frame_address && frame->row;
    if (has_link) {
        fputs("<a href=\"", out);
        has_link = sketch->options->frame_address(sketch->options->context, out, sketch->graph, frame);
        fputs("\">", out);
    }
    html_format(out, "<text x=\"%d\" y=\"15\">%s", sketch->options->fold_address ? 25 : 9, frame->title);
    if (frame->cycles > 0)
        fprintf(out, " · %.3g cycles", frame->cycles);
    if (frame->share >= 0.0005)
        fprintf(out, " · %.1f %%", 100 * frame->share);
    fputs(has_link ? "</text></a>" : "</text>", out);
    if (sketch->options->fold_address && frame->row) {
        fputs("<a class=\"close\" href=\"", out);
        sketch->options->fold_address(sketch->options->context, out, sketch->graph, frame);
        fprintf(out,
                "\" aria-label=\"Close loop %lld\"><circle cx=\"14\" cy=\"11\" r=\"6\"/><path d=\"M11 "
                "11h6\"/></a>",
                (long long)frame->row);
    }
    fputs("</g>\n", out);
}

static void print_label(struct sketch *sketch, const struct graph_node *node, size_t index)
{
    FILE *out = sketch->out;
    fputs(" aria-label=\"", out);
    picture_node_name(out, node);
    if (node->kind == node_BLOCK) {
        fputs(", ", out);
        html_counted(out, (uint64_t)node->instructions, "instruction", "instructions");
    }
    autofree char *note = note_of(node, sketch->options->size);
    if (*note)
        fprintf(out, ", %s", note);
    (void)index;
    fputs("\"", out);
}

static void print_lines(FILE *out, const struct graph_node *node, double y)
{
    if (node->lines)
        fputs("<text class=\"lines\">", out);
    for (const char *line = node->lines; line && *line;) {
        size_t length = strcspn(line, "\n");
        autofree char *safe = text_safe(line, length), *cut = text_cut(safe, MOST_COLUMNS, false, true);
        html_format(out, "<tspan x=\"%d\" y=\"%.0f\">%s</tspan>", PADDING, y, cut);
        y += 14;
        line += length + (line[length] == '\n');
    }
    if (node->lines)
        fputs("</text>", out);
}

static void print_node(struct sketch *sketch, size_t index)
{
    static const char *const classes[] = {
        [node_BLOCK] = "block",          [node_ELSEWHERE] = "elsewhere", [node_FUNCTION] = "function",
        [node_IMPORT] = "import",        [node_UNKNOWN] = "unknown",     [node_LOOP] = "folded loop",
        [node_REGION] = "folded region", [node_MORE] = "folded more"};
    const struct graph_node *node = graph_node(sketch->graph, index);
    const struct layout_box *box = &sketch->layout.boxes[index];
    FILE *out = sketch->out;
    unsigned rank = title_rank(node, sketch->options->size);
    double type = title_sizes[rank], y = type * 1.05 + 4;
    fprintf(out, "<g class=\"node %s%s%s h%u r%u\" id=\"", classes[node->kind],
            node->is_chosen ? " chosen" : "", node->is_reachable ? "" : " unreachable", heat_of(node->share),
            rank);
    picture_node_id(out, node);
    fprintf(out, "\" data-n=\"%zu\" transform=\"translate(%.1f %.1f)\">", index, box->x, box->y);
    bool has_link = false;
    if (sketch->options->node_address && node->kind != node_UNKNOWN) {
        fputs("<a href=\"", out);
        has_link = sketch->options->node_address(sketch->options->context, out, sketch->graph, node);
        putc('"', out);
        print_label(sketch, node, index);
        putc('>', out);
    }
    if (node->kind == node_LOOP || node->kind == node_REGION || node->kind == node_MORE)
        fprintf(out, "<rect class=\"under\" x=\"3\" y=\"3\" width=\"%.0f\" height=\"%.0f\" rx=\"4\"/>",
                box->width, box->height);
    fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"4\"/>", box->width, box->height);
    autofree char *title = shown_title(node), *note = note_of(node, sketch->options->size);
    html_format(out, "<text class=\"title\" x=\"%d\" y=\"%.1f\">%s</text>", PADDING, y, title);
    y = type * 1.4 + 4;
    if (*note) {
        fprintf(out, "<text class=\"note\" x=\"%d\" y=\"%.1f\">%s</text>", PADDING, y + 9, note);
        y += 14;
    }
    print_lines(out, node, y + 12);
    (void)has_link;
    fputs(has_link ? "</a></g>\n" : "</g>\n", out);
}

/* A corner is rounded; curves are vertical at both ends. */
static void print_way(FILE *out, const struct layout_point *points, uint32_t count)
{
    enum { RADIUS = 6 };
    fprintf(out, "M%.1f %.1f", points[0].x, points[0].y);
    for (uint32_t i = 1; i < count; i++) {
        const struct layout_point *from = &points[i - 1], *to = &points[i];
        if (to->is_corner && i + 1 < count) {
            const struct layout_point *next = &points[i + 1];
            double in = fmin(RADIUS, (fabs(to->x - from->x) + fabs(to->y - from->y)) / 2),
                   after = fmin(RADIUS, (fabs(next->x - to->x) + fabs(next->y - to->y)) / 2);
            double far = hypot(to->x - from->x, to->y - from->y),
                   further = hypot(next->x - to->x, next->y - to->y);
            double back = far > 0 ? in / far : 0, forth = further > 0 ? after / further : 0;
            fprintf(out, "L%.1f %.1fQ%.1f %.1f %.1f %.1f", to->x + (from->x - to->x) * back,
                    to->y + (from->y - to->y) * back, to->x, to->y, to->x + (next->x - to->x) * forth,
                    to->y + (next->y - to->y) * forth);
        } else if (from->is_corner || to->is_corner || fabs(from->x - to->x) < 0.3) {
            fprintf(out, "L%.1f %.1f", to->x, to->y);
        } else {
            double bend = (to->y - from->y) * 0.55;
            fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", from->x, from->y + bend, to->x, to->y - bend,
                    to->x, to->y);
        }
    }
    const struct layout_point *end = &points[count - 1];
    fprintf(out, "M%.1f %.1fl3.5 6l3.5 -6", end->x - 3.5, end->y - 6.5);
}

static void print_edge(struct sketch *sketch, size_t index)
{
    static const char *const classes[] = {
        [edge_FALL] = "fall",           [edge_TAKEN] = "taken",        [edge_SWITCH] = "switch",
        [edge_EXCEPTION] = "exception", [edge_TAIL] = "tail",          [edge_CALL] = "call",
        [edge_INDIRECT] = "indirect",   [edge_DOMINATES] = "dominates"};
    const struct graph_edge *edge = graph_edge(sketch->graph, index);
    const struct layout_edge *way = &sketch->layout.edges[index];
    if (way->point_count < 2)
        return;
    fprintf(sketch->out, "<path class=\"edge %s%s\" data-e=\"%u %u\" d=\"", classes[edge->kind],
            edge->is_back ? " back" : "", edge->from, edge->to);
    print_way(sketch->out, ARRAY_AT(struct layout_point, &sketch->layout.points, way->first_point),
              way->point_count);
    fputs("\"/>\n", sketch->out);
}

void picture_write(const struct graph *graph, const struct picture_options *options, FILE *out)
{
    struct sketch sketch = {.graph = graph, .options = options, .out = out};
    place_all(&sketch);
    double width = ceil(sketch.layout.width) + 8, height = ceil(sketch.layout.height) + 8;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" viewBox=\"-4 -4 %.0f %.0f\" "
            "width=\"%.0f\" height=\"%.0f\"",
            width, height, width, height);
    if (options->is_alone) {
        fputs(">\n<style>", out);
        fputs(report_graph_page_style, out);
        fputs("</style>\n", out);
    } else {
        html_format(out, " role=\"group\" aria-label=\"%s\">\n", graph->title);
    }
    fputs("<g class=\"all\">\n<g class=\"frames\">\n", out);
    for (size_t i = 0; i < graph->frames.count; i++)
        print_frame(&sketch, i);
    fputs("</g>\n<g class=\"edges\">\n", out);
    for (size_t i = 0; i < graph->edges.count; i++)
        print_edge(&sketch, i);
    fputs("</g>\n<g class=\"nodes\">\n", out);
    for (size_t i = 0; i < graph->nodes.count; i++)
        print_node(&sketch, i);
    fputs("</g>\n</g>\n</svg>\n", out);
    graph_layout_free(&sketch.layout);
    free(sketch.layout.boxes);
    free(sketch.layout.frames);
    free(sketch.layout.edges);
}
