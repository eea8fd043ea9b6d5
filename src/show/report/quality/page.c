/* The page of a loop: its place, its role among the loops made from one source loop, its cycles and limit,
 * then advice. Figures are for its slowest path. */
#include "show/report/quality/text.h"

#include "model/tables.h"
#include "code/quality/compiler.h"
#include "show/report/quality/remarks.h"
#include "show/report/quality/sentences.h"
#include "show/report/quality/words.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 16, LONGEST_FLAGS = 400, SHORT_FLAGS = 120 };

static void print_heading(struct text_report *report, uint32_t loop)
{
    const struct model *model = report->view->model;
    const struct loop *row = model_loop(model, loop);
    const char *line = report->style->unicode ? "─" : "-";
    if (!report->is_alone) {
        putc('\n', report->out);
        fputs(report_ink(report->style, ink_DIM), report->out);
        for (size_t i = 0; i < report->width; i++)
            fputs(line, report->out);
        fprintf(report->out, "%s\n", report_ink(report->style, ink_PLAIN));
    }
    autofree char *name = quality_function(model, loop, report->view->demangle);
    autofree char *place = loop_place_words(model, loop, report->places.working_directory);
    autofree char *safe_name = text_safe(name, strlen(name)), *safe_place = text_safe(place, strlen(place));
    autofree char *shorter = name_shorten(safe_name, NAME_COLUMNS, report->style->unicode);
    autofree char *text = memory_format("%s, %s%s", shorter, row->file ? "" : "address ", safe_place);
    fputs(report_ink(report->style, ink_LOOP), report->out);
    int used = report->is_alone ? fprintf(report->out, "loop") : fprintf(report->out, "loop %u", loop);
    fprintf(report->out, "%s in ", report_ink(report->style, ink_PLAIN));
    wrap_print(report->out, text, (size_t)used + strlen(" in "), 4, report->width);
    putc('\n', report->out);
}

static void print_role(struct text_report *report, const struct quality_rows *rows)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    quality_say_role(out, rows);
    fclose(out);
    if (size)
        wrap_say(report->out, 0, report->width, "%s", text);
}

static void print_figures(struct text_report *report, const struct quality_rows *rows)
{
    const struct loop_cycle *slowest = quality_slowest(rows);
    autofree char *text = NULL;
    size_t size = 0;
    if (!slowest) {
        char *refusal =
            quality_refusal(report->view, rows->loop, rows->cycle_count ? &rows->cycles[0] : NULL);
        wrap_say(report->out, 0, report->width, "No cycles could be computed: %s.", refusal ? refusal : "?");
        free(refusal);
        return;
    }
    const struct loop_metric *metric = quality_metric(rows, slowest->path);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    quality_say_cycles(out, slowest, metric, rows->cycle_count > 1);
    quality_say_levels(out, rows, slowest);
    if (metric && report->is_full) {
        quality_say_rates(out, metric);
        quality_say_vectors(out, metric);
    }
    quality_say_reservations(out, rows->model, slowest, metric);
    fclose(out);
    wrap_say(report->out, 0, report->width, "%s", text);
}

/* A count with commas: 1,048,576. */
static void say_count(FILE *out, uint64_t count)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++)
        fprintf(out, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

/* "3 paths were analysed, 2.00 to 25.00 cycles." */
static void say_paths(struct text_report *report, const struct quality_rows *rows)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < rows->cycle_count; i++) {
        if (!isfinite(rows->cycles[i].cycles))
            continue;
        least = fmin(least, rows->cycles[i].cycles);
        most = fmax(most, rows->cycles[i].cycles);
    }
    if (rows->cycle_count > 1 && most > 0)
        wrap_say(report->out, 0, report->width,
                 least < most ? "%zu paths were analysed: %.2f to %.2f cycles."
                              : "%zu paths were analysed: %.2f cycles each.",
                 rows->cycle_count, least, most);
}

static void print_cut(struct text_report *report, const struct quality_rows *rows)
{
    uint64_t all = model_loop(rows->model, rows->loop)->path_count;
    fputs("The loop has branches: ", report->out);
    say_count(report->out, rows->cycle_count);
    fputs(all >= INT64_MAX ? " of at least " : " of ", report->out);
    say_count(report->out, all);
    fputs(" paths were analysed (raise --paths for more).\n", report->out);
}

static void print_paths(struct text_report *report, const struct quality_rows *rows)
{
    FILE *out = report->out;
    bool is_cut = quality_is_cut(rows);
    if (is_cut && report->is_full)
        putc('\n', out);
    if (is_cut)
        print_cut(report, rows);
    if (!report->is_full && !is_cut)
        say_paths(report, rows);
    if (rows->cycle_count < 2 || !report->is_full)
        return;
    fprintf(out, "%s%s   path    cycles  instructions  limited by%s\n", is_cut ? "" : "\n",
            report_ink(report->style, ink_BOLD), report_ink(report->style, ink_PLAIN));
    for (size_t i = 0; i < rows->cycle_count && i < MOST_PATHS; i++) {
        const struct loop_cycle *row = &rows->cycles[i];
        autofree char *refusal = quality_refusal(report->view, rows->loop, row);
        char cycles[32] = "-";
        if (!refusal)
            snprintf(cycles, sizeof cycles, "%.2f", quality_cycles(rows, row));
        fprintf(out, "%7u  %8s  %12u  ", row->path, cycles, row->instruction_count);
        autofree char *safe = refusal ? text_safe(refusal, strlen(refusal)) : NULL;
        fprintf(out, "%s\n", safe ? safe : core_part_word(row->limit));
    }
    if (rows->cycle_count > MOST_PATHS)
        fprintf(out, "    ... and %zu more (--csv lists all)\n", rows->cycle_count - MOST_PATHS);
}

/* Left out where the summary has said it: one machine, one compiler. */
static void print_compiler(struct text_report *report, const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    const struct machine *machine = quality_machine(report->view, rows->loop);
    struct compiler compiler = {0};
    int most = report->is_full ? LONGEST_FLAGS : SHORT_FLAGS;
    if (!report->view->is_chosen && report->summary.compilers.count < 2)
        return;
    compiler_find(&compiler, model, model_loop(model, rows->loop)->function);
    fputs(report_ink(report->style, ink_DIM), report->out);
    wrap_say(report->out, 0, report->width, "Figures for %s; compiled by %s%s%.*s%s.",
             machine ? machine->name : "no machine", compiler.name ? compiler.name : "an unknown compiler",
             compiler.flags ? " with " : ", options unknown", compiler.flags ? most : 0,
             compiler.flags ? compiler.flags : "",
             compiler.flags && strlen(compiler.flags) > (size_t)most ? "..." : "");
    fputs(report_ink(report->style, ink_PLAIN), report->out);
}

/* What its compiler says. */
static void print_remarks(struct text_report *report, const struct quality_rows *rows)
{
    autofree char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    quality_say_remarks(out, rows);
    fclose(out);
    if (size)
        wrap_say(report->out, 0, report->width, "%s", text);
}

static void print_head(struct text_report *report, const struct quality_rows *rows)
{
    print_heading(report, rows->loop);
    page_print_source(report, rows->loop);
    print_role(report, rows);
    print_figures(report, rows);
    print_remarks(report, rows);
    print_compiler(report, rows);
    print_paths(report, rows);
}

/* Prints the head of the page and returns its lines. */
static size_t print_counted(struct text_report *report, const struct quality_rows *rows)
{
    FILE *out = report->out;
    char *text = NULL;
    size_t size = 0, lines = 0;
    report->out = open_memstream(&text, &size);
    if (report->out) {
        print_head(report, rows);
        fclose(report->out);
    }
    report->out = out;
    for (const char *at = text; at && *at; at++)
        lines += *at == '\n';
    fputs(text ? text : "", out);
    free(text);
    return lines;
}

/* Whether two loops have the same cycles and the same findings, word for word. */
static bool is_alike(const struct text_report *report, const struct quality_rows *left,
                     const struct quality_rows *right)
{
    const struct loop_cycle *a = quality_slowest(left), *b = quality_slowest(right);
    if (!a || !b || a->cycles != b->cycles || a->limit != b->limit)
        return false;
    struct array these = quality_findings(left, report->view->level);
    struct array those = quality_findings(right, report->view->level);
    bool is_same = these.count && these.count == those.count;
    for (size_t i = 0; is_same && i < these.count; i++) {
        const struct quality_finding *one = ARRAY_AT(struct quality_finding, &these, i);
        const struct quality_finding *other = ARRAY_AT(struct quality_finding, &those, i);
        const struct advice *x = model_advice(left->model, one->advice);
        const struct advice *y = model_advice(left->model, other->advice);
        is_same = one->rule == other->rule && one->level == other->level && x->text == y->text &&
                  (x->gain == y->gain || (isnan(x->gain) && isnan(y->gain)));
    }
    array_free(&these);
    array_free(&those);
    return is_same;
}

/* The loop of the same function, on an earlier page, that is just like this one; 0: none. */
static uint32_t find_alike(const struct text_report *report, const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    for (size_t i = 0; i < report->loops.count && !report->is_full; i++) {
        uint32_t other = *ARRAY_AT(uint32_t, &report->loops, i);
        struct quality_rows others;
        if (other == rows->loop)
            return 0;
        quality_rows_find(&others, model, other);
        if (model_loop(model, other)->function == model_loop(model, rows->loop)->function &&
            is_alike(report, &others, rows))
            return other;
    }
    return 0;
}

void page_print(struct text_report *report, uint32_t loop)
{
    struct quality_rows rows;
    quality_rows_find(&rows, report->view->model, loop);
    uint32_t alike = find_alike(report, &rows);
    if (alike) {
        print_heading(report, loop);
        page_print_source(report, loop);
        wrap_say(report->out, 0, report->width, "The same cycles and findings as loop %u.", alike);
        return;
    }
    size_t lines = print_counted(report, &rows);
    if (report->is_alone && report->view->print_block)
        page_print_code(report, &rows);
    if (!page_print_advice(report, &rows, lines))
        fprintf(report->out, "\nNo advice at this level for this loop.\n");
    page_print_details(report, &rows);
}
