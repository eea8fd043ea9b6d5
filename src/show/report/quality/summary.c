#include "show/report/quality/summary.h"

#include "show/report/quality/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_text(const char *left, const char *right)
{
    return left == right || (left && right && !strcmp(left, right));
}

bool quality_is_same_compiler(const struct compiler *left, const struct compiler *right)
{
    return is_same_text(left->name, right->name) && is_same_text(left->flags, right->flags);
}

/* Counts one more loop for its compiler. Code of one compile unit has one compiler, so texts are read once
 * for each: place_of is indexed by unit, after the units by program; it holds place + 1. */
static void count_compiler(struct quality_summary *summary, const struct model *model, uint32_t function,
                           uint32_t *place_of)
{
    const struct function *row = model_function(model, function);
    size_t key = row->unit ? row->unit : model->units.count + row->program;
    if (!place_of[key]) {
        struct compiler compiler = {0};
        size_t at = 0;
        compiler_find(&compiler, model, function);
        for (; at < summary->compilers.count; at++) {
            const struct compiler *it = &ARRAY_AT(struct quality_compiler, &summary->compilers, at)->compiler;
            if (quality_is_same_compiler(it, &compiler))
                break;
        }
        if (at == summary->compilers.count)
            ((struct quality_compiler *)array_add(&summary->compilers))->compiler = compiler;
        place_of[key] = (uint32_t)at + 1;
    }
    ARRAY_AT(struct quality_compiler, &summary->compilers, place_of[key] - 1)->loop_count++;
}

static void count_cycles(struct quality_summary *summary, const struct quality_rows *rows)
{
    const struct loop *loop = model_loop(rows->model, rows->loop);
    const struct loop_cycle *slowest = quality_slowest(rows);
    summary->path_count += rows->cycle_count;
    summary->cut_count += quality_is_cut(rows);
    summary->unplaced_count += !loop->file || !loop->first_line;
    if (slowest)
        summary->limits[slowest->limit]++;
    else if (!summary->unanswered_count++)
        summary->unanswered = rows->loop;
    for (size_t i = 0; i < rows->cycle_count; i++) {
        summary->instruction_count += rows->cycles[i].instruction_count;
        summary->known_count += rows->cycles[i].known_count;
    }
}

/* last_loop, by rule, is the loop that was counted last: a rule that applies to several paths counts once. */
static void count_advice(struct quality_summary *summary, const struct quality_rows *rows,
                         enum advice_level level, size_t *loops_of, uint32_t *last_loop)
{
    bool has[advice_level_COUNT] = {false}, is_shown = false;
    for (size_t i = 0; i < rows->advice_count; i++) {
        const struct advice *advice = &rows->advice[i];
        has[advice->level] = true;
        if (advice->level > level)
            continue;
        is_shown = true;
        loops_of[advice->rule] += last_loop[advice->rule] != rows->loop;
        last_loop[advice->rule] = rows->loop;
    }
    for (unsigned i = 0; i < advice_level_COUNT; i++)
        summary->advised[i] += has[i];
    summary->advised_count += is_shown;
}

static int compare_rules(const void *left, const void *right)
{
    const struct quality_rule_use *a = left, *b = right;
    if (a->loop_count != b->loop_count)
        return a->loop_count > b->loop_count ? -1 : 1;
    return a->rule < b->rule ? -1 : a->rule > b->rule;
}

static int compare_compilers(const void *left, const void *right)
{
    const struct quality_compiler *a = left, *b = right;
    if (a->loop_count != b->loop_count)
        return a->loop_count > b->loop_count ? -1 : 1;
    int order = strcmp(a->compiler.name ? a->compiler.name : "", b->compiler.name ? b->compiler.name : "");
    return order ? order
                 : strcmp(a->compiler.flags ? a->compiler.flags : "",
                          b->compiler.flags ? b->compiler.flags : "");
}

static void take_top(struct quality_summary *summary, const struct quality_view *view)
{
    for (size_t i = 0; i < view->analysed_count && summary->top_count < MOST_TO_GAIN; i++)
        if (quality_gain(view->model, view->loops[i], view->level) > 1)
            summary->top[summary->top_count++] = view->loops[i];
}

void quality_summarise(struct quality_summary *summary, const struct quality_view *view)
{
    const struct model *model = view->model;
    autofree size_t *loops_of = memory_get((model->rules.count + 1) * sizeof *loops_of);
    autofree uint32_t *last_loop = memory_get((model->rules.count + 1) * sizeof *last_loop);
    autofree uint32_t *place_of =
        memory_get((model->units.count + model->programs.count + 1) * sizeof *place_of);
    *summary = (struct quality_summary){.compilers = ARRAY_OF(struct quality_compiler),
                                        .rules = ARRAY_OF(struct quality_rule_use)};
    for (size_t i = 0; i < view->analysed_count; i++) {
        struct quality_rows rows;
        quality_rows_find(&rows, model, view->loops[i]);
        count_cycles(summary, &rows);
        count_advice(summary, &rows, view->level, loops_of, last_loop);
        count_compiler(summary, model, model_loop(model, view->loops[i])->function, place_of);
    }
    for (uint32_t rule = 1; rule < model->rules.count; rule++)
        if (loops_of[rule])
            *(struct quality_rule_use *)array_add(&summary->rules) =
                (struct quality_rule_use){.rule = rule, .loop_count = loops_of[rule]};
    if (summary->rules.count)
        qsort(summary->rules.data, summary->rules.count, summary->rules.width, compare_rules);
    if (summary->compilers.count)
        qsort(summary->compilers.data, summary->compilers.count, summary->compilers.width, compare_compilers);
    take_top(summary, view);
}

void quality_summary_free(struct quality_summary *summary)
{
    array_free(&summary->compilers);
    array_free(&summary->rules);
}
