/* Labels of IA-64 listings that control reaches in invisible ways.

   A person or a compiler writes a label because something refers to it.  If no jump does, its address is
   taken: by an expression that computes the target of an indirect jump (adds r3=.loops-1b,r3), by rfi, or by
   a table of exceptions or unwinding.  So code at a label that cannot be reached otherwise counts as entered
   from outside, like places that other functions jump to, and its loops are found.

   For that, labels after code that control does not pass must start a block even if nothing jumps to them.
   Blocks of only no-ops are padding and stay so.  Binaries have no labels, so their unreached code stays
   unreached. */
#include "code/structure/labels.h"

#include "code/structure/listing_tables.h"

static bool goes_on(const struct layout *layout, const struct sweep_instruction *entry)
{
    if (!entry->encoding)
        return false;
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    bool is_end = encoding->flow == flow_JUMP || encoding->flow == flow_RETURN || encoding->flow == flow_STOP;
    return !is_end || layout_may_go_on(encoding);
}

void labels_lead(struct shaper *shaper, const struct piece *piece)
{
    const struct layout *layout = shaper->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    uint64_t section = layout_section_start(layout, piece);
    uint8_t *flags = shaper->flags.data;
    if (!layout->tables)
        return;
    size_t label = listing_tables_first_place(layout->tables, piece->start);
    bool is_dead = false;
    for (uint32_t i = 0; i < piece->count; i++) {
        bool is_after_end = i && !goes_on(layout, &entries[i - 1]);
        is_dead = is_after_end || (is_dead && !(flags[i] & LEADER));
        uint64_t address = section + entries[i].offset, place;
        while ((place = listing_tables_place(layout->tables, label)) < address)
            label++;
        if (place != address)
            continue;
        flags[i] |= LABEL | (is_dead ? LEADER : 0);
        is_dead = false;
    }
}

/* Marks what can be reached from a block; the stack holds each block once. */
static void reach(const struct shape *shape, const uint32_t *first, uint8_t *is_reached, uint32_t *stack,
                  uint32_t block)
{
    uint32_t height = 0;
    is_reached[block] = 1;
    stack[height++] = block;
    while (height) {
        uint32_t from = stack[--height];
        for (uint32_t i = first[from]; i < first[from + 1]; i++) {
            uint32_t to = shape->edges[i].target;
            if (to == NO_NODE || is_reached[to])
                continue;
            is_reached[to] = 1;
            stack[height++] = to;
        }
    }
}

void labels_enter(struct shaper *shaper, const struct piece *piece, const struct shape *shape)
{
    const struct layout *layout = shaper->layout;
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    uint8_t *flags = shaper->flags.data;
    uint32_t blocks = shape->block_count;
    if (!layout->tables || !blocks)
        return;
    shaper->first.count = shaper->numbers.count = shaper->marks.count = 0;
    uint32_t *first = array_add_many(&shaper->first, blocks + 1);
    uint32_t *stack = array_add_many(&shaper->numbers, blocks);
    uint8_t *is_reached = array_add_many(&shaper->marks, blocks);
    for (uint32_t block = 0, edge = 0; block <= blocks; block++) {
        first[block] = edge;
        while (edge < shape->edge_count && shape->edges[edge].source == block)
            edge++;
    }
    for (uint32_t block = 0; block < blocks; block++)
        if (!is_reached[block] && (!block || flags[shape->blocks[block].first] & ENTRY))
            reach(shape, first, is_reached, stack, block);
    for (uint32_t block = 0; block < blocks; block++) {
        const struct shape_block *row = &shape->blocks[block];
        if (is_reached[block] || !(flags[row->first] & LABEL) ||
            layout_are_no_ops(layout, entries + row->first, row->count))
            continue;
        flags[row->first] |= ENTRY;
        reach(shape, first, is_reached, stack, block);
    }
}
