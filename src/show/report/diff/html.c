/* One file that a browser shows without a network: the answer, then a table of the loops for each verdict.
   Everything can be read without the script, which sorts tables. */
#include "base/memory.h"
#include "base/path.h"
#include "model/demangle.h"
#include "show/report/common/html.h"
#include "show/report/common/loop_place.h"
#include "show/report/common/share.h"
#include "show/report/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 1000 };

/* Made by tools/page-to-c. */
extern const char report_diff_page_style[], report_diff_page_script[], report_diff_page_policy[];

static void print_place(const struct diff_view *view, const struct loop_change *change, FILE *out)
{
    int side = change->match.rows[diff_NEW] ? diff_NEW : diff_OLD;
    const struct model *model = view->comparison->sides[side].model;
    uint32_t loop = change->match.rows[side];
    const char *name = model_text(model, model_function(model, model_loop(model, loop)->function)->name);
    autofree char *place = loop_place_short(model, loop, view->directory), *whole = diff_place(view, change);
    autofree char *plain = view->demangle ? demangle_name(name) : NULL;
    fputs("<td class=\"text place\"", out);
    html_place(out, place, whole, PLACE_COLUMNS);
    if (strcmp(place, whole) != 0) {
        autofree char *old = loop_place_short(view->comparison->sides[diff_OLD].model,
                                              change->match.rows[diff_OLD], view->directory);
        html_format(out, "<br>was %s", path_name(old));
    }
    html_format(out, "</td><td class=\"text\">%s</td>", plain ? plain : name);
}

/* Cycles of one build; of the fastest and the slowest path where that matters. */
static void print_cycles(const struct loop_change *change, int side, FILE *out)
{
    fputs("<td class=\"figure\">", out);
    if (change->match.rows[side] && change->depends && change->slowest[side] > change->fastest[side])
        fprintf(out, "%.2f to %.2f", change->fastest[side], change->slowest[side]);
    else if (change->match.rows[side] && !isnan(change->cycles[side]))
        fprintf(out, "%.2f", change->cycles[side]);
    fputs("</td>", out);
}

static void print_row(const struct diff_view *view, const struct loop_change *change, FILE *out)
{
    autofree char *reasons = diff_reasons(change, view->comparison);
    bool has_ratio = !isnan(change->ratio) && !change->depends;
    fputs("<tr>", out);
    if (has_ratio)
        fprintf(out, "<td class=\"figure\">%+.0f %%</td>", 100 * (change->ratio - 1));
    else
        fputs("<td class=\"figure\"></td>", out);
    print_place(view, change, out);
    print_cycles(change, diff_OLD, out);
    print_cycles(change, diff_NEW, out);
    fprintf(out, "<td>%s</td><td class=\"figure\">", diff_unit_words(change->unit));
    if (change->share > 0)
        fprintf(out, "%s %%", share_words(change->share).text);
    html_format(out, "</td><td class=\"reasons\">%s</td></tr>\n", reasons);
}

static void print_table(const struct diff_view *view, enum diff_verdict verdict, const char *heading,
                        FILE *out)
{
    size_t count = diff_count(view, verdict);
    if (!count)
        return;
    fprintf(
        out,
        "<section>\n<h2>%s</h2>\n<div class=\"wide\"><table class=\"loops sortable told\">\n<thead><tr><th "
        "scope=\"col\" class=\"figure\">time</th><th scope=\"col\">loop</th><th "
        "scope=\"col\">function</th><th "
        "scope=\"col\" class=\"figure\">cycles then</th><th scope=\"col\" class=\"figure\">cycles "
        "now</th><th "
        "scope=\"col\">counted</th><th scope=\"col\" class=\"figure\">of all time</th><th "
        "scope=\"col\">why</th></tr></thead>\n<tbody>\n",
        heading);
    size_t left = view->is_whole ? count : view->most < count ? view->most : count;
    for (size_t i = 0, shown = 0; shown < left; i++) {
        const struct loop_change *change = ARRAY_AT(struct loop_change, view->changes, i);
        if (diff_verdict(view, change) != verdict)
            continue;
        print_row(view, change, out);
        shown++;
    }
    fputs("</tbody></table></div>\n", out);
    if (left < count)
        fprintf(out, "<p>And %zu more.</p>\n", count - left);
    fputs("</section>\n", out);
}

static void print_function(const struct diff_view *view, const struct function_change *row, FILE *out)
{
    int side = row->match->rows[diff_NEW] ? diff_NEW : diff_OLD;
    const struct model *model = view->comparison->sides[side].model;
    const char *name = model_text(model, model_function(model, row->match->rows[side])->name);
    autofree char *plain = view->demangle ? demangle_name(name) : NULL;
    const struct change_total *total = &row->total;
    fputs("<tr><td class=\"figure\">", out);
    if (total->effect != 0)
        fprintf(out, "%+.1f %%", 100 * total->effect);
    html_format(out,
                "</td><td class=\"text\">%s</td><td class=\"figure\">%zu</td><td class=\"figure\">%zu</td>",
                plain ? plain : name, total->slower, total->faster);
    for (int build = 0; build < diff_BUILDS; build++)
        fprintf(out, "<td class=\"figure\">%llu</td>", (unsigned long long)total->instructions[build]);
    for (int build = 0; build < diff_BUILDS; build++)
        fprintf(out, "<td class=\"figure\">%llu</td>", (unsigned long long)total->bytes[build]);
    fputs("</tr>\n", out);
}

static void print_functions(const struct diff_view *view, FILE *out)
{
    static const char *const heads[] = {"slower loops",     "faster loops", "instructions then",
                                        "instructions now", "bytes then",   "bytes now"};
    struct array rows = changes_of_functions(view->comparison, view->changes, view->threshold);
    if (rows.count) {
        fputs("<section>\n<h2>Functions with the largest change</h2>\n<div class=\"wide\"><table "
              "class=\"loops sortable told\">\n<thead><tr><th scope=\"col\" class=\"figure\">of all "
              "time</th><th "
              "scope=\"col\">function</th>",
              out);
        for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
            fprintf(out, "<th scope=\"col\" class=\"figure\">%s</th>", heads[i]);
        fputs("</tr></thead>\n<tbody>\n", out);
    }
    for (size_t i = 0; i < rows.count && i < MOST_FUNCTIONS; i++)
        print_function(view, ARRAY_AT(struct function_change, &rows, i), out);
    if (rows.count)
        fputs("</tbody></table></div>\n", out);
    if (rows.count > MOST_FUNCTIONS)
        fprintf(out, "<p>And %zu more: assay diff --functions --csv lists them.</p>\n",
                rows.count - MOST_FUNCTIONS);
    if (rows.count)
        fputs("</section>\n", out);
    array_free(&rows);
}

static void print_machines(const struct diff_view *view, FILE *out)
{
    if (!view->machines[diff_OLD])
        return;
    fputs(view->machines[diff_NEW] ? "<p>Machines: " : "<p>Machine: ", out);
    html_string(out, view->machines[diff_OLD]);
    if (view->machines[diff_NEW])
        html_format(out, " → %s", view->machines[diff_NEW]);
    fputs("</p>\n", out);
}

void report_diff_body(const struct diff_view *view, FILE *out)
{
    struct diff_totals totals = diff_totals(view->comparison);
    struct change_total total = changes_total(view->comparison, view->changes, view->threshold);
    size_t slower = diff_count(view, diff_SLOWER);
    autofree char *words = diff_total_words(view, &total);
    html_format(out,
                "<p class=\"lead answer\">%zu loop%s got slower, %zu faster, %zu changed without "
                "effect.</p>\n<p>Functions: %zu changed, %zu the same, %zu only in the old build, %zu only "
                "in the new one.</p>\n<p>%s</p>\n",
                slower, slower == 1 ? "" : "s", diff_count(view, diff_FASTER), diff_count(view, diff_SAME),
                totals.changed, totals.same, totals.only[diff_OLD], totals.only[diff_NEW], words);
    print_machines(view, out);
    for (enum diff_verdict verdict = 0; verdict < diff_VERDICTS; verdict++)
        print_table(view, verdict, diff_headings[verdict], out);
    print_functions(view, out);
}

bool report_diff_html(const struct diff_view *view, FILE *out, struct error *error)
{
    html_begin_page(out, report_diff_page_policy, "", view->paths[diff_NEW], "Assay diff",
                    report_diff_page_style);
    html_format(out,
                "<header class=\"page\">\n<p class=\"kicker\">Assay diff</p>\n<h1>%s → %s</h1>\n</header>\n",
                view->paths[diff_OLD], view->paths[diff_NEW]);
    report_diff_body(view, out);
    fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", report_diff_page_script);
    return !ferror(out) || error_set_errno(error, NULL, "cannot write");
}
