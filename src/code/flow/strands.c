#include "code/flow/strands.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct strands *strands, size_t count, size_t events)
{
    if (count > strands->capacity) {
        size_t capacity = count + count / 4;
        free(strands->marks);
        free(strands->out);
        free(strands->state);
        strands->marks = memory_get(capacity * sizeof *strands->marks);
        strands->out = memory_get(capacity * sizeof *strands->out);
        strands->state = memory_get(capacity);
        strands->capacity = capacity;
        strands->mark = 0;
    }
    if (events > strands->before_capacity) {
        free(strands->before);
        strands->before_capacity = events + events / 4;
        strands->before = memory_get(strands->before_capacity * sizeof *strands->before);
    }
    if (++strands->mark == UINT32_MAX) {
        memset(strands->marks, 0, strands->capacity * sizeof *strands->marks);
        strands->mark = 1;
    }
}

/* Whether barriers use the unit. */
static bool is_guarded(const struct strands *strands, uint16_t unit)
{
    enum { SCRATCH = ABI_ARGUMENT | ABI_CLOBBERED | ABI_POINTER | ABI_RETURNED | ABI_MAYBE_RETURNED };
    return strands->is_careful &&
           (flow_graph_is_clobbered(strands->graph, unit) || strands->graph->units->abi[unit] & SCRATCH);
}

static void walk_unit(struct strands *strands, uint16_t unit)
{
    const struct flow_graph *graph = strands->graph;
    bool is_clobbered = !strands->is_careful && flow_graph_is_clobbered(graph, unit);
    bool is_guarded_unit = is_guarded(strands, unit);
    uint32_t base = (uint32_t)(unit - strands->from) * graph->block_count;
    for (uint32_t e = graph->event_first[unit], end = graph->event_end[unit]; e < end;) {
        uint32_t block = graph->events[e].block, strand = base + block;
        uint32_t value = value_make(VALUE_START, strand), at = graph->start[block], call;
        uint8_t state = 0;
        for (; e < end && graph->events[e].block == block; e++) {
            const struct event *event = &graph->events[e];
            if (is_clobbered &&
                (call = flow_graph_call_between(graph, block, at, event->instruction)) != NONE) {
                value = value_make(VALUE_DEFINITION, call);
                state |= STRAND_KILLED;
            }
            if (is_guarded_unit && !(state & STRAND_KILLED) &&
                flow_graph_has_barrier(graph, at, event->instruction + 1))
                state |= STRAND_EXPOSED;
            at = event->instruction;
            strands->before[e] = value;
            if (strands->removed && strands->removed[event->instruction])
                continue;
            if (event->what & USE_READS && !(state & STRAND_KILLED))
                state |= STRAND_EXPOSED;
            if ((event->what & (USE_WRITES | USE_KEEPS)) == USE_WRITES) {
                value = value_make(VALUE_DEFINITION, event->instruction);
                state |= STRAND_KILLED;
            } else if (event->what & USE_WRITES) {
                value = value_make(VALUE_KEPT, e);
            }
        }
        if (is_clobbered &&
            (call = flow_graph_call_between(graph, block, at, graph->start[block + 1])) != NONE) {
            value = value_make(VALUE_DEFINITION, call);
            state |= STRAND_KILLED;
        }
        if (is_guarded_unit && !(state & STRAND_KILLED) &&
            flow_graph_has_barrier(graph, at, graph->start[block + 1]))
            state |= STRAND_EXPOSED;
        strands->marks[strand] = strands->mark;
        strands->out[strand] = value;
        strands->state[strand] = state;
    }
}

bool strands_walk(struct strands *strands, const struct flow_graph *graph, uint16_t from, uint16_t to)
{
    size_t count = (size_t)(to - from) * graph->block_count;
    if (count > MOST_STRANDS)
        return false;
    strands->graph = graph;
    strands->from = from;
    strands->to = to;
    make_room(strands, count, graph->event_first[graph->units->count]);
    for (uint16_t unit = from; unit < to; unit++)
        walk_unit(strands, unit);
    return true;
}

void strands_free(struct strands *strands)
{
    free(strands->marks);
    free(strands->out);
    free(strands->state);
    free(strands->before);
    array_free(&strands->live);
}

static uint16_t unit_of(const struct strands *strands, uint32_t strand)
{
    return (uint16_t)(strands->from +
                      (strands->to - strands->from > 1 ? strand / strands->graph->block_count : 0));
}

static uint32_t block_of(const struct strands *strands, uint32_t strand)
{
    return strands->to - strands->from > 1 ? strand % strands->graph->block_count : strand;
}

/* The last call of a block without events that defines the unit, or NONE. */
static uint32_t clobbering_call(const struct strands *strands, uint32_t strand)
{
    uint32_t call = strands->graph->last_call[block_of(strands, strand)];
    return call != NONE && !strands->is_careful &&
                   flow_graph_is_clobbered(strands->graph, unit_of(strands, strand))
               ? call
               : (uint32_t)NONE;
}

uint32_t strands_out(const struct strands *strands, uint32_t strand)
{
    if (strands->marks[strand] == strands->mark)
        return strands->out[strand];
    uint32_t call = clobbering_call(strands, strand);
    return call != NONE ? value_make(VALUE_DEFINITION, call) : value_make(VALUE_START, strand);
}

uint32_t strands_before(const struct strands *strands, uint32_t strand, uint32_t predecessor)
{
    uint32_t blocks = strands->graph->block_count, units = (uint32_t)(strands->to - strands->from);
    if (units == 1)
        return predecessor;
    uint32_t place = strand / blocks;
    if (strands->graph->block_flags[predecessor] & BLOCK_ROTATES) {
        if (!place && strands->from != strands->graph->units->predicates)
            return NONE;
        place = place ? place - 1 : units - 1;
    }
    return place * blocks + predecessor;
}

static void make_live(struct strands *strands, uint32_t strand)
{
    strands->state[strand] |= STRAND_LIVE;
    *(uint32_t *)array_push(&strands->live) = strand;
}

/* The unit is live at the end of the block. */
static void want(struct strands *strands, uint32_t strand)
{
    if (strands->marks[strand] != strands->mark) {
        strands->out[strand] = strands_out(strands, strand);
        strands->state[strand] = value_kind(strands->out[strand]) == VALUE_DEFINITION ? STRAND_KILLED : 0;
        strands->marks[strand] = strands->mark;
    }
    if (!(strands->state[strand] & (STRAND_KILLED | STRAND_LIVE)))
        make_live(strands, strand);
}

/* A strand without events that a barrier uses. */
static void expose(struct strands *strands, uint32_t strand)
{
    strands->marks[strand] = strands->mark;
    strands->out[strand] = value_make(VALUE_START, strand);
    strands->state[strand] = 0;
    make_live(strands, strand);
}

void strands_find_live(struct strands *strands)
{
    const struct flow_graph *graph = strands->graph;
    strands->live.width = sizeof(uint32_t);
    strands->live.count = 0;
    for (uint16_t unit = strands->from; unit < strands->to; unit++) {
        uint32_t base = (uint32_t)(unit - strands->from) * graph->block_count, last = NONE;
        for (uint32_t e = graph->event_first[unit]; e < graph->event_end[unit]; e++) {
            uint32_t block = graph->events[e].block;
            if (block != last && strands->state[base + block] & STRAND_EXPOSED)
                make_live(strands, base + block);
            last = block;
        }
        if (graph->event_first[unit] == graph->event_end[unit])
            continue;
        for (uint32_t i = 0; is_guarded(strands, unit) && i < graph->barrier_count; i++)
            if (strands->marks[base + flow_graph_block_of(graph, graph->barriers[i])] != strands->mark)
                expose(strands, base + flow_graph_block_of(graph, graph->barriers[i]));
        for (uint32_t i = 0; i < graph->open_count; i++)
            want(strands, base + graph->open_blocks[i]);
    }
    for (size_t next = 0; next < strands->live.count; next++) {
        uint32_t strand = *ARRAY_AT(uint32_t, &strands->live, next), block = block_of(strands, strand),
                 before;
        for (uint32_t p = graph->predecessor_first[block]; p < graph->predecessor_first[block + 1]; p++)
            if ((before = strands_before(strands, strand, graph->predecessors[p])) != NONE)
                want(strands, before);
    }
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Orders the list of live strands: sorts a short list, and collects a long one again by scanning all strands. */
static void sort_live(struct strands *strands)
{
    size_t count = (size_t)(strands->to - strands->from) * strands->graph->block_count, found = 0;
    uint32_t *live = strands->live.data;
    if (strands->live.count < count / 16) {
        qsort(live, strands->live.count, sizeof *live, by_number);
        return;
    }
    for (uint32_t strand = 0; strand < count; strand++)
        if (strands_is_live(strands, strand))
            live[found++] = strand;
}

void strands_add_ranges(struct strands *strands, struct array *ranges)
{
    const struct flow_graph *graph = strands->graph;
    if (!strands->live.count)
        return;
    sort_live(strands);
    const uint32_t *live = strands->live.data;
    for (size_t i = 0; i < strands->live.count;) {
        uint32_t block = block_of(strands, live[i]);
        size_t end = i + 1;
        while (end < strands->live.count && live[end] == live[end - 1] + 1 && block_of(strands, live[end]))
            end++;
        struct live_range *range = array_push(ranges);
        *range = (struct live_range){.function = graph->function,
                                     .register_ = graph->units->registers[unit_of(strands, live[i])],
                                     .first_block = graph->first_block + block,
                                     .last_block = graph->first_block + block_of(strands, live[end - 1])};
        i = end;
    }
}
