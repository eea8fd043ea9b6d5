#include "show/report/bench.h"

#include "run/bench/counts.h"
#include "code/machine/write.h"
#include "show/report/common/row_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Figures that agree: latencies of the same whole number, throughputs this near. */
static const double NEAR = 0.05;

static const char *what_of(const struct bench_planned *planned, char text[48])
{
    static const char *const operands[] = {"", ", easy operands", ", hard operands"};
    if (planned->kind == bench_THROUGHPUT)
        snprintf(text, 48, "throughput%s", operands[planned->operands]);
    else if (planned->kind == bench_MEMORY)
        strcpy(text, "through memory");
    else
        snprintf(text, 48, "latency %s>%s%s", planned->from, planned->to, operands[planned->operands]);
    return text;
}

static const char *kind_word(const struct bench_planned *planned)
{
    return planned->kind == bench_THROUGHPUT ? "throughput"
           : planned->kind == bench_MEMORY   ? "memory"
                                             : "latency";
}

static const char *status_word(const struct bench_figure *figure)
{
    if (!figure->planned)
        return "untested";
    return figure->has_result ? bench_status_words[figure->status] : "not measured";
}

static void print_status(const struct bench_figure *figure, FILE *out)
{
    static const char *const sentences[] = {"", "the processor does not have it", "trapped",
                                            "did not end in time", "could not be measured"};
    if (!figure->has_result)
        fputs("not measured yet", out);
    else
        fputs(sentences[figure->status], out);
    if (figure->has_result && figure->status == bench_TRAPPED)
        fprintf(out, " (signal %d)", figure->signal);
}

/* count: a row of what was counted; NULL: the figure itself. */
static void write_row(struct row_writer *writer, const struct bench_figure *figure,
                      const struct bench_count *count, const struct bench_view *view)
{
    const struct machine *machine = view->machine;
    struct bench_session_facts session = bench_results_session(view->results, figure->session);
    static const char *const operands[] = {NULL, "easy", "hard"};
    const struct bench_planned *planned = figure->planned;
    bool is_measured = figure->has_result && figure->status == bench_MEASURED;
    writer->is_first = true;
    row_text(writer, "form", figure->form ? figure->form->text : NULL);
    row_text(writer, "kind", count ? "uops" : planned ? kind_word(planned) : NULL);
    row_text(writer, "from", planned && planned->from[0] ? planned->from : NULL);
    row_text(writer, "to", planned && planned->to[0] ? planned->to : NULL);
    row_text(writer, "operands", planned ? operands[planned->operands] : NULL);
    row_text(writer, "status", status_word(figure));
    row_figure(writer, "cycles", is_measured && !count ? figure->cycles : NAN);
    row_figure(writer, "median", is_measured && !count ? figure->median : NAN);
    row_figure(writer, "spread", count ? count->spread : is_measured ? figure->spread : NAN);
    row_figure(writer, "ghz", is_measured ? figure->ghz : NAN);
    row_figure(writer, "spaced", is_measured ? figure->spaced : NAN);
    row_text(writer, "machine", machine ? machine->name : NULL);
    row_figure(writer, "expected", count ? NAN : figure->expected);
    row_text(writer, "remark",
             figure->form && figure->form->refusal ? bench_refusal_words[figure->form->refusal] : NULL);
    row_text(writer, "day", *session.day ? session.day : NULL);
    row_text(writer, "version", *session.version ? session.version : NULL);
    row_text(writer, "counter", count ? count->what : NULL);
    row_figure(writer, "count", count ? count->count : NAN);
}

static void write_rows(const struct bench_view *view, const struct report_style *style, FILE *out)
{
    static const struct bench_figure empty = {.cycles = 0};
    struct row_table table = row_begin_table(out, style->format == report_JSON, false);
    if (row_begin_head(&table))
        write_row(&table.row, &empty, NULL, view);
    for (size_t i = 0; i < view->figures->count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, view->figures, i);
        for (unsigned k = 0; k <= figure->counted; k++) {
            row_begin_row(&table);
            write_row(&table.row, figure, k ? &figure->counts[k - 1] : NULL, view);
        }
    }
    row_end_table(&table);
}

static void print_number(double number, int width, FILE *out)
{
    if (isnan(number))
        fprintf(out, "%*s", width, "-");
    else
        fprintf(out, "%*.2f", width, fabs(number) < 0.005 ? 0.0 : number);
}

static void print_head(const struct bench_view *view, FILE *out)
{
    fprintf(out, "  %-34s %9s %8s", "", "measured", "spread");
    if (view->machine)
        fprintf(out, "  %s", view->machine->name);
    putc('\n', out);
}

/* µops that a machine file has of a form, as text; "": none. */
static void describe_known(const struct machine *machine, const char *form, char uops[24], char ports[192])
{
    const struct machine_form *known = machine ? machine_form(machine, form) : NULL;
    autofree char *text = NULL;
    size_t size = 0;
    *uops = *ports = 0;
    FILE *out = known && !known->is_missing ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    form_write_ports(machine, known->ports, out);
    fclose(out);
    snprintf(uops, 24, "%u.00", known->fused);
    snprintf(ports, 192, "%s", text);
}

static void print_count(const struct bench_count *count, const char *known, const struct bench_view *view,
                        const struct report_style *style, FILE *out)
{
    char what[48];
    bool is_port = count->what[0] == 'p';
    snprintf(what, sizeof what, "%sops %s%s", style->unicode ? "µ" : "u", is_port ? "on " : "", count->what);
    fprintf(out, "  %-*s ", style->unicode ? 35 : 34, what);
    print_number(count->count, 9, out);
    fprintf(out, " %6.1f %%", 100 * count->spread);
    if (view->machine && *known)
        fprintf(out, "  %*s", (int)strlen(view->machine->name), known);
    fputs(count->spread > BENCH_STEADY ? "  unsteady\n" : "\n", out);
}

/* What was counted of a form: µops by kind, those of ports that have any, and the ports that follow. */
static void print_counts(const struct bench_figure *figure, const struct bench_view *view,
                         const struct report_style *style, FILE *out)
{
    char uops[24], ports[192], counted[192] = "";
    struct bench_counts counts;
    struct bench_port_use uses[MOST_PORT_USES];
    unsigned use_count;
    bool has_ports = false;
    if (!figure->counted)
        return;
    describe_known(view->machine, figure->form->text, uops, ports);
    for (unsigned i = 0; i < figure->counted; i++) {
        const struct bench_count *count = &figure->counts[i];
        if (count->what[0] != 'p' || count->count >= 0.005)
            print_count(count, strcmp(count->what, "issued") ? "" : uops, view, style, out);
        has_ports |= count->what[0] == 'p';
    }
    if (!has_ports || !view->machine)
        return;
    bench_counts_read(figure->counts, figure->counted, view->machine, &counts);
    if (!counts.is_whole)
        return;
    if (!bench_counts_ports(&counts, figure->cycles, uses, &use_count) ||
        !bench_uses_text(view->machine, uses, use_count, counted))
        snprintf(counted, sizeof counted, "not clear");
    fprintf(out, "  %-34s %9s %8s  %*s\n", "ports, as counted", counted, "", (int)strlen(view->machine->name),
            ports);
}

bool report_bench_is_counted(const struct bench_view *view)
{
    for (size_t i = 0; i < view->figures->count; i++)
        if (ARRAY_AT(struct bench_figure, view->figures, i)->counted)
            return true;
    return false;
}

/* Why nothing was counted, once for all forms. */
static void print_refusal(const struct bench_view *view, const struct report_style *style, FILE *out)
{
    bool is_measured = false;
    for (size_t i = 0; i < view->figures->count; i++)
        is_measured |= ARRAY_AT(struct bench_figure, view->figures, i)->has_result;
    if (is_measured && !report_bench_is_counted(view))
        fprintf(out, "\n%sops are not counted: %s\n", style->unicode ? "µ" : "u",
                bench_refusal_of(view->results));
}

static void print_figure(const struct bench_figure *figure, const struct bench_view *view,
                         const struct report_style *style, FILE *out)
{
    char what[48];
    fprintf(out, "  %-34s ", what_of(figure->planned, what));
    if (!figure->has_result || figure->status != bench_MEASURED) {
        print_status(figure, out);
    } else {
        print_number(figure->cycles, 9, out);
        fprintf(out, " %6.1f %%", 100 * figure->spread);
        if (view->machine) {
            fputs("  ", out);
            print_number(figure->expected, (int)strlen(view->machine->name), out);
        }
        if (figure->spread > BENCH_STEADY)
            fputs("  unsteady: disturbed, or the core has several modes", out);
    }
    putc('\n', out);
    print_counts(figure, view, style, out);
}

void report_bench_forms(const struct bench_view *view, const struct report_style *style, FILE *out)
{
    if (style->format != report_TABLE) {
        write_rows(view, style, out);
        return;
    }
    const struct bench_form *form = NULL;
    for (size_t i = 0; i < view->figures->count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, view->figures, i);
        if (figure->form != form) {
            form = figure->form;
            fprintf(out, "%s%s%s%s\n", i ? "\n" : "", report_ink(style, ink_BOLD), form->text,
                    report_ink(style, ink_PLAIN));
            if (form->refusal)
                fprintf(out, "  is not measured: %s\n", bench_refusal_words[form->refusal]);
            else
                print_head(view, out);
        }
        if (figure->planned)
            print_figure(figure, view, style, out);
    }
    print_refusal(view, style, out);
}

static int by_ratio(const void *a, const void *b)
{
    double x = bench_figure_ratio(*(const struct bench_figure *const *)a);
    double y = bench_figure_ratio(*(const struct bench_figure *const *)b);
    return (x < y) - (x > y);
}

static bool agrees(const struct bench_figure *figure)
{
    if (figure->planned->kind == bench_LATENCY)
        return round(figure->cycles) == round(figure->expected);
    return bench_figure_ratio(figure) <= 1 + NEAR;
}

static void print_share(const char *what, const char *how, size_t near, size_t all, FILE *out)
{
    if (all)
        fprintf(out, "%s: %zu of %zu %s (%.0f %%)\n", what, near, all, how,
                100.0 * (double)near / (double)all);
}

void report_bench_compare(const struct bench_view *view, size_t most, const struct report_style *style,
                          FILE *out)
{
    size_t count = 0, shares[2][2] = {{0, 0}, {0, 0}}, missing = 0;
    const struct bench_figure **sorted = memory_get((view->figures->count + 1) * sizeof *sorted);
    for (size_t i = 0; i < view->figures->count; i++) {
        const struct bench_figure *figure = ARRAY_AT(struct bench_figure, view->figures, i);
        missing += figure->has_result && figure->status == bench_MISSING;
        if (isnan(bench_figure_ratio(figure)) || figure->planned->kind == bench_MEMORY)
            continue;
        bool is_latency = figure->planned->kind == bench_LATENCY;
        shares[is_latency][0]++;
        shares[is_latency][1] += agrees(figure);
        if (!agrees(figure))
            sorted[count++] = figure;
    }
    qsort(sorted, count, sizeof *sorted, by_ratio);
    if (style->format != report_TABLE) {
        struct array figures = ARRAY_OF(struct bench_figure);
        for (size_t i = 0; i < count; i++)
            *(struct bench_figure *)array_push(&figures) = *sorted[i];
        write_rows(&(struct bench_view){&figures, view->machine, view->results}, style, out);
        array_free(&figures);
        free(sorted);
        return;
    }
    print_share("latencies", "equal", shares[1][1], shares[1][0], out);
    print_share("throughputs", "within 5 %", shares[0][1], shares[0][0], out);
    if (missing)
        fprintf(out, "%zu tests found instructions that this processor does not have\n", missing);
    if (count)
        fprintf(out, "\n  %-30s %-34s %9s  %9s  %6s\n", "form", "figure", "measured", "expected", "spread");
    for (size_t i = 0; i < count && i < most; i++) {
        const struct bench_figure *figure = sorted[i];
        char what[48];
        fprintf(out, "  %-30s %-34s ", figure->form->text, what_of(figure->planned, what));
        print_number(figure->cycles, 9, out);
        fputs("  ", out);
        print_number(figure->expected, 9, out);
        fprintf(out, "  %4.1f %%\n", 100 * figure->spread);
    }
    if (count > most)
        fprintf(out, "  and %zu more (--limit)\n", count - most);
    free(sorted);
}

/* µops of an iteration: 5.00 issued, 1.00 on p0. */
static void print_block_counts(const struct bench_result *result, const struct report_style *style, FILE *out)
{
    const char *between = "";
    if (result->counted)
        fprintf(out, "%sops counted: ", style->unicode ? "µ" : "u");
    for (unsigned i = 0; i < result->counted; i++) {
        const struct bench_count *count = &result->counts[i];
        bool is_port = count->what[0] == 'p';
        if (is_port && count->count < 0.005)
            continue;
        fprintf(out, "%s%.2f %s%s", between, count->count, is_port ? "on " : "", count->what);
        between = ", ";
    }
    fputs(result->counted ? "\n" : "", out);
}

static double issued_of(const struct bench_result *result)
{
    for (unsigned i = 0; result->status == bench_MEASURED && i < result->counted; i++)
        if (!strcmp(result->counts[i].what, "issued"))
            return result->counts[i].count;
    return NAN;
}

void report_bench_kernel(const struct bench_kernel_view *view, const struct report_style *style, FILE *out)
{
    const struct bench_result *result = view->result;
    bool is_measured = result->status == bench_MEASURED;
    if (style->format != report_TABLE) {
        bool is_json = style->format == report_JSON;
        struct row_writer writer = {.out = out, .is_json = is_json, .is_head = !is_json};
        for (int pass = is_json; pass < 2; pass++) {
            fputs(is_json ? "[{" : "", out);
            writer.is_first = true;
            row_text(&writer, "mode", view->kernel->is_loop ? "loop" : "unrolled");
            row_text(&writer, "status", bench_status_words[result->status]);
            row_figure(&writer, "cycles", is_measured ? result->best : NAN);
            row_figure(&writer, "median", is_measured ? result->median : NAN);
            row_figure(&writer, "spread", is_measured ? result->spread : NAN);
            row_figure(&writer, "ghz", is_measured ? result->ghz : NAN);
            row_text(&writer, "machine", view->machine ? view->machine->name : NULL);
            row_figure(&writer, "expected", view->expected);
            row_figure(&writer, "uops_issued", issued_of(result));
            fputs(is_json ? "}]\n" : "\r\n", out);
            writer.is_head = false;
        }
        return;
    }
    if (!is_measured) {
        struct bench_figure figure = {.has_result = true, .status = result->status, .signal = result->signal};
        fputs("no cycles: ", out);
        print_status(&figure, out);
        putc('\n', out);
        return;
    }
    fprintf(out, "%.2f cycles per %s, measured here at %.2f GHz (median %.2f, spread %.1f %%)\n",
            result->best,
            view->kernel->is_loop ? "iteration" : "copy of the block, repeated without a branch", result->ghz,
            result->median, 100 * result->spread);
    if (view->machine && !isnan(view->expected))
        fprintf(out, "%.2f predicted for %s (%+.0f %%)\n", view->expected, view->machine->name,
                100 * (view->expected / result->best - 1));
    print_block_counts(result, style, out);
}
