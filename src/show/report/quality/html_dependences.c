/* The dependences of an iteration, drawn beside its instructions.

   Instructions are in their order.  On the left, a line goes from each instruction down to those that use its
   result in the same iteration; on the right, dashed, to those that use it in a later one.  Each instruction
   has one lane on a side for all its results, the shorter lanes are closer to the text; a figure where a line
   arrives is the latency from there to the result.  The cycle that bounds the loop is drawn last, on top. */
#include "show/report/quality/html.h"

#include "show/report/common/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. */
enum { ROW = 24, LETTER = 8, LANE = 9, GAP = 26, EDGE = 6, TURN = 4, MOST_LETTERS = 46, MOST_DRAWN = 150 };

struct lane {
    uint32_t first, last; /* rows */
    unsigned number;      /* from 0; the rows have no line where first > last */
};

struct drawing_of_links {
    const struct html_report *report;
    const struct html_listing *listing;
    const struct block_costs *work;
    const struct cost_links *links;
    uint32_t count;
    struct lane *sides[2];   /* by item: within an iteration, to later ones */
    unsigned lane_counts[2]; /* of each side */
    unsigned *arrivals[2];   /* by item: lines that arrive, and */
    unsigned *arrived[2];    /* those that were drawn */
    char **texts;
    double left, right, width; /* of the texts; of the drawing */
};

static const struct cost_link *link_at(const struct drawing_of_links *drawing, size_t index)
{
    return ARRAY_AT(struct cost_link, &drawing->links->all, index);
}

/* The text of an instruction without marks, cut where it is long; to be freed. */
static char *text_of(const struct html_report *report, uint32_t instruction)
{
    const struct instruction *row = model_instruction(report->model, instruction);
    const char *text = model_text(report->model, model_encoding(report->model, row->encoding)->text);
    const char *at = text ? strchr(text, '@') : NULL;
    char *whole = !text                             ? memory_format("?")
                  : at && row->target != NO_ADDRESS ? memory_format("%.*s0x%llx%s", (int)(at - text), text,
                                                                    (unsigned long long)row->target, at + 1)
                                                    : memory_format("%s", text);
    for (char *letter = whole; *letter; letter++)
        if (*letter == '\t')
            *letter = ' ';
    if (strlen(whole) > MOST_LETTERS)
        strcpy(whole + MOST_LETTERS - 3, "…");
    return whole;
}

static int compare_lanes(const void *left, const void *right)
{
    const struct lane *a = *(const struct lane *const *)left, *b = *(const struct lane *const *)right;
    uint32_t one = a->last - a->first, other = b->last - b->first;
    if (one != other)
        return one < other ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Short ones first, each into the first lane that is free where it goes. */
static void number_lanes(struct drawing_of_links *drawing, unsigned side)
{
    struct lane *lanes = drawing->sides[side];
    struct lane **order = memory_get((drawing->count + 1) * sizeof *order);
    size_t used = 0;
    for (uint32_t i = 0; i < drawing->count; i++)
        if (lanes[i].first <= lanes[i].last)
            order[used++] = &lanes[i];
    qsort(order, used, sizeof(struct lane *), compare_lanes);
    for (size_t i = 0; i < used; i++) {
        bool is_free = false;
        for (order[i]->number = 0; !is_free; order[i]->number += !is_free) {
            is_free = true;
            for (size_t k = 0; k < i && is_free; k++)
                is_free = order[k]->number != order[i]->number || order[k]->last < order[i]->first ||
                          order[i]->last < order[k]->first;
        }
        if (order[i]->number >= drawing->lane_counts[side])
            drawing->lane_counts[side] = order[i]->number + 1;
    }
    free(order);
}

static void find_lanes(struct drawing_of_links *drawing)
{
    for (unsigned side = 0; side < 2; side++) {
        drawing->sides[side] = memory_get((drawing->count + 1) * sizeof(struct lane));
        drawing->arrivals[side] = memory_get((drawing->count + 1) * sizeof(unsigned));
        drawing->arrived[side] = memory_get((drawing->count + 1) * sizeof(unsigned));
        for (uint32_t i = 0; i < drawing->count; i++)
            drawing->sides[side][i] = (struct lane){.first = UINT32_MAX};
    }
    for (size_t i = 0; i < drawing->links->all.count; i++) {
        const struct cost_link *link = link_at(drawing, i);
        struct lane *lane = &drawing->sides[link->distance > 0][link->from];
        uint32_t low = link->from < link->to ? link->from : link->to, high = link->from + link->to - low;
        lane->first = low < lane->first ? low : lane->first;
        lane->last = high > lane->last ? high : lane->last;
        drawing->arrivals[link->distance > 0][link->to]++;
    }
    for (unsigned side = 0; side < 2; side++)
        number_lanes(drawing, side);
}

static void find_texts(struct drawing_of_links *drawing)
{
    size_t most = 8;
    drawing->texts = memory_get((drawing->count + 1) * sizeof *drawing->texts);
    for (uint32_t i = 0; i < drawing->count; i++) {
        drawing->texts[i] = text_of(drawing->report, drawing->work->block.items[i].id);
        size_t length = strlen(drawing->texts[i]);
        most = length > most ? length : most;
    }
    most = most > MOST_LETTERS ? MOST_LETTERS : most;
    drawing->left = EDGE + GAP + drawing->lane_counts[0] * LANE;
    drawing->right = drawing->left + (double)most * LETTER + 12;
    drawing->width = drawing->right + GAP + drawing->lane_counts[1] * LANE + EDGE;
}

/* A line: out of an instruction, along its lane, into another one. */
static void draw_link(struct drawing_of_links *drawing, const struct cost_link *link)
{
    FILE *out = drawing->report->out;
    unsigned side = link->distance > 0;
    unsigned lines = drawing->arrivals[side][link->to], line = drawing->arrived[side][link->to]++;
    double from = link->from * ROW + ROW - 5.0, to = link->to * ROW + 3 + (line + 0.5) * (ROW - 9) / lines;
    double sign = side ? 1 : -1, start = side ? drawing->right : drawing->left;
    double x = start + sign * (GAP - 4 + drawing->sides[side][link->from].number * LANE);
    double down = to > from ? 1 : -1, turn = fmin(TURN, fabs(to - from) / 2);
    fprintf(out,
            "<g class=\"link%s%s\" data-from=\"%u\" data-to=\"%u\"><path d=\"M%.0f %.1fH%.1fQ%.1f %.1f %.1f "
            "%.1fV%.1fQ%.1f %.1f %.1f %.1fH%.0f\"/>",
            side ? " later" : "", link->is_on_chain ? " chain" : "", link->from, link->to, start, from,
            x - sign * turn, x, from, x, from + down * turn, to - down * turn, x, to, x - sign * turn, to,
            start);
    fprintf(out, "<path class=\"head\" d=\"M%.0f %.1fl%.0f -3v6z\"/>", start, to, sign * 5);
    if (link->is_on_chain || lines <= 2)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%.3g</text>", start + sign * 12, to + 3.2, link->latency);
    fputs("</g>\n", out);
}

static void draw_node(const struct drawing_of_links *drawing, uint32_t item)
{
    FILE *out = drawing->report->out;
    bool is_on_chain = false;
    for (size_t i = 0; i < drawing->links->all.count; i++)
        is_on_chain |= link_at(drawing, i)->is_on_chain && link_at(drawing, i)->to == item;
    int place = html_listing_instruction(drawing->listing, drawing->work->block.items[item].id);
    fprintf(out, "<g class=\"node%s\"", is_on_chain ? " chain" : "");
    if (place != NOT_LISTED)
        fprintf(out, " data-i=\"%d\"", place);
    html_format(out,
                "><rect x=\"%.0f\" y=\"%u\" width=\"%.0f\" height=\"%d\" rx=\"3\"/><text x=\"%.0f\" "
                "y=\"%u\">%s</text></g>\n",
                drawing->left, item * ROW + 2, drawing->right - drawing->left, ROW - 4, drawing->left + 6,
                item * ROW + 16, drawing->texts[item]);
}

static void draw(struct drawing_of_links *drawing)
{
    FILE *out = drawing->report->out;
    find_lanes(drawing);
    find_texts(drawing);
    fprintf(out,
            "<div class=\"wide picture\" tabindex=\"0\" role=\"region\" aria-label=\"Dependences of an "
            "iteration, drawn\"><svg class=\"links\" data-loop=\"%u\" width=\"%.0f\" height=\"%u\" "
            "viewBox=\"0 0 %.0f %u\" role=\"img\" aria-label=\"Which instruction waits for which; the table "
            "below has the same.\">\n",
            drawing->listing->loop, drawing->width, drawing->count * ROW, drawing->width,
            drawing->count * ROW);
    for (unsigned is_chain = 0; is_chain < 2; is_chain++)
        for (size_t i = 0; i < drawing->links->all.count; i++)
            if (link_at(drawing, i)->is_on_chain == is_chain)
                draw_link(drawing, link_at(drawing, i));
    for (uint32_t i = 0; i < drawing->count; i++)
        draw_node(drawing, i);
    fputs("</svg></div>\n", out);
    for (unsigned side = 0; side < 2; side++) {
        free(drawing->sides[side]);
        free(drawing->arrivals[side]);
        free(drawing->arrived[side]);
    }
    for (uint32_t i = 0; i < drawing->count; i++)
        free(drawing->texts[i]);
    free(drawing->texts);
}

/* "fmadd 4 → fadd 2 → back to fmadd": the steps of the cycle, from the one that the next iteration waits for.
 */
static void say_steps(const struct drawing_of_links *drawing)
{
    FILE *out = drawing->report->out;
    const struct cost_link *link = NULL;
    for (size_t i = 0; i < drawing->links->all.count && !link; i++)
        if (link_at(drawing, i)->is_on_chain && link_at(drawing, i)->distance)
            link = link_at(drawing, i);
    uint32_t first = link ? link->to : 0;
    for (size_t step = 0; link && step < drawing->links->all.count; step++) {
        int place = html_listing_instruction(drawing->listing, drawing->work->block.items[link->to].id);
        autofree char *text = text_of(drawing->report, drawing->work->block.items[link->to].id);
        fputs(step ? " → " : "", out);
        if (place != NOT_LISTED)
            fprintf(out, "<a href=\"#l%u-i%d\">", drawing->listing->loop, place);
        fputs("<code>", out);
        html_text(out, text, strcspn(text, " "));
        fputs(place != NOT_LISTED ? "</code></a>" : "</code>", out);
        fprintf(out, " %.3g", link->latency);
        uint32_t at = link->to;
        link = NULL;
        for (size_t i = 0; i < drawing->links->all.count && !link; i++)
            if (link_at(drawing, i)->is_on_chain && link_at(drawing, i)->from == at)
                link = link_at(drawing, i);
        if (link && link->to == first)
            break;
    }
}

static void say_chain(const struct drawing_of_links *drawing, const struct quality_rows *path)
{
    FILE *out = drawing->report->out;
    if (!(drawing->links->cycles > 0)) {
        fputs("<p>No iteration waits for a result of an earlier one, so the core can work on several at "
              "once.</p>\n",
              out);
        return;
    }
    bool is_limit = path->cycle_count && path->cycles->limit == core_part_LATENCY;
    fprintf(
        out,
        "<p>Each iteration waits for a result of an earlier one, which takes <strong>%.2f cycles</strong> "
        "by itself%s.</p>\n<p>The chain, with latencies in cycles: ",
        drawing->links->cycles, is_limit ? ": this limits the loop" : "; something else limits the loop");
    say_steps(drawing);
    fputs(", then the next iteration.</p>\n", out);
}

static void print_item(const struct drawing_of_links *drawing, uint32_t item)
{
    FILE *out = drawing->report->out;
    fputs("<td class=\"text\">", out);
    html_instruction(drawing->report, drawing->listing, drawing->work->block.items[item].id);
    fputs("</td>", out);
}

static void print_table(const struct drawing_of_links *drawing)
{
    FILE *out = drawing->report->out;
    fputs(
        "<details class=\"fold\"><summary>Dependences as a table</summary>\n<div class=\"wide\"><table "
        "class=\"accesses\">\n<thead><tr><th>instruction</th><th>waits for</th><th>of the iteration</th><th "
        "class=\"figure\">latency, cycles</th><th>on the longest chain</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t i = 0; i < drawing->links->all.count; i++) {
        const struct cost_link *link = link_at(drawing, i);
        fputs("<tr>", out);
        print_item(drawing, link->to);
        print_item(drawing, link->from);
        if (link->distance)
            fprintf(out, "<td>%u before</td>", link->distance);
        else
            fputs("<td>the same</td>", out);
        fprintf(out, "<td class=\"figure\">%.3g%s</td><td>%s</td></tr>\n", link->latency,
                link->is_memory ? ", through memory" : "", link->is_on_chain ? "yes" : "");
    }
    fputs("</tbody></table></div></details>\n", out);
}

void html_dependences(const struct html_report *report, const struct html_listing *listing,
                      const struct quality_rows *path, const struct block_costs *work,
                      const struct cost_links *links)
{
    struct drawing_of_links drawing = {
        .report = report, .listing = listing, .work = work, .links = links, .count = work->block.count};
    fputs("<section class=\"dependences\"><h3>Dependences of an iteration</h3>\n<div class=\"sides\">\n",
          report->out);
    if (drawing.count > MOST_DRAWN)
        fprintf(report->out,
                "<p class=\"note\">The iteration has %u instructions, too many to be drawn.</p>\n",
                drawing.count);
    else if (links->all.count)
        draw(&drawing);
    fputs("<div class=\"words\">\n", report->out);
    say_chain(&drawing, path);
    fputs("<p class=\"legend\"><span class=\"now\">result used in the same iteration</span><span "
          "class=\"later\">in a later one</span><span class=\"longest\">longest loop-carried "
          "chain</span></p>\n",
          report->out);
    if (links->all.count && drawing.count <= MOST_DRAWN)
        print_table(&drawing);
    fputs("</div>\n</div>\n</section>\n", report->out);
}
