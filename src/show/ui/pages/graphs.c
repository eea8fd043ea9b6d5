/* A page with a graph.

   The picture is placed and written by the server and can be read without a script: its nodes are links, what
   is closed opens by a link, and a list below has the same nodes and edges as text.  graph.js adds zooming,
   panning, searching and moving along edges, and replaces the picture when something is opened. Everything
   that was chosen is in the address. */
#include "show/ui/pages/graphs.h"

#include "model/demangle.h"
#include "show/report/common/html.h"
#include "show/report/common/short_name.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 2000, MOST_NODES = 20000, USUAL_BLOCKS = 250, USUAL_FUNCTIONS = 80 };

static void read_keys(struct array *keys, const char *text, const char *letters)
{
    *keys = ARRAY_OF(struct graph_key);
    while (text && *text && keys->count < MOST_KEYS) {
        char *end = NULL;
        char letter = *text;
        int64_t row = strtoll(text + 1, &end, 10);
        if (strchr(letters, letter) && end != text + 1 && row > 0)
            *(struct graph_key *)array_add(keys) = (struct graph_key){letter, row};
        text = strchr(text, ',');
        text += text != NULL;
    }
}

static bool read_name(struct graph_view *view, struct ui_answer *answer, struct error *error)
{
    sqlite3_stmt *row = NULL;
    sqlite3_prepare_v2(view->request->connection, query_named(page_queries, "function_name"), -1, &row, NULL);
    sqlite3_bind_int64(row, 1, view->function);
    if (sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        view->name = name && view->request->options->demangle ? demangle_name(name) : NULL;
        if (!view->name)
            view->name = memory_format("%s", name ? name : "?");
    }
    sqlite3_finalize(row);
    return view->name || ui_missing(answer, error, "there is no function '%s' in %s", view->request->rest,
                                    view->request->subject->name);
}

static const char *one_of(const char *word, const char *const *words)
{
    for (; word && *words; words++)
        if (!strcmp(word, *words))
            return *words;
    return NULL;
}

bool graph_view_begin(struct graph_view *view, struct ui_request *request, struct ui_answer *answer,
                      enum graph_page page, struct error *error)
{
    static const char *const texts[] = {"short", "long", NULL}, *const sizes[] = {"time", "loops", NULL};
    int64_t usual = page == graph_CALLS ? USUAL_FUNCTIONS : USUAL_BLOCKS;
    *view = (struct graph_view){.request = request,
                                .page = page,
                                .function = ui_rest_number(request),
                                .usual_most = usual,
                                .most = ui_number(request, "most", usual),
                                .depth = ui_number(request, "depth", 1),
                                .show = ui_number(request, "show", 0),
                                .text = one_of(ui_parameter(request, "text"), texts),
                                .size = one_of(ui_parameter(request, "size"), sizes)};
    const char *format = ui_parameter(request, "format");
    view->is_download = format && !strcmp(format, "svg");
    view->most = view->most < 1 ? 1 : view->most > MOST_NODES ? MOST_NODES : view->most;
    view->depth = view->depth < 1 ? 1 : view->depth > 9 ? 9 : view->depth;
    read_keys(&view->opened, ui_parameter(request, "open"), page == graph_CALLS ? "cp" : "lbr");
    read_keys(&view->closed, ui_parameter(request, "close"), page == graph_CALLS ? "" : "lbr");
    if (page == graph_CALLS && !*request->rest)
        return true;
    return view->function ? read_name(view, answer, error)
                          : ui_missing(answer, error, "there is no function '%s'", request->rest);
}

void graph_view_end(struct graph_view *view)
{
    array_free(&view->opened);
    array_free(&view->closed);
    free(view->name);
}

static void print_path(FILE *out, const struct graph_view *view, enum graph_page page)
{
    static const char *const words[] = {"flow", "dominators", "calls"};
    fprintf(out, "/%u/graph/%s", view->request->subject->number, words[page]);
    if (view->function)
        fprintf(out, "/%lld", (long long)view->function);
}

/* Keys but one, and one more. */
static bool print_keys(FILE *out, const char *name, const struct array *keys, const struct graph_key *without,
                       const struct graph_key *with, char mark)
{
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        const struct graph_key *key = ARRAY_AT(struct graph_key, keys, i);
        if (without && key->letter == without->letter && key->row == without->row)
            continue;
        if (count++)
            fprintf(out, ",%c%lld", key->letter, (long long)key->row);
        else
            fprintf(out, "%s%s=%c%lld", mark == '?' ? "?" : "&amp;", name, key->letter, (long long)key->row);
    }
    if (with) {
        if (count++)
            fprintf(out, ",%c%lld", with->letter, (long long)with->row);
        else
            fprintf(out, "%s%s=%c%lld", mark == '?' ? "?" : "&amp;", name, with->letter,
                    (long long)with->row);
    }
    return count;
}

static char print_choices(FILE *out, const struct graph_view *view)
{
    char mark = '?';
    if (view->most != view->usual_most) {
        fprintf(out, "?most=%lld", (long long)view->most);
        mark = '&';
    }
    if (view->text) {
        fprintf(out, "%stext=%s", mark == '?' ? "?" : "&amp;", view->text);
        mark = '&';
    }
    if (view->page == graph_CALLS && view->depth != 1) {
        fprintf(out, "%sdepth=%lld", mark == '?' ? "?" : "&amp;", (long long)view->depth);
        mark = '&';
    }
    if (view->size) {
        fprintf(out, "%ssize=%s", mark == '?' ? "?" : "&amp;", view->size);
        mark = '&';
    }
    return mark;
}

void graph_view_address(FILE *out, const struct graph_view *view, const struct graph_key *opened,
                        const struct graph_key *closed)
{
    print_path(out, view, view->page);
    char mark = print_choices(out, view);
    /* Callers and callees open in steps, so their keys repeat. */
    bool repeats = view->page == graph_CALLS;
    if (print_keys(out, "open", &view->opened, repeats ? NULL : closed, opened, mark))
        mark = '&';
    print_keys(out, "close", &view->closed, opened, closed, mark);
}

static void print_views(const struct graph_view *view, FILE *out)
{
    static const char *const words[] = {"Control flow", "Dominators", "Calls"};
    fputs("<nav class=\"views\" aria-label=\"Views of this function\">\n", out);
    if (view->function)
        fprintf(out, "<a href=\"/%u/function/%lld\">Function</a>\n", view->request->subject->number,
                (long long)view->function);
    for (enum graph_page page = 0; view->function && page <= graph_CALLS; page++) {
        fputs("<a href=\"", out);
        print_path(out, view, page);
        fprintf(out, "\"%s>%s</a>\n", page == view->page ? " aria-current=\"page\"" : "", words[page]);
    }
    if (view->function && view->page == graph_CALLS)
        fprintf(out, "<a href=\"/%u/graph/calls\">Calls of the program</a>\n",
                view->request->subject->number);
    fputs("</nav>\n", out);
}

struct choice {
    const char *value, *words;
};

static void print_select(FILE *out, const char *name, const char *label, const char *chosen,
                         const struct choice *choices, size_t count)
{
    fprintf(out, "<label>%s <select name=\"%s\">\n", label, name);
    bool is_known = false;
    for (size_t i = 0; i < count; i++) {
        bool is_it = !strcmp(choices[i].value, chosen);
        is_known |= is_it;
        fprintf(out, "<option value=\"%s\"%s>%s</option>\n", choices[i].value, is_it ? " selected" : "",
                choices[i].words);
    }
    if (!is_known)
        fprintf(out, "<option selected>%s</option>\n", chosen);
    fputs("</select></label>\n", out);
}

static void print_hidden_keys(FILE *out, const char *name, const struct array *keys)
{
    if (!keys->count)
        return;
    fprintf(out, "<input type=\"hidden\" name=\"%s\" value=\"", name);
    for (size_t i = 0; i < keys->count; i++)
        fprintf(out, "%s%c%lld", i ? "," : "", ARRAY_AT(struct graph_key, keys, i)->letter,
                (long long)ARRAY_AT(struct graph_key, keys, i)->row);
    fputs("\">\n", out);
}

static void print_form(const struct graph_view *view, FILE *out, bool has_time)
{
    static const struct choice texts[] = {{"", "as fits"}, {"short", "none"}, {"long", "all"}};
    static const struct choice blocks[] = {{"60", "60"}, {"250", "250"}, {"1000", "1,000"}, {"20000", "all"}};
    static const struct choice functions[] = {
        {"30", "30"}, {"80", "80"}, {"300", "300"}, {"1000", "1,000"}, {"20000", "all"}};
    static const struct choice depths[] = {
        {"1", "1 step"}, {"2", "2 steps"}, {"3", "3 steps"}, {"4", "4 steps"}};
    static const struct choice sizes[] = {{"time", "time"}, {"loops", "loops"}};
    char most[24], depth[24];
    snprintf(most, sizeof most, "%lld", (long long)view->most);
    snprintf(depth, sizeof depth, "%lld", (long long)view->depth);
    fputs("<form class=\"tools choices\" method=\"get\">\n", out);
    if (view->page == graph_CALLS) {
        if (view->function)
            print_select(out, "depth", "Distance", depth, depths, 4);
        if (has_time)
            print_select(out, "size", "Size by", view->size ? view->size : "time", sizes, 2);
        print_select(out, "most", "Functions", most, functions, 5);
    } else {
        print_select(out, "text", "Instructions", view->text ? view->text : "", texts, 3);
        print_select(out, "most", "Nodes", most, blocks, 4);
    }
    print_hidden_keys(out, "open", &view->opened);
    print_hidden_keys(out, "close", &view->closed);
    fputs("<button>Show</button>\n</form>\n", out);
}

static void print_tools(const struct graph_view *view, FILE *out, bool has_time)
{
    fputs("<div class=\"graph-tools\">\n", out);
    print_form(view, out, has_time);
    fputs("<div class=\"tools zoom\" hidden>\n"
          "<button type=\"button\" data-zoom=\"out\" aria-label=\"Zoom out\">−</button>\n"
          "<button type=\"button\" data-zoom=\"fit\" title=\"Shows everything (0)\">Fit</button>\n"
          "<button type=\"button\" data-zoom=\"one\" title=\"Usual size (1)\">100 %</button>\n"
          "<button type=\"button\" data-zoom=\"in\" aria-label=\"Zoom in\">+</button>\n"
          "<input type=\"search\" aria-label=\"Find in the graph\" placeholder=\"Find in the graph (f)\" "
          "spellcheck=\"false\">\n<output></output>\n</div>\n<a class=\"download\" download href=\"",
          out);
    graph_view_address(out, view, NULL, NULL);
    bool has_query = view->most != view->usual_most || view->text || view->size || view->opened.count ||
                     view->closed.count || (view->page == graph_CALLS && view->depth != 1);
    fprintf(out, "%sformat=svg\">Save as SVG</a>\n</div>\n", has_query ? "&amp;" : "?");
}

static void print_ends(FILE *out, const struct graph *graph, const uint32_t *starts, const uint32_t *edges,
                       uint32_t node, bool is_from)
{
    static const char *const words[] = {[edge_FALL] = "",
                                        [edge_TAKEN] = " (taken)",
                                        [edge_SWITCH] = " (switch)",
                                        [edge_EXCEPTION] = " (exception)",
                                        [edge_TAIL] = " (tail call)",
                                        [edge_CALL] = "",
                                        [edge_INDIRECT] = " (indirect)",
                                        [edge_DOMINATES] = ""};
    fputs("<td>", out);
    for (uint32_t i = starts[node]; i < starts[node + 1]; i++) {
        const struct graph_edge *edge = graph_edge(graph, edges[i]);
        const struct graph_node *other = graph_node(graph, is_from ? edge->to : edge->from);
        fputs(i > starts[node] ? ", <a href=\"#" : "<a href=\"#", out);
        picture_node_id(out, other);
        fputs("\">", out);
        picture_node_name(out, other);
        fprintf(out, "</a>%s%s", words[edge->kind], edge->is_back ? " (back)" : "");
        if (edge->sites > 1)
            fprintf(out, " ×%lld", (long long)edge->sites);
    }
    fputs("</td>", out);
}

/* Edges by one of their ends. */
static void index_edges(const struct graph *graph, bool is_from, uint32_t **starts, uint32_t **edges)
{
    *starts = memory_get((graph->nodes.count + 2) * sizeof **starts);
    *edges = memory_get((graph->edges.count + 1) * sizeof **edges);
    for (size_t i = 0; i < graph->edges.count; i++)
        (*starts)[(is_from ? graph_edge(graph, i)->from : graph_edge(graph, i)->to) + 2]++;
    for (size_t i = 2; i < graph->nodes.count + 2; i++)
        (*starts)[i] += (*starts)[i - 1];
    for (uint32_t i = 0; i < graph->edges.count; i++)
        (*edges)[(*starts)[(is_from ? graph_edge(graph, i)->from : graph_edge(graph, i)->to) + 1]++] = i;
}

static void print_list(const struct graph_view *view, const struct graph *graph, FILE *out)
{
    uint32_t *out_starts, *out_edges, *in_starts, *in_edges;
    index_edges(graph, true, &out_starts, &out_edges);
    index_edges(graph, false, &in_starts, &in_edges);
    fputs("<details class=\"graph-list\"><summary>As a list: ", out);
    html_counted(out, graph->nodes.count, "node", "nodes");
    fputs(", ", out);
    html_counted(out, graph->edges.count, "edge", "edges");
    bool is_calls = view->page == graph_CALLS;
    fprintf(out,
            "</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Nodes and "
            "edges\"><table>\n<thead><tr><th "
            "scope=\"col\">Node</th><th scope=\"col\">%s</th><th scope=\"col\">%s</th><th "
            "scope=\"col\">%s</th></tr></thead>\n<tbody>\n",
            is_calls ? "Loops" : "Loop", is_calls ? "Calls" : "Leads to",
            is_calls ? "Called by" : "Reached from");
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct graph_node *node = graph_node(graph, i);
        fputs("<tr><th scope=\"row\"><a href=\"#", out);
        picture_node_id(out, node);
        fputs("\">", out);
        picture_node_name(out, node);
        fputs("</a></th><td>", out);
        if (is_calls && node->loops)
            fprintf(out, "%lld", (long long)node->loops);
        if (!is_calls && node->frame != GRAPH_NONE) {
            int64_t loop = graph_frame(graph, (size_t)node->frame)->row;
            fprintf(out, "<a href=\"/%u/loop/%lld\">loop %lld</a>", view->request->subject->number,
                    (long long)loop, (long long)loop);
        }
        fputs("</td>", out);
        print_ends(out, graph, out_starts, out_edges, i, true);
        print_ends(out, graph, in_starts, in_edges, i, false);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div></details>\n", out);
    free(out_starts);
    free(out_edges);
    free(in_starts);
    free(in_edges);
}

static void print_legend(const struct graph_view *view, const struct graph *graph, FILE *out)
{
    static const struct {
        const char *class, *words;
    } kinds[] = {[edge_FALL] = {"fall", "falls through"},
                 [edge_TAKEN] = {"taken", "branch taken"},
                 [edge_SWITCH] = {"switch", "switch"},
                 [edge_EXCEPTION] = {"exception", "exception"},
                 [edge_TAIL] = {"tail", "tail call"},
                 [edge_CALL] = {"call", "call"},
                 [edge_INDIRECT] = {"indirect", "indirect call"},
                 [edge_DOMINATES] = {"dominates", "dominates"}};
    bool is_used[sizeof kinds / sizeof *kinds] = {false}, has_back = false;
    for (size_t i = 0; i < graph->edges.count; i++) {
        is_used[graph_edge(graph, i)->kind] = true;
        has_back |= graph_edge(graph, i)->is_back;
    }
    fputs("<p class=\"graph-legend note\">", out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_used[i])
            fprintf(out,
                    "<span><svg class=\"graph\" width=\"28\" height=\"10\" aria-hidden=\"true\"><path "
                    "class=\"edge %s\" d=\"M1 5H27\"/></svg>%s</span> ",
                    kinds[i].class, kinds[i].words);
    if (has_back)
        fputs("<span><svg class=\"graph\" width=\"28\" height=\"10\" aria-hidden=\"true\"><path class=\"edge "
              "back\" d=\"M1 5H27\"/></svg>back to the loop’s start</span> ",
              out);
    if (graph->has_time)
        fputs("<span><i class=\"heat\"></i>more of the run’s time</span> ", out);
    (void)view;
    fputs("</p>\n", out);
}

static void write_file(const struct graph_view *view, struct ui_answer *answer, const struct graph *graph,
                       const struct picture_options *options)
{
    static const char *const names[] = {"control-flow.svg", "dominators.svg", "calls.svg"};
    struct picture_options alone = {.size = options->size, .is_alone = true};
    answer->type = "image/svg+xml";
    answer->file_name = names[view->page];
    picture_write(graph, &alone, answer->out);
}

void graph_view_write(const struct graph_view *view, struct ui_request *request, struct ui_answer *answer,
                      const struct graph *graph, const struct picture_options *options, const char *sentence)
{
    static const char *const kickers[] = {"Control flow", "Dominators", "Calls"};
    static const char *const files[] = {"picture.css", "graph.css", "graph.js", NULL};
    FILE *out = answer->out;
    if (view->is_download) {
        write_file(view, answer, graph, options);
        return;
    }
    autofree char *title =
        memory_format("%s%s%s", kickers[view->page], view->name ? " of " : "", view->name ? view->name : "");
    ui_begin_page(request, answer, title, "graph", files);
    fprintf(out, "<p class=\"kicker\">%s</p>\n<h1 class=\"graph-title\">", kickers[view->page]);
    html_format(out, "%s</h1>\n", view->name ? view->name : "All functions");
    print_views(view, out);
    print_tools(view, out, graph->has_time);
    fprintf(out,
            "<div class=\"graph-stage\">\n<section class=\"graph-room\" data-page=\"%s\" "
            "data-api=\"/%u/api/block/\" tabindex=\"0\" "
            "aria-label=\"Graph: arrow keys move it, + "
            "and − zoom\">\n",
            view->page == graph_CALLS ? "calls" : "blocks", request->subject->number);
    picture_write(graph, options, out);
    html_format(out,
                "</section>\n<aside class=\"graph-panel\" aria-label=\"Chosen block\" hidden></aside>\n"
                "</div>\n<p class=\"note graph-sentence\">%s</p>\n",
                sentence);
    print_legend(view, graph, out);
    print_list(view, graph, out);
    ui_end_page(request, answer);
}
