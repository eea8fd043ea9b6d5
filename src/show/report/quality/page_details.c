/* Details for the levels hint and expert: notable figures, and for experts every figure, the instructions
 * with the findings, memory accesses, and the loop-carried dependence chain. */
#include "show/report/quality/text.h"

#include "show/report/quality/metrics.h"
#include "show/report/quality/sentences.h"
#include "show/report/quality/words.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Figures that are notable whenever they are above zero. */
static const char *const noteworthy[] = {"cycles_per_source_iteration",
                                         "cycles_without_scalar_integer",
                                         "cycles_fp_vectorised",
                                         "cycles_vectorised",
                                         "cycles_without_dependence",
                                         "cycles_next_bottleneck",
                                         "vector_ratio",
                                         "vector_efficiency",
                                         "flop_share",
                                         "load_share",
                                         "store_share",
                                         "arithmetic_intensity",
                                         "divide_count",
                                         "sqrt_count",
                                         "convert_count",
                                         "call_count",
                                         "gather_count",
                                         "scatter_count",
                                         "x87_count",
                                         "constant_stride_count",
                                         "indirect_count",
                                         "unknown_pattern_count",
                                         "general_pressure",
                                         "vector_pressure",
                                         "stack_reference_count",
                                         "spill_count",
                                         "fill_count",
                                         "useless_stack_count",
                                         "unaligned_count",
                                         "transition_count",
                                         "transition_cycles",
                                         "chain_cycles"};

static bool is_noteworthy(const char *name)
{
    for (size_t i = 0; i < sizeof noteworthy / sizeof *noteworthy; i++)
        if (!strcmp(name, noteworthy[i]))
            return true;
    return false;
}

static void print_figure(struct text_report *report, const struct table_column *column, double value)
{
    char number[40];
    bool is_whole = column->type != COLUMN_REAL && column->type != COLUMN_VIRTUAL;
    snprintf(number, sizeof number, is_whole ? "%.0f" : "%.2f", value);
    int used = fprintf(report->out, "%10s  ", number);
    fprintf(report->out, "%s%s%s: ", report_ink(report->style, ink_NAME), column->name,
            report_ink(report->style, ink_PLAIN));
    wrap_print(report->out, column->brief, (size_t)used + strlen(column->name) + 2, 14, report->width);
}

/* Of metrics in Lua. */
static void print_added(struct text_report *report, const struct quality_rows *rows, uint32_t path)
{
    const struct model *model = rows->model;
    for (size_t i = 0; i < rows->figure_count; i++) {
        const struct added_metric *metric = model_added_metric(model, rows->figures[i].metric);
        if (rows->figures[i].path != path)
            continue;
        const char *name = model_text(model, metric->name);
        int used = fprintf(report->out, "%10.2f  ", rows->figures[i].value);
        fprintf(report->out, "%s%s%s: ", report_ink(report->style, ink_NAME), name,
                report_ink(report->style, ink_PLAIN));
        autofree char *words =
            memory_format("%s (%s)", model_text(model, metric->meaning), model_text(model, metric->file));
        wrap_print(report->out, words, (size_t)used + strlen(name) + 2, 14, report->width);
    }
}

static void print_figures(struct text_report *report, const struct quality_rows *rows,
                          const struct loop_metric *metric, bool is_all)
{
    struct quality_columns columns = quality_columns();
    const char *group = NULL;
    fprintf(report->out, "\n%s%s%s\n", report_ink(report->style, ink_BOLD),
            is_all ? "Figures" : "Notable figures", report_ink(report->style, ink_PLAIN));
    for (const struct table_column *column = columns.first; column < columns.end; column++) {
        double value = table_number(column, metric);
        group = column->group ? column->group : group;
        if (!isfinite(value) || !(is_all || (value > 0 && is_noteworthy(column->name))))
            continue;
        if (is_all && group)
            fprintf(report->out, "%s  %s%s\n", report_ink(report->style, ink_BOLD), group,
                    report_ink(report->style, ink_PLAIN));
        group = NULL;
        print_figure(report, column, value);
    }
    print_added(report, rows, metric->path);
}

/* Whether an instruction of a path is evidence for a finding. */
static bool is_evidence(const struct quality_rows *path, const struct quality_finding *finding,
                        uint32_t instruction)
{
    for (size_t i = 0; i < path->advice_count; i++) {
        size_t count;
        if (path->advice[i].rule != finding->rule)
            continue;
        const struct advice_evidence_row *rows =
            quality_evidence(path->model, path->first_advice + (uint32_t)i, &count);
        for (size_t k = 0; k < count; k++)
            if (rows[k].instruction == instruction)
                return true;
    }
    return false;
}

/* "line 41; advice 1, 3"; NULL for nothing. */
static char *make_note(struct text_report *report, const struct quality_rows *path,
                       const struct array *findings, uint32_t instruction)
{
    autofree char *lines = page_lines(report, path->loop, &instruction, 1);
    char advice[128] = "";
    for (size_t i = 0; i < findings->count; i++) {
        size_t used = strlen(advice);
        if (is_evidence(path, ARRAY_AT(struct quality_finding, findings, i), instruction))
            snprintf(advice + used, sizeof advice - used, "%s%zu", used ? ", " : "advice ", i + 1);
    }
    autofree char *note =
        lines || *advice ? memory_format("%s%s%s", lines ? lines : "", lines && *advice ? "; " : "", advice)
                         : NULL;
    return note ? text_safe(note, strlen(note)) : NULL;
}

static void print_instructions(struct text_report *report, const struct quality_rows *path,
                               const struct array *findings, uint32_t position)
{
    struct array instructions = quality_path_instructions(path->model, path->loop, position);
    char **notes = memory_get((instructions.count + 1) * sizeof *notes);
    for (size_t i = 0; i < instructions.count; i++)
        notes[i] = make_note(report, path, findings, *ARRAY_AT(uint32_t, &instructions, i));
    putc('\n', report->out);
    report->view->print_block(report->view->context, path->loop, position, (const char *const *)notes,
                              report->out);
    for (size_t i = 0; i < instructions.count; i++)
        free(notes[i]);
    free(notes);
    array_free(&instructions);
}

static void print_instruction(struct text_report *report, const struct quality_rows *path,
                              uint32_t instruction, const char *words)
{
    autofree char *text = quality_instruction(path->model, instruction);
    autofree char *safe = text_safe(text, strlen(text));
    autofree char *lines = page_lines(report, path->loop, &instruction, 1);
    autofree char *place = lines ? text_safe(lines, strlen(lines)) : NULL;
    fprintf(report->out, "  %10llx  %s", (unsigned long long)model_address(path->model, instruction), safe);
    fprintf(report->out, "%s%s%s%s%s%s\n", words || place ? "  " : "", report_ink(report->style, ink_DIM),
            words ? words : "", words && place ? "; " : "", place ? place : "",
            report_ink(report->style, ink_PLAIN));
}

static void print_accesses(struct text_report *report, const struct quality_rows *path)
{
    if (!path->access_count)
        return;
    fprintf(report->out, "\n%sMemory accesses%s\n", report_ink(report->style, ink_BOLD),
            report_ink(report->style, ink_PLAIN));
    for (size_t i = 0; i < path->access_count; i++) {
        autofree char *words = quality_access_words(&path->accesses[i]);
        print_instruction(report, path, path->accesses[i].instruction, words);
    }
}

static void print_chain(struct text_report *report, const struct quality_rows *path,
                        const struct loop_metric *metric)
{
    bool is_first = true;
    for (size_t i = 0; i < path->mark_count; i++) {
        if (path->marks[i].part != core_part_LATENCY)
            continue;
        if (is_first)
            fprintf(report->out, "\n%sLongest loop-carried dependence chain, %.2f cycles%s\n",
                    report_ink(report->style, ink_BOLD), metric->chain_cycles,
                    report_ink(report->style, ink_PLAIN));
        is_first = false;
        print_instruction(report, path, path->marks[i].instruction, NULL);
    }
}

static void print_path(struct text_report *report, const struct quality_rows *rows,
                       const struct array *findings, const struct loop_cycle *cycles)
{
    struct quality_rows path = quality_rows_of_path(rows, cycles->path);
    const struct loop_metric *metric = quality_metric(rows, cycles->path);
    if (rows->cycle_count > 1)
        fprintf(report->out, "\n%sPath %u%s\n", report_ink(report->style, ink_BOLD), cycles->path,
                report_ink(report->style, ink_PLAIN));
    if (report->view->print_block)
        print_instructions(report, &path, findings, cycles->path);
    print_accesses(report, &path);
    if (!metric)
        return;
    if (metric->chain_cycles > 0)
        print_chain(report, &path, metric);
    print_figures(report, rows, metric, true);
}

void page_print_code(struct text_report *report, const struct quality_rows *rows)
{
    const struct loop_cycle *slowest = quality_slowest(rows);
    uint32_t path = slowest ? slowest->path : rows->cycle_count ? rows->cycles[0].path : 1;
    struct quality_rows these = quality_rows_of_path(rows, path);
    struct array findings = quality_findings(rows, report->view->level);
    print_instructions(report, &these, &findings, path);
    array_free(&findings);
}

void page_print_details(struct text_report *report, const struct quality_rows *rows)
{
    enum advice_level level = report->view->level;
    const struct loop_cycle *slowest = quality_slowest(rows);
    uint32_t first = slowest ? slowest->path : rows->metric_count ? rows->metrics[0].path : 0;
    const struct loop_metric *metric = quality_metric(rows, first);
    if (level == advice_level_HINT && metric)
        print_figures(report, rows, metric, false);
    if (level < advice_level_EXPERT)
        return;
    struct array findings = quality_findings(rows, level);
    for (size_t i = 0; i < rows->cycle_count; i++)
        print_path(report, rows, &findings, &rows->cycles[i]);
    array_free(&findings);
}
