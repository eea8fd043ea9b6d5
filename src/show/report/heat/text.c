/* The heat of functions as text: the source with shares of the run's time, then the instructions with arrows.

   On a terminal, warm colours are for lines and instructions with a quarter of the hottest one's time and more. */
#include "base/path.h"
#include "show/report/common/bar.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/heat/parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTRUCTIONS = 120, /* of a function, unless all are wanted */
    MOST_LINES = 240,
    BAR = 6,
    SHARE = 7,
    NUMBER = 6,
    INSTRUCTION = 44,
    MOST_BODY = 40 /* lines of an inlined body */
};

struct heat_text {
    const struct heat_view *view;
    const struct heat *heat;
    const struct report_style *style;
    FILE *out;
    bool has_totals; /* some line calls something */
};

static const struct heat_node *node_of(const struct heat_text *text, uint32_t place)
{
    return ARRAY_AT(struct heat_node, &text->heat->nodes, place);
}

static const char *ink_of(const struct heat_text *text, double seconds, double hottest)
{
    double part = hottest > 0 ? seconds / hottest : 0;
    return report_ink(text->style, part >= 0.6    ? ink_ALARM
                                   : part >= 0.25 ? ink_LOOP
                                   : seconds > 0  ? ink_PLAIN
                                                  : ink_DIM);
}

static void print_plain(const struct heat_text *text)
{
    fputs(report_ink(text->style, ink_PLAIN), text->out);
}

static void print_share(const struct heat_text *text, double seconds)
{
    autofree char *share = heat_share(text->heat, seconds);
    fprintf(text->out, "%*s", SHARE, share);
}

static void print_bar(const struct heat_text *text, double seconds, double hottest)
{
    size_t used = report_bar(text->style, hottest > 0 ? seconds / hottest : 0, BAR, text->out);
    fprintf(text->out, "%*s", (int)(BAR - used), "");
}

/* A text of a file, cut where the terminal ends. */
static void print_cut(const struct heat_text *text, const char *words, size_t length, size_t at)
{
    struct array plain = ARRAY_OF(char);
    for (size_t i = 0; i < length; i++)
        memcpy(array_add_many(&plain, words[i] == '\t' ? 4 : 1), words[i] == '\t' ? "    " : &words[i],
               words[i] == '\t' ? 4 : 1);
    autofree char *safe = text_safe(plain.data ? plain.data : "", plain.count);
    unsigned width = text->style->width;
    autofree char *cut = text_cut(safe,
                                  width > at + 10 ? width - at
                                  : width         ? 10
                                                  : 400,
                                  false, text->style->unicode);
    fputs(cut, text->out);
    array_free(&plain);
}

/* ---- source ---- */

static size_t source_column(const struct heat_text *text)
{
    return BAR + SHARE + (text->has_totals ? SHARE : 0) + NUMBER + 4;
}

/* Blanks in front of what belongs to a line. */
static void print_margin(const struct heat_text *text, unsigned depth)
{
    fprintf(text->out, "%*s", (int)(source_column(text) + 4 * (size_t)depth), "");
}

static void print_code_line(const struct heat_text *text, uint32_t file, uint32_t line, uint32_t place)
{
    const struct heat_node *node = place ? node_of(text, place) : NULL;
    double self = node ? node->self : 0, hottest = text->heat->hottest_line;
    unsigned depth = node ? (node->depth - 1) / 2 : 0;
    size_t length = 0;
    const char *words = places_line(text->view->places, heat_path(text->view, file), line, &length);
    size_t skipped = depth ? heat_indent(text->view, text->heat, node->parent) : 0;
    skipped = skipped < length ? skipped : length;
    print_bar(text, self, hottest);
    fputs(ink_of(text, self, hottest), text->out);
    print_share(text, self);
    if (text->has_totals)
        print_share(text, place && heat_is_calling(text->heat, place) ? node->total : 0);
    fprintf(text->out, "%*u  ", NUMBER, line);
    if (!self)
        print_plain(text);
    fprintf(text->out, "  %*s", (int)(4 * depth), "");
    print_cut(text, words ? words + skipped : "", words ? length - skipped : 0,
              source_column(text) + 4 * (size_t)depth);
    if (self > 0)
        print_plain(text);
    putc('\n', text->out);
}

/* Lines of inlined bodies below a line, those with time alone. */
static void print_bodies(const struct heat_text *text, uint32_t line)
{
    uint32_t end = node_of(text, line)->end, shown = 0;
    for (uint32_t i = line + 1; i < end;) {
        const struct heat_node *node = node_of(text, i);
        if (!heat_is_worth_naming(text->heat, i)) {
            i = node->end;
            continue;
        }
        if (node->kind == HEAT_CALL) {
            autofree char *name = heat_name(text->view, node->name), *short_name = NULL;
            autofree char *share = heat_share(text->heat, node->self);
            autofree char *safe = text_safe(name, strlen(name));
            short_name = name_shorten(safe, NAME_COLUMNS, text->style->unicode);
            print_margin(text, node->depth / 2 - 1);
            fprintf(text->out, "%s%s %s, inlined from %s: %s%s\n", report_ink(text->style, ink_NAME),
                    text->style->unicode ? "└" : "`-", short_name,
                    node->file ? path_name(heat_path(text->view, node->file)) : "?", share,
                    report_ink(text->style, ink_PLAIN));
        } else if (shown++ < MOST_BODY || text->view->is_whole) {
            print_code_line(text, node->file, node->line, i);
        }
        i++;
    }
    if (shown > MOST_BODY && !text->view->is_whole)
        fprintf(text->out, "%*s %u more lines of inlined code; --all shows them\n", (int)source_column(text),
                "", shown - MOST_BODY);
}

static bool print_folded(const struct heat_text *text, uint32_t line)
{
    autofree char *inlined = heat_say_inlined(text->view, text->heat, line);
    if (!inlined)
        return false;
    autofree char *safe = text_safe(inlined, strlen(inlined));
    print_margin(text, 0);
    fprintf(text->out, "%s%s inlined: ", report_ink(text->style, ink_NAME),
            text->style->unicode ? "└" : "`-");
    print_cut(text, safe, strlen(safe), source_column(text) + 11);
    print_plain(text);
    putc('\n', text->out);
    return true;
}

/* Whether something is folded. */
static bool print_below(const struct heat_text *text, uint32_t line)
{
    if (!text->view->is_unfolded)
        return print_folded(text, line);
    print_bodies(text, line);
    return false;
}

/* Lines of the function that are not of its file: from macros, or of unknown origin. */
static void print_foreign(const struct heat_text *text)
{
    const struct heat *heat = text->heat;
    uint32_t file = 0;
    bool is_begun = false;
    for (uint32_t i = 1; i < heat->nodes.count; i = node_of(text, i)->end) {
        const struct heat_node *node = node_of(text, i);
        if ((node->file == node_of(text, 0)->file && node->line) || !heat_is_worth_naming(heat, i))
            continue;
        if (!node->line || !node->file) {
            print_bar(text, node->self, heat->hottest_line);
            print_share(text, node->self);
            fprintf(text->out, "%*s  without a line\n", (text->has_totals ? SHARE : 0) + NUMBER, "");
        } else {
            if (!is_begun || node->file != file) {
                const char *path = places_path(text->view->places, heat_path(text->view, node->file));
                autofree char *safe = text_safe(path, strlen(path));
                print_margin(text, 0);
                fprintf(text->out, "%s%s%s\n", report_ink(text->style, ink_SOURCE), safe,
                        report_ink(text->style, ink_PLAIN));
            }
            is_begun = true;
            file = node->file;
            print_code_line(text, node->file, node->line, i);
        }
        print_below(text, i);
    }
}

static void print_source(const struct heat_text *text)
{
    const struct heat_node *function = node_of(text, 0);
    autofree char *lacks = heat_say_no_source(text->view, text->heat);
    unsigned width = text->style->width ? text->style->width : WRAP_USUAL_WIDTH;
    bool has_folded = false;
    if (lacks)
        wrap_say(text->out, 0, width < WRAP_WIDEST ? width : WRAP_WIDEST, "%s", lacks);
    struct array lines = heat_choose_lines(text->heat, text->view->is_whole ? SIZE_MAX : MOST_LINES);
    const char *path = places_path(text->view->places, heat_path(text->view, function->file));
    autofree char *safe = text_safe(path, strlen(path));
    if (lines.count)
        fprintf(text->out, "%s%*s%*s%*s  %s  %s%s\n", report_ink(text->style, ink_DIM), BAR + SHARE, "self",
                text->has_totals ? SHARE : 0, text->has_totals ? "total" : "", NUMBER, "line", "", safe,
                report_ink(text->style, ink_PLAIN));
    for (size_t i = 0; i < lines.count; i++) {
        const struct heat_text_line *line = ARRAY_AT(struct heat_text_line, &lines, i);
        if (line->is_gap)
            fprintf(text->out, "%*s\n", BAR + SHARE + (text->has_totals ? SHARE : 0) + NUMBER, "...");
        if (lacks && !(line->node && node_of(text, line->node)->total > 0))
            continue;
        print_code_line(text, function->file, line->line, line->node);
        if (line->node)
            has_folded |= print_below(text, line->node);
    }
    if (lines.count || text->heat->nodes.count > 2) /* else there is nothing but code without lines */
        print_foreign(text);
    if (has_folded && !text->view->is_unfolded)
        fprintf(text->out, "%s%*s--unfold shows the lines of inlined code%s\n",
                report_ink(text->style, ink_DIM), (int)source_column(text), "",
                report_ink(text->style, ink_PLAIN));
    array_free(&lines);
}

/* ---- instructions ---- */

static const char *stroke(uint8_t cell, bool unicode)
{
    static const char *const fine[] = {" ", "╵", "╷", "│", "╴", "┘", "┐", "┤",
                                       "╶", "└", "┌", "├", "─", "┴", "┬", "┼"};
    static const char *const plain[] = {" ", "|", "|", "|", "-", "'", ".", "+",
                                        "-", "'", ".", "+", "-", "+", "+", "+"};
    return (unicode ? fine : plain)[cell & 15];
}

static void print_lanes(const struct heat_text *text, const struct heat_jumps *jumps, size_t row)
{
    if (!jumps->lanes)
        return;
    bool is_target = jumps->ends[row] & HEAT_LEADS_HERE, is_end = jumps->ends[row];
    for (unsigned i = HEAT_LANES - jumps->lanes; i < HEAT_LANES; i++)
        fputs(stroke(jumps->cells[row * HEAT_LANES + i], text->style->unicode), text->out);
    fputs(is_target ? text->style->unicode ? "▸ " : "> "
          : is_end  ? text->style->unicode ? "─ " : "- "
                    : "  ",
          text->out);
}

static void print_instruction(const struct heat_text *text, const struct heat_jumps *jumps, size_t row,
                              const struct heat_row *shown)
{
    const struct heat *heat = text->heat;
    const struct heat_instruction *it = ARRAY_AT(struct heat_instruction, &heat->instructions, shown->place);
    const struct heat_node *line = node_of(text, heat_line_of(heat, it->node));
    autofree char *words = heat_instruction_text(text->view, it->instruction);
    autofree char *safe = text_safe(words, strlen(words));
    autofree char *cut = text_cut(safe, text->style->width ? INSTRUCTION : 200, false, text->style->unicode);
    autofree char *origin = heat_say_origin(text->view, heat, it->node);
    print_bar(text, it->self, heat->hottest_instruction);
    fputs(ink_of(text, it->self, heat->hottest_instruction), text->out);
    print_share(text, it->self);
    print_plain(text);
    fprintf(text->out, "  %s%8llx%s  ", report_ink(text->style, ink_DIM),
            (unsigned long long)model_address(heat->model, it->instruction),
            report_ink(text->style, ink_PLAIN));
    print_lanes(text, jumps, row);
    size_t used = text_width(cut);
    fprintf(text->out, "%s%*s", cut, used < INSTRUCTION ? (int)(INSTRUCTION - used) : 0, "");
    fputs(report_ink(text->style, ink_DIM), text->out);
    if (line->line && line->file == node_of(text, 0)->file)
        fprintf(text->out, " %u", line->line);
    else if (line->line)
        fprintf(text->out, " %s:%u", path_name(heat_path(text->view, line->file)), line->line);
    if (origin) {
        fputs(" (", text->out);
        print_cut(text, origin, strlen(origin),
                  BAR + SHARE + 10 + jumps->lanes + 2 + INSTRUCTION + NUMBER + 2);
        putc(')', text->out);
    }
    print_plain(text);
    putc('\n', text->out);
}

static void print_skipped(const struct heat_text *text, const struct heat_jumps *jumps, size_t row,
                          const struct heat_row *shown)
{
    autofree char *share = heat_share(text->heat, shown->seconds);
    fprintf(text->out, "%*s%*s  ", BAR, "", SHARE, share);
    fprintf(text->out, "%*s  ", 8, "...");
    print_lanes(text, jumps, row);
    fprintf(text->out, "%s%u instruction%s left out%s\n", report_ink(text->style, ink_DIM), shown->skipped,
            shown->skipped == 1 ? "" : "s", report_ink(text->style, ink_PLAIN));
}

static void print_assembly(const struct heat_text *text)
{
    const struct heat *heat = text->heat;
    struct array rows = heat_choose_instructions(heat, text->view->is_whole ? SIZE_MAX : MOST_INSTRUCTIONS);
    struct heat_jumps jumps;
    heat_jumps_find(&jumps, heat, &rows);
    fprintf(text->out, "%s%*s  %8s  %*s%s%s\n", report_ink(text->style, ink_DIM), BAR + SHARE, "self",
            "address", jumps.lanes ? (int)jumps.lanes + 2 : 0, "",
            "instruction                                  line", report_ink(text->style, ink_PLAIN));
    for (size_t i = 0; i < rows.count; i++) {
        const struct heat_row *row = ARRAY_AT(struct heat_row, &rows, i);
        if (row->skipped)
            print_skipped(text, &jumps, i, row);
        else
            print_instruction(text, &jumps, i, row);
    }
    if (rows.count < heat->instructions.count && !text->view->is_whole)
        fprintf(text->out, "%s--all shows all %zu instructions%s\n", report_ink(text->style, ink_DIM),
                heat->instructions.count, report_ink(text->style, ink_PLAIN));
    heat_jumps_free(&jumps);
    array_free(&rows);
}

static void print_function(struct heat_text *text)
{
    const struct heat *heat = text->heat;
    autofree char *name = heat_function_name(text->view, heat->function);
    autofree char *safe = text_safe(name, strlen(name));
    autofree char *short_name = name_shorten(safe, NAME_COLUMNS, text->style->unicode);
    autofree char *words = heat_say_function(text->view, heat), *safe_words = text_safe(words, strlen(words));
    fprintf(text->out, "%s%s%s  %s\n", report_ink(text->style, ink_NAME), short_name,
            report_ink(text->style, ink_PLAIN), safe_words);
    text->has_totals = heat_is_calling(heat, 0);
    if (!text->view->without_source) {
        putc('\n', text->out);
        print_source(text);
    }
    if (!text->view->without_assembly) {
        putc('\n', text->out);
        print_assembly(text);
    }
}

bool report_heat_text(const struct heat_view *view, const struct report_style *style, FILE *out,
                      struct error *error)
{
    for (size_t i = 0; i < view->count && !ferror(out); i++) {
        struct heat heat;
        heat_find(&heat, view->model, view->run, view->functions[i]);
        struct heat_text text = {.view = view, .heat = &heat, .style = style, .out = out};
        if (i)
            fputs("\n\n", out);
        print_function(&text);
        heat_free(&heat);
    }
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
