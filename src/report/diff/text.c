/* The answer first: how many loops got slower and faster.  Then each of them with its cycles and the reasons,
   the largest effect first; then what has no counterpart, in a line each. */
#include "model/demangle.h"
#include "report/common/loop_place.h"
#include "report/common/share.h"
#include "report/common/short_name.h"
#include "report/common/wrap.h"
#include "report/diff/diff.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_COLUMN = 9 };
/* Smaller parts of the time are not shown. */
static const double LEAST_SHARE = 0.0005;

static void print_name(const struct model *model, uint32_t function, const struct report_style *style,
                       FILE *out)
{
    const char *name = model_text(model, model_function(model, function)->name);
    char *plain = style->demangle ? demangle_name(name) : NULL;
    char *safe = text_safe(plain ? plain : name, strlen(plain ? plain : name));
    char *shortened = name_shorten(safe, NAME_COLUMNS, style->unicode);
    fputs(shortened, out);
    free(shortened);
    free(safe);
    free(plain);
}

static void print_place(const struct model *model, uint32_t loop, const struct report_style *style, FILE *out)
{
    char *place = loop_place_short(model, loop, NULL), *safe = text_safe(place, strlen(place));
    fprintf(out, "%s%s%s in ", report_ink(style, ink_LOOP), safe, report_ink(style, ink_PLAIN));
    print_name(model, model_loop(model, loop)->function, style, out);
    free(safe);
    free(place);
}

static void print_cycles(const struct loop_change *change, int side, FILE *out)
{
    if (change->depends && change->slowest[side] > change->fastest[side])
        fprintf(out, "%.2f to %.2f", change->fastest[side], change->slowest[side]);
    else
        fprintf(out, "%.2f", change->cycles[side]);
}

static void print_change(const struct diff_view *view, const struct loop_change *change,
                         const struct report_style *style, FILE *out)
{
    int side = change->match.rows[compare_NEW] ? compare_NEW : compare_OLD;
    const struct model *model = view->comparison->sides[side].model;
    if (change->depends)
        fputs("\n  ", out);
    else
        fprintf(out, "\n  %s%+.0f %%%s  ", report_ink(style, ink_BOLD), 100 * (change->ratio - 1),
                report_ink(style, ink_PLAIN));
    print_place(model, change->match.rows[side], style, out);
    fputs("\n         ", out);
    print_cycles(change, compare_OLD, out);
    fputs(" -> ", out);
    print_cycles(change, compare_NEW, out);
    fprintf(out, " cycles %s", diff_unit_words(change->unit));
    if (change->share > LEAST_SHARE)
        fprintf(out, ", %s %% of the time", share_words(change->share).text);
    putc('\n', out);
    char *reasons = diff_reasons(change, view->comparison);
    if (*reasons)
        wrap_say(out, REASONS_COLUMN, style->width && style->width < WRAP_WIDEST ? style->width : WRAP_WIDEST,
                 "%s", reasons);
    free(reasons);
}

static void print_list(const struct diff_view *view, enum diff_verdict verdict,
                       const struct report_style *style, FILE *out)
{
    size_t count = diff_count(view, verdict), shown = 0;
    if (!count)
        return;
    fprintf(out, "\n%s%s%s\n", report_ink(style, ink_BOLD), diff_headings[verdict],
            report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < view->changes->count && shown < view->most; i++) {
        const struct loop_change *change = ARRAY_AT(struct loop_change, view->changes, i);
        if (diff_verdict(view, change) != verdict)
            continue;
        shown++;
        if (verdict == diff_SLOWER || verdict == diff_FASTER || verdict == diff_DEPENDS) {
            print_change(view, change, style, out);
            continue;
        }
        int side = change->match.rows[compare_NEW] ? compare_NEW : compare_OLD;
        fputs("  ", out);
        print_place(view->comparison->sides[side].model, change->match.rows[side], style, out);
        if (change->cycles[side] > 0)
            fprintf(out, ", %.2f cycles per iteration", change->cycles[side]);
        putc('\n', out);
    }
    if (shown < count)
        fprintf(out, "\n  and %zu more (--all shows them)\n", count - shown);
}

/* Whether a new function has a row among the changes of loops: 1 by function; to be freed. */
static uint8_t *functions_with_changes(const struct diff_view *view)
{
    const struct model *model = view->comparison->sides[compare_NEW].model;
    uint8_t *has_change = memory_get(model->functions.count + 1);
    for (size_t i = 0; i < view->changes->count; i++) {
        uint32_t loop = ARRAY_AT(struct loop_change, view->changes, i)->match.rows[compare_NEW];
        if (loop)
            has_change[model_loop(model, loop)->function] = 1;
    }
    return has_change;
}

struct resized {
    const struct compare_match *pair;
    uint32_t counts[compare_BUILDS];
};

static int by_growth(const void *a, const void *b)
{
    const struct resized *x = a, *y = b;
    long left = labs((long)x->counts[1] - x->counts[0]), right = labs((long)y->counts[1] - y->counts[0]);
    if (left != right)
        return left > right ? -1 : 1;
    return x->pair->rows[compare_NEW] < y->pair->rows[compare_NEW] ? -1 : 1;
}

/* Functions that differ, but not in a loop: by how much they grew or shrank. */
static void print_functions(const struct diff_view *view, const struct report_style *style, FILE *out)
{
    const struct comparison *comparison = view->comparison;
    struct array rows = ARRAY_OF(struct resized);
    uint8_t *has_change = functions_with_changes(view);
    for (size_t i = 0; i < comparison->functions.count; i++) {
        const struct compare_match *pair = ARRAY_AT(struct compare_match, &comparison->functions, i);
        if (pair->is_same || !pair->rows[compare_OLD] || !pair->rows[compare_NEW] ||
            has_change[pair->rows[compare_NEW]])
            continue;
        struct resized *row = array_push(&rows);
        row->pair = pair;
        for (int side = 0; side < compare_BUILDS; side++)
            row->counts[side] = comparison->sides[side].functions[pair->rows[side]].count;
    }
    if (rows.count) {
        qsort(rows.data, rows.count, sizeof(struct resized), by_growth);
        fprintf(out, "\n%sOther functions that changed, by instructions%s\n", report_ink(style, ink_BOLD),
                report_ink(style, ink_PLAIN));
    }
    for (size_t i = 0; i < rows.count && i < view->most; i++) {
        const struct resized *row = ARRAY_AT(struct resized, &rows, i);
        fprintf(out, "  %6u -> %-6u  ", row->counts[compare_OLD], row->counts[compare_NEW]);
        print_name(comparison->sides[compare_NEW].model, row->pair->rows[compare_NEW], style, out);
        putc('\n', out);
    }
    if (rows.count > view->most)
        fprintf(out, "  and %zu more (--all shows them)\n", rows.count - view->most);
    array_free(&rows);
    free(has_change);
}

void report_diff_text(const struct diff_view *view, const struct report_style *style, FILE *out)
{
    struct diff_totals totals = diff_totals(view->comparison);
    size_t slower = diff_count(view, diff_SLOWER), faster = diff_count(view, diff_FASTER);
    if (!totals.changed && !totals.only[0] && !totals.only[1]) {
        fprintf(out, "No difference: the code of all %zu functions is the same, but for addresses.\n",
                totals.functions);
        return;
    }
    fprintf(out, "%s%zu loop%s got slower, %zu faster%s, %zu changed without effect.\n",
            report_ink(style, ink_BOLD), slower, slower == 1 ? "" : "s", faster, report_ink(style, ink_PLAIN),
            diff_count(view, diff_SAME));
    fprintf(out,
            "Functions: %zu changed, %zu the same, %zu only in the old build, %zu only in the new one.\n",
            totals.changed, totals.same, totals.only[compare_OLD], totals.only[compare_NEW]);
    for (enum diff_verdict verdict = 0; verdict < diff_VERDICTS; verdict++)
        if (verdict != diff_SAME)
            print_list(view, verdict, style, out);
    print_functions(view, style, out);
}
