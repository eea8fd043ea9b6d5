/* What could be done about a branch that is guessed wrong.

   "Compute both ways and select" helps where a compiler makes a conditional move of it: each way that is not empty
   is one block, short, computes whole numbers and neither stores nor calls nor divides.  Of floating-point numbers
   on x86-64 compilers make a branch again, unless they are a maximum or a minimum, and then the wait from iteration
   to iteration is often longer than the branch was (tried with the alignment of MAFFT: 8 % slower). */
#include "run/measure/gap.h"

#include "model/elements.h"
#include "model/loops.h"

enum { LONGEST_WAY = 8 };

/* Blocks of its function that lead to it. */
static uint32_t predecessors(const struct model *model, uint32_t block)
{
    const struct array *table = &model->edges;
    const struct function *function = model_function(model, model_block(model, block)->function);
    uint32_t count = 0, end = function->first_block + function->block_count;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct edge, source), function->first_block);
         i < table->count && model_edge(model, (uint32_t)i)->source < end; i++)
        count += model_edge(model, (uint32_t)i)->target == block;
    return count;
}

/* The blocks after one, at most two; the number of all. */
static unsigned successors(const struct model *model, uint32_t block, uint32_t after[2])
{
    const struct array *table = &model->edges;
    unsigned count = 0;
    for (size_t i = array_first_not_below(table, 0, offsetof(struct edge, source), block);
         i < table->count && model_edge(model, (uint32_t)i)->source == block; i++, count++)
        if (count < 2)
            after[count] = model_edge(model, (uint32_t)i)->target;
    return count;
}

static bool is_selected(const struct encoding *encoding)
{
    bool is_far = encoding->flow != flow_NEXT && encoding->flow != flow_JUMP;
    bool is_costly = encoding->class == class_DIVIDE || encoding->class == class_SQRT ||
                     encoding->class == class_ATOMIC || encoding->class == class_FENCE;
    return !is_far && !is_costly && !encoding->store_bytes &&
           !(element_is_fp((enum element)encoding->element) && encoding->isa == isa_X86_64);
}

/* Whether a select could do what a block does. */
static bool is_short_way(const struct model *model, uint32_t id)
{
    const struct block *block = model_block(model, id);
    if (block->instruction_count > LONGEST_WAY)
        return false;
    for (uint32_t i = 0; i < block->instruction_count; i++)
        if (!is_selected(
                model_encoding(model, model_instruction(model, block->first_instruction + i)->encoding)))
            return false;
    return true;
}

/* Where a way of its own leads; 0: other blocks lead there, too, or it branches again. */
static uint32_t end_of_way(const struct model *model, uint32_t block)
{
    uint32_t after[2];
    return predecessors(model, block) == 1 && successors(model, block, after) == 1 ? after[0] : 0;
}

static bool can_select(const struct model *model, const uint32_t ways[2])
{
    uint32_t left = end_of_way(model, ways[0]), right = end_of_way(model, ways[1]);
    if (left && left == right)
        return is_short_way(model, ways[0]) && is_short_way(model, ways[1]);
    return left == ways[1] ? is_short_way(model, ways[0]) : right == ways[0] && is_short_way(model, ways[1]);
}

/* Whether one of the ways leaves the innermost loop that the block is in. */
static bool is_exit(const struct model *model, uint32_t block, const uint32_t ways[2])
{
    uint32_t loop = model_block(model, block)->loop;
    return loop && !(loop_is_within(model, model_block(model, ways[0])->loop, loop) &&
                     loop_is_within(model, model_block(model, ways[1])->loop, loop));
}

enum branch_cure gap_branch_cure(const struct model *model, uint32_t branch)
{
    uint32_t ways[2], block = branch ? model_instruction(model, branch)->block : 0;
    if (!block || successors(model, block, ways) != 2)
        return branch_cure_UNKNOWN;
    return is_exit(model, block, ways) ? branch_cure_EXIT
           : can_select(model, ways)   ? branch_cure_SELECT
                                       : branch_cure_NONE;
}

const char *gap_branch_remedy(enum branch_cure cure)
{
    switch (cure) {
    case branch_cure_EXIT:
        return "This loop ends after a number of iterations that changes: make the loops equally long, or exchange them "
               "so that the long one is inside.";
    case branch_cure_NONE:
        return "To select a value instead of branching would hardly help here: compilers make a branch of it again, or too "
               "much is computed for nothing. Sort or group the data so that the same way comes many times in a row, if the "
               "algorithm allows that.";
    default:
        return gap_text(gap_rule_BRANCHES)->remedy;
    }
}
