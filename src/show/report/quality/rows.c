#include "show/report/quality/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The range of rows with this number in the first column, by which the table is sorted. */
static size_t find_first(const struct array *table, uint32_t number, size_t *count)
{
    size_t first = array_first_not_below(table, 0, 0, number);
    *count = array_first_not_below(table, first, 0, number + 1) - first;
    return first;
}

static const void *find_rows(const struct array *table, uint32_t number, size_t *count)
{
    return array_at(table, find_first(table, number, count));
}

void quality_rows_find(struct quality_rows *rows, const struct model *model, uint32_t loop)
{
    size_t roles;
    *rows = (struct quality_rows){.model = model, .loop = loop};
    rows->cycles = find_rows(&model->loop_cycles, loop, &rows->cycle_count);
    rows->bounds = find_rows(&model->core_bounds, loop, &rows->bound_count);
    rows->levels = find_rows(&model->loop_levels, loop, &rows->level_count);
    rows->metrics = find_rows(&model->loop_metrics, loop, &rows->metric_count);
    rows->accesses = find_rows(&model->access_patterns, loop, &rows->access_count);
    rows->marks = find_rows(&model->bound_instructions, loop, &rows->mark_count);
    rows->ports = find_rows(&model->port_uses, loop, &rows->port_count);
    rows->figures = find_rows(&model->added_figures, loop, &rows->figure_count);
    rows->first_advice = (uint32_t)find_first(&model->advice, loop, &rows->advice_count);
    rows->advice = array_at(&model->advice, rows->first_advice);
    rows->remarks = find_rows(&model->remarks, loop, &rows->remark_count);
    const struct loop_role_row *role = find_rows(&model->loop_roles, loop, &roles);
    if (!roles)
        return;
    rows->role = role;
    rows->family = role->family ? model_loop_family(model, role->family) : NULL;
}

/* In each of these tables the path is the second column, after the loop. */
static const void *narrow(const void *rows, size_t width, size_t *count, uint32_t path, size_t *skipped)
{
    struct array table = {.data = (void *)(uintptr_t)rows, .count = *count, .width = width};
    size_t first = array_first_not_below(&table, 0, sizeof(uint32_t), path);
    *count = array_first_not_below(&table, first, sizeof(uint32_t), path + 1) - first;
    *skipped = first;
    return array_at(&table, first);
}

struct quality_rows quality_rows_of_path(const struct quality_rows *rows, uint32_t path)
{
    struct quality_rows one = *rows;
    size_t skipped;
    one.cycles = narrow(rows->cycles, sizeof *rows->cycles, &one.cycle_count, path, &skipped);
    one.bounds = narrow(rows->bounds, sizeof *rows->bounds, &one.bound_count, path, &skipped);
    one.levels = narrow(rows->levels, sizeof *rows->levels, &one.level_count, path, &skipped);
    one.metrics = narrow(rows->metrics, sizeof *rows->metrics, &one.metric_count, path, &skipped);
    one.accesses = narrow(rows->accesses, sizeof *rows->accesses, &one.access_count, path, &skipped);
    one.marks = narrow(rows->marks, sizeof *rows->marks, &one.mark_count, path, &skipped);
    one.ports = narrow(rows->ports, sizeof *rows->ports, &one.port_count, path, &skipped);
    one.figures = narrow(rows->figures, sizeof *rows->figures, &one.figure_count, path, &skipped);
    one.advice = narrow(rows->advice, sizeof *rows->advice, &one.advice_count, path, &skipped);
    one.first_advice += (uint32_t)skipped;
    return one;
}

double quality_figure(const struct quality_rows *rows, uint32_t path, uint32_t metric)
{
    for (size_t i = 0; i < rows->figure_count; i++)
        if (rows->figures[i].path == path && rows->figures[i].metric == metric)
            return rows->figures[i].value;
    return NAN;
}

double quality_cycles(const struct quality_rows *rows, const struct loop_cycle *cycles)
{
    const struct loop_metric *metric = quality_metric(rows, cycles->path);
    return cycles->cycles + (metric && metric->transition_cycles > 0 ? metric->transition_cycles : 0);
}

const struct loop_cycle *quality_slowest(const struct quality_rows *rows)
{
    const struct loop_cycle *slowest = NULL;
    for (size_t i = 0; i < rows->cycle_count; i++)
        if (isfinite(rows->cycles[i].cycles) &&
            (!slowest || quality_cycles(rows, &rows->cycles[i]) > quality_cycles(rows, slowest)))
            slowest = &rows->cycles[i];
    return slowest;
}

const struct loop_metric *quality_metric(const struct quality_rows *rows, uint32_t path)
{
    for (size_t i = 0; i < rows->metric_count; i++)
        if (rows->metrics[i].path == path)
            return &rows->metrics[i];
    return NULL;
}

const struct advice_evidence_row *quality_evidence(const struct model *model, uint32_t advice, size_t *count)
{
    return find_rows(&model->advice_evidence, advice, count);
}

const struct remedy_row *quality_remedies(const struct model *model, uint32_t advice, size_t *count)
{
    return find_rows(&model->remedies, advice, count);
}

static int compare_findings(const void *left, const void *right)
{
    const struct quality_finding *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->expected != b->expected)
        return a->expected > b->expected ? -1 : 1;
    return a->rule < b->rule ? -1 : a->rule > b->rule;
}

/* What decides on all the rest, options that forbid optimisation, comes first. Advice without a figure stands
   among the others by the median of what such advice brought where it was measured (bench/results). Partial sums
   come after it: where a loop also jumps from row to row, its lines of data limit them, and another order brought
   twice as much. */
static double expected_gain(const struct model *model, const struct quality_finding *finding)
{
    static const double USUAL = 3, LESS = 0.1;
    static const char *const first[] = {"flag-optimisation", "flag-harmful"};
    const char *name = model_text(model, model_rule_row(model, finding->rule)->name);
    double gain = model_advice(model, finding->advice)->gain;
    for (size_t i = 0; name && i < sizeof first / sizeof *first; i++)
        if (!strcmp(name, first[i]))
            return INFINITY;
    if (name && !strcmp(name, "reduction") && gain >= USUAL)
        gain = USUAL - LESS;
    return isfinite(gain) ? gain : USUAL;
}

static bool gains_more(const struct advice *new, const struct advice *old)
{
    return isfinite(new->gain) && (!isfinite(old->gain) || new->gain > old->gain);
}

struct array quality_findings(const struct quality_rows *rows, enum advice_level level)
{
    struct array findings = ARRAY_OF(struct quality_finding);
    for (size_t i = 0; i < rows->advice_count; i++) {
        const struct advice *advice = &rows->advice[i];
        uint32_t id = rows->first_advice + (uint32_t)i;
        size_t at = 0;
        if (advice->level > level)
            continue;
        while (at < findings.count && ARRAY_AT(struct quality_finding, &findings, at)->rule != advice->rule)
            at++;
        if (at == findings.count)
            *(struct quality_finding *)array_add(&findings) =
                (struct quality_finding){.advice = id, .rule = advice->rule, .level = advice->level};
        struct quality_finding *it = ARRAY_AT(struct quality_finding, &findings, at);
        it->path_count++;
        if (advice->level < it->level)
            it->level = advice->level;
        if (gains_more(advice, model_advice(rows->model, it->advice)))
            it->advice = id;
    }
    for (size_t i = 0; i < findings.count; i++) {
        struct quality_finding *it = ARRAY_AT(struct quality_finding, &findings, i);
        it->expected = expected_gain(rows->model, it);
    }
    if (findings.count)
        qsort(findings.data, findings.count, findings.width, compare_findings);
    return findings;
}
