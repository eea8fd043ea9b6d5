/* The hot line of each function: the one with most of its samples outside its loops, which have places of
   their own.  The declaration, which debug information gives for a function, may be hundreds of lines away. */
#include "run/sample/library.h"
#include "run/sample/rows_parts.h"

#include <stdlib.h>

struct line_samples {
    uint32_t function, source, line;
    uint64_t count;
};

static int by_line(const void *left, const void *right)
{
    const struct line_samples *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Lines with samples, each once, by function. */
static struct array lines_of(const struct model *model)
{
    struct array lines = ARRAY_OF(struct line_samples);
    for (uint32_t i = 0; i < model->samples.count; i++) {
        const struct sample_row *sample = model_sample_row(model, i);
        if (!sample->function || sample->loop || !sample->line)
            continue;
        struct line_samples *line = array_push(&lines);
        *line = (struct line_samples){sample->function, sample->source, sample->line, sample->count};
        library_line_around(model, sample->inlined_call, &line->source, &line->line);
    }
    if (!lines.count)
        return lines;
    qsort(lines.data, lines.count, lines.width, by_line);
    size_t kept = 0;
    for (size_t i = 1; i < lines.count; i++) {
        struct line_samples *last = ARRAY_AT(struct line_samples, &lines, kept),
                            *next = ARRAY_AT(struct line_samples, &lines, i);
        if (by_line(last, next))
            *ARRAY_AT(struct line_samples, &lines, ++kept) = *next;
        else
            last->count += next->count;
    }
    lines.count = kept + 1;
    return lines;
}

void row_lines_find(struct model *model)
{
    struct array lines = lines_of(model);
    autofree uint32_t *hottest = memory_get((model->functions.count + 1) * sizeof *hottest); /* place + 1 */
    for (size_t i = 0; i < lines.count; i++) {
        const struct line_samples *line = ARRAY_AT(struct line_samples, &lines, i);
        uint32_t *best = &hottest[line->function];
        if (!*best || line->count > ARRAY_AT(struct line_samples, &lines, *best - 1)->count)
            *best = (uint32_t)i + 1;
    }
    for (uint32_t id = 1; id < model->run_functions.count; id++) {
        struct run_function *row = model_run_function(model, id);
        uint32_t best = row->function ? hottest[row->function] : 0;
        if (!best)
            continue;
        row->hot_source = ARRAY_AT(struct line_samples, &lines, best - 1)->source;
        row->hot_line = ARRAY_AT(struct line_samples, &lines, best - 1)->line;
    }
    array_free(&lines);
}
