/* Values that feed themselves are the strongly connected components of the dependence graph (Tarjan, without
   recursion).  A component is judged by its instructions and by how values enter them.

   False dependences are left out first: the old value of a register of which only the lower part is written
   (cvtsi2sd, sqrtsd). */
#include "code/quality/vector/carried.h"

#include "code/quality/vector/forms.h"

#include <string.h>

struct search {
    const struct subject *subject;
    const struct dependence_node *nodes;
    uint32_t node_count;
    const struct ratio_edge *edges; /* in order of the nodes that they end in */
    uint32_t edge_count;
    uint32_t *first_edges; /* by node that they end in, and one more */
    uint8_t *is_left_out;  /* by edge */
    uint32_t *order, *low, *component, *stack, *path, *next_edge;
    uint32_t stack_count, path_count, order_count, component_count;
};

static const struct machine_cost *cost_of(const struct subject *subject, uint32_t item)
{
    return ARRAY_AT(struct cost_item, &subject->work->items, item)->cost;
}

static uint16_t resource_of(const struct subject *subject, uint32_t row)
{
    const struct machine_costs *costs = &subject->work->costs;
    return row < costs->register_count ? costs->resource_of[row] : (uint16_t)RESOURCE_NONE;
}

/* The sources of an item, in the order of its text, that are this resource, as bits. A shifted source does
   not count: no running result may come back by it. */
enum { SHIFTED = 1 << 8 };
static unsigned entries(const struct subject *subject, uint32_t item, uint16_t resource)
{
    const struct subject_item *row = &subject->items[item];
    unsigned bits = 0, source = 0;
    for (unsigned i = 0; i < row->operand_count && source < 8; i++) {
        const struct operand *operand = &row->operands[i];
        bool is_value = operand->kind == operand_kind_REGISTER || operand->kind == operand_kind_MEMORY;
        if (operand->kind == operand_kind_ADDRESS) {
            bits |= resource_of(subject, operand->base_register) == resource ||
                    (operand->index_register && resource_of(subject, operand->index_register) == resource &&
                     operand->scale <= 1);
            continue;
        }
        if (!is_value || !(operand->access & access_READ))
            continue;
        if (operand->kind == operand_kind_REGISTER && resource_of(subject, operand->register_) == resource)
            bits |= operand->value ? SHIFTED : 1U << source;
        source++;
    }
    return bits;
}

/* A register that is only partly written: its old value is not an operand of such an operation. */
static bool is_false(const struct subject *subject, const struct dependence_node *from,
                     const struct dependence_node *to, const struct ratio_edge *edge)
{
    const struct subject_item *item = &subject->items[to->item];
    if (edge->way != way_REGISTER || from->resource != to->resource || from->resource == RESOURCE_MEMORY)
        return false;
    if (item->row->class == class_LOAD)
        return true;
    const struct vector_operation *operation = vector_operation(subject, item);
    if (!operation || operation->shape != shape_UNARY)
        return false;
    for (unsigned i = item->operand_count; i--;)
        if (item->operands[i].kind == operand_kind_REGISTER && item->operands[i].access & access_READ)
            return i == 0 || resource_of(subject, item->operands[i].register_) != from->resource;
    return true;
}

static void leave_out(struct search *search, unsigned iterations)
{
    for (uint32_t node = 0; node < search->node_count; node++)
        for (uint32_t i = search->first_edges[node]; i < search->first_edges[node + 1]; i++) {
            const struct ratio_edge *edge = &search->edges[i];
            search->is_left_out[i] =
                edge->distance >= iterations ||
                is_false(search->subject, &search->nodes[edge->from], &search->nodes[edge->to], edge);
        }
}

static void visit(struct search *search, uint32_t node)
{
    search->order[node] = search->low[node] = ++search->order_count;
    search->stack[search->stack_count++] = node;
    search->path[search->path_count++] = node;
    search->next_edge[node] = search->first_edges[node];
}

static void close(struct search *search, uint32_t node)
{
    if (search->low[node] != search->order[node])
        return;
    uint32_t member;
    search->component_count++;
    do {
        member = search->stack[--search->stack_count];
        search->component[member] = search->component_count;
    } while (member != node);
}

/* Edges are followed backwards: components are the same. */
static void find_components(struct search *search)
{
    for (uint32_t root = 0; root < search->node_count; root++) {
        if (search->order[root])
            continue;
        visit(search, root);
        while (search->path_count) {
            uint32_t node = search->path[search->path_count - 1];
            if (search->next_edge[node] == search->first_edges[node + 1]) {
                search->path_count--;
                close(search, node);
                if (search->path_count) {
                    uint32_t parent = search->path[search->path_count - 1];
                    if (search->low[node] < search->low[parent])
                        search->low[parent] = search->low[node];
                }
                continue;
            }
            uint32_t edge = search->next_edge[node]++;
            uint32_t from = search->edges[edge].from;
            if (search->is_left_out[edge])
                continue;
            if (!search->order[from])
                visit(search, from);
            else if (!search->component[from] && search->order[from] < search->low[node])
                search->low[node] = search->order[from];
        }
    }
}

/* The contents of a component. */
struct contents {
    bool is_cycle, has_data, has_load, has_memory, has_other, has_fp, has_steps_only;
    bool adds, multiplies, selects, has_logic;
    bool is_broken;    /* a value enters where the order of operations matters */
    bool is_used;      /* others need intermediate values, as in prefix sums */
    bool is_in_place;  /* it goes through a fixed place in memory */
    const char *logic; /* the one logical operation */
};

static void note_item(const struct subject *subject, uint32_t item, struct contents *contents)
{
    const struct subject_item *row = &subject->items[item];
    const struct machine_cost *cost = cost_of(subject, item);
    const char *name = model_text(subject->model, row->row->name);
    bool loads = false, steps = cost->step.to && cost->step.to == cost->step.from;
    for (unsigned i = 0; i < cost->access_count; i++)
        loads |= cost->accesses[i].loads;
    contents->has_load |= loads;
    contents->has_data |= row->purpose == purpose_DATA;
    contents->has_fp |= row->is_fp;
    contents->has_steps_only &= steps;
    switch (row->row->class) {
    case class_ADD:
    case class_ADDRESS:
    case class_FMA:
        contents->adds = true;
        break;
    case class_MULTIPLY:
        contents->multiplies = true;
        break;
    case class_MINMAX:
    case class_COMPARE:
        contents->selects = true;
        break;
    case class_LOGIC:
        contents->is_broken |= contents->logic && name && strcmp(contents->logic, name) != 0;
        contents->logic = name;
        contents->has_logic = true;
        break;
    case class_MOVE:
    case class_LOAD:
    case class_STORE:
        break;
    default:
        contents->has_other = true;
    }
}

static void note_edge(const struct subject *subject, const struct dependence_node *from,
                      const struct dependence_node *to, const struct ratio_edge *edge,
                      struct contents *contents)
{
    contents->is_cycle = true;
    if (edge->way == way_MEMORY) {
        contents->has_memory = true;
        return;
    }
    if (edge->way != way_REGISTER || from->resource == RESOURCE_MEMORY)
        return;
    const struct subject_item *item = &subject->items[to->item];
    const struct vector_operation *operation = vector_operation(subject, item);
    if (!operation || operation->shape == shape_COMPARE || operation->shape == shape_SELECT ||
        subject->registers->kind[from->resource] == register_kind_FLAGS)
        return;
    unsigned bits = entries(subject, to->item, from->resource);
    contents->is_broken |= !bits || bits & ~(unsigned)operation->carry || (bits & (bits - 1)) != 0;
}

static enum carried_kind judge(const struct contents *contents)
{
    unsigned kinds = contents->adds + contents->multiplies + contents->selects + contents->has_logic;
    bool is_reduction = kinds <= 1 && !contents->has_other && !contents->is_broken;
    if (contents->has_steps_only)
        return carried_NOTHING;
    if (!contents->has_data && !contents->has_load && is_reduction && !contents->multiplies &&
        !contents->has_logic)
        return carried_NOTHING;
    if (!contents->has_data)
        return carried_CHASE;
    if (!is_reduction || contents->is_used || (contents->has_memory && !contents->is_in_place))
        return carried_RECURRENCE;
    if (contents->has_memory)
        return carried_IN_MEMORY;
    if (!contents->has_fp || contents->has_logic)
        return carried_REDUCTION;
    return contents->selects ? carried_EXTREME : carried_SUM;
}

static bool stays_in_place(const struct subject *subject, uint32_t item)
{
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].item == item && subject->accesses[i].pattern != access_pattern_INVARIANT)
            return false;
    return true;
}

/* Whether one of an item's values is in a component. */
static bool is_in(const struct search *search, uint32_t item, uint32_t component)
{
    const uint32_t *first = search->subject->work->scratch.dependences.first_nodes.data;
    for (uint32_t node = first[item]; node < first[item + 1]; node++)
        if (search->component[node] == component)
            return true;
    return false;
}

/* Counters and running results are cycles; what is passed on is not, nor what an item hands to itself. */
static void find_passed(const struct search *search, const struct contents *all, struct carried *carried)
{
    const struct subject *subject = search->subject;
    for (uint32_t node = 0; node < search->node_count && carried->passed == subject->item_count; node++)
        for (uint32_t i = search->first_edges[node]; i < search->first_edges[node + 1]; i++) {
            const struct ratio_edge *edge = &search->edges[i];
            uint32_t from = search->nodes[edge->from].item, to = search->nodes[node].item;
            if (from != to && edge->distance && !search->is_left_out[i] &&
                !all[search->component[edge->from]].is_cycle &&
                subject->items[from].purpose == purpose_DATA && subject->items[to].purpose == purpose_DATA &&
                (edge->way == way_MEMORY ||
                 (edge->way == way_REGISTER && search->nodes[edge->from].resource != RESOURCE_MEMORY &&
                  subject->registers->kind[search->nodes[edge->from].resource] != register_kind_FLAGS)))
                carried->passed = to;
        }
}

static void judge_components(const struct search *search, struct carried *carried)
{
    const struct subject *subject = search->subject;
    struct contents *all = arena_get(subject->arena, (search->component_count + 1) * sizeof *all);
    for (uint32_t i = 0; i <= search->component_count; i++)
        all[i].has_steps_only = all[i].is_in_place = true;
    for (uint32_t node = 0; node < search->node_count; node++) {
        const struct dependence_node *made = &search->nodes[node];
        struct contents *contents = &all[search->component[node]];
        note_item(subject, made->item, contents);
        contents->is_in_place &= stays_in_place(subject, made->item);
        for (uint32_t i = search->first_edges[node]; i < search->first_edges[node + 1]; i++) {
            const struct ratio_edge *edge = &search->edges[i];
            uint32_t from = search->component[edge->from];
            if (!search->is_left_out[i] && from == search->component[node])
                note_edge(subject, &search->nodes[edge->from], made, edge, contents);
            else if (!all[from].is_used)
                all[from].is_used = !is_in(search, made->item, from);
        }
    }
    find_passed(search, all, carried);
    for (uint32_t node = 0; node < search->node_count; node++) {
        const struct contents *contents = &all[search->component[node]];
        enum carried_kind kind = contents->is_cycle ? judge(contents) : carried_NOTHING;
        uint8_t *of_item = &carried->kinds[search->nodes[node].item];
        *of_item = kind > *of_item ? (uint8_t)kind : *of_item;
        carried->kind = kind > carried->kind ? kind : carried->kind;
    }
}

/* The edges of the graph, and those of stores whose value a later iteration loads, however the machine
   handles it: a load of more bytes than were stored has no latency in the graph. */
static void gather_edges(struct search *search)
{
    const struct subject *subject = search->subject;
    const struct cost_dependences *graph = &subject->work->scratch.dependences;
    const struct array *meetings = &subject->work->scratch.addresses.meetings;
    const uint32_t *first_nodes = graph->first_nodes.data;
    size_t most = graph->edges.count, count = 0;
    for (size_t i = 0; i < meetings->count; i++) {
        uint32_t load = ARRAY_AT(struct cost_meeting, meetings, i)->load;
        most += first_nodes[load + 1] - first_nodes[load];
    }
    struct ratio_edge *edges = arena_get(subject->arena, (most + 1) * sizeof *edges);
    size_t at = 0, meeting = 0;
    for (uint32_t node = 0; node < search->node_count; node++) {
        search->first_edges[node] = (uint32_t)count;
        for (; at < graph->edges.count && ARRAY_AT(struct ratio_edge, &graph->edges, at)->to == node; at++)
            edges[count++] = *ARRAY_AT(struct ratio_edge, &graph->edges, at);
        uint32_t item = search->nodes[node].item;
        while (meeting < meetings->count && ARRAY_AT(struct cost_meeting, meetings, meeting)->load < item)
            meeting++;
        for (size_t k = meeting; k < meetings->count; k++) {
            const struct cost_meeting *met = ARRAY_AT(struct cost_meeting, meetings, k);
            if (met->load != item)
                break;
            edges[count++] = (struct ratio_edge){.from = first_nodes[met->store + 1] - 1,
                                                 .to = node,
                                                 .distance = met->distance,
                                                 .way = way_MEMORY};
        }
    }
    search->first_edges[search->node_count] = (uint32_t)count;
    search->edges = edges;
    search->edge_count = (uint32_t)count;
}

void carried_find(struct carried *carried, const struct subject *subject, unsigned iterations)
{
    const struct cost_dependences *graph = &subject->work->scratch.dependences;
    *carried = (struct carried){.kinds = arena_get(subject->arena, subject->item_count + 1),
                                .passed = subject->item_count};
    subject_find_dependences(subject);
    uint32_t nodes = (uint32_t)graph->nodes.count;
    struct search search = {.subject = subject, .nodes = graph->nodes.data, .node_count = nodes};
    uint32_t *room = arena_get(subject->arena, 7 * ((size_t)nodes + 1) * sizeof *room);
    search.first_edges = room;
    search.order = room + (nodes + 1);
    search.low = room + 2 * (nodes + 1);
    search.component = room + 3 * (nodes + 1);
    search.stack = room + 4 * (nodes + 1);
    search.path = room + 5 * (nodes + 1);
    search.next_edge = room + 6 * (nodes + 1);
    gather_edges(&search);
    search.is_left_out = arena_get(subject->arena, search.edge_count + 1);
    leave_out(&search, iterations);
    find_components(&search);
    judge_components(&search, carried);
}
