/* Computes reaching definitions, from uses backward.

   A value of the walk is a node of a graph: the start of a strand leads to the ends of the same unit in the
   predecessors, a kept value to the one before it.  Only nodes that some use needs are visited.  Nodes that
   lead to each other (loops) have the same definitions, so the graph is searched for its strongly connected
   components (Tarjan); a component's set is the union of what it leads to, and most components lead to one
   set only, which is then shared, not copied.  Each strand is visited once for all uses of its unit, and sets
   are capped, so the work is linear in the visited strands.

   A result is a number: RESULT_ENTRY, or a single definition (RESULT_SINGLE | instruction), or a set. */
#include "code/flow/reaching.h"

#include <stdlib.h>
#include <string.h>

#define RESULT_ENTRY 0u
#define RESULT_NOTHING 1u /* a loop that nothing leads to, a register that was rotated in */
#define RESULT_SINGLE 0x80000000u
#define RESULT_OPEN 0x7fffffffu

struct node {
    uint32_t value;
    uint32_t low;
    uint32_t result; /* RESULT_OPEN until its component is complete */
};

struct frame {
    uint32_t node, next; /* next child */
};

struct set {
    uint32_t first, count; /* in members, ascending */
    bool has_entry, is_cut;
};

void reaching_start(struct reaching *reaching, const struct flow_graph *graph)
{
    size_t events = graph->event_first[graph->units->count];
    if (!reaching->nodes.width) {
        reaching->nodes = ARRAY_OF(struct node);
        reaching->frames = ARRAY_OF(struct frame);
        reaching->stack = ARRAY_OF(uint32_t);
        reaching->sets = ARRAY_OF(struct set);
        reaching->members = ARRAY_OF(uint32_t);
        reaching->rows = ARRAY_OF(struct def_use);
    }
    reaching->sets.count = reaching->members.count = reaching->rows.count = 0;
    array_add_many(&reaching->sets, 2); /* RESULT_ENTRY and RESULT_NOTHING */
    reaching->cut = 0;
    if (events > reaching->event_capacity) {
        reaching->event_capacity = events + events / 4;
        free(reaching->node_of_event);
        reaching->node_of_event = memory_get(reaching->event_capacity * sizeof(uint32_t));
    }
}

void reaching_free(struct reaching *reaching)
{
    array_free(&reaching->nodes);
    array_free(&reaching->frames);
    array_free(&reaching->stack);
    array_free(&reaching->sets);
    array_free(&reaching->members);
    array_free(&reaching->rows);
    free(reaching->node_of_strand);
    free(reaching->node_of_event);
}

/* Numbers of nodes keep growing from walk to walk, so old entries of node_of_strand are recognised as too
   small. */
static uint32_t number_of(const struct reaching *reaching, uint32_t index)
{
    return reaching->first_node + index;
}

static struct node *node_at(const struct reaching *reaching, uint32_t index)
{
    return ARRAY_AT(struct node, &reaching->nodes, index);
}

static uint32_t *place_of(const struct reaching *reaching, uint32_t value)
{
    return value_kind(value) == VALUE_START ? &reaching->node_of_strand[value_number(value)]
                                            : &reaching->node_of_event[value_number(value)];
}

/* The node of a value, or NONE if it was not visited yet. */
static uint32_t node_of(const struct reaching *reaching, uint32_t value)
{
    uint32_t number = *place_of(reaching, value);
    return number >= reaching->first_node && number - reaching->first_node < reaching->nodes.count &&
                   node_at(reaching, number - reaching->first_node)->value == value
               ? number - reaching->first_node
               : (uint32_t)NONE;
}

static bool is_plain(uint32_t value)
{
    return value_kind(value) == VALUE_ENTRY || value_kind(value) == VALUE_DEFINITION;
}

static uint32_t plain_result(uint32_t value)
{
    if (value_kind(value) == VALUE_ENTRY)
        return value_number(value) ? RESULT_NOTHING : RESULT_ENTRY;
    return RESULT_SINGLE | value_number(value);
}

/* The children of a node, one after the other; false at the end.  The start of an entry block has the entry
   value as its first child. */
static bool child_of(const struct strands *strands, uint32_t value, uint32_t index, uint32_t *child)
{
    const struct flow_graph *graph = strands->graph;
    if (value_kind(value) == VALUE_KEPT) {
        *child = strands->before[value_number(value)];
        return index == 0;
    }
    uint32_t strand = value_number(value);
    uint32_t block = strands->to - strands->from > 1 ? strand % graph->block_count : strand;
    uint32_t is_entry = graph->block_flags[block] & BLOCK_IS_ENTRY;
    if (is_entry && index == 0) {
        *child = value_make(VALUE_ENTRY, 0);
        return true;
    }
    uint32_t place = graph->predecessor_first[block] + index - (is_entry ? 1 : 0);
    if (place >= graph->predecessor_first[block + 1])
        return false;
    uint32_t before = strands_before(strands, strand, graph->predecessors[place]);
    *child = before == NONE ? value_make(VALUE_ENTRY, 1) : strands_out(strands, before);
    return true;
}

static uint32_t enter(struct reaching *reaching, uint32_t value)
{
    uint32_t index = (uint32_t)reaching->nodes.count;
    *(struct node *)array_push(&reaching->nodes) = (struct node){value, index, RESULT_OPEN};
    *(struct frame *)array_push(&reaching->frames) = (struct frame){index, 0};
    *(uint32_t *)array_push(&reaching->stack) = index;
    *place_of(reaching, value) = number_of(reaching, index);
    return index;
}

/* A union under construction. */
struct gathering {
    uint32_t common; /* the only result so far, RESULT_OPEN for none */
    bool is_mixed, has_entry, is_cut;
    uint32_t count, members[MOST_DEFINITIONS];
};

static void gather_member(struct gathering *gathering, uint32_t member)
{
    struct bisection search = {0, gathering->count};
    while (bisect(&search))
        bisect_past(&search, gathering->members[search.middle] < member);
    size_t place = search.first;
    if (place < gathering->count && gathering->members[place] == member)
        return;
    if (gathering->count == MOST_DEFINITIONS) {
        gathering->is_cut = true;
        return;
    }
    memmove(gathering->members + place + 1, gathering->members + place,
            (gathering->count - place) * sizeof *gathering->members);
    gathering->members[place] = member;
    gathering->count++;
}

static void gather_all(const struct reaching *reaching, struct gathering *gathering, uint32_t result)
{
    if (result & RESULT_SINGLE) {
        gather_member(gathering, result & ~RESULT_SINGLE);
    } else if (result == RESULT_ENTRY) {
        gathering->has_entry = true;
    } else {
        const struct set *set = ARRAY_AT(struct set, &reaching->sets, result);
        gathering->has_entry |= set->has_entry;
        gathering->is_cut |= set->is_cut;
        for (uint32_t i = 0; i < set->count; i++)
            gather_member(gathering, *ARRAY_AT(uint32_t, &reaching->members, set->first + i));
    }
}

static void gather(const struct reaching *reaching, struct gathering *gathering, uint32_t result)
{
    if (result == gathering->common || result == RESULT_NOTHING)
        return;
    if (gathering->common == RESULT_OPEN && !gathering->is_mixed) {
        gathering->common = result;
        return;
    }
    if (!gathering->is_mixed) {
        gathering->is_mixed = true;
        gather_all(reaching, gathering, gathering->common);
    }
    gather_all(reaching, gathering, result);
    gathering->common = result; /* the same again needs no look */
}

static uint32_t gathered(struct reaching *reaching, const struct gathering *gathering)
{
    if (!gathering->is_mixed)
        return gathering->common == RESULT_OPEN ? RESULT_NOTHING : gathering->common;
    if (gathering->count == 1 && !gathering->has_entry && !gathering->is_cut)
        return RESULT_SINGLE | gathering->members[0];
    if (!gathering->count && !gathering->is_cut)
        return gathering->has_entry ? RESULT_ENTRY : RESULT_NOTHING;
    *(struct set *)array_push(&reaching->sets) = (struct set){
        (uint32_t)reaching->members.count, gathering->count, gathering->has_entry, gathering->is_cut};
    for (uint32_t i = 0; i < gathering->count; i++)
        *(uint32_t *)array_push(&reaching->members) = gathering->members[i];
    return (uint32_t)reaching->sets.count - 1;
}

/* The component of the node on top of the path is complete: everything above it on the stack. */
static void complete(struct reaching *reaching, const struct strands *strands, uint32_t index)
{
    struct gathering gathering = {.common = RESULT_OPEN};
    size_t first = reaching->stack.count;
    const uint32_t *stack = reaching->stack.data;
    while (stack[first - 1] != index)
        first--;
    first--;
    for (size_t i = first; i < reaching->stack.count; i++) {
        uint32_t value = node_at(reaching, stack[i])->value, child;
        if (value_kind(value) == VALUE_KEPT)
            gather(reaching, &gathering,
                   RESULT_SINGLE | strands->graph->events[value_number(value)].instruction);
        for (uint32_t k = 0; child_of(strands, value, k, &child); k++) {
            uint32_t result =
                is_plain(child) ? plain_result(child) : node_at(reaching, node_of(reaching, child))->result;
            if (result != RESULT_OPEN)
                gather(reaching, &gathering, result);
        }
    }
    uint32_t result = gathered(reaching, &gathering);
    for (size_t i = first; i < reaching->stack.count; i++)
        node_at(reaching, stack[i])->result = result;
    reaching->stack.count = first;
}

static uint32_t resolve(struct reaching *reaching, const struct strands *strands, uint32_t value)
{
    if (is_plain(value))
        return plain_result(value);
    uint32_t known = node_of(reaching, value);
    if (known != NONE)
        return node_at(reaching, known)->result;
    uint32_t root = enter(reaching, value);
    while (reaching->frames.count) {
        struct frame *frame = ARRAY_AT(struct frame, &reaching->frames, reaching->frames.count - 1);
        uint32_t index = frame->node, child;
        if (child_of(strands, node_at(reaching, index)->value, frame->next++, &child)) {
            if (is_plain(child))
                continue;
            uint32_t node = node_of(reaching, child);
            if (node == NONE)
                enter(reaching, child);
            else if (node_at(reaching, node)->result == RESULT_OPEN && node < node_at(reaching, index)->low)
                node_at(reaching, index)->low = node;
            continue;
        }
        uint32_t low = node_at(reaching, index)->low;
        if (low == index)
            complete(reaching, strands, index);
        reaching->frames.count--;
        if (reaching->frames.count) {
            uint32_t parent = ARRAY_AT(struct frame, &reaching->frames, reaching->frames.count - 1)->node;
            if (low < node_at(reaching, parent)->low)
                node_at(reaching, parent)->low = low;
        }
    }
    return node_at(reaching, root)->result;
}

/* A call changes many registers that nothing reads afterwards; a "use" by the next call is meaningless. */
static bool is_noise(const struct flow_graph *graph, const struct event *event, uint16_t unit,
                     uint32_t definition)
{
    return event->what & USE_HIDDEN && flow_graph_meaning(graph, definition)->flow == flow_CALL &&
           !(graph->units->abi[unit] & ABI_RETURNED);
}

static void add_row(struct reaching *reaching, const struct flow_graph *graph, const struct event *event,
                    uint16_t unit, uint32_t definition, bool has_entry)
{
    if (is_noise(graph, event, unit, definition))
        return;
    *(struct def_use *)array_push(&reaching->rows) =
        (struct def_use){.use = event->instruction,
                         .register_ = graph->units->registers[unit],
                         .definition = graph->first_instruction + definition,
                         .is_entry_too = has_entry};
}

static void add_use(struct reaching *reaching, const struct strands *strands, uint16_t unit, uint32_t index)
{
    const struct event *event = &strands->graph->events[index];
    if (reaching->rows.count > reaching_most_rows(strands->graph)) {
        reaching->cut++;
        return;
    }
    uint32_t result = resolve(reaching, strands, strands->before[index]);
    if (result & RESULT_SINGLE) {
        add_row(reaching, strands->graph, event, unit, result & ~RESULT_SINGLE, false);
    } else if (result != RESULT_ENTRY) {
        const struct set set = *ARRAY_AT(struct set, &reaching->sets, result);
        for (uint32_t i = 0; i < set.count; i++)
            add_row(reaching, strands->graph, event, unit,
                    *ARRAY_AT(uint32_t, &reaching->members, set.first + i), set.has_entry);
        reaching->cut += set.is_cut;
    }
}

void reaching_add(struct reaching *reaching, const struct strands *strands)
{
    const struct flow_graph *graph = strands->graph;
    if (strands->capacity > reaching->strand_capacity) {
        free(reaching->node_of_strand);
        reaching->strand_capacity = strands->capacity;
        reaching->node_of_strand = memory_get(reaching->strand_capacity * sizeof(uint32_t));
    }
    uint32_t after = reaching->first_node + (uint32_t)reaching->nodes.count;
    if (after > UINT32_MAX / 2) {
        memset(reaching->node_of_strand, 0, reaching->strand_capacity * sizeof(uint32_t));
        memset(reaching->node_of_event, 0, reaching->event_capacity * sizeof(uint32_t));
        after = 0;
    }
    reaching->first_node = after ? after : 1;
    reaching->nodes.count = 0;
    for (uint16_t unit = strands->from; unit < strands->to; unit++)
        for (uint32_t e = graph->event_first[unit]; e < graph->event_end[unit]; e++)
            if (graph->events[e].what & USE_READS && !(graph->events[e].what & USE_LIVE_ONLY))
                add_use(reaching, strands, unit, e);
}

void reaching_finish(struct reaching *reaching, const struct flow_graph *graph, struct array *sorted)
{
    size_t count = reaching->rows.count, first = sorted->count;
    if (!count)
        return;
    const struct def_use *rows = reaching->rows.data;
    struct array places = ARRAY_OF(uint32_t);
    uint32_t *place = array_add_many(&places, graph->instruction_count + 1);
    for (size_t i = 0; i < count; i++)
        place[rows[i].use + 1]++;
    for (uint32_t i = 0; i < graph->instruction_count; i++)
        place[i + 1] += place[i];
    array_reserve(sorted, first + count);
    sorted->count += count;
    for (size_t i = 0; i < count; i++) {
        struct def_use *row = ARRAY_AT(struct def_use, sorted, first + place[rows[i].use]++);
        *row = rows[i];
        row->use += graph->first_instruction;
    }
    array_free(&places);
}
