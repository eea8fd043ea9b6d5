/* The tree of counters: text for people with a mark at what does not work here, rows for programs. */
#include "show/report/counters.h"

#include "show/report/common/row_writer.h"
#include "show/report/common/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 24, USUAL_WIDTH = 100 };

/* Of a counter without one of its own above it, the question before it. */
static const char *question_of(const struct counter_tree *tree, size_t place)
{
    while (place-- > 0) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, place);
        if (!line->name)
            return line->sentence;
    }
    return NULL;
}

static void write_row(struct row_writer *writer, const struct counter_line *line, const char *question)
{
    row_text(writer, "name", line->name);
    row_text(writer, "question", question);
    row_text(writer, "event", line->event);
    row_text(writer, "file", line->file);
    row_text(writer, "counts", line->counts);
    row_id(writer, "every", line->period);
    row_flag(writer, "is_here", line->is_here);
    row_text(writer, "why_not", line->is_here ? NULL : line->why_not);
    row_text(writer, "sentence", line->sentence);
}

static void write_rows(const struct counter_tree *tree, bool is_json, FILE *out)
{
    struct row_table table = row_begin_table(out, is_json, false);
    if (row_begin_head(&table))
        write_row(&table.row, &(struct counter_line){0}, NULL);
    for (size_t i = 0; i < tree->lines.count; i++) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, i);
        if (!line->name)
            continue;
        row_begin_row(&table);
        write_row(&table.row, line, question_of(tree, i));
    }
    row_end_table(&table);
}

/* Whether a question has a counter that works. */
static bool has_any(const struct counter_tree *tree, size_t question)
{
    for (size_t i = question + 1; i < tree->lines.count; i++) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, i);
        if (!line->name)
            return false;
        if (line->is_here)
            return true;
    }
    return false;
}

static void print_line(const struct counter_line *line, const struct report_style *style, int width,
                       FILE *out)
{
    int indent = 2 * (int)line->depth;
    if (!line->name) {
        fprintf(out, "\n%*s%s%s%s\n", indent, "", report_ink(style, ink_BOLD), line->sentence,
                report_ink(style, ink_PLAIN));
        return;
    }
    int taken = fprintf(out, "%*s%c %s", indent, "", line->is_here ? ' ' : '-', line->name);
    int column = taken < NAME_WIDTH ? NAME_WIDTH : taken + 1;
    fprintf(out, "%*s", column - taken, "");
    wrap_print(out, line->sentence, (size_t)column, NAME_WIDTH, (size_t)width);
}

/* Questions with a counter that works, or the others. */
static void print_lines(const struct counter_tree *tree, bool is_working, const struct report_style *style,
                        int width, FILE *out)
{
    bool is_shown = false;
    for (size_t i = 0; i < tree->lines.count; i++) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, i);
        if (!line->name)
            is_shown = has_any(tree, i) == is_working;
        if (is_shown)
            print_line(line, style, width, out);
    }
}

static void print_head(const struct counter_tree *tree, int width, FILE *out)
{
    autofree char *unit = tree->unit ? memory_format(" (%s)", tree->unit) : memory_copy_text("", 0);
    autofree char *head =
        tree->has_processor
            ? memory_format("This computer counts for you what its processor counts%s, and what the kernel "
                            "counts. Use: assay run --counters NAME,NAME -- PROGRAM",
                            unit)
            : memory_format(
                  "The processor's own counters%s cannot be used here; virtual machines mostly hide "
                  "them. What the kernel counts still works, and assay run needs no counters: it "
                  "samples by the kernel's clock, and --measure counts iterations with probes. "
                  "Use: assay run --counters NAME,NAME -- PROGRAM",
                  unit);
    wrap_print(out, head, 0, 0, (size_t)width);
}

static void print_tree(const struct counter_tree *tree, const struct report_style *style, FILE *out)
{
    int width = style->width ? (int)style->width : USUAL_WIDTH;
    size_t missing = 0;
    for (size_t i = 0; i < tree->lines.count; i++) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, i);
        missing += line->name && !line->is_here;
    }
    print_head(tree, width, out);
    print_lines(tree, true, style, width, out);
    print_lines(tree, false, style, width, out);
    if (missing)
        fprintf(out, "\n- marks the %zu that cannot be used here (assay counters --csv says why).\n",
                missing);
}

void report_counters(const struct counter_tree *tree, const struct report_style *style, FILE *out)
{
    if (style->format == report_TABLE)
        print_tree(tree, style, out);
    else
        write_rows(tree, style->format == report_JSON, out);
}
