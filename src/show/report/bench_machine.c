#include "show/report/bench_machine.h"

#include <math.h>
#include <string.h>

enum { WORST_SHOWN = 5, PORTS_SHOWN = 10, FACTS_SHOWN = 16 };
/* Above this share of figures that are unsteady the run was disturbed. */
static const double DISTURBED = 0.1;

static void print_spread(double spread, const struct report_style *style, FILE *out)
{
    char text[24] = "";
    if (!isnan(spread))
        snprintf(text, sizeof text, "%s %.1f %%", style->unicode ? "±" : "+-", 100 * spread);
    fprintf(out, "  %-*s", style->unicode && *text ? 9 : 8, text);
}

static void print_core(const struct bench_machine_view *view, const struct report_style *style, FILE *out)
{
    const struct array *findings = view->findings;
    if (findings->count)
        fprintf(out, "\n%sthe core%s\n", report_ink(style, ink_BOLD), report_ink(style, ink_PLAIN));
    for (size_t i = 0; i < findings->count && i < FACTS_SHOWN; i++) {
        const struct bench_finding *finding = ARRAY_AT(struct bench_finding, findings, i);
        fprintf(out, "  %-16s %-24s", finding->word, finding->values);
        print_spread(finding->spread, style, out);
        fprintf(out, "  %s\n", finding->how);
    }
    if (findings->count > FACTS_SHOWN)
        fprintf(out, "  and %zu more (assay machines show %s)\n", findings->count - FACTS_SHOWN, view->name);
}

static void print_counts(const struct bench_machine_view *view, const struct report_style *style, FILE *out)
{
    const struct bench_file_counts *counts = view->counts;
    fprintf(
        out,
        "\nmeasured: %zu forms (%zu latencies, %zu throughputs) and %zu facts%s\nassumed, as %s: %zu facts, "
        "and all forms without a test\n",
        counts->forms, counts->latencies, counts->throughputs, counts->facts,
        counts->has_ports ? ", ports among them" : "", view->nearest->base_name, counts->assumed_facts);
    if (!counts->has_ports)
        fprintf(out,
                "also assumed: %sops and ports of all %sforms, where the measured throughput allows it\n",
                style->unicode ? "µ" : "u", counts->counted ? "other " : "");
    const char *uops = style->unicode ? "µops" : "uops";
    if (report_bench_is_counted(view->figures))
        fprintf(out, "counted: %s of %zu forms, and the ports of %zu\n", uops, counts->counted,
                counts->counted_ports);
    else
        fprintf(out, "%s are not counted: %s\n", uops, bench_refusal_of(view->figures->results));
    if (counts->missing)
        fprintf(out, "missing: %zu forms that this processor does not have\n", counts->missing);
    size_t figures = counts->latencies + counts->throughputs;
    if (counts->unsteady)
        fprintf(out, "unsteady: %zu of %zu figures have a spread above 1 %%%s\n", counts->unsteady, figures,
                (double)counts->unsteady > DISTURBED * (double)figures
                    ? "; other programs disturbed the run: assay bench --again on an idle computer"
                    : "");
}

/* Ports that mixes gave beside those that are counted. */
static void print_ports(const struct bench_machine_view *view, FILE *out)
{
    if (!view->compared)
        return;
    size_t count = view->differences->count;
    fprintf(out,
            "\nports from mixes: %zu of %zu agree with counted ones; where counts are clear they are in the "
            "file\n",
            view->compared - count, view->compared);
    if (count)
        fprintf(out, "  %-30s %-16s counted\n", "form", "found");
    for (size_t i = 0; i < count && i < PORTS_SHOWN; i++) {
        const struct bench_port_difference *difference =
            ARRAY_AT(struct bench_port_difference, view->differences, i);
        fprintf(out, "  %-30s %-16s %s%s\n", difference->form->text, difference->found, difference->counted,
                difference->is_settled ? "" : " (not clear)");
    }
    if (count > PORTS_SHOWN)
        fprintf(out, "  and %zu more\n", count - PORTS_SHOWN);
}

static void print_place(const struct bench_machine_view *view, FILE *out)
{
    fprintf(out, "\n%s\n", view->path ? view->path : "the machine file is written");
    bool is_used = view->path && view->is_here && view->computer->facts.isa;
    if (is_used)
        fprintf(out,
                "This computer's machine from now on: cycles, report and bounds take it. rm that file to go "
                "back.\n");
    else if (view->path)
        fprintf(out, "Use it by --machine %s.\n", view->name);
    else
        fprintf(out, "Use it by --machine %s from a folder of ASSAY_MACHINES.\n", view->name);
}

void report_bench_machine(const struct bench_machine_view *view, const struct report_style *style, FILE *out)
{
    fprintf(out, "%s%s%s: %s", report_ink(style, ink_BOLD), view->name, report_ink(style, ink_PLAIN),
            *view->computer->processor ? view->computer->processor : view->nearest->title);
    if (view->counts->clock > 0)
        fprintf(out, ", %.2f GHz", view->counts->clock);
    if (!isnan(view->distance))
        fprintf(out,
                "; no machine file describes it, the nearest is %s (figures differ by %.0f %% on average)",
                view->nearest->base_name, 100 * (exp(view->distance) - 1));
    putc('\n', out);
    print_core(view, style, out);
    print_counts(view, style, out);
    fprintf(out, "\nbeside %s\n", view->nearest->base_name);
    report_bench_compare(view->figures, WORST_SHOWN, style, out);
    print_ports(view, out);
    print_place(view, out);
}
