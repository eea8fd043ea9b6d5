/* Blocks of a loop are few, so predecessors and dominated blocks are found by looking at all of them. */
#include "code/quality/rules/forks.h"

#include "base/path.h"
#include "code/quality/values.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct walk {
    const struct model *model;
    uint32_t loop;
    size_t at;
};

static struct walk begin(const struct subject *subject)
{
    const struct array *table = &subject->model->loop_blocks;
    return (struct walk){subject->model, subject->loop,
                         array_first_not_below(table, 0, offsetof(struct loop_block, loop), subject->loop)};
}

/* The next block of the loop; 0 after the last. */
static uint32_t next_block(struct walk *walk)
{
    const struct model *model = walk->model;
    if (walk->at >= model->loop_blocks.count ||
        model_loop_block(model, (uint32_t)walk->at)->loop != walk->loop)
        return 0;
    return model_loop_block(model, (uint32_t)walk->at++)->block;
}

static bool is_in_loop(const struct subject *subject, uint32_t block)
{
    struct walk walk = begin(subject);
    for (uint32_t other; (other = next_block(&walk));)
        if (other == block)
            return true;
    return false;
}

static size_t first_edge(const struct model *model, uint32_t block)
{
    return array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
}

static bool is_edge_of(const struct model *model, size_t edge, uint32_t block)
{
    return edge < model->edges.count && model_edge(model, (uint32_t)edge)->source == block;
}

static unsigned count_predecessors(const struct subject *subject, uint32_t block)
{
    struct walk walk = begin(subject);
    unsigned count = 0;
    for (uint32_t other; (other = next_block(&walk));)
        for (size_t edge = first_edge(subject->model, other); is_edge_of(subject->model, edge, other); edge++)
            count += model_edge(subject->model, (uint32_t)edge)->target == block;
    return count;
}

/* A conditional jump that starts the next iteration, not a decision within the side. */
static bool ends_iteration(const struct subject *subject, uint32_t block)
{
    const struct model *model = subject->model;
    uint32_t header = model_loop(model, subject->loop)->header;
    for (size_t edge = first_edge(model, block); is_edge_of(model, edge, block); edge++)
        if (model_edge(model, (uint32_t)edge)->target == header)
            return true;
    return false;
}

static void take_instruction(const struct subject *subject, uint32_t block, uint32_t instruction,
                             struct fork_side *side)
{
    struct subject_item item;
    subject_item_take(subject->model, &item, instruction);
    const struct encoding *row = item.row;
    side->instructions += row->flow != flow_JUMP && row->class != class_NOP;
    side->loads += row->load_bytes != 0;
    side->stores += row->store_bytes != 0;
    if ((row->flow != flow_NEXT && row->flow != flow_JUMP && row->flow != flow_BRANCH) ||
        (row->flow == flow_BRANCH && !ends_iteration(subject, block)) || row->class == class_ATOMIC ||
        row->class == class_DIVIDE || row->class == class_SQRT || row->class == class_FENCE)
        side->is_plain = false;
    for (unsigned i = 0; row->store_bytes && i < item.operand_count; i++)
        if (item.operands[i].kind == operand_kind_MEMORY)
            side->place = &item.operands[i];
    for (unsigned u = 0; u < item.use_count; u++)
        if (value_is_written(&item.uses[u]))
            side->writers[model_full_register(subject->model, item.uses[u].register_)] = item.encoding;
}

/* Whether other blocks of the loop lead to its first block, too: then nothing runs on this side alone. */
static bool is_meeting(const struct subject *subject, const struct fork_side *side)
{
    return side->first == model_loop(subject->model, subject->loop)->header ||
           count_predecessors(subject, side->first) > 1;
}

static bool is_on_side(const struct model *model, const struct fork_side *side, uint32_t block)
{
    const struct block *first = model_block(model, side->first), *row = model_block(model, block);
    return row->dom_enter >= first->dom_enter && row->dom_leave <= first->dom_leave;
}

unsigned fork_side_items(const struct subject *subject, const struct fork_side *side,
                         struct subject_item *items, unsigned most)
{
    const struct model *model = subject->model;
    struct walk walk = begin(subject);
    unsigned count = 0;
    if (is_meeting(subject, side))
        return 0;
    for (uint32_t id; (id = next_block(&walk));) {
        const struct block *block = model_block(model, id);
        for (uint32_t i = 0; is_on_side(model, side, id) && i < block->instruction_count && count < most; i++)
            subject_item_take(model, &items[count++], block->first_instruction + i);
    }
    return count;
}

static void take_side(const struct subject *subject, struct fork_side *side)
{
    const struct model *model = subject->model;
    struct walk walk = begin(subject);
    side->is_plain = true;
    side->writers = arena_get(subject->arena, model->registers.count * sizeof *side->writers);
    if (is_meeting(subject, side))
        return;
    for (uint32_t id; (id = next_block(&walk));) {
        const struct block *block = model_block(model, id);
        for (uint32_t i = 0; is_on_side(model, side, id) && i < block->instruction_count; i++)
            take_instruction(subject, id, block->first_instruction + i, side);
    }
}

bool fork_find(const struct subject *subject, unsigned item, struct fork *fork)
{
    const struct model *model = subject->model;
    uint32_t block = model_instruction(model, subject->items[item].instruction)->block;
    unsigned count = 0;
    *fork = (struct fork){.item = item};
    if (subject->items[item].row->flow != flow_BRANCH)
        return false;
    for (size_t edge = first_edge(model, block); is_edge_of(model, edge, block); edge++) {
        uint32_t target = model_edge(model, (uint32_t)edge)->target;
        if (count == 2 || !is_in_loop(subject, target))
            return false;
        fork->sides[count++].first = target;
    }
    if (count != 2 || fork->sides[0].first == fork->sides[1].first)
        return false;
    uint32_t next = item + 1 < subject->item_count
                        ? model_instruction(model, subject->items[item + 1].instruction)->block
                        : model_loop(model, subject->loop)->header;
    fork->taken = next == fork->sides[1].first;
    for (unsigned i = 0; i < 2; i++)
        take_side(subject, &fork->sides[i]);
    return true;
}

bool fork_changes(const struct subject *subject, const struct fork *fork, uint32_t register_row)
{
    uint32_t full = model_full_register(subject->model, register_row);
    return fork->sides[0].writers[full] != fork->sides[1].writers[full];
}

bool fork_is_simple_loop(const struct subject *subject)
{
    const struct model *model = subject->model;
    uint32_t section = model_block(model, model_loop(model, subject->loop)->header)->section;
    struct walk walk = begin(subject);
    for (uint32_t id; (id = next_block(&walk));) {
        const struct block *block = model_block(model, id);
        if (block->section != section || block->ends == block_end_SWITCH || block->ends == block_end_INDIRECT)
            return false;
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint32_t encoding = model_instruction(model, block->first_instruction + i)->encoding;
            if (model_encoding(model, encoding)->flow == flow_CALL)
                return false;
        }
    }
    return true;
}

static bool is_invariant(const struct values *values, unsigned item, unsigned steps)
{
    const struct subject *subject = values->subject;
    const struct subject_item *row = &subject->items[item];
    const struct subject_access *access = values_access(subject, item);
    if (row->row->load_bytes && access && access->pattern == access_pattern_INVARIANT)
        return true;
    for (unsigned u = 0; u < row->use_count; u++) {
        struct value_source source = values_source(values, item, u);
        enum register_kind kind = model_register(subject->model, row->uses[u].register_)->kind;
        if (!value_is_read(&row->uses[u]) || source.item == VALUE_OUTSIDE || kind == register_kind_POINTER)
            continue;
        if (!steps || source.is_earlier || source.item == item ||
            !is_invariant(values, source.item, steps - 1))
            return false;
    }
    return true;
}

bool fork_is_invariant(const struct values *values, unsigned item)
{
    enum { MOST_STEPS = 6 };
    return is_invariant(values, item, MOST_STEPS);
}

const char *fork_place(const struct subject *subject, unsigned item)
{
    enum { DIGITS = 16 };
    const struct model *model = subject->model;
    uint32_t id = model_instruction(model, subject->items[item].instruction)->source_line;
    const struct source_line *line = id ? model_source_line(model, id) : NULL;
    const char *path = line && line->file ? model_text(model, model_file(model, line->file)->path) : NULL;
    if (!path || !line->line)
        return NULL;
    const char *name = path_name(path);
    size_t size = strlen(name) + DIGITS;
    char *place = arena_get(subject->arena, size);
    snprintf(place, size, "%s:%u", name, line->line);
    return place;
}
