/* Gathers and scatters that are loops of their own: Knights Corner.

   There such an instruction does the lanes that lie in one line of the cache and clears their bits in its
   mask, and a jump repeats it until the mask is empty.  Compilers write it once or, to jump less, twice:

       l:    vgatherdps zmm0 {k1}, [rax+zmm1*4]
             jkzd k1, done
             vgatherdps zmm0 {k1}, [rax+zmm1*4]
             jknzd k1, l
       done:

   That is a loop of the graph, but one instruction of the program, and what should be looked at is the loop
   around it (CQA, III.C.2).  So the jump back is left out where loops are looked for, and a path goes through
   the first half once; its block says how often that may be repeated at most: once for each lane.

   A half is the instruction and its jump, with the same mask, and nothing else.  No other processor has jumps
   by a mask, so no other code looks like this. */
#include "code/structure/shape_parts.h"

#include "model/elements.h"

enum { USUAL_LANES = 16 };

static const struct encoding *encoding_at(const struct shaper *shaper, const struct piece *piece,
                                          uint32_t entry)
{
    const struct layout *layout = shaper->layout;
    uint32_t encoding = layout_instructions(layout, piece)[entry].encoding;
    return encoding ? model_encoding(layout->model, encoding) : NULL;
}

/* The only mask register that an instruction uses; 0: none, or several. */
static uint32_t mask_of(const struct shaper *shaper, const struct piece *piece, uint32_t entry)
{
    const struct layout *layout = shaper->layout;
    unsigned count;
    const struct register_use *uses = meanings_uses(
        layout->meanings, layout->model, layout_instructions(layout, piece)[entry].encoding, &count);
    uint32_t found = 0;
    for (unsigned i = 0; i < count; i++) {
        if (model_register(layout->model, uses[i].register_)->kind != register_kind_MASK)
            continue;
        if (found)
            return 0;
        found = uses[i].register_;
    }
    return found;
}

static bool is_by_lanes(const struct encoding *encoding)
{
    return encoding && encoding->is_masked &&
           (encoding->class == class_GATHER || encoding->class == class_SCATTER ||
            encoding->class == class_PREFETCH);
}

static bool is_jump(const struct encoding *encoding)
{
    return encoding && encoding->flow == flow_BRANCH;
}

/* The lanes of a half; 0: the block is none. */
static uint32_t lanes_of_half(const struct shaper *shaper, const struct piece *piece,
                              const struct shape_block *block, uint32_t *mask)
{
    if (block->count != 2)
        return 0;
    const struct encoding *gather = encoding_at(shaper, piece, block->first);
    if (!is_by_lanes(gather) || !is_jump(encoding_at(shaper, piece, block->first + 1)))
        return 0;
    *mask = mask_of(shaper, piece, block->first);
    if (!*mask || mask_of(shaper, piece, block->first + 1) != *mask)
        return 0;
    unsigned bits = element_bits(gather->element);
    return bits && gather->vector_bits > bits ? gather->vector_bits / bits : USUAL_LANES;
}

/* The jumps of a block within its function go to these two, in any order. */
static bool goes_to(const struct graph *graph, uint32_t block, uint32_t one, uint32_t other)
{
    uint32_t first = graph->first[block + 1], end = graph->first[block + 2];
    const uint32_t *targets = graph->targets + first;
    return end - first == 2 && ((targets[0] == one + 1 && targets[1] == other + 1) ||
                                (targets[0] == other + 1 && targets[1] == one + 1));
}

static void lead(struct graph *graph, uint32_t block, uint32_t from, uint32_t to)
{
    for (uint32_t i = graph->first[block + 1]; i < graph->first[block + 2]; i++)
        if (graph->targets[i] == from + 1)
            graph->targets[i] = to + 1;
}

void shape_fold_gathers(const struct shaper *shaper, const struct piece *piece, struct shape *shape,
                        struct graph *graph)
{
    for (uint32_t block = 0; block + 1 < shape->block_count; block++) {
        struct shape_block *half = &shape->blocks[block];
        uint32_t mask, other_mask;
        if (half->count != 2 || !(half->most_repeats = lanes_of_half(shaper, piece, half, &mask)))
            continue;
        bool is_two = block + 2 < shape->block_count && goes_to(graph, block, block + 1, block + 2) &&
                      lanes_of_half(shaper, piece, half + 1, &other_mask) && mask == other_mask &&
                      goes_to(graph, block + 1, block, block + 2);
        bool is_one = !is_two && goes_to(graph, block, block, block + 1);
        if (is_two)
            lead(graph, block + 1, block, block + 2);
        else if (is_one)
            lead(graph, block, block, block + 1);
        else
            half->most_repeats = 0;
        half[is_two].repeats_gather |= is_two || is_one;
    }
}

void shape_pass_gathers(const struct shape *shape, struct graph *graph)
{
    for (uint32_t block = 0; block + 2 < shape->block_count; block++)
        if (shape->blocks[block].most_repeats && goes_to(graph, block, block + 1, block + 2))
            lead(graph, block, block + 1, block + 2);
}

bool shape_repeats_gather(const struct shape *shape, const struct shape_edge *edge)
{
    return shape->blocks[edge->source].repeats_gather && edge->target != NO_NODE &&
           edge->target <= edge->source;
}
