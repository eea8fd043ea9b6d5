/* The table has the form of the paper's Figure 3: operations, cycles, and cycles for each kind of operation
   at the five levels.  bounds_gaps.c words the gaps. */
#include "show/report/bounds.h"

#include "model/tables.h"
#include "show/report/common/loop_heading.h"
#include "show/report/common/text.h"
#include "store/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 100, NARROWEST = 40 };

void bounds_figure(double figure, char text[32])
{
    if (isnan(figure)) {
        strcpy(text, "n/a");
        return;
    }
    /* Division can end a hair below a whole number of hundredths: rounds that up. */
    double hundredths = floor(figure * 100 + 1e-6);
    snprintf(text, 32, "%.2f", hundredths / 100);
    char *end = text + strlen(text);
    while (end[-1] == '0')
        *--end = 0;
    if (end[-1] == '.')
        end[-1] = 0;
}

/* For the machine and the measurement the figure shows only values per operation. */
static double figure_of(const struct macs_bound *bound, unsigned row)
{
    enum { CYCLES = 3 };
    bool is_partial = bound->level == bound_level_M || bound->level == bound_level_MEASURED;
    if (is_partial && (row < CYCLES || (row == CYCLES && bound->level == bound_level_M)))
        return NAN;
    const double figures[] = {bound->floating, bound->branches, bound->memory, bound->cycles,
                              bound->cpf,      bound->cpb,      bound->cpm};
    return figures[row];
}

static void print_table(const struct macs *macs, const struct report_style *style, FILE *out)
{
    static const char *const rows[] = {"t_f", "t_b", "t_m", "c", "CPF", "CPB", "CPM"};
    int widths[bound_level_COUNT];
    char text[32];
    fprintf(out, "%s   ", report_ink(style, ink_BOLD));
    for (unsigned level = 0; level < bound_level_COUNT; level++) {
        const char *word = bound_level_word(level);
        widths[level] = (int)strlen(word) > 4 ? (int)strlen(word) : 4;
        for (unsigned row = 0; row < 7; row++) {
            bounds_figure(figure_of(&macs->bounds[level], row), text);
            widths[level] = (int)strlen(text) > widths[level] ? (int)strlen(text) : widths[level];
        }
        fprintf(out, "  %*s", widths[level], word);
    }
    fprintf(out, "%s\n", report_ink(style, ink_PLAIN));
    for (unsigned row = 0; row < 7; row++) {
        fprintf(out, "%-3s", rows[row]);
        for (unsigned level = 0; level < bound_level_COUNT; level++) {
            bounds_figure(figure_of(&macs->bounds[level], row), text);
            fprintf(out, "  %*s", widths[level], text);
        }
        putc('\n', out);
    }
}

/* A paragraph, its later lines indented. */
static void print_paragraph(const char *text, const struct report_style *style, FILE *out)
{
    size_t width = style->width && style->width < WIDEST ? style->width : WIDEST, used = 0;
    if (width < NARROWEST)
        width = NARROWEST;
    while (*text) {
        size_t length = strcspn(text, " ");
        autofree char *word = memory_copy_text(text, length);
        size_t columns = text_width(word);
        if (used && used + 1 + columns > width) {
            fputs("\n  ", out);
            used = 2;
        } else if (used) {
            putc(' ', out);
            used++;
        }
        fputs(word, out);
        used += columns;
        text += length + strspn(text + length, " ");
    }
    putc('\n', out);
}

static void print_heading(const struct bounds_view *view, const struct report_style *style, FILE *out)
{
    report_loop_heading(view->model, view->macs->loop, style, out);
    fputs("\n\n", out);
}

/* Which bundles reach the bound, such as "8 × mmf mmf, 1 × mmf mfb". */
static char *solution_words(const struct macs *macs, enum bound_level level, const struct report_style *style)
{
    const struct macs_solution *solution = &macs->solutions[level];
    char *text = memory_format("%s", "");
    for (unsigned i = 0; i < solution->count; i++) {
        const struct bundle_shape *shape = &solution->used[i].shape;
        char *longer = memory_format(
            "%s%s%u %s %s%s%s", text, i ? ", " : "", solution->used[i].times, style->unicode ? "×" : "x",
            macs->machine->templates[shape->first], shape->second == NO_TEMPLATE ? "" : "+",
            shape->second == NO_TEMPLATE ? "" : macs->machine->templates[shape->second]);
        free(text);
        text = longer;
    }
    return text;
}

static void print_solutions(const struct macs *macs, const struct report_style *style, FILE *out)
{
    if (!macs->solutions[bound_level_MA].count && !macs->solutions[bound_level_MAC].count)
        return;
    autofree char *application = solution_words(macs, bound_level_MA, style);
    autofree char *code = solution_words(macs, bound_level_MAC, style);
    char *text = memory_format("Example bundles that reach the bound:%s%s%s%s%s.", *application ? " MA " : "",
                               application, *application && *code ? "; " : "", *code ? "MAC " : "", code);
    if (!*application) {
        free(text);
        text = memory_format("Example bundles that reach the bound: MAC %s.", code);
    }
    print_paragraph(text, style, out);
    free(text);
}

static void print_notes(const struct bounds_view *view, const struct report_style *style, FILE *out)
{
    const struct macs *macs = view->macs;
    unsigned counted = macs->block_count - macs->recovery_count - macs->repeat_count;
    char *text = NULL;
    if (view->no_source) {
        autofree char *safe = text_safe(view->no_source, strlen(view->no_source));
        text = memory_format("MA is n/a: %s.", safe);
        print_paragraph(text, style, out);
        free(text);
    }
    if (macs->source_rivals)
        print_paragraph("The source has several loops at these lines; MA is for one of them.", style, out);
    if (macs->is_weighted)
        print_paragraph("Blocks are weighted by the compiler's estimate of how often they run per iteration.",
                        style, out);
    else if (counted > 1) {
        text = memory_format("Each of the %u blocks counts once per iteration.", counted);
        print_paragraph(text, style, out);
        free(text);
    }
    if (macs->repeat_count)
        print_paragraph("Gathers and scatters count once, as with all lanes in one line of the cache.", style,
                        out);
    if (macs->recovery_count) {
        text = memory_format("Speculation recovery code is left out: %u %s.", macs->recovery_count,
                             macs->recovery_count == 1 ? "block" : "blocks");
        print_paragraph(text, style, out);
        free(text);
    }
    if (macs->counts.calls > 0)
        print_paragraph("The loop calls functions; the bounds do not include their time.", style, out);
    if (macs->counts.unknown > 0) {
        text = memory_format("%g unknown instructions were not counted.", macs->counts.unknown);
        print_paragraph(text, style, out);
        free(text);
    }
    if (!macs->is_known[bound_level_MACS])
        print_paragraph("The loop was not scheduled: it has more than 65536 instructions.", style, out);
}

void report_bounds(const struct bounds_view *view, const struct report_style *style, FILE *out)
{
    print_heading(view, style, out);
    print_table(view->macs, style, out);
    putc('\n', out);
    print_solutions(view->macs, style, out);
    print_notes(view, style, out);
    for (unsigned level = bound_level_MA; level < bound_level_COUNT; level++) {
        autofree char *words = bounds_gap(view, (enum bound_level)level);
        if (words) {
            static const char *const names[] = {[bound_level_MA] = "A, machine to application",
                                                [bound_level_MAC] = "C, application to code",
                                                [bound_level_MACS] = "S, code to schedule",
                                                [bound_level_MEASURED] = "P, schedule to measurement"};
            autofree char *text = memory_format("Gap %s: %s", names[level], words);
            print_paragraph(text, style, out);
        }
    }
}

struct registered {
    const struct bounds_view *views;
    size_t count;
};

static const struct bounds_view *view_of(const struct registered *registered, int64_t loop)
{
    struct bisection search = {0, registered->count};
    while (bisect(&search))
        bisect_past(&search, registered->views[search.middle].macs->loop < loop);
    const struct bounds_view *view = &registered->views[search.first];
    return search.first < registered->count && view->macs->loop == loop ? view : NULL;
}

static void answer_gap(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct bounds_view *view = view_of(sqlite3_user_data(context), sqlite3_value_int64(values[0]));
    const char *word = (const char *)sqlite3_value_text(values[1]);
    (void)count;
    for (unsigned level = 0; view && word && level < bound_level_COUNT; level++)
        if (!strcmp(word, bound_level_word(level))) {
            autofree char *words = bounds_gap(view, (enum bound_level)level);
            if (words)
                sqlite3_result_text(context, words, -1, SQLITE_TRANSIENT);
            return;
        }
}

bool bounds_register(sqlite3 *connection, const struct bounds_view *views, size_t count, struct error *error)
{
    struct registered *registered = memory_get(sizeof *registered);
    *registered = (struct registered){views, count};
    if (sqlite3_create_function_v2(connection, "gap", 2, SQLITE_UTF8, registered, answer_gap, NULL, NULL,
                                   free) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    return true;
}
