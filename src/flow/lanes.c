#include "flow/lanes.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct lanes *lanes, size_t count, size_t events)
{
    if (count > lanes->capacity) {
        size_t capacity = count + count / 4;
        free(lanes->marks);
        free(lanes->out);
        free(lanes->state);
        lanes->marks = memory_get(capacity * sizeof *lanes->marks);
        lanes->out = memory_get(capacity * sizeof *lanes->out);
        lanes->state = memory_get(capacity);
        lanes->capacity = capacity;
        lanes->mark = 0;
    }
    if (events > lanes->before_capacity) {
        free(lanes->before);
        lanes->before_capacity = events + events / 4;
        lanes->before = memory_get(lanes->before_capacity * sizeof *lanes->before);
    }
    if (++lanes->mark == UINT32_MAX) {
        memset(lanes->marks, 0, lanes->capacity * sizeof *lanes->marks);
        lanes->mark = 1;
    }
}

/* Whether barriers use the unit. */
static bool is_guarded(const struct lanes *lanes, uint16_t unit)
{
    enum { SCRATCH = ABI_ARGUMENT | ABI_CLOBBERED | ABI_POINTER | ABI_RETURNED | ABI_MAYBE_RETURNED };
    return lanes->is_careful &&
           (flow_graph_is_clobbered(lanes->graph, unit) || lanes->graph->units->abi[unit] & SCRATCH);
}

static void walk_unit(struct lanes *lanes, uint16_t unit)
{
    const struct flow_graph *graph = lanes->graph;
    bool is_clobbered = !lanes->is_careful && flow_graph_is_clobbered(graph, unit);
    bool is_guarded_unit = is_guarded(lanes, unit);
    uint32_t base = (uint32_t)(unit - lanes->from) * graph->block_count;
    for (uint32_t e = graph->event_first[unit], end = graph->event_end[unit]; e < end;) {
        uint32_t block = graph->events[e].block, lane = base + block;
        uint32_t value = value_make(VALUE_START, lane), at = graph->start[block], call;
        uint8_t state = 0;
        for (; e < end && graph->events[e].block == block; e++) {
            const struct event *event = &graph->events[e];
            if (is_clobbered &&
                (call = flow_graph_call_between(graph, block, at, event->instruction)) != NONE) {
                value = value_make(VALUE_DEFINITION, call);
                state |= LANE_KILLED;
            }
            if (is_guarded_unit && !(state & LANE_KILLED) &&
                flow_graph_has_barrier(graph, at, event->instruction + 1))
                state |= LANE_EXPOSED;
            at = event->instruction;
            lanes->before[e] = value;
            if (lanes->removed && lanes->removed[event->instruction])
                continue;
            if (event->what & USE_READS && !(state & LANE_KILLED))
                state |= LANE_EXPOSED;
            if ((event->what & (USE_WRITES | USE_KEEPS)) == USE_WRITES) {
                value = value_make(VALUE_DEFINITION, event->instruction);
                state |= LANE_KILLED;
            } else if (event->what & USE_WRITES) {
                value = value_make(VALUE_KEPT, e);
            }
        }
        if (is_clobbered &&
            (call = flow_graph_call_between(graph, block, at, graph->start[block + 1])) != NONE) {
            value = value_make(VALUE_DEFINITION, call);
            state |= LANE_KILLED;
        }
        if (is_guarded_unit && !(state & LANE_KILLED) &&
            flow_graph_has_barrier(graph, at, graph->start[block + 1]))
            state |= LANE_EXPOSED;
        lanes->marks[lane] = lanes->mark;
        lanes->out[lane] = value;
        lanes->state[lane] = state;
    }
}

bool lanes_walk(struct lanes *lanes, const struct flow_graph *graph, uint16_t from, uint16_t to)
{
    size_t count = (size_t)(to - from) * graph->block_count;
    if (count > MOST_LANES)
        return false;
    lanes->graph = graph;
    lanes->from = from;
    lanes->to = to;
    make_room(lanes, count, graph->event_first[graph->units->count]);
    for (uint16_t unit = from; unit < to; unit++)
        walk_unit(lanes, unit);
    return true;
}

void lanes_free(struct lanes *lanes)
{
    free(lanes->marks);
    free(lanes->out);
    free(lanes->state);
    free(lanes->before);
    array_free(&lanes->live);
}

static uint16_t unit_of(const struct lanes *lanes, uint32_t lane)
{
    return (uint16_t)(lanes->from + (lanes->to - lanes->from > 1 ? lane / lanes->graph->block_count : 0));
}

static uint32_t block_of(const struct lanes *lanes, uint32_t lane)
{
    return lanes->to - lanes->from > 1 ? lane % lanes->graph->block_count : lane;
}

/* The last call of a block without events that defines the unit, or NONE. */
static uint32_t clobbering_call(const struct lanes *lanes, uint32_t lane)
{
    uint32_t call = lanes->graph->last_call[block_of(lanes, lane)];
    return call != NONE && !lanes->is_careful && flow_graph_is_clobbered(lanes->graph, unit_of(lanes, lane))
               ? call
               : (uint32_t)NONE;
}

uint32_t lanes_out(const struct lanes *lanes, uint32_t lane)
{
    if (lanes->marks[lane] == lanes->mark)
        return lanes->out[lane];
    uint32_t call = clobbering_call(lanes, lane);
    return call != NONE ? value_make(VALUE_DEFINITION, call) : value_make(VALUE_START, lane);
}

uint32_t lanes_before(const struct lanes *lanes, uint32_t lane, uint32_t predecessor)
{
    uint32_t blocks = lanes->graph->block_count, units = (uint32_t)(lanes->to - lanes->from);
    if (units == 1)
        return predecessor;
    uint32_t place = lane / blocks;
    if (lanes->graph->block_flags[predecessor] & BLOCK_ROTATES) {
        if (!place && lanes->from != lanes->graph->units->predicates)
            return NONE;
        place = place ? place - 1 : units - 1;
    }
    return place * blocks + predecessor;
}

static void make_live(struct lanes *lanes, uint32_t lane)
{
    lanes->state[lane] |= LANE_LIVE;
    *(uint32_t *)array_push(&lanes->live) = lane;
}

/* The unit is live at the end of the block. */
static void want(struct lanes *lanes, uint32_t lane)
{
    if (lanes->marks[lane] != lanes->mark) {
        lanes->out[lane] = lanes_out(lanes, lane);
        lanes->state[lane] = value_kind(lanes->out[lane]) == VALUE_DEFINITION ? LANE_KILLED : 0;
        lanes->marks[lane] = lanes->mark;
    }
    if (!(lanes->state[lane] & (LANE_KILLED | LANE_LIVE)))
        make_live(lanes, lane);
}

/* A lane without events that a barrier uses. */
static void expose(struct lanes *lanes, uint32_t lane)
{
    lanes->marks[lane] = lanes->mark;
    lanes->out[lane] = value_make(VALUE_START, lane);
    lanes->state[lane] = 0;
    make_live(lanes, lane);
}

void lanes_find_live(struct lanes *lanes)
{
    const struct flow_graph *graph = lanes->graph;
    lanes->live.width = sizeof(uint32_t);
    lanes->live.count = 0;
    for (uint16_t unit = lanes->from; unit < lanes->to; unit++) {
        uint32_t base = (uint32_t)(unit - lanes->from) * graph->block_count, last = NONE;
        for (uint32_t e = graph->event_first[unit]; e < graph->event_end[unit]; e++) {
            uint32_t block = graph->events[e].block;
            if (block != last && lanes->state[base + block] & LANE_EXPOSED)
                make_live(lanes, base + block);
            last = block;
        }
        if (graph->event_first[unit] == graph->event_end[unit])
            continue;
        for (uint32_t i = 0; is_guarded(lanes, unit) && i < graph->barrier_count; i++)
            if (lanes->marks[base + flow_graph_block_of(graph, graph->barriers[i])] != lanes->mark)
                expose(lanes, base + flow_graph_block_of(graph, graph->barriers[i]));
        for (uint32_t i = 0; i < graph->open_count; i++)
            want(lanes, base + graph->open_blocks[i]);
    }
    for (size_t next = 0; next < lanes->live.count; next++) {
        uint32_t lane = *ARRAY_AT(uint32_t, &lanes->live, next), block = block_of(lanes, lane), before;
        for (uint32_t p = graph->predecessor_first[block]; p < graph->predecessor_first[block + 1]; p++)
            if ((before = lanes_before(lanes, lane, graph->predecessors[p])) != NONE)
                want(lanes, before);
    }
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Orders the list of live lanes: sorts a short list, and collects a long one again by scanning all lanes. */
static void sort_live(struct lanes *lanes)
{
    size_t count = (size_t)(lanes->to - lanes->from) * lanes->graph->block_count, found = 0;
    uint32_t *live = lanes->live.data;
    if (lanes->live.count < count / 16) {
        qsort(live, lanes->live.count, sizeof *live, by_number);
        return;
    }
    for (uint32_t lane = 0; lane < count; lane++)
        if (lanes_is_live(lanes, lane))
            live[found++] = lane;
}

void lanes_add_ranges(struct lanes *lanes, struct array *ranges)
{
    const struct flow_graph *graph = lanes->graph;
    if (!lanes->live.count)
        return;
    sort_live(lanes);
    const uint32_t *live = lanes->live.data;
    for (size_t i = 0; i < lanes->live.count;) {
        uint32_t block = block_of(lanes, live[i]);
        size_t end = i + 1;
        while (end < lanes->live.count && live[end] == live[end - 1] + 1 && block_of(lanes, live[end]))
            end++;
        struct live_range *range = array_push(ranges);
        *range = (struct live_range){.function = graph->function,
                                     .register_ = graph->units->registers[unit_of(lanes, live[i])],
                                     .first_block = graph->first_block + block,
                                     .last_block = graph->first_block + block_of(lanes, live[end - 1])};
        i = end;
    }
}
