/* Individual events (--keep-all) become rows of probe_events, thread by thread, in their order. */
#include "run/probe/recording/rows.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_EVENTS = 1 << 25, /* rows: about 2 GB */
    PIECE_EVENTS = 1 << 14,
};

static const uint8_t occurrences[] = {
    [PROBE_ENTER] = probe_occurrence_ENTER, [PROBE_LEAVE] = probe_occurrence_LEAVE,
    [PROBE_START] = probe_occurrence_START, [PROBE_STOP] = probe_occurrence_STOP,
    [PROBE_SEEN] = probe_occurrence_SEEN,   [PROBE_TOUCH] = probe_occurrence_TOUCH,
};

static double since_start(const struct recorded_rows *rows, uint64_t ticks)
{
    return (double)(int64_t)(ticks - rows->recorded->header.start_ticks) * 64 * rows->ns;
}

/* false: it makes no sense. */
static bool add_event(struct recorded_rows *rows, const struct probe_event *event, uint32_t thread,
                      uint32_t position)
{
    uint32_t kind = event->identity & 15, number = (event->identity >> 4) - 1;
    if (kind < PROBE_ENTER || kind > PROBE_TOUCH || number >= rows->plan->subjects.count)
        return false;
    const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &rows->plan->subjects, number);
    bool is_clock = kind == PROBE_ENTER || kind == PROBE_LEAVE;
    bool is_whole = subject->kind == PROBE_OF_FUNCTION || subject->kind == PROBE_OF_LOOP;
    *(struct probe_event_row *)model_add(&rows->model->probe_events) =
        (struct probe_event_row){.run = rows->run,
                                 .thread = thread,
                                 .position = position,
                                 .kind = occurrences[kind],
                                 .function = subject->function,
                                 .loop = subject->loop,
                                 .instruction = is_whole ? 0 : subject->instruction,
                                 .value = rows->value_rows[number],
                                 .ns = is_clock ? since_start(rows, event->value) : NAN,
                                 .number = is_clock ? 0 : (int64_t)event->value};
    return true;
}

/* Adds the events of a stretch; the position after the last.  Buffers have gaps (identity 0) where events
   were summarised. */
static uint32_t add_stretch(struct recorded_rows *rows, const struct recorded_events *stretch,
                            uint32_t position, struct probe_event *piece)
{
    for (uint64_t at = stretch->offset; at < stretch->end && stretch->end - at >= sizeof *piece;) {
        uint64_t count = (stretch->end - at) / sizeof *piece;
        count = count < PIECE_EVENTS ? count : PIECE_EVENTS;
        if (!recorded_bytes(rows->recorded, at, piece, count * sizeof *piece))
            break;
        for (uint64_t i = 0; i < count; i++) {
            if (!piece[i].identity)
                continue;
            if (rows->model->probe_events.count >= MOST_EVENTS)
                rows->beyond++;
            else
                position += add_event(rows, &piece[i], stretch->thread, position);
        }
        at += count * sizeof *piece;
    }
    return position;
}

void recorded_add_events(struct recorded_rows *rows)
{
    const struct recorded *recorded = rows->recorded;
    uint32_t thread = 0, position = 1;
    if (!(recorded->header.flags & PROBE_KEEP_ALL))
        return;
    struct probe_event *piece = memory_get(PIECE_EVENTS * sizeof *piece);
    for (size_t i = 0; i < recorded->events.count; i++) {
        const struct recorded_events *stretch = ARRAY_AT(struct recorded_events, &recorded->events, i);
        position = stretch->thread == thread ? position : 1;
        thread = stretch->thread;
        position = add_stretch(rows, stretch, position, piece);
    }
    free(piece);
}
