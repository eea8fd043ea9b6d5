/* Counters besides time, each with the functions and loops that have most of its events. */
#include "show/report/run/parts.h"

#include "show/report/common/share.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 3 };

static int compare_counted(const void *left, const void *right)
{
    const struct run_counted *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

struct array run_find_counted(const struct run_report *report, uint32_t counter)
{
    const struct model *model = report->model;
    struct array counted = ARRAY_OF(struct run_counted);
    size_t at =
        array_first_not_below(&model->counter_values, 1, offsetof(struct counter_value, counter), counter);
    for (; at < model->counter_values.count; at++) {
        const struct counter_value *row = model_counter_value(model, (uint32_t)at);
        if (row->counter != counter)
            break;
        if (row->count > 0)
            *(struct run_counted *)array_add(&counted) = (struct run_counted){
                .function = row->function, .loop = row->loop, .name = row->name, .count = row->count};
    }
    if (counted.count)
        qsort(counted.data, counted.count, counted.width, compare_counted);
    return counted;
}

char *run_counted_name(const struct run_report *report, const struct run_counted *counted)
{
    const char *name = model_text(report->model, counted->name);
    if (!counted->function && !counted->loop)
        return name ? run_code_name(report, name) : memory_format("unknown code");
    char *function =
        counted->loop ? run_loop_origin(report, counted->loop) : run_name(report, counted->function, 0);
    if (!counted->loop)
        return function;
    autofree char *place = run_loop_place(report, counted->loop);
    char *both = memory_format("%s (%s)", place, function);
    free(function);
    return both;
}

static void say_counter(const struct run_report *report, uint32_t id, struct array *sentences)
{
    const struct run_counter *counter = model_run_counter(report->model, id);
    const char *name = model_text(report->model, counter->name);
    struct array counted = run_find_counted(report, id);
    double sum = 0;
    char *text = NULL, *total = counter->count >= 0 ? phrase_count((uint64_t)counter->count) : NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < counted.count; i++)
        sum += ARRAY_AT(struct run_counted, &counted, i)->count;
    fprintf(out, "%s: %s", name ? name : "?", total ? total : "unknown");
    if (counter->running_share > 0 && counter->running_share < 0.995)
        fprintf(out, ", counted %s %% of the time and scaled up", share_words(counter->running_share).text);
    for (size_t i = 0; i < counted.count && i < MOST_NAMED; i++) {
        const struct run_counted *it = ARRAY_AT(struct run_counted, &counted, i);
        autofree char *place = run_counted_name(report, it);
        fprintf(out, "%s %s %% in %s", i ? "," : ";", share_words(it->count / sum).text, place);
    }
    fclose(out);
    free(total);
    array_free(&counted);
    sentences_say(sentences, text);
}

void run_say_counters(const struct run_report *report, struct array *sentences)
{
    for (uint32_t id = 1; id < report->model->run_counters.count; id++)
        if (model_run_counter(report->model, id)->run == report->view->run)
            say_counter(report, id, sentences);
}
