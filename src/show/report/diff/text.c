/* The answer first: how many loops got slower and faster.  Then each of them with its cycles and the reasons,
   the largest effect first; then what has no counterpart, in a line each. */
#include "model/demangle.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/common/wrap.h"
#include "show/report/diff/diff.h"
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
    autofree char *plain = style->demangle ? demangle_name(name) : NULL;
    autofree char *safe = text_safe(plain ? plain : name, strlen(plain ? plain : name));
    autofree char *shortened = name_shorten(safe, NAME_COLUMNS, style->unicode);
    fputs(shortened, out);
}

static void print_place(const struct diff_view *view, const struct loop_change *change,
                        const struct report_style *style, FILE *out)
{
    int side = change->match.rows[diff_NEW] ? diff_NEW : diff_OLD;
    const struct model *model = view->comparison->sides[side].model;
    autofree char *place = diff_place(view, change), *safe = text_safe(place, strlen(place));
    fprintf(out, "%s%s%s in ", report_ink(style, ink_LOOP), safe, report_ink(style, ink_PLAIN));
    print_name(model, model_loop(model, change->match.rows[side])->function, style, out);
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
    if (change->depends)
        fputs("\n  ", out);
    else
        fprintf(out, "\n  %s%+.0f %%%s  ", report_ink(style, ink_BOLD), 100 * (change->ratio - 1),
                report_ink(style, ink_PLAIN));
    print_place(view, change, style, out);
    fputs("\n         ", out);
    print_cycles(change, diff_OLD, out);
    fputs(" -> ", out);
    print_cycles(change, diff_NEW, out);
    fprintf(out, " cycles %s", diff_unit_words(change->unit));
    if (change->share > LEAST_SHARE)
        fprintf(out, ", %s %% of the time", share_words(change->share).text);
    putc('\n', out);
    autofree char *reasons = diff_reasons(change, view->comparison);
    if (*reasons)
        wrap_say(out, REASONS_COLUMN, style->width && style->width < WRAP_WIDEST ? style->width : WRAP_WIDEST,
                 "%s", reasons);
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
        int side = change->match.rows[diff_NEW] ? diff_NEW : diff_OLD;
        fputs("  ", out);
        print_place(view, change, style, out);
        if (change->cycles[side] > 0)
            fprintf(out, ", %.2f cycles per iteration", change->cycles[side]);
        putc('\n', out);
    }
    if (shown < count)
        fprintf(out, "\n  and %zu more (--all shows them)\n", count - shown);
}

/* The largest effect first, then the largest growth. */
static void print_functions(const struct diff_view *view, const struct report_style *style, FILE *out)
{
    struct array rows = changes_of_functions(view->comparison, view->changes, view->threshold);
    if (rows.count)
        fprintf(out,
                "\n%sFunctions with the largest change%s\n  of all time    instructions             bytes\n",
                report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < rows.count && i < view->most; i++) {
        const struct function_change *row = ARRAY_AT(struct function_change, &rows, i);
        const struct change_total *total = &row->total;
        int side = row->match->rows[diff_NEW] ? diff_NEW : diff_OLD;
        char effect[24] = "";
        if (total->effect != 0)
            snprintf(effect, sizeof effect, "%+.1f %%", 100 * total->effect);
        fprintf(out, "  %11s  %6llu -> %-6llu  %6llu -> %-6llu  ", effect,
                (unsigned long long)total->instructions[diff_OLD],
                (unsigned long long)total->instructions[diff_NEW], (unsigned long long)total->bytes[diff_OLD],
                (unsigned long long)total->bytes[diff_NEW]);
        print_name(view->comparison->sides[side].model, row->match->rows[side], style, out);
        putc('\n', out);
    }
    if (rows.count > view->most)
        fprintf(out, "  and %zu more (--all shows them)\n", rows.count - view->most);
    array_free(&rows);
}

static void print_machines(const struct diff_view *view, const struct report_style *style, FILE *out)
{
    size_t width = style->width && style->width < WRAP_WIDEST ? style->width : WRAP_WIDEST;
    if (view->machines[diff_NEW])
        wrap_say(out, 0, width, "Machines: %s -> %s", view->machines[diff_OLD], view->machines[diff_NEW]);
    else if (view->machines[diff_OLD])
        wrap_say(out, 0, width, "Machine: %s", view->machines[diff_OLD]);
}

void report_diff_text(const struct diff_view *view, const struct report_style *style, FILE *out)
{
    struct diff_totals totals = diff_totals(view->comparison);
    size_t slower = diff_count(view, diff_SLOWER), faster = diff_count(view, diff_FASTER);
    if (!totals.changed && !totals.only[0] && !totals.only[1] && !view->changes->count) {
        fprintf(out, "No difference: the code of all %zu functions is the same, but for addresses.\n",
                totals.functions);
        return;
    }
    fprintf(out, "%s%zu loop%s got slower, %zu faster%s, %zu changed without effect.\n",
            report_ink(style, ink_BOLD), slower, slower == 1 ? "" : "s", faster, report_ink(style, ink_PLAIN),
            diff_count(view, diff_SAME));
    fprintf(out,
            "Functions: %zu changed, %zu the same, %zu only in the old build, %zu only in the new one.\n",
            totals.changed, totals.same, totals.only[diff_OLD], totals.only[diff_NEW]);
    struct change_total total = changes_total(view->comparison, view->changes, view->threshold);
    autofree char *words = diff_total_words(view, &total);
    fprintf(out, "%s\n", words);
    print_machines(view, style, out);
    for (enum diff_verdict verdict = 0; verdict < diff_VERDICTS; verdict++)
        if (verdict != diff_SAME)
            print_list(view, verdict, style, out);
    print_functions(view, style, out);
}
