/* Builds the view of one function that the data-flow passes walk: blocks with edges in both directions, and
   the events of each unit.

   The idea.  Reaching definitions and liveness look at one register at a time, so events are grouped by unit
   and not by instruction: a pass reads a contiguous list, and registers that a function does not use cost
   nothing.  Two passes over the code build the lists.  The first counts an upper bound of the events of each
   unit and finds the calls; prefix sums of the counts give each unit its range; the second writes the events.

   Events come from two sources: what the encodings read and write (meaning.h), and what the calling
   convention adds at calls, returns, tail calls, system calls and rotating branches (struct additions, made
   once for each function from abi.def).  A call that always happens only reads its arguments here; the
   registers that it clobbers are found through flow_graph_call_between, a binary search in the sorted list of
   calls.

   Invariants.
   - Numbers of blocks and instructions are local to the function; both are in order of address.
   - Events of unit u are events[event_first[u]] … events[event_end[u] - 1], by instruction, each once.
   - Edges to other functions (tail calls) are not edges here: they set BLOCK_TAIL_CALLS.  A block without
     predecessors is an entry, so that no code is left out; a block that ends in an unresolved indirect
     jump is open, and everything is live at its end.
   - The arrays are reused from function to function and belong to the graph.

   Limits.  Functions with more than MOST_INSTRUCTIONS instructions or MOST_EVENTS events are refused.  The
   arguments of a call are all argument registers of the ABI, whatever the callee takes; on IA-64 they are the
   output registers of alloc, or all stacked registers if the function has no alloc.  Memory is not tracked
   here (frame.c does that for the stack). */
#include "code/flow/graph.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 4 << 20, MOST_EVENTS = 1 << 29 };

/* Memory for count numbers of this width, valid until the next function. */
static void *room(struct flow_graph *graph, unsigned which, size_t count, size_t width)
{
    struct array *array = &graph->memory[which];
    array->width = 1;
    array->count = 0;
    array_reserve(array, count * width + 1);
    return array->data;
}

enum {
    AT_START,
    AT_PREDECESSORS,
    AT_PREDECESSOR_FIRST,
    AT_SUCCESSORS,
    AT_SUCCESSOR_FIRST,
    AT_FLAGS,
    AT_CALLS,
    AT_LAST_CALL,
    AT_EVENTS,
    AT_EVENT_FIRST,
    AT_EVENT_END,
    AT_WRITTEN,
    AT_UNITS,
    AT_OPEN,
    AT_BARRIERS
};

static bool is_inside(const struct flow_graph *graph, const struct edge *edge)
{
    return edge->kind != edge_kind_TAIL_CALL && edge->target - graph->first_block < graph->block_count;
}

static void make_edges(struct flow_graph *graph)
{
    const struct model *model = graph->model;
    size_t first = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), graph->first_block),
           end = first;
    uint32_t count = graph->block_count;
    uint32_t *into = graph->predecessor_first = room(graph, AT_PREDECESSOR_FIRST, count + 2, sizeof *into);
    uint32_t *out = graph->successor_first = room(graph, AT_SUCCESSOR_FIRST, count + 2, sizeof *out);
    memset(into, 0, (count + 2) * sizeof *into);
    memset(out, 0, (count + 2) * sizeof *out);
    for (; end < model->edges.count; end++) {
        const struct edge *edge = model_edge(model, (uint32_t)end);
        if (edge->source - graph->first_block >= count)
            break;
        uint32_t source = edge->source - graph->first_block;
        if (is_inside(graph, edge)) {
            into[edge->target - graph->first_block + 2]++;
            out[source + 1]++;
        } else {
            graph->block_flags[source] |= BLOCK_TAIL_CALLS;
        }
    }
    for (uint32_t b = 0; b < count; b++) {
        into[b + 2] += into[b + 1];
        out[b + 1] += out[b];
    }
    graph->predecessors = room(graph, AT_PREDECESSORS, end - first, sizeof(uint32_t));
    graph->successors = room(graph, AT_SUCCESSORS, end - first, sizeof(uint32_t));
    uint32_t placed = 0;
    for (size_t i = first; i < end; i++) {
        const struct edge *edge = model_edge(model, (uint32_t)i);
        if (!is_inside(graph, edge))
            continue;
        graph->successors[placed++] = edge->target - graph->first_block;
        graph->predecessors[into[edge->target - graph->first_block + 1]++] =
            edge->source - graph->first_block;
    }
    for (uint32_t b = 0; b < count; b++)
        if (b == 0 || into[b] == into[b + 1])
            graph->block_flags[b] |= BLOCK_IS_ENTRY;
}

/* A function that was not decoded has no block for an edge to lead to, but tail calls of it are calls. */
static void mark_tail_calls(struct flow_graph *graph)
{
    const struct model *model = graph->model;
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), graph->function);
    for (; at < model->calls.count && model_call(model, (uint32_t)at)->caller == graph->function; at++) {
        const struct call *call = model_call(model, (uint32_t)at);
        uint32_t block = model_instruction(model, call->instruction)->block - graph->first_block;
        if (call->kind == call_kind_TAIL && block < graph->block_count)
            graph->block_flags[block] |= BLOCK_TAIL_CALLS;
    }
}

static void make_blocks(struct flow_graph *graph)
{
    const struct model *model = graph->model;
    uint32_t count = graph->block_count;
    graph->start = room(graph, AT_START, count + 1, sizeof *graph->start);
    graph->block_flags = room(graph, AT_FLAGS, count, 1);
    graph->last_call = room(graph, AT_LAST_CALL, count, sizeof *graph->last_call);
    graph->open_blocks = room(graph, AT_OPEN, count, sizeof *graph->open_blocks);
    graph->open_count = 0;
    memset(graph->block_flags, 0, count);
    for (uint32_t b = 0; b < count; b++) {
        const struct block *block = model_block(model, graph->first_block + b);
        graph->start[b] = block->first_instruction - graph->first_instruction;
        graph->last_call[b] = NONE;
        if (block->ends == block_end_INDIRECT) {
            graph->block_flags[b] |= BLOCK_IS_OPEN;
            graph->open_blocks[graph->open_count++] = b;
        } else if (block->ends == block_end_TAIL_CALL)
            graph->block_flags[b] |= BLOCK_TAIL_CALLS;
    }
    graph->start[count] = graph->instruction_count;
}

/* The constants of an alloc: inputs (in the form with four), locals, outputs and rotating registers. */
static void read_alloc(struct flow_graph *graph, uint32_t encoding, bool *is_first)
{
    const struct model *model = graph->model;
    uint16_t stacked = graph->units->stacked;
    int64_t numbers[4] = {0};
    unsigned count = 0;
    size_t low = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), encoding);
    for (; low < model->operands.count && model_operand(model, (uint32_t)low)->encoding == encoding; low++) {
        const struct operand *operand = model_operand(model, (uint32_t)low);
        if (operand->kind != operand_kind_IMMEDIATE)
            continue;
        if (count == 4 || operand->value < 0 || operand->value > 96)
            return;
        numbers[count++] = operand->value;
    }
    if (count < 3 || stacked == NO_UNIT)
        return;
    int64_t from = count == 4 ? numbers[0] + numbers[1] : numbers[0], outputs = numbers[count - 2];
    int64_t to = from + outputs < 96 ? from + outputs : 96, turning = numbers[count - 1];
    from = from < 96 ? from : 96;
    if (*is_first || stacked + from < graph->out_from)
        graph->out_from = (uint16_t)(stacked + from);
    if (*is_first || stacked + to > graph->out_to)
        graph->out_to = (uint16_t)(stacked + to);
    graph->turn_from = stacked;
    if (*is_first || stacked + turning > graph->turn_to)
        graph->turn_to = (uint16_t)(stacked + (turning < 96 ? turning : 96));
    *is_first = false;
}

/* The first pass over the instructions: counts the events of each unit and finds the calls. */
static void count_explicit(struct flow_graph *graph, uint32_t *counts)
{
    struct array *calls = &graph->memory[AT_CALLS];
    calls->width = sizeof(uint32_t);
    calls->count = 0;
    bool is_first_alloc = true;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        for (uint32_t i = graph->start[b]; i < graph->start[b + 1]; i++) {
            uint32_t encoding = flow_graph_encoding(graph, i);
            const struct encoding_meaning *meaning = &graph->meanings->encodings[encoding];
            unsigned count;
            const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
            for (unsigned k = 0; k < count; k++) {
                counts[uses[k].unit]++;
                graph->is_written[uses[k].unit] |=
                    (uses[k].what & USE_WRITES ? 1 : 0) | (uses[k].what & USE_IS_WIDE ? 2 : 0);
            }
            if (meaning->flow == flow_CALL) {
                graph->has_calls = true;
                graph->has_conditional_calls |= meaning->is_conditional;
                if (!meaning->is_conditional) {
                    *(uint32_t *)array_push(calls) = i;
                    graph->last_call[b] = i;
                }
            }
            if (meaning->is_alloc)
                read_alloc(graph, encoding, &is_first_alloc);
            if (meaning->rotates && i + 1 == graph->start[b + 1]) {
                graph->block_flags[b] |= BLOCK_ROTATES;
                graph->rotates = true;
            }
        }
    }
    graph->calls = calls->data;
    graph->call_count = calls->count;
    /* Calls of a function without alloc: any stacked register may be an argument. */
    if (is_first_alloc && graph->has_calls && graph->units->stacked != NO_UNIT) {
        graph->out_from = graph->units->stacked;
        graph->out_to = (uint16_t)(graph->out_from + 96);
    }
}

/* Units that the ABI adds to an instruction of some kind, with what happens to them. */
struct additions {
    struct unit_use *call, *conditional_call, *leave, *system, *turn, *clear;
    unsigned call_count, conditional_count, leave_count, system_count, turn_count, clear_count;
};

static void add(struct unit_use *list, unsigned *count, uint16_t unit, uint8_t what)
{
    list[(*count)++] = (struct unit_use){unit, what};
}

static bool turns(const struct flow_graph *graph, uint16_t unit)
{
    uint16_t from, to;
    flow_graph_turning(graph, unit, &from, &to);
    return to - from > 1;
}

static void make_additions(struct flow_graph *graph, struct additions *additions, const uint32_t *counts)
{
    uint16_t units = graph->units->count;
    struct unit_use *lists = room(graph, AT_UNITS, (size_t)units * 6 + 1, sizeof *lists);
    *additions = (struct additions){
        lists, lists + units, lists + units * 2, lists + units * 3, lists + units * 4, lists + units * 5};
    for (uint16_t unit = 0; unit < units; unit++) {
        unsigned abi = graph->units->abi[unit];
        bool is_out = unit >= graph->out_from && unit < graph->out_to;
        /* A rotating branch writes the last predicate, which becomes the first. */
        if (graph->rotates && graph->units->predicates != NO_UNIT && unit == graph->units->predicates + 47)
            add(additions->turn, &additions->turn_count, unit, USE_WRITES);
        if (!counts[unit])
            continue;
        uint8_t arguments = abi & ABI_ARGUMENT || is_out ? USE_READS | USE_HIDDEN : 0;
        uint8_t clobbers = abi & ABI_CLOBBERED || is_out ? USE_WRITES | USE_KEEPS : 0;
        if (arguments)
            add(additions->call, &additions->call_count, unit, arguments);
        if (arguments | clobbers)
            add(additions->conditional_call, &additions->conditional_count, unit, arguments | clobbers);
        bool is_kept = abi & ABI_PRESERVED && graph->is_written[unit] & 1;
        if (abi & ABI_RETURNED || is_kept)
            add(additions->leave, &additions->leave_count, unit,
                USE_READS | USE_HIDDEN | (abi & ABI_RETURNED ? 0 : USE_LIVE_ONLY));
        if (abi & (ABI_SYSTEM_READ | ABI_SYSTEM_WRITTEN))
            add(additions->system, &additions->system_count, unit,
                (abi & ABI_SYSTEM_READ ? USE_READS | USE_HIDDEN : 0) |
                    (abi & ABI_SYSTEM_WRITTEN ? USE_WRITES | USE_KEEPS : 0));
        if (graph->rotates && turns(graph, unit))
            add(additions->clear, &additions->clear_count, unit,
                USE_READS | USE_HIDDEN | USE_LIVE_ONLY | USE_WRITES);
    }
}

static const struct unit_use *additions_for(const struct additions *additions,
                                            const struct encoding_meaning *meaning, bool is_tail_call,
                                            unsigned *count)
{
    if (meaning->flow == flow_CALL) {
        bool may_not = meaning->is_conditional;
        *count = may_not ? additions->conditional_count : additions->call_count;
        return may_not ? additions->conditional_call : additions->call;
    }
    if (meaning_returns(meaning) || is_tail_call) {
        *count = additions->leave_count;
        return additions->leave;
    }
    if (meaning->flow == flow_SYSTEM) {
        *count = additions->system_count;
        return additions->system;
    }
    if (meaning->rotates) {
        *count = additions->turn_count;
        return additions->turn;
    }
    *count = meaning->clears_rotation ? additions->clear_count : 0;
    return additions->clear;
}

static void place(struct flow_graph *graph, const struct unit_use *uses, unsigned count, uint32_t instruction,
                  uint32_t block)
{
    for (unsigned k = 0; k < count; k++) {
        uint16_t unit = uses[k].unit;
        uint32_t end = graph->event_end[unit];
        if (end > graph->event_first[unit] && graph->events[end - 1].instruction == instruction) {
            uint8_t *what = &graph->events[end - 1].what;
            bool kills = (*what & (USE_WRITES | USE_KEEPS)) == USE_WRITES ||
                         (uses[k].what & (USE_WRITES | USE_KEEPS)) == USE_WRITES;
            bool is_read_plainly = *what & USE_READS && !(*what & USE_HIDDEN);
            bool has_row = (*what & USE_READS && !(*what & USE_LIVE_ONLY)) ||
                           (uses[k].what & USE_READS && !(uses[k].what & USE_LIVE_ONLY));
            *what |= uses[k].what;
            *what &= (uint8_t) ~((kills ? USE_KEEPS : 0) | (is_read_plainly ? USE_HIDDEN : 0) |
                                 (has_row ? USE_LIVE_ONLY : 0));
        } else {
            uint8_t what = uses[k].what;
            if (what & USE_KEEPS_WIDE && !(graph->is_written[unit] & 2))
                what &= (uint8_t)~USE_KEEPS;
            graph->events[end] = (struct event){instruction, block, what};
            graph->event_end[unit]++;
        }
    }
}

/* Tail calls use arguments as calls do and leave as returns do. */
static bool is_tail_call(const struct flow_graph *graph, uint32_t block, uint32_t instruction)
{
    return instruction + 1 == graph->start[block + 1] && graph->block_flags[block] & BLOCK_TAIL_CALLS;
}

static void place_all(struct flow_graph *graph, const struct additions *additions)
{
    graph->barrier_count = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        for (uint32_t i = graph->start[b]; i < graph->start[b + 1]; i++) {
            uint32_t encoding = flow_graph_encoding(graph, i);
            const struct encoding_meaning *meaning = &graph->meanings->encodings[encoding];
            bool is_tail = is_tail_call(graph, b, i);
            unsigned count;
            const struct unit_use *uses = meaning_uses(graph->meanings, encoding, &count);
            place(graph, uses, count, i, b);
            if (meaning->flow == flow_NEXT && meaning->class != class_RETURN && !is_tail &&
                !meaning->clears_rotation)
                continue;
            if (is_tail || meaning->flow == flow_CALL || meaning->flow == flow_SYSTEM ||
                meaning_returns(meaning))
                graph->barriers[graph->barrier_count++] = i;
            uses = additions_for(additions, meaning, is_tail, &count);
            place(graph, uses, count, i, b);
            if (is_tail)
                place(graph, additions->call, additions->call_count, i, b);
        }
    }
}

/* Upper bounds for the events that the ABI adds. */
static uint64_t count_added(struct flow_graph *graph, const struct additions *additions, uint32_t *counts)
{
    uint32_t calls = (uint32_t)graph->call_count, conditional = 0, leaves = 0, tails = 0, systems = 0;
    uint32_t turning = 0, clearing = 0;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        for (uint32_t i = graph->start[b]; i < graph->start[b + 1]; i++) {
            const struct encoding_meaning *meaning = flow_graph_meaning(graph, i);
            bool is_tail = is_tail_call(graph, b, i);
            tails += is_tail;
            conditional += meaning->flow == flow_CALL && meaning->is_conditional;
            leaves += meaning_returns(meaning) || is_tail;
            systems += meaning->flow == flow_SYSTEM;
            turning += meaning->rotates;
            clearing += meaning->clears_rotation;
        }
    }
    for (unsigned k = 0; k < additions->call_count; k++)
        counts[additions->call[k].unit] += calls + tails;
    for (unsigned k = 0; k < additions->conditional_count; k++)
        counts[additions->conditional_call[k].unit] += conditional;
    for (unsigned k = 0; k < additions->leave_count; k++)
        counts[additions->leave[k].unit] += leaves;
    for (unsigned k = 0; k < additions->system_count; k++)
        counts[additions->system[k].unit] += systems;
    for (unsigned k = 0; k < additions->turn_count; k++)
        counts[additions->turn[k].unit] += turning;
    for (unsigned k = 0; k < additions->clear_count; k++)
        counts[additions->clear[k].unit] += clearing;
    graph->barriers =
        room(graph, AT_BARRIERS, calls + conditional + leaves + systems, sizeof *graph->barriers);
    uint64_t total = 0;
    for (uint16_t unit = 0; unit < graph->units->count; unit++)
        total += counts[unit];
    return total;
}

bool flow_graph_make(struct flow_graph *graph, const struct model *model,
                     const struct flow_meanings *meanings, uint32_t function)
{
    const struct function *row = model_function(model, function);
    uint8_t isa = model_program(model, row->program)->isa;
    graph->model = model;
    graph->meanings = meanings;
    graph->units = &meanings->units[isa < isa_COUNT ? isa : 0];
    graph->function = function;
    graph->first_block = row->first_block;
    graph->block_count = row->first_block ? row->block_count : 0;
    graph->out_from = graph->out_to = graph->turn_from = graph->turn_to = 0;
    graph->has_calls = graph->has_conditional_calls = graph->rotates = false;
    if (!graph->block_count)
        return false;
    const struct block *last = model_block(model, graph->first_block + graph->block_count - 1);
    graph->first_instruction = model_block(model, graph->first_block)->first_instruction;
    graph->instruction_count = last->first_instruction + last->instruction_count - graph->first_instruction;
    if (!graph->instruction_count || graph->instruction_count > MOST_INSTRUCTIONS)
        return false;
    make_blocks(graph);
    make_edges(graph);
    mark_tail_calls(graph);
    uint16_t units = graph->units->count;
    uint32_t *counts = graph->event_first = room(graph, AT_EVENT_FIRST, units + 1u, sizeof *counts);
    graph->event_end = room(graph, AT_EVENT_END, units + 1u, sizeof *counts);
    graph->is_written = room(graph, AT_WRITTEN, units, 1);
    memset(counts, 0, (units + 1u) * sizeof *counts);
    memset(graph->is_written, 0, units);
    count_explicit(graph, counts);
    struct additions additions;
    make_additions(graph, &additions, counts);
    if (count_added(graph, &additions, counts) > MOST_EVENTS)
        return false;
    uint32_t total = 0;
    for (uint16_t unit = 0; unit < units; unit++) {
        uint32_t count = counts[unit];
        graph->event_first[unit] = graph->event_end[unit] = total;
        total += count;
    }
    graph->event_first[units] = total;
    graph->events = room(graph, AT_EVENTS, total, sizeof *graph->events);
    place_all(graph, &additions);
    return true;
}

void flow_graph_free(struct flow_graph *graph)
{
    for (size_t i = 0; i < sizeof graph->memory / sizeof *graph->memory; i++)
        array_free(&graph->memory[i]);
}

bool flow_graph_has_barrier(const struct flow_graph *graph, uint32_t from, uint32_t to)
{
    struct bisection search = {0, graph->barrier_count};
    while (bisect(&search))
        bisect_past(&search, graph->barriers[search.middle] < from);
    return search.first < graph->barrier_count && graph->barriers[search.first] < to;
}

uint32_t flow_graph_call_between(const struct flow_graph *graph, uint32_t block, uint32_t from, uint32_t to)
{
    uint32_t last = graph->last_call[block];
    if (last == NONE || last < from)
        return NONE;
    if (last < to)
        return last;
    struct bisection search = {0, graph->call_count};
    while (bisect(&search))
        bisect_past(&search, graph->calls[search.middle] < to);
    last = search.first ? graph->calls[search.first - 1] : 0;
    return search.first && last >= from ? last : (uint32_t)NONE;
}

void flow_graph_turning(const struct flow_graph *graph, uint16_t unit, uint16_t *from, uint16_t *to)
{
    const struct units *units = graph->units;
    *from = unit;
    *to = (uint16_t)(unit + 1);
    if (!graph->rotates)
        return;
    if (unit >= graph->turn_from && unit < graph->turn_to) {
        *from = graph->turn_from;
        *to = graph->turn_to;
    } else if (units->floats != NO_UNIT && unit >= units->floats && unit < units->floats + 96) {
        *from = units->floats;
        *to = (uint16_t)(units->floats + 96);
    } else if (units->predicates != NO_UNIT && unit >= units->predicates && unit < units->predicates + 48) {
        *from = units->predicates;
        *to = (uint16_t)(units->predicates + 48);
    }
}

uint32_t flow_graph_block_of(const struct flow_graph *graph, uint32_t instruction)
{
    struct bisection search = {1, graph->block_count};
    while (bisect(&search))
        bisect_past(&search, graph->start[search.middle] <= instruction);
    return (uint32_t)search.first - 1;
}
