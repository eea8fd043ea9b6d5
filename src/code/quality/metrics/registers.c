/* Registers that a path uses, and how many hold a value at a time.

   Registers are full ones: eax counts as rax. The stack pointer and registers with a constant value hold no
   value of the loop and are left out.

   Pressure. live_ranges has the registers that are live at the starts of blocks. After the last instruction
   of a block, a register is live if it is live at the start of any successor. From there backwards,
   instruction by instruction, a register that is read becomes live and one that is fully written stops being
   live. The worst point is where most registers of a kind are live. Registers that a call may change hold no
   value after it. */
#include "code/quality/metrics/metrics.h"

#include <stddef.h>
#include <string.h>

/* The rows of live_ranges of a unit in the current function. */
struct unit_ranges {
    uint16_t unit;
    size_t first, end;
};

struct walk {
    const struct model *model;
    const struct units *units;
    uint8_t *is_live, *is_wide; /* by unit; wide: the path uses more than 128 bits of it */
    struct unit_ranges *ranges; /* of units that count and have rows */
    unsigned range_count;
    int32_t live[2], most[2]; /* general, vector */
    const struct subject *subject;
};

/* Which of the two pressures a unit counts in; -1: none. */
static int side_of(const struct units *units, uint16_t unit)
{
    if (unit == units->stack)
        return -1;
    return units->kind[unit] == register_kind_GENERAL  ? 0
           : units->kind[unit] == register_kind_VECTOR ? 1
                                                       : -1;
}

static void count_used(const struct subject *subject, const struct units *units, struct loop_metric *metric)
{
    const struct model *model = subject->model;
    uint8_t *is_seen = arena_get(subject->arena, model->registers.count);
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned k = 0; k < subject->items[i].use_count; k++) {
            uint32_t id = subject->items[i].uses[k].register_;
            uint32_t full = model_full_register(model, id);
            const struct register_ *row = model_register(model, full ? full : id);
            bool is_x87 = row->kind == register_kind_X87;
            uint16_t unit = units_of(units, id);
            if (is_seen[full ? full : id] || unit == units->stack || (unit == NO_UNIT && !is_x87))
                continue;
            is_seen[full ? full : id] = 1;
            metric->general_registers += row->kind == register_kind_GENERAL;
            metric->vector_registers += row->kind == register_kind_VECTOR || is_x87;
            metric->mask_registers += row->kind == register_kind_MASK;
        }
}

static void set_live(struct walk *walk, uint16_t unit, bool is_live)
{
    int side = side_of(walk->units, unit);
    if (side < 0 || walk->is_live[unit] == is_live)
        return;
    walk->is_live[unit] = is_live;
    walk->live[side] += is_live ? 1 : -1;
    if (walk->live[side] > walk->most[side])
        walk->most[side] = walk->live[side];
}

static const struct live_range *range_at(const struct model *model, size_t index)
{
    return model_live_range(model, (uint32_t)index);
}

/* The first row from low on, below high, that is of a later register. */
static size_t end_of_register(const struct walk *walk, size_t low, size_t high)
{
    uint32_t id = range_at(walk->model, low)->register_;
    size_t step = 1;
    while (step < high - low && range_at(walk->model, low + step)->register_ <= id) {
        low += step;
        step *= 2;
    }
    struct bisection search = {low, step < high - low ? low + step : high};
    while (bisect(&search))
        bisect_past(&search, range_at(walk->model, search.middle)->register_ <= id);
    return search.first;
}

/* The rows of a function are in order of registers, and those of a register in order of blocks. */
static void find_ranges(struct walk *walk, uint32_t function)
{
    const struct array *rows = &walk->model->live_ranges;
    size_t at = array_first_not_below(rows, 0, offsetof(struct live_range, function), function);
    if (at == rows->count)
        return;
    size_t end = array_first_not_below(rows, at, offsetof(struct live_range, function), function + 1), next;
    for (; at < end; at = next) {
        uint16_t unit = units_of(walk->units, range_at(walk->model, at)->register_);
        next = end_of_register(walk, at, end);
        if (unit != NO_UNIT && side_of(walk->units, unit) >= 0 && walk->range_count < walk->units->count)
            walk->ranges[walk->range_count++] = (struct unit_ranges){unit, at, next};
    }
}

static bool is_live_in(const struct walk *walk, const struct unit_ranges *ranges, uint32_t block)
{
    struct bisection search = {ranges->first, ranges->end};
    while (bisect(&search))
        bisect_past(&search, range_at(walk->model, search.middle)->last_block < block);
    return search.first < ranges->end && range_at(walk->model, search.first)->first_block <= block;
}

/* Registers live after a block: those with live ranges. */
static void start_at_end_of(struct walk *walk, uint32_t block)
{
    const struct array *edges = &walk->model->edges;
    size_t first = array_first_not_below(edges, 0, offsetof(struct edge, source), block);
    memset(walk->is_live, 0, walk->units->count);
    walk->live[0] = walk->live[1] = 0;
    for (unsigned i = 0; i < walk->range_count; i++) {
        bool is_live = false;
        for (size_t k = first; k < edges->count && !is_live; k++) {
            const struct edge *edge = model_edge(walk->model, (uint32_t)k);
            if (edge->source != block)
                break;
            is_live = edge->kind != edge_kind_TAIL_CALL && is_live_in(walk, &walk->ranges[i], edge->target);
        }
        set_live(walk, walk->ranges[i].unit, is_live);
    }
}

/* A legacy SSE instruction leaves the upper part of a register as it is, which matters only where the path
   uses that part. */
static bool is_written_whole(const struct walk *walk, const struct register_use *use, uint16_t unit)
{
    if (!(use->access & access_WRITE) || use->is_conditional)
        return false;
    const struct register_ *row = model_register(walk->model, use->register_);
    bool keeps_upper_only = row->kind == register_kind_VECTOR && row->bits == 128;
    return !use->keeps_rest || (keeps_upper_only && !walk->is_wide[unit]);
}

static void step_back(struct walk *walk, const struct subject_item *item)
{
    if (item->row->flow == flow_CALL)
        for (uint16_t unit = 0; unit < walk->units->count; unit++)
            if (walk->units->abi[unit] & ABI_CLOBBERED)
                set_live(walk, unit, false);
    for (unsigned i = 0; i < item->use_count; i++) {
        uint16_t unit = units_of(walk->units, item->uses[i].register_);
        if (unit != NO_UNIT && is_written_whole(walk, &item->uses[i], unit))
            set_live(walk, unit, false);
    }
    for (unsigned i = 0; i < item->use_count; i++) {
        uint16_t unit = units_of(walk->units, item->uses[i].register_);
        if (unit != NO_UNIT && item->uses[i].access & access_READ)
            set_live(walk, unit, true);
    }
}

static void note_wide(struct walk *walk, const struct subject_item *item)
{
    for (unsigned i = 0; i < item->use_count; i++) {
        uint16_t unit = units_of(walk->units, item->uses[i].register_);
        const struct register_ *row = model_register(walk->model, item->uses[i].register_);
        if (unit != NO_UNIT && row->kind == register_kind_VECTOR && row->bits > 128)
            walk->is_wide[unit] = 1;
    }
}

static void walk_back(struct walk *walk)
{
    const struct subject *subject = walk->subject;
    const struct loop_path *path = subject->path;
    unsigned end = subject->item_count;
    for (uint32_t i = path->blocks; i-- > 0;) {
        uint32_t id = model_path_block(subject->model, path->first_block + i)->block;
        uint32_t count = model_block(subject->model, id)->instruction_count;
        start_at_end_of(walk, id);
        for (uint32_t k = 0; k < count && end > 0; k++)
            step_back(walk, &subject->items[--end]);
    }
}

void metric_registers(const struct subject *subject, struct loop_metric *metric)
{
    const struct model *model = subject->model;
    const struct units *units = &subject->facts->units[subject->items[0].row->isa];
    uint32_t function = model_loop(model, subject->loop)->function;
    if (!units->of_register)
        return;
    count_used(subject, units, metric);
    struct walk walk = {.model = model,
                        .units = units,
                        .subject = subject,
                        .is_live = arena_get(subject->arena, units->count + 1),
                        .is_wide = arena_get(subject->arena, units->count + 1),
                        .ranges = arena_get(subject->arena, (units->count + 1) * sizeof *walk.ranges)};
    find_ranges(&walk, function);
    if (!walk.range_count || subject->path->is_cut)
        return;
    for (unsigned i = 0; i < subject->item_count; i++)
        note_wide(&walk, &subject->items[i]);
    walk_back(&walk);
    metric->general_pressure = walk.most[0];
    metric->vector_pressure = walk.most[1];
}
