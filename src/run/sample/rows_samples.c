/* Samples by instruction and thread, and counters by function and loop: both are the leaves of stacks, added
   up. */
#include "run/sample/rows_parts.h"

#include "base/number_map.h"

#include <stdlib.h>

static int by_place(const void *left, const void *right)
{
    const struct sample_row *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static struct sample_row row_of(const struct sample_rows *rows, const struct sample_count *count)
{
    const struct sample_frame *frame = recorded_frame(rows, count->node);
    const struct row_frame *place = row_frame_of(rows, count->node);
    const struct row_code *code = ARRAY_AT(struct row_code, &rows->codes, place->code);
    return (struct sample_row){.thread = rows->thread_rows[count->thread],
                               .file = rows->file_rows[frame->file],
                               .address = frame->address,
                               .instruction = place->instruction,
                               .function = code->function,
                               .loop = place->loop,
                               .source = place->source,
                               .line = place->line,
                               .inlined_call = place->inlined_call,
                               .name = code->name,
                               .count = count->samples,
                               .seconds = count->amount};
}

void row_samples_add(struct sample_rows *rows)
{
    struct array *table = &rows->model->samples;
    const struct array *counts = &rows->recording->counts;
    for (size_t i = 0; i < counts->count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, counts, i);
        if (!count->event)
            *(struct sample_row *)model_add(table) = row_of(rows, count);
    }
    if (!table->count)
        return;
    qsort(table->data, table->count, table->width, by_place);
    size_t kept = 0;
    for (size_t i = 1; i < table->count; i++) {
        struct sample_row *last = ARRAY_AT(struct sample_row, table, kept),
                          *next = ARRAY_AT(struct sample_row, table, i);
        if (by_place(last, next)) {
            *ARRAY_AT(struct sample_row, table, ++kept) = *next;
        } else {
            last->count += next->count;
            last->seconds += next->seconds;
        }
    }
    table->count = kept + 1;
}

static int by_count(const void *left, const void *right)
{
    const struct counter_value *a = left, *b = right;
    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* A loop belongs to one function: its number and that of the code make a key. */
static void add_values(struct sample_rows *rows, uint16_t event, uint32_t counter)
{
    struct array *table = &rows->model->counter_values;
    const struct array *counts = &rows->recording->counts;
    struct number_map known = {0};
    size_t before = 0;
    for (size_t i = 0; i < counts->count; i++) {
        const struct sample_count *count = ARRAY_AT(struct sample_count, counts, i);
        if (count->event != event)
            continue;
        const struct row_frame *place = row_frame_of(rows, count->node);
        const struct row_code *code = ARRAY_AT(struct row_code, &rows->codes, place->code);
        uint32_t *row = number_map_at(&known, (uint64_t)place->code << 32 | place->loop);
        if (!*row) {
            *(struct counter_value *)model_add(table) = (struct counter_value){
                .counter = counter, .function = code->function, .loop = place->loop, .name = code->name};
            *row = model_last(table);
            before = before ? before : *row;
        }
        struct counter_value *value = model_counter_value(rows->model, *row);
        value->count += count->amount;
        value->samples += count->samples;
    }
    number_map_free(&known);
    if (before)
        qsort(array_at(table, before), table->count - before, table->width, by_count);
}

void row_counters_add(struct sample_rows *rows)
{
    const struct array *events = &rows->recording->events;
    for (size_t i = 1; i < events->count; i++) {
        const struct sample_event *event = ARRAY_AT(struct sample_event, events, i);
        string_id name = model_string(rows->model, event->name);
        *(struct run_counter *)model_add(&rows->model->run_counters) =
            (struct run_counter){.run = rows->run,
                                 .name = name,
                                 .count = event->total,
                                 .running_share = event->running,
                                 .samples = event->samples,
                                 .is_exact = event->is_exact};
        add_values(rows, (uint16_t)i, model_last(&rows->model->run_counters));
    }
}
