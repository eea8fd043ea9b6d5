/* The purpose of each item, found from where its result goes.

   Needs start where values leave the registers: a store needs its data (DATA) and its address (ADDRESS), a
   load its address, a branch its condition (CONTROL). They go back along the dependences of the block, also
   around the loop; every item that a need reaches serves that need. A value that nothing in the path needs
   and that is live after the iteration is for code after the loop or for another path: a sum, DATA. If it
   only steps by a constant, it is a counter.

   If an item has several needs, ADDRESS wins over DATA and DATA over CONTROL: a value in an address is a
   pointer or an index, even if it is also stored or counted. Floating-point numbers are always DATA. A
   register that steps by a constant and that branches use would exist anyway, so it is never DATA. A base
   that a load or a store steps gives no purpose to the data loaded or stored. A value that only a call needs
   is DATA, but not vectorisable unless it is floating-point: preparing a call is not work for vectors.

   Conditions on data are part of the work: vectorised code would also compare a[i] with a limit, and load it.
   So a value that only branches need is DATA if it is made from floating-point numbers, or from a value that
   was loaded from a moving address and goes to no address and no call. The test of a counter, of a pointer,
   or of a limit loaded from a fixed address is CONTROL.

   Spills and fills come from the table stack_accesses. Needs pass through the function's own stack by the
   place in memory, so a counter on the stack is recognised, too.

   Governing masks that are made of general registers (whilelo, kmov) are CONTROL. The names of x87 registers
   turn with every push and pop, which the dependences do not follow: x87 code counts as DATA. */
#include "code/quality/motion/linear.h"
#include "code/quality/stack_ways.h"

enum {
    NEED_DATA = 1,
    NEED_ADDRESS = 2,
    NEED_CONTROL = 4,
    NEED_CALL = 8,
    NEED_POINTER = NEED_ADDRESS | NEED_CALL
};
enum { NO_NODE = UINT32_MAX, MOST_PASSES = 4 };

struct asking {
    const struct subject *subject;
    struct subject_item *items;
    const struct cost_dependences *graph;
    const struct dependence_node *nodes;
    const struct ratio_edge *edges;
    const uint32_t *first_nodes; /* by item */
    uint32_t *first_edges;       /* by node that they end in */
    uint8_t *needs;              /* by node */
    uint8_t *is_data;            /* by node: made of numbers, so that a branch on it is DATA */
    struct stack_ways stack;
    uint32_t *waiting; /* nodes whose needs must be passed on */
    uint8_t *is_waiting;
    size_t waiting_count;
    uint32_t current[MOST_RESOURCES];
};

static const struct machine_cost *cost_of(const struct asking *asking, uint32_t item)
{
    return ARRAY_AT(struct cost_item, &asking->subject->work->items, item)->cost;
}

static void need(struct asking *asking, uint32_t node, uint8_t needs)
{
    if (node == NO_NODE || !(needs & ~asking->needs[node]))
        return;
    asking->needs[node] |= needs;
    if (!asking->is_waiting[node]) {
        asking->is_waiting[node] = 1;
        asking->waiting[asking->waiting_count++] = node;
    }
}

/* The node that a resource holds before the current item. */
static uint32_t holder(const struct asking *asking, uint16_t resource)
{
    if (!resource)
        return NO_NODE;
    if (asking->current[resource] != NO_NODE)
        return asking->current[resource];
    return asking->graph->last_stamps[resource] == asking->graph->epoch ? asking->graph->last[resource]
                                                                        : NO_NODE;
}

static uint16_t resource_of(const struct asking *asking, uint32_t row)
{
    const struct machine_costs *costs = &asking->subject->work->costs;
    return row < costs->register_count ? costs->resource_of[row] : (uint16_t)RESOURCE_NONE;
}

static void need_uses(struct asking *asking, const struct subject_item *item, uint8_t needs)
{
    for (unsigned i = 0; i < item->use_count; i++)
        if (item->uses[i].access & access_READ)
            need(asking, holder(asking, resource_of(asking, item->uses[i].register_)), needs);
}

/* What a call may read. */
static void need_arguments(struct asking *asking)
{
    const struct subject_registers *registers = asking->subject->registers;
    for (unsigned i = 0; i < registers->argument_count; i++)
        need(asking, holder(asking, registers->arguments[i]), NEED_CALL);
}

static bool is_jump(const struct subject_item *item)
{
    return item->row->flow == flow_BRANCH || item->row->flow == flow_JUMP || item->row->flow == flow_RETURN ||
           item->row->flow == flow_CALL;
}

/* Masks that govern an iteration, made from the counter. */
static bool is_governing(const struct asking *asking, uint32_t item)
{
    const struct subject_item *row = &asking->items[item];
    if (row->row->class != class_MASK || row->row->is_vector)
        return false;
    for (unsigned i = 0; i < row->use_count; i++)
        if (row->uses[i].access & access_READ &&
            model_register(asking->subject->model, row->uses[i].register_)->kind == register_kind_GENERAL)
            return true;
    return false;
}

static void start_item(struct asking *asking, uint32_t number)
{
    const struct subject_item *item = &asking->items[number];
    const struct machine_cost *cost = cost_of(asking, number);
    uint32_t first = asking->first_nodes[number], end = asking->first_nodes[number + 1];
    for (unsigned i = 0; i < cost->access_count; i++) {
        need(asking, holder(asking, cost->accesses[i].base), NEED_ADDRESS);
        need(asking, holder(asking, cost->accesses[i].index), NEED_ADDRESS);
    }
    if (item->row->flow == flow_CALL)
        need_arguments(asking);
    if (is_jump(item))
        need_uses(asking, item, NEED_CONTROL);
    else if (item->row->class == class_PREFETCH)
        need_uses(asking, item, NEED_ADDRESS);
    else if (first == end)
        need_uses(asking, item, NEED_DATA);
    else if (is_governing(asking, number))
        need_uses(asking, item, NEED_CONTROL);
    for (uint32_t node = first; node < end; node++) {
        uint16_t resource = asking->nodes[node].resource;
        if (resource != RESOURCE_MEMORY)
            asking->current[resource] = node;
        else if (!asking->stack.is_kept[number])
            need(asking, node, NEED_DATA);
    }
}

/* The value that an item stores: its last node. */
static uint32_t stored_node(const struct asking *asking, uint32_t item)
{
    if (item == NO_ITEM || asking->first_nodes[item] == asking->first_nodes[item + 1])
        return NO_NODE;
    uint32_t node = asking->first_nodes[item + 1] - 1;
    return asking->nodes[node].resource == RESOURCE_MEMORY ? node : (uint32_t)NO_NODE;
}

static void pass_needs(struct asking *asking)
{
    while (asking->waiting_count) {
        uint32_t node = asking->waiting[--asking->waiting_count];
        uint8_t needs = asking->needs[node];
        asking->is_waiting[node] = 0;
        if (is_governing(asking, asking->nodes[node].item))
            continue;
        for (uint32_t i = asking->first_edges[node]; i < asking->first_edges[node + 1]; i++) {
            bool is_address = asking->edges[i].way == way_BASE || asking->edges[i].way == way_INDEX;
            need(asking, asking->edges[i].from, is_address ? NEED_ADDRESS : needs);
        }
        for (unsigned i = 0; i < MOST_STACK_WAYS; i++)
            need(asking, stored_node(asking, asking->stack.sources[asking->nodes[node].item][i]), needs);
    }
}

/* Whether an item adds a constant to a register or a place: inc, dec, add with a constant, the step of a
   base. */
static bool steps(const struct asking *asking, uint32_t number)
{
    const struct subject_item *item = &asking->items[number];
    const struct cost_step *step = &cost_of(asking, number)->step;
    uint32_t written = 0, read = 0;
    bool is_memory = false;
    if (step->to)
        return step->to == step->from;
    if (item->row->class != class_ADD || item->row->is_vector || item->is_fp)
        return false;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        is_memory |= operand->kind == operand_kind_MEMORY;
        if (operand->kind != operand_kind_REGISTER)
            continue;
        uint32_t full = model_full_register(asking->subject->model, operand->register_);
        if ((operand->access & access_WRITE && written && written != full) ||
            (operand->access & access_READ && read && read != full))
            return false;
        written = operand->access & access_WRITE ? full : written;
        read = operand->access & access_READ ? full : read;
    }
    return is_memory ? !written && !read : written && written == read;
}

/* Whether some iterations skip an item: not every path through the loop goes through its block. */
static bool is_optional(const struct asking *asking, uint32_t item)
{
    const struct model *model = asking->subject->model;
    uint32_t last = asking->items[asking->subject->item_count - 1].instruction;
    const struct block *own =
        model_block(model, model_instruction(model, asking->items[item].instruction)->block);
    const struct block *end = model_block(model, model_instruction(model, last)->block);
    return own->dom_enter > end->dom_enter || own->dom_leave < end->dom_leave;
}

/* Whether only code after the iteration can need the value of a node. Flags do not live that long; a
 * separately renamed high byte goes with its register. */
static bool is_left(const struct asking *asking, uint32_t node)
{
    uint16_t resource = asking->nodes[node].resource;
    const struct subject_registers *registers = asking->subject->registers;
    if (asking->needs[node])
        return false;
    return resource == RESOURCE_MEMORY || (registers->kind[resource] != register_kind_FLAGS &&
                                           registers->row[resource] && asking->graph->last[resource] == node);
}

/* Values that are live after an iteration and that nothing on the path needs. A count of only some iterations
   is data. */
static void need_leftovers(struct asking *asking)
{
    for (uint32_t node = (uint32_t)asking->graph->nodes.count; node--;) {
        if (!is_left(asking, node))
            continue;
        uint32_t item = asking->nodes[node].item;
        bool counts = steps(asking, item) && !is_optional(asking, item);
        need(asking, node, counts ? NEED_CONTROL : NEED_DATA);
        pass_needs(asking);
    }
}

/* Whether a node is the base of an access that the access itself moves. */
static bool is_stepped_base(const struct asking *asking, uint32_t node)
{
    const struct machine_cost *cost = cost_of(asking, asking->nodes[node].item);
    uint16_t resource = asking->nodes[node].resource;
    if (!cost->access_count || resource != cost->accesses[0].base)
        return false;
    return (cost->step.to == resource && cost->step.from == resource) ||
           linear_stepped(&asking->items[asking->nodes[node].item]);
}

/* Whether the value of a load is a number, as far as the load shows. */
static bool loads_data(const struct asking *asking, const struct subject_access *access)
{
    return access->loads && !access->is_stack && access->pattern != access_pattern_INVARIANT &&
           !asking->stack.is_spill[access->item];
}

/* Numbers that were put on the stack. */
static bool pass_through_stack(struct asking *asking, uint32_t item)
{
    bool has_changed = false;
    for (unsigned i = 0; i < MOST_STACK_WAYS; i++) {
        uint32_t source = stored_node(asking, asking->stack.sources[item][i]);
        if (source == NO_NODE || !asking->is_data[source])
            continue;
        for (uint32_t node = asking->first_nodes[item]; node < asking->first_nodes[item + 1]; node++) {
            has_changed |= !asking->is_data[node] && !(asking->needs[node] & NEED_POINTER);
            asking->is_data[node] |= !(asking->needs[node] & NEED_POINTER);
        }
    }
    return has_changed;
}

/* Values made from numbers, also around the loop. */
static void find_data(struct asking *asking)
{
    const struct subject *subject = asking->subject;
    for (unsigned i = 0; i < subject->access_count; i++) {
        uint32_t item = subject->accesses[i].item;
        for (uint32_t node = asking->first_nodes[item];
             loads_data(asking, &subject->accesses[i]) && node < asking->first_nodes[item + 1]; node++)
            asking->is_data[node] |= !(asking->needs[node] & NEED_POINTER) && !is_stepped_base(asking, node);
    }
    for (uint32_t node = 0; node < asking->graph->nodes.count; node++)
        asking->is_data[node] |=
            asking->items[asking->nodes[node].item].is_fp && !is_stepped_base(asking, node);
    bool has_changed = true;
    for (unsigned pass = 0; pass < MOST_PASSES && has_changed; pass++) {
        has_changed = false;
        for (size_t i = 0; i < asking->graph->edges.count; i++) {
            const struct ratio_edge *edge = &asking->edges[i];
            if (edge->way == way_BASE || edge->way == way_INDEX || !asking->is_data[edge->from] ||
                asking->is_data[edge->to] || asking->needs[edge->to] & NEED_POINTER)
                continue;
            asking->is_data[edge->to] = 1;
            has_changed = true;
        }
        for (uint32_t i = 0; i < asking->subject->item_count; i++)
            has_changed |= pass_through_stack(asking, i);
    }
}

static enum item_purpose purpose_of_needs(const struct asking *asking, uint32_t number, bool *is_for_call)
{
    const struct subject_item *item = &asking->items[number];
    const struct machine_cost *cost = cost_of(asking, number);
    uint8_t needs = 0;
    bool is_data = false;
    for (uint32_t node = asking->first_nodes[number]; node < asking->first_nodes[number + 1]; node++) {
        if (is_stepped_base(asking, node))
            continue;
        needs |= asking->needs[node];
        is_data |= asking->is_data[node];
    }
    if (item->is_fp)
        return purpose_DATA;
    if (needs & (NEED_ADDRESS | NEED_CONTROL) && (!cost->access_count || asking->stack.is_kept[number]) &&
        steps(asking, number))
        needs &= (uint8_t) ~(NEED_DATA | NEED_CALL);
    *is_for_call = (needs & ~NEED_CONTROL) == NEED_CALL;
    if (needs & NEED_ADDRESS)
        return purpose_ADDRESS;
    if (needs & (NEED_DATA | NEED_CALL))
        return purpose_DATA;
    if (needs & NEED_CONTROL)
        return is_data ? purpose_DATA : purpose_CONTROL;
    return item->row->class == class_COMPARE ? purpose_CONTROL : purpose_DATA;
}

static enum item_purpose purpose_of(const struct asking *asking, uint32_t number, bool *is_for_call)
{
    const struct subject_item *item = &asking->items[number];
    switch (item->row->class) {
    case class_NOP:
    case class_PREFETCH:
    case class_FENCE:
        return purpose_IDLE;
    case class_BRANCH:
    case class_RETURN:
        return purpose_CONTROL;
    default:
        break;
    }
    if (asking->stack.is_spill[number])
        return purpose_STACK;
    if (item->row->element == element_X87 || item->row->flow == flow_CALL)
        return purpose_DATA;
    if (is_governing(asking, number))
        return purpose_CONTROL;
    return purpose_of_needs(asking, number, is_for_call);
}

static void begin(struct asking *asking, const struct subject *subject, struct subject_item *items)
{
    const struct cost_dependences *graph = &subject->work->scratch.dependences;
    size_t nodes = graph->nodes.count;
    *asking = (struct asking){.subject = subject,
                              .items = items,
                              .graph = graph,
                              .nodes = graph->nodes.data,
                              .edges = graph->edges.data,
                              .first_nodes = graph->first_nodes.data};
    asking->needs = arena_get(subject->arena, nodes + 1);
    asking->is_data = arena_get(subject->arena, nodes + 1);
    asking->is_waiting = arena_get(subject->arena, nodes + 1);
    stack_ways_find(&asking->stack, subject);
    asking->waiting = arena_get(subject->arena, (nodes + 1) * sizeof *asking->waiting);
    asking->first_edges = arena_get(subject->arena, (nodes + 1) * sizeof *asking->first_edges);
    for (uint32_t node = 0, edge = 0; node <= nodes; node++) {
        while (edge < graph->edges.count && asking->edges[edge].to < node)
            edge++;
        asking->first_edges[node] = edge;
    }
    for (unsigned i = 0; i < MOST_RESOURCES; i++)
        asking->current[i] = NO_NODE;
}

void subject_find_purposes(const struct subject *subject, struct subject_item *items)
{
    struct asking asking;
    begin(&asking, subject, items);
    for (uint32_t i = 0; i < subject->item_count; i++)
        start_item(&asking, i);
    pass_needs(&asking);
    need_leftovers(&asking);
    find_data(&asking);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        bool is_for_call = false;
        items[i].purpose = purpose_of(&asking, i, &is_for_call);
        items[i].is_vectorisable &= items[i].purpose == purpose_DATA && !is_for_call;
    }
}
