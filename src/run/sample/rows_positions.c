/* Time by function, source line and inlining.

   A frame has one position.  What a stack took is the time of the position of its leaf, and counts in the total
   of the position that each function on the stack waits at.  A function that is there several times counts
   where its innermost call is: so the totals of its lines add up to the total of the function. */
#include "run/sample/rows_parts.h"

#include <stdlib.h>

static int by_position(const void *left, const void *right)
{
    const struct run_position *a = left, *b = right;
    const uint32_t keys[][2] = {{a->function, b->function},
                                {a->source, b->source},
                                {a->line, b->line},
                                {a->inlined_call, b->inlined_call}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* A row for each frame of the recording, whether or not it has a function. */
static struct run_position *lines_of_frames(const struct sample_rows *rows)
{
    size_t count = rows->recording->frames.count;
    struct run_position *lines = memory_get((count + 1) * sizeof *lines);
    for (size_t i = 0; i < count; i++) {
        const struct row_frame *frame = &rows->frames[i];
        lines[i] =
            (struct run_position){.run = rows->run,
                                  .function = ARRAY_AT(struct row_code, &rows->codes, frame->code)->function,
                                  .source = frame->source,
                                  .line = frame->line,
                                  .inlined_call = frame->inlined_call};
    }
    return lines;
}

static void add_times(const struct sample_rows *rows, struct run_position *lines)
{
    size_t node_count = rows->recording->nodes.count;
    autofree uint32_t *seen = memory_get((rows->codes.count + 1) * sizeof *seen); /* by code: the last leaf */
    for (uint32_t leaf = 1; leaf < node_count; leaf++) {
        const struct row_node *node = &rows->nodes[leaf];
        if (!node->samples)
            continue;
        struct run_position *own = &lines[recorded_node(rows, leaf)->frame];
        own->samples += node->samples;
        own->self_seconds += node->self;
        for (uint32_t at = leaf, next; at; at = next < at ? next : 0) {
            uint32_t code = row_frame_of(rows, at)->code;
            next = recorded_node(rows, at)->caller;
            if (seen[code] != leaf)
                lines[recorded_node(rows, at)->frame].total_seconds += node->self;
            seen[code] = leaf;
        }
    }
}

void row_positions_add(struct sample_rows *rows)
{
    struct array *table = &rows->model->run_positions;
    struct run_position *lines = lines_of_frames(rows);
    size_t count = rows->recording->frames.count;
    add_times(rows, lines);
    qsort(lines, count, sizeof *lines, by_position);
    for (size_t i = 0; i < count; i++) {
        const struct run_position *line = &lines[i];
        struct run_position *last =
            table->count ? model_run_position(rows->model, (uint32_t)table->count - 1) : NULL;
        if (!line->function || !(line->total_seconds > 0))
            continue;
        if (!last || by_position(last, line)) {
            struct run_position *row = model_add(table);
            *row = *line;
            row->position = (uint32_t)table->count;
            continue;
        }
        last->samples += line->samples;
        last->self_seconds += line->self_seconds;
        last->total_seconds += line->total_seconds;
    }
    free(lines);
}
