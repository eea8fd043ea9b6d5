/* The heat of a function on a page: its source on the left, its instructions with arrows on the right.  A line with
   inlined code opens to the lines of that; it needs no script.  Lines and instructions of one line light up together
   by the script of listings: rows with the same data-k. */
#include "base/path.h"
#include "show/report/common/html.h"
#include "show/report/common/short_name.h"
#include "show/report/heat/parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTRUCTIONS = 400,
    MOST_LINES = 400,
    MOST_BODY = 300, /* lines of inlined code below one line */
    LONGEST_LINE = 400,
    STEPS = 8, /* of warmth, as many as the style has */
    LANE = 8,
    ROW = 20
};

struct heat_page {
    const struct heat_view *view;
    const struct heat *heat;
    FILE *out;
    bool has_totals;
};

static const struct heat_node *node_of(const struct heat_page *page, uint32_t place)
{
    return ARRAY_AT(struct heat_node, &page->heat->nodes, place);
}

/* ` h5`: how warm; nothing for no time. */
static void print_warmth(const struct heat_page *page, double seconds, double hottest)
{
    unsigned step = hottest > 0 && seconds > 0 ? (unsigned)(seconds / hottest * STEPS + 0.999) : 0;
    if (step)
        fprintf(page->out, " h%u", step > STEPS ? STEPS : step);
}

static void print_share(const struct heat_page *page, const char *class, double seconds)
{
    autofree char *share = heat_share(page->heat, seconds);
    html_format(page->out, "<td class=\"%s\">%s</td>", class, share);
}

static void print_text(const struct heat_page *page, uint32_t file, uint32_t line, size_t skipped)
{
    size_t length = 0;
    const char *text = places_line(page->view->places, heat_path(page->view, file), line, &length);
    skipped = skipped < length ? skipped : length;
    text = text ? text + skipped : NULL;
    length -= skipped;
    html_text(page->out, text ? text : "", length < LONGEST_LINE ? length : LONGEST_LINE);
    fputs(length > LONGEST_LINE ? "…" : "", page->out);
}

/* ---- source ---- */

/* place 0: no code was made of the line. */
static void print_cells(const struct heat_page *page, uint32_t place, uint32_t line)
{
    print_share(page, "share", place ? node_of(page, place)->self : 0);
    if (page->has_totals)
        print_share(page, "share calls",
                    place && heat_is_calling(page->heat, place) ? node_of(page, place)->total : 0);
    if (line)
        fprintf(page->out, "<td class=\"number\">%u</td>", line);
    else
        fputs("<td class=\"number\"></td>", page->out);
}

/* Inlined code below a line, as a table of its own: functions, and lines of them with time. */
static void print_bodies(const struct heat_page *page, uint32_t line)
{
    FILE *out = page->out;
    uint32_t end = node_of(page, line)->end, shown = 0;
    fputs("<table class=\"inlined-code\">", out);
    for (uint32_t i = line + 1; i < end && shown < MOST_BODY;) {
        const struct heat_node *node = node_of(page, i);
        if (!heat_is_worth_naming(page->heat, i)) {
            i = node->end;
            continue;
        }
        unsigned depth = node->depth / 2 < 8 ? node->depth / 2 : 8;
        if (node->kind == HEAT_CALL) {
            autofree char *name = heat_name(page->view, node->name);
            autofree char *shorter = name_shorten(name, NAME_COLUMNS, true);
            fputs("<tr class=\"body\">", out);
            print_cells(page, i, 0);
            html_format(out, "<td class=\"text d%u\" title=\"%s\">%s", depth, name, shorter);
            if (node->file)
                html_format(out, " <span class=\"dim\">%s</span>",
                            path_name(heat_path(page->view, node->file)));
            fputs("</td></tr>\n", out);
        } else {
            fputs("<tr class=\"inner", out);
            print_warmth(page, node->self, page->heat->hottest_line);
            fputs("\">", out);
            print_cells(page, i, node->line);
            fprintf(out, "<td class=\"text d%u\">", depth);
            print_text(page, node->file, node->line, heat_indent(page->view, page->heat, node->parent));
            fputs("</td></tr>\n", out);
            shown++;
        }
        i++;
    }
    if (shown == MOST_BODY)
        fputs("<tr><td colspan=\"4\">… and more</td></tr>", out);
    fputs("</table>", out);
}

static void print_line(const struct heat_page *page, uint32_t file, uint32_t line, uint32_t place)
{
    const struct heat_node *node = place ? node_of(page, place) : NULL;
    FILE *out = page->out;
    autofree char *inlined = place ? heat_say_inlined(page->view, page->heat, place) : NULL;
    if (node)
        fprintf(out, "<tr id=\"h%u-s%u\" data-k=\"%u\" class=\"", page->heat->function, place, place);
    else
        fputs("<tr class=\"around", out);
    print_warmth(page, node ? node->self : 0, page->heat->hottest_line);
    fputs("\">", out);
    print_cells(page, place, line);
    fputs("<td class=\"text\">", out);
    if (inlined) /* where most of the function's time is in it, nobody should have to look for that */
        fprintf(out, "<details%s><summary>",
                node->self > node->own * 2 && node->self * 2 > node_of(page, 0)->self ? " open" : "");
    if (line)
        print_text(page, file, line, 0);
    else
        fputs("<span class=\"dim\">without a line</span>", out);
    if (inlined) {
        html_format(out, " <span class=\"dim\">%s inlined</span></summary>", inlined);
        print_bodies(page, place);
        fputs("</details>", out);
    }
    fputs("</td></tr>\n", out);
}

static void print_file(const struct heat_page *page, uint32_t file)
{
    html_format(page->out, "<tr class=\"file\"><td colspan=\"%u\">%s</td></tr>\n", page->has_totals ? 4 : 3,
                places_path(page->view->places, heat_path(page->view, file)));
}

static void print_foreign(const struct heat_page *page)
{
    const struct heat *heat = page->heat;
    uint32_t file = node_of(page, 0)->file;
    for (uint32_t i = 1; i < heat->nodes.count; i = node_of(page, i)->end) {
        const struct heat_node *node = node_of(page, i);
        if ((node->file == node_of(page, 0)->file && node->line) || !heat_is_worth_naming(heat, i))
            continue;
        if (node->file != file && node->file)
            print_file(page, node->file);
        file = node->file;
        print_line(page, node->file, node->line, i);
    }
}

static void print_source(const struct heat_page *page, bool has_text)
{
    const struct heat_node *function = node_of(page, 0);
    struct array lines = heat_choose_lines(page->heat, MOST_LINES);
    fprintf(page->out,
            "<div class=\"source\"><table>\n<thead><tr><th class=\"share\">self</th>%s<th "
            "class=\"number\">line</th><th class=\"text\">source</th></tr></thead>\n<tbody>\n",
            page->has_totals ? "<th class=\"share calls\">with calls</th>" : "");
    if (function->file)
        print_file(page, function->file);
    for (size_t i = 0; i < lines.count; i++) {
        const struct heat_text_line *line = ARRAY_AT(struct heat_text_line, &lines, i);
        if (line->is_gap)
            fprintf(page->out, "<tr class=\"around\"><td></td>%s<td class=\"number\">⋮</td><td></td></tr>\n",
                    page->has_totals ? "<td></td>" : "");
        if (has_text || (line->node && node_of(page, line->node)->total > 0))
            print_line(page, function->file, line->line, line->node);
    }
    print_foreign(page);
    fputs("</tbody></table></div>\n", page->out);
    array_free(&lines);
}

/* ---- instructions ---- */

static void print_lanes(const struct heat_page *page, const struct heat_jumps *jumps, size_t row)
{
    unsigned width = jumps->lanes * LANE + LANE + 4;
    FILE *out = page->out;
    if (!jumps->lanes)
        return;
    bool is_empty = !jumps->ends[row];
    for (unsigned i = 0; i < jumps->lanes; i++)
        is_empty &= !jumps->cells[row * HEAT_LANES + HEAT_LANES - jumps->lanes + i];
    if (is_empty) {
        fputs("<td class=\"jumps\"></td>", out);
        return;
    }
    fprintf(out, "<td class=\"jumps\"><svg width=\"%u\" height=\"%u\" aria-hidden=\"true\"><path d=\"", width,
            ROW);
    for (unsigned i = 0; i < jumps->lanes; i++) {
        uint8_t cell = jumps->cells[row * HEAT_LANES + HEAT_LANES - jumps->lanes + i];
        unsigned x = i * LANE + LANE / 2;
        if (cell & (HEAT_UP | HEAT_DOWN))
            fprintf(out, "M%u %uV%u", x, cell & HEAT_UP ? 0 : ROW / 2, cell & HEAT_DOWN ? ROW : ROW / 2);
        if (cell & HEAT_RIGHT && !(cell & HEAT_LEFT))
            fprintf(out, "M%u %uH%u", x, ROW / 2, width - 4);
    }
    fputs("\"/>", out);
    if (jumps->ends[row] & HEAT_LEADS_HERE)
        fprintf(out, "<path class=\"head\" d=\"M%u %ul6 4l-6 4z\"/>", width - 7, ROW / 2 - 4);
    fputs("</svg></td>", out);
}

static void print_head(const struct heat_page *page, const struct heat_jumps *jumps)
{
    fprintf(page->out,
            "<div class=\"assembly\"><table>\n<thead><tr><th class=\"share\">self</th><th "
            "class=\"address\">address</th>%s<th class=\"text\">instruction</th><th "
            "class=\"line\">line</th></tr></thead>\n<tbody>\n",
            jumps->lanes ? "<td></td>" : "");
}

static void print_instruction(const struct heat_page *page, const struct heat_jumps *jumps, size_t row,
                              const struct heat_row *shown)
{
    const struct heat *heat = page->heat;
    const struct heat_instruction *it = ARRAY_AT(struct heat_instruction, &heat->instructions, shown->place);
    uint32_t own = heat_line_of(heat, it->node);
    const struct heat_node *line = node_of(page, own);
    autofree char *words = heat_instruction_text(page->view, it->instruction);
    autofree char *origin = heat_say_origin(page->view, heat, it->node);
    size_t mnemonic = strcspn(words, " \t");
    FILE *out = page->out;
    fprintf(out, "<tr id=\"h%u-i%u\" data-k=\"%u\" class=\"", heat->function, shown->place, own);
    print_warmth(page, it->self, heat->hottest_instruction);
    fputs("\">", out);
    print_share(page, "share", it->self);
    fprintf(out, "<td class=\"address\">%llx</td>",
            (unsigned long long)model_address(heat->model, it->instruction));
    print_lanes(page, jumps, row);
    fputs("<td class=\"text\"><b>", out);
    html_text(out, words, mnemonic);
    html_format(out, "</b>%s</td><td class=\"line\"", words + mnemonic);
    if (origin)
        html_format(out, " title=\"%s\"", origin);
    fputs(">", out);
    if (line->line && line->file != node_of(page, 0)->file)
        html_format(out, "%s:", path_name(heat_path(page->view, line->file)));
    if (line->line)
        fprintf(out, "%s%u", origin ? "↳ " : "", line->line);
    fputs("</td></tr>\n", out);
}

static void print_assembly(const struct heat_page *page)
{
    const struct heat *heat = page->heat;
    struct array rows = heat_choose_instructions(heat, MOST_INSTRUCTIONS);
    struct heat_jumps jumps;
    heat_jumps_find(&jumps, heat, &rows);
    print_head(page, &jumps);
    for (size_t i = 0; i < rows.count; i++) {
        const struct heat_row *row = ARRAY_AT(struct heat_row, &rows, i);
        if (!row->skipped) {
            print_instruction(page, &jumps, i, row);
            continue;
        }
        fputs("<tr class=\"around\">", page->out);
        print_share(page, "share", row->seconds);
        fputs("<td class=\"address\">⋮</td>", page->out);
        print_lanes(page, &jumps, i);
        fputs("<td class=\"text\">", page->out);
        html_counted(page->out, row->skipped, "instruction", "instructions");
        fputs("</td><td class=\"line\"></td></tr>\n", page->out);
    }
    fputs("</tbody></table></div>\n", page->out);
    heat_jumps_free(&jumps);
    array_free(&rows);
}

void report_heat_html(const struct heat_view *view, uint32_t function, FILE *out)
{
    struct heat heat;
    heat_find(&heat, view->model, view->run, function);
    struct heat_page page = {.view = view, .heat = &heat, .out = out};
    page.has_totals = heat_is_calling(&heat, 0);
    autofree char *lacks = heat_say_no_source(view, &heat);
    if (lacks) {
        fputs("<p class=\"note\">", out);
        html_prose(out, lacks);
        fputs("</p>\n", out);
    }
    fputs("<div class=\"code heat\">\n", out);
    print_source(&page, !lacks);
    print_assembly(&page);
    fputs("</div>\n", out);
    heat_free(&heat);
}
