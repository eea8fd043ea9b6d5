/* From which resource to which an instruction carries values, and how long that takes.

   Registers become resources, and each gets the slots of the form through which it is read and written: the
   operands that name it, the flags, the parts of an address, or its name if the text does not show it.  A
   flow goes from everything that is read to everything that is written, with the latency that the form has
   for the slots, the largest if there are several.

   What is written only in part, or under a condition, is read too.  Vector registers are the exception:
   instructions that leave a part of the register alone do not wait for it in practice.  The old value counts
   only if the form has a latency from the operand that is written.  The same holds for results with a false
   dependence on their old value (popcnt before Cannon Lake): the form says so.

   If high bytes are renamed separately, a wider read of the register reads both, and a wider write ends both.
 */
#include <math.h>
#include <string.h>
#include "code/machine/resolve_parts.h"

enum { SHOWN = 0x1fe /* slots of operands */, MOST_RESULTS = 12 };

static const uint64_t hidden_slots = ~0ULL << slot_HIDDEN;

static struct cost_value *value_of(struct cost_instruction *instruction, uint16_t resource)
{
    for (unsigned i = 0; i < instruction->value_count; i++)
        if (instruction->values[i].resource == resource)
            return &instruction->values[i];
    if (instruction->value_count == MOST_COST_VALUES)
        return NULL;
    struct cost_value *value = &instruction->values[instruction->value_count++];
    *value = (struct cost_value){.resource = resource};
    return value;
}

static struct cost_value *value_of_row(struct cost_instruction *instruction, uint32_t row)
{
    const struct machine_costs *costs = instruction->costs;
    uint16_t resource = row < costs->register_count ? costs->resource_of[row] : RESOURCE_NONE;
    return resource ? value_of(instruction, resource) : NULL;
}

/* The slot of an operand in the form, which may lack the mask. */
static unsigned slot_of(const struct cost_instruction *instruction, const struct operand *operand)
{
    unsigned position = operand->position;
    if (instruction->is_unmasked && position >= 2)
        position = position == 2 ? 0 : position - 1;
    return position <= 8 ? position : 0;
}

static bool waits_for_old(const struct cost_instruction *instruction, unsigned slot)
{
    const struct machine_form *form = instruction->form;
    if (!form || !slot)
        return false;
    const struct form_latency *rows =
        ARRAY_AT(struct form_latency, &instruction->costs->machine->form_latencies, form->latencies.first);
    for (unsigned i = 0; i < form->latencies.count; i++)
        if (rows[i].from == slot && !isnan(rows[i].cycles))
            return true;
    return false;
}

static void gather_operands(struct cost_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        bool is_access = operand->kind == operand_kind_MEMORY;
        unsigned slot = slot_of(instruction, operand);
        struct cost_value *value;
        if (operand->kind == operand_kind_REGISTER &&
            (value = value_of_row(instruction, operand->register_))) {
            uint64_t bit = slot ? 1ULL << slot : 0;
            if (operand->access & access_READ || waits_for_old(instruction, slot)) {
                value->reads = true;
                value->read_slots |= bit;
            }
            if (operand->access & access_WRITE) {
                value->writes = true;
                value->write_slots |= bit;
            }
        }
        if (is_access || operand->kind == operand_kind_ADDRESS) {
            if ((value = value_of_row(instruction, operand->base_register))) {
                value->is_base |= is_access;
                value->reads |= !is_access;
                value->read_slots |= is_access ? 0 : 1ULL << slot_ADDRESS;
            }
            if ((value = value_of_row(instruction, operand->index_register))) {
                value->is_index |= is_access;
                value->reads |= !is_access;
                value->read_slots |= is_access ? 0 : 1ULL << slot_INDEX;
            }
        }
    }
}

/* Where the high byte is renamed apart, a wider read or write of the register is one of the byte, too; and
   the byte may have been written last as a part of the whole. */
static void gather_high_byte(const struct cost_instruction *instruction, struct cost_value *value,
                             const struct register_use *use, const struct register_ *row)
{
    const struct machine_costs *costs = instruction->costs;
    uint16_t high = costs->high_of[value->resource];
    uint16_t full = row->full < costs->register_count ? costs->resource_of[row->full] : RESOURCE_NONE;
    if (high && row->bits > 8) {
        value->also = use->access & access_READ ? high : value->also;
        value->ends = use->access & access_WRITE ? high : value->ends;
    } else if (full != value->resource && use->access & access_READ) {
        value->also = full;
    }
}

static void gather_use(struct cost_instruction *instruction, const struct register_use *use)
{
    struct machine_costs *costs = instruction->costs;
    struct cost_value *value = value_of_row(instruction, use->register_);
    if (!value)
        return;
    const struct register_ *row = model_register(costs->model, use->register_);
    bool is_flag = row->kind == register_kind_FLAGS;
    uint64_t slot = is_flag ? 1ULL << slot_FLAGS : costs->hidden_of[value->resource];
    bool is_own = costs->high_of[value->resource] == RESOURCE_NONE && row->bit_offset == 8;
    bool keeps =
        use->is_conditional || (use->keeps_rest && !is_flag && row->kind != register_kind_VECTOR && !is_own);
    if (use->access & access_READ && !use->is_address && !(value->read_slots & SHOWN)) {
        value->reads = true;
        value->read_slots |= slot;
    }
    if (use->is_address && !value->is_base && !value->is_index &&
        !(value->read_slots & (1ULL << slot_ADDRESS | 1ULL << slot_INDEX)))
        value->is_implicit_base = true;
    if (use->access & access_WRITE) {
        bool is_pointer =
            value->resource == costs->stack_pointers[0] || value->resource == costs->stack_pointers[1];
        value->writes = true;
        if (!(value->write_slots & SHOWN)) {
            value->write_slots |= use->is_address || is_pointer ? slot | 1ULL << slot_ADDRESS : slot;
            if (use->is_address) /* stepped: becomes itself plus something */
                value->reads = true;
        }
        value->keeps_old |= keeps;
    }
    if (costs->machine->core.high_bytes_apart && row->kind == register_kind_GENERAL)
        gather_high_byte(instruction, value, use, row);
}

void resolve_gather_values(struct cost_instruction *instruction)
{
    gather_operands(instruction);
    for (unsigned i = 0; i < instruction->use_count; i++)
        gather_use(instruction, &instruction->uses[i]);
}

/* The latency of the form between two slots, each a set of names for one: what fits best. */
static bool find_latency(const struct cost_instruction *instruction, uint64_t from, uint64_t to,
                         double *cycles)
{
    const struct machine_form *form = instruction->form;
    const struct form_latency *rows =
        ARRAY_AT(struct form_latency, &instruction->costs->machine->form_latencies, form->latencies.first);
    unsigned best = 0;
    for (unsigned i = 0; i < form->latencies.count; i++) {
        bool from_fits = rows[i].from && from >> rows[i].from & 1,
             to_fits = rows[i].to && to >> rows[i].to & 1;
        if ((rows[i].from && !from_fits) || (rows[i].to && !to_fits))
            continue;
        unsigned rank = 1 + from_fits * 2U + to_fits;
        if (rank > best) {
            best = rank;
            *cycles = rows[i].cycles;
        }
    }
    return best;
}

/* The next of the slots that a value has, taken out of the set: hidden ones together. */
static uint64_t take_slot(uint64_t *slots)
{
    uint64_t taken = *slots & hidden_slots ? *slots & hidden_slots : *slots & -*slots;
    *slots &= ~taken;
    return taken;
}

/* From any of some slots to any of some others; NaN where nothing goes. */
static double latency_between(const struct cost_instruction *instruction, uint64_t from, uint64_t to,
                              double usual)
{
    double longest = NAN;
    uint64_t from_left = from;
    do {
        uint64_t one = take_slot(&from_left), to_left = to;
        do {
            double cycles = usual;
            uint64_t other = take_slot(&to_left);
            if (instruction->form)
                find_latency(instruction, one, other, &cycles);
            if (!(longest >= cycles))
                longest = isnan(cycles) ? longest : cycles;
        } while (to_left);
    } while (from_left);
    return longest;
}

struct flow_list {
    struct cost_flow flows[MOST_COST_FLOWS];
    unsigned count;
};

static void add_flow(struct flow_list *list, uint16_t from, uint16_t to, enum cost_way way, double latency)
{
    if (!isnan(latency) && list->count < MOST_COST_FLOWS)
        list->flows[list->count++] =
            (struct cost_flow){.from = from, .to = to, .way = (uint8_t)way, .latency = (float)latency};
}

/* From a register, and from the one that is read with it. */
static void add_flows(struct flow_list *list, const struct cost_value *from, uint16_t to, enum cost_way way,
                      double latency)
{
    add_flow(list, from->resource, to, way, latency);
    if (from->also)
        add_flow(list, from->also, to, way, latency);
}

/* The latency where the form has no exception for two slots. */
static double usual_latency(const struct cost_instruction *instruction, bool is_loaded)
{
    const struct machine_form *form = instruction->form;
    if (form && !isnan(form->latency))
        return form->latency;
    return resolve_assumed_latency(instruction, is_loaded);
}

/* A plain load or store does nothing with the value. */
static bool is_plain(const struct cost_instruction *instruction)
{
    unsigned class = instruction->encoding->class;
    return class == class_LOAD || class == class_STORE || class == class_PUSH || class == class_POP ||
           class == class_CALL || class == class_RETURN;
}

/* What an instruction takes from a value in memory to a result, beyond the load of it: as long as from a
   register beside it, else what is left of the way from the address when a plain load is taken out. */
static double beyond_load(const struct cost_instruction *instruction, uint64_t to)
{
    if (is_plain(instruction))
        return 0;
    const struct machine_costs *costs = instruction->costs;
    double longest = NAN, whole = NAN;
    if (!instruction->form)
        return resolve_assumed_latency(instruction, false);
    if (find_latency(instruction, 1ULL << slot_MEMORY, to, &whole) && isnan(whole))
        return NAN;
    for (unsigned i = 0; i < instruction->value_count; i++) {
        const struct cost_value *value = &instruction->values[i];
        if (!(value->read_slots & SHOWN))
            continue;
        double cycles =
            latency_between(instruction, value->read_slots & SHOWN, to, usual_latency(instruction, false));
        longest = !(longest >= cycles) && !isnan(cycles) ? cycles : longest;
    }
    if (!isnan(longest))
        return longest;
    whole = usual_latency(instruction, true);
    find_latency(instruction, 1ULL << slot_ADDRESS, to, &whole);
    double load = resolve_plain_load(costs, instruction->form->text);
    return isnan(whole) || isnan(load) || whole < load ? 0 : whole - load;
}

/* The same for a register that is stored, beyond a plain store. */
static double beyond_store(const struct cost_instruction *instruction, uint64_t from)
{
    if (is_plain(instruction) || !instruction->form)
        return is_plain(instruction) ? 0 : resolve_assumed_latency(instruction, false);
    double whole = latency_between(instruction, from, 1ULL << slot_MEMORY, usual_latency(instruction, false));
    double store = resolve_plain_store(instruction->costs, instruction->form->text);
    return isnan(whole) ? NAN : isnan(store) || whole < store ? 0 : whole - store;
}

/* From memory and back: as long as to the flags, else as from a register, else one operation. */
static double beyond_both(const struct cost_instruction *instruction)
{
    double cycles = NAN;
    for (unsigned i = 0; i < instruction->value_count && isnan(cycles); i++)
        if (instruction->values[i].write_slots & 1ULL << slot_FLAGS)
            cycles = beyond_load(instruction, 1ULL << slot_FLAGS);
    for (unsigned i = 0; i < instruction->value_count && isnan(cycles); i++)
        if (instruction->values[i].read_slots & SHOWN)
            cycles = beyond_store(instruction, instruction->values[i].read_slots & SHOWN);
    return isnan(cycles) ? resolve_assumed_latency(instruction, false) : cycles;
}

static double own_latency(const struct cost_instruction *instruction, const struct machine_cost *cost,
                          const struct cost_value *from, uint64_t from_slots, uint64_t to_slots)
{
    const struct machine_form *form = instruction->form;
    bool is_source = form && instruction->same && from->resource == instruction->same;
    if (is_source && form->breaks_on_same)
        return NAN;
    if (is_source && !isnan(form->latency_same))
        return form->latency_same;
    double cycles = latency_between(instruction, from_slots, to_slots, usual_latency(instruction, false));
    /* A move that renaming would do takes a cycle where it cannot, which is when the two are one (uiCA). */
    if (form && form->is_eliminated && !cost->is_eliminated && cycles < 1)
        cycles = 1;
    return cycles;
}

static bool is_stepped(const struct cost_value *value)
{
    return value->write_slots & 1ULL << slot_ADDRESS;
}

/* A base register that is stepped is ready as soon as the address is: one addition, unless the form knows
   better; none where the stack engine does it. */
static double step_latency(const struct cost_instruction *instruction, const struct machine_cost *cost,
                           const struct cost_value *value)
{
    double cycles = cost->uses_stack_engine ? 0 : 1;
    if (instruction->form && !cost->uses_stack_engine)
        find_latency(instruction, 1ULL << slot_ADDRESS | (value->write_slots & hidden_slots),
                     value->write_slots, &cycles);
    return cycles;
}

static void flow_between(const struct cost_instruction *instruction, const struct machine_cost *cost,
                         const struct cost_value *from, const struct cost_value *to, struct flow_list *list)
{
    if (is_stepped(to)) {
        /* From itself; the stack pointer that is set from another (leave), from that one. */
        if (from == to ? to->reads : !to->reads && from->is_implicit_base)
            add_flows(list, from, to->resource, way_REGISTER, step_latency(instruction, cost, to));
        return;
    }
    if (from->reads && (!is_stepped(from) || from->read_slots & SHOWN))
        add_flows(list, from, to->resource, way_REGISTER,
                  own_latency(instruction, cost, from, from->read_slots, to->write_slots));
    else if (from == to && to->keeps_old)
        add_flow(list, to->resource, to->resource, way_REGISTER,
                 own_latency(instruction, cost, to, to->write_slots, to->write_slots));
    if (!instruction->encoding->load_bytes)
        return;
    double usual = usual_latency(instruction, true), load = resolve_assumed_latency(instruction, true);
    if (from->is_implicit_base && is_plain(instruction) && usual < load)
        usual = load; /* what is measured there is the way of the value, not that of the address */
    if (from->is_base || from->is_implicit_base)
        add_flows(list, from, to->resource, way_BASE,
                  latency_between(instruction, 1ULL << slot_ADDRESS, to->write_slots, usual));
    if (from->is_index)
        add_flows(list, from, to->resource, way_INDEX,
                  latency_between(instruction, 1ULL << slot_INDEX, to->write_slots, usual));
}

/* What a call stores is where it comes from. */
static void flow_to_memory(const struct cost_instruction *instruction, bool loads, struct flow_list *list)
{
    if (instruction->encoding->class == class_CALL)
        return;
    for (unsigned i = 0; i < instruction->value_count; i++) {
        const struct cost_value *value = &instruction->values[i];
        if (value->reads && (!is_stepped(value) || value->read_slots & SHOWN))
            add_flows(list, value, RESOURCE_MEMORY, way_REGISTER,
                      beyond_store(instruction, value->read_slots));
    }
    if (loads)
        add_flow(list, RESOURCE_MEMORY, RESOURCE_MEMORY, way_MEMORY,
                 is_plain(instruction) ? 0 : beyond_both(instruction));
}

static void keep_flows(struct machine_costs *costs, struct machine_cost *cost, const struct flow_list *list)
{
    struct cost_flow *flows = arena_get(&costs->rows, (list->count + 1) * sizeof *flows);
    memcpy(flows, list->flows, list->count * sizeof *flows);
    cost->flows = flows;
    cost->flow_count = list->count;
}

static bool writes_already(const struct machine_cost *cost, uint16_t resource)
{
    for (unsigned i = 0; i < cost->write_count; i++)
        if (cost->writes[i] == resource)
            return true;
    return false;
}

void resolve_make_flows(struct cost_instruction *instruction, struct machine_cost *cost)
{
    struct flow_list list;
    list.count = 0;
    const struct cost_value *values = instruction->values;
    unsigned count = instruction->value_count, write_count = 0;
    bool loads = false, stores = false;
    for (unsigned i = 0; i < cost->access_count; i++) {
        loads |= cost->accesses[i].loads;
        stores |= cost->accesses[i].stores;
    }
    for (unsigned i = 0; i < count; i++)
        write_count += values[i].writes;
    uint16_t *writes = arena_get(&instruction->costs->rows, (2 * write_count + 1) * sizeof *writes);
    cost->writes = writes;
    for (unsigned to = 0; to < count; to++) {
        if (!values[to].writes)
            continue;
        writes[cost->write_count++] = values[to].resource;
        /* Whole sets of registers are restored or cleared above their lower parts: those pass. */
        if (write_count > MOST_RESULTS) {
            if (values[to].reads)
                add_flow(&list, values[to].resource, values[to].resource, way_REGISTER, 0);
            continue;
        }
        for (unsigned from = 0; from < count; from++)
            flow_between(instruction, cost, &values[from], &values[to], &list);
        if (loads && !is_stepped(&values[to]))
            add_flow(&list, RESOURCE_MEMORY, values[to].resource, way_MEMORY,
                     beyond_load(instruction, values[to].write_slots));
    }
    for (unsigned i = 0; i < count; i++)
        if (values[i].writes && values[i].ends && !writes_already(cost, values[i].ends))
            writes[cost->write_count++] = values[i].ends;
    if (stores)
        flow_to_memory(instruction, loads, &list);
    keep_flows(instruction->costs, cost, &list);
}
