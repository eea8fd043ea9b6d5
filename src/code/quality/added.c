/* Advice has ids, which evidence and remedies refer to, and must be in order of loops. So all of it is put
   into a new order at once: a list of where each row comes from is sorted, and the three tables are written
   anew. */
#include "code/quality/added.h"

#include "code/quality/certainty.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void addition_free(struct addition *addition)
{
    for (size_t i = 0; i < addition->remarks.count; i++) {
        struct added_remark *remark = array_at(&addition->remarks, i);
        for (size_t k = 0; k < remark->remedies.count; k++) {
            struct added_remedy *remedy = array_at(&remark->remedies, k);
            free(remedy->text);
            free(remedy->option);
        }
        array_free(&remark->remedies);
        array_free(&remark->evidence);
        free(remark->text);
    }
    array_free(&addition->remarks);
    array_free(&addition->values);
}

/* An advice of the new order: a row of the model, or a remark with the row of its rule. */
struct entry {
    uint32_t loop, path, rule, row;
    const struct added_remark *remark; /* NULL: the row */
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Copies of the rows that are written anew. */
struct earlier {
    struct array advice, evidence, remedies;
};

static struct array taken(struct array *table)
{
    struct array copy = {.width = table->width};
    if (table->count)
        memcpy(array_add_many(&copy, table->count), table->data, table->count * table->width);
    return copy;
}

static double cycles_of(const struct model *model, uint32_t loop, uint32_t path)
{
    size_t at = array_first_not_below(&model->loop_metrics, 0, offsetof(struct loop_metric, loop), loop);
    for (; at < model->loop_metrics.count; at++) {
        const struct loop_metric *row = model_loop_metric(model, (uint32_t)at);
        if (row->loop != loop || row->path == path)
            return row->loop == loop ? row->cycles : NAN;
    }
    return NAN;
}

static void put_row(struct model *model, const struct earlier *earlier, uint32_t row)
{
    struct advice *advice = model_add(&model->advice);
    *advice = *ARRAY_AT(struct advice, &earlier->advice, row);
    uint32_t id = model_last(&model->advice);
    for (size_t i =
             array_first_not_below(&earlier->evidence, 0, offsetof(struct advice_evidence_row, advice), row);
         i < earlier->evidence.count &&
         ARRAY_AT(struct advice_evidence_row, &earlier->evidence, i)->advice == row;
         i++) {
        struct advice_evidence_row *copy = model_add(&model->advice_evidence);
        *copy = *ARRAY_AT(struct advice_evidence_row, &earlier->evidence, i);
        copy->advice = id;
    }
    for (size_t i = array_first_not_below(&earlier->remedies, 0, offsetof(struct remedy_row, advice), row);
         i < earlier->remedies.count && ARRAY_AT(struct remedy_row, &earlier->remedies, i)->advice == row;
         i++) {
        struct remedy_row *copy = model_add(&model->remedies);
        *copy = *ARRAY_AT(struct remedy_row, &earlier->remedies, i);
        copy->advice = id;
    }
}

static void put_remark(struct model *model, const struct added_remark *remark, uint32_t rule)
{
    double now = cycles_of(model, remark->loop, remark->path);
    struct advice *advice = model_add(&model->advice);
    *advice = (struct advice){.loop = remark->loop,
                              .path = remark->path,
                              .rule = rule,
                              .level = (uint8_t)remark->level,
                              .cycles = isnan(remark->cycles) ? now / remark->gain : remark->cycles,
                              .gain = isnan(remark->gain) ? now / remark->cycles : remark->gain,
                              .native_gain = NAN,
                              .is_upper = remark->is_upper,
                              .text = model_string(model, remark->text)};
    uint32_t id = model_last(&model->advice);
    for (size_t i = 0; i < remark->evidence.count; i++)
        *(struct advice_evidence_row *)model_add(&model->advice_evidence) = (struct advice_evidence_row){
            .advice = id, .instruction = *ARRAY_AT(uint32_t, &remark->evidence, i)};
    for (size_t i = 0; i < remark->remedies.count; i++) {
        const struct added_remedy *remedy = array_at(&remark->remedies, i);
        *(struct remedy_row *)model_add(&model->remedies) =
            (struct remedy_row){.advice = id,
                                .position = (uint32_t)i + 1,
                                .audience = audience_ANY,
                                .action = action_OTHER,
                                .option = remedy->option ? model_string(model, remedy->option) : 0,
                                .text = model_string(model, remedy->text)};
    }
}

static uint32_t add_rule(struct model *model, const struct addition *addition)
{
    struct rule_row *row = model_add(&model->rules);
    *row = (struct rule_row){.name = model_string(model, addition->name),
                             .title = model_string(model, addition->title),
                             .meaning = model_string(model, addition->meaning),
                             .file = model_string(model, addition->file)};
    return model_last(&model->rules);
}

static void add_advice(struct model *model, const struct array *additions)
{
    struct array entries = ARRAY_OF(struct entry);
    for (uint32_t i = 1; i < model->advice.count; i++) {
        const struct advice *row = model_advice(model, i);
        *(struct entry *)array_push(&entries) = (struct entry){row->loop, row->path, row->rule, i, NULL};
    }
    size_t before = entries.count;
    for (size_t i = 0; i < additions->count; i++) {
        const struct addition *addition = array_at(additions, i);
        uint32_t rule = addition->is_rule ? add_rule(model, addition) : 0;
        for (size_t k = 0; k < addition->remarks.count; k++) {
            const struct added_remark *remark = array_at(&addition->remarks, k);
            *(struct entry *)array_push(&entries) =
                (struct entry){remark->loop, remark->path, rule, (uint32_t)k, remark};
        }
    }
    if (entries.count > before) {
        qsort(entries.data, entries.count, entries.width, compare_entries);
        struct earlier earlier = {taken(&model->advice), taken(&model->advice_evidence),
                                  taken(&model->remedies)};
        model->advice.count = model->advice.count ? 1 : 0;
        model->advice_evidence.count = model->remedies.count = 0;
        for (size_t i = 0; i < entries.count; i++) {
            const struct entry *entry = array_at(&entries, i);
            if (entry->remark)
                put_remark(model, entry->remark, entry->rule);
            else
                put_row(model, &earlier, entry->row);
        }
        array_free(&earlier.advice);
        array_free(&earlier.evidence);
        array_free(&earlier.remedies);
        certainty_settle(model);
    }
    array_free(&entries);
}

static int compare_figures(const void *left, const void *right)
{
    const struct added_figure *a = left, *b = right;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    return a->metric < b->metric ? -1 : a->metric > b->metric;
}

static void add_figures(struct model *model, const struct array *additions)
{
    model->added_metrics.count = model->added_metrics.count ? 1 : 0;
    model->added_figures.count = 0;
    for (size_t i = 0; i < additions->count; i++) {
        const struct addition *addition = array_at(additions, i);
        if (addition->is_rule)
            continue;
        struct added_metric *row = model_add(&model->added_metrics);
        *row = (struct added_metric){.name = model_string(model, addition->name),
                                     .title = model_string(model, addition->title),
                                     .meaning = model_string(model, addition->meaning),
                                     .file = model_string(model, addition->file)};
        uint32_t metric = model_last(&model->added_metrics);
        for (size_t k = 0; k < addition->values.count; k++) {
            const struct added_value *value = array_at(&addition->values, k);
            *(struct added_figure *)model_add(&model->added_figures) = (struct added_figure){
                .loop = value->loop, .path = value->path, .metric = metric, .value = value->value};
        }
    }
    if (model->added_figures.count)
        qsort(model->added_figures.data, model->added_figures.count, model->added_figures.width,
              compare_figures);
}

void quality_add(struct model *model, const struct array *additions)
{
    add_figures(model, additions);
    add_advice(model, additions);
}
