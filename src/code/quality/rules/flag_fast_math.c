/* Parts of -ffast-math that a loop needs and no other rule covers.

   Sums, minima, divisions and complex numbers have rules of their own, which name the options for them. Two
   parts remain. A branch of the source around arithmetic: doing both sides and choosing could raise a
   floating-point exception that the program would not have raised, so GCC does that only with
   -fno-trapping-math. And -fassociative-math without the two options that it needs, which GCC ignores. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/flags.h"
#include "code/quality/rules/targets.h"
#include "code/quality/vector/vectorise.h"

#include <stddef.h>
#include <string.h>

enum { MOST_PATHS = 8, MOST_BLOCKS = 32 };

static const struct remedy no_traps = {
    audience_GCC, "-fno-trapping-math",
    "-fno-trapping-math (the part of -ffast-math that does not change results) with -O3: the compiler may "
    "compute both sides and select one.",
    action_TRAPPING_MATH};
static const struct remedy together = {
    audience_GCC, "-fno-signed-zeros -fno-trapping-math",
    "-fassociative-math -fno-signed-zeros -fno-trapping-math: the first is ignored without the other two.",
    action_ASSOCIATIVE_MATH};

/* The common part of the paths of a loop. */
struct branching {
    uint32_t blocks[MOST_BLOCKS];
    unsigned on_paths[MOST_BLOCKS]; /* paths that it is on */
    unsigned block_count, path_count;
    unsigned stores[MOST_PATHS]; /* by path */
    bool is_too_much;
};

static unsigned count_stores(const struct model *model, uint32_t block)
{
    const struct block *row = model_block(model, block);
    unsigned stores = 0;
    for (uint32_t i = 0; i < row->instruction_count; i++)
        stores += model_encoding(model, model_instruction(model, row->first_instruction + i)->encoding)
                      ->store_bytes != 0;
    return stores;
}

static void meet_block(struct branching *branching, uint32_t block)
{
    unsigned at = 0;
    while (at < branching->block_count && branching->blocks[at] != block)
        at++;
    if (at == MOST_BLOCKS) {
        branching->is_too_much = true;
        return;
    }
    if (at == branching->block_count)
        branching->blocks[branching->block_count++] = block;
    branching->on_paths[at]++;
}

/* Complete paths; paths that leave the loop are not iterations. */
static void find_branching(const struct subject *subject, struct branching *branching)
{
    const struct model *model = subject->model;
    size_t path = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), subject->loop);
    size_t at =
        array_first_not_below(&model->path_blocks, 0, offsetof(struct path_block, loop), subject->loop);
    *branching = (struct branching){0};
    for (; path < model->paths.count && model_path(model, (uint32_t)path)->loop == subject->loop; path++) {
        const struct path *row = model_path(model, (uint32_t)path);
        if (branching->path_count == MOST_PATHS) {
            branching->is_too_much = true;
            return;
        }
        for (; at < model->path_blocks.count; at++) {
            const struct path_block *block = model_path_block(model, (uint32_t)at);
            if (block->loop != subject->loop || block->path > row->position)
                break;
            if (block->path < row->position || row->is_exit)
                continue;
            meet_block(branching, block->block);
            branching->stores[branching->path_count] += count_stores(model, block->block);
        }
        branching->path_count += !row->is_exit;
    }
}

/* Whether the path compares floating-point numbers and all its data is contiguous: then only the branch
   prevents vectorising. */
static bool is_plain(const struct subject *subject)
{
    struct carried carried;
    bool compares = false;
    for (unsigned i = 0; i < subject->item_count; i++)
        compares |= subject->items[i].row->class == class_COMPARE && subject->items[i].is_fp;
    for (unsigned i = 0; i < subject->access_count; i++)
        if (subject->accesses[i].pattern != access_pattern_STRIDE_ONE &&
            subject->accesses[i].pattern != access_pattern_INVARIANT)
            return false;
    carried_find(&carried, subject, 2);
    return compares && carried.kind == carried_NOTHING;
}

/* Whether every path stores the same amount: a store on one side only needs more than a selection. */
static bool stores_alike(const struct branching *branching)
{
    for (unsigned i = 1; i < branching->path_count; i++)
        if (branching->stores[i] != branching->stores[0])
            return false;
    return true;
}

static bool may_trap(const struct subject_item *item)
{
    switch (item->row->class) {
    case class_ADD:
    case class_MULTIPLY:
    case class_FMA:
    case class_DIVIDE:
    case class_SQRT:
        return item->is_fp && item->purpose == purpose_DATA;
    default:
        return false;
    }
}

/* An element that only one side loads may not exist for the other: without loads under a mask, which baseline
   processors lack, compilers keep the branch. */
static bool loads_element(const struct subject *subject, unsigned item)
{
    if (flags_is_beyond_baseline(subject))
        return false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->item == item && access->loads && !access->is_stack &&
            access->pattern != access_pattern_INVARIANT)
            return true;
    }
    return false;
}

/* Adds the arithmetic of blocks that only some paths have to the evidence. 0 where it divides: the divider is
   the limit with vectors, too, and then does the work of both sides, which takes as long or longer; 0, too,
   where it loads what the other side does not. */
static unsigned find_conditional(const struct subject *subject, const struct branching *branching,
                                 struct remark *remark)
{
    unsigned count = 0;
    bool is_kept = false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint32_t block = model_instruction(subject->model, subject->items[i].instruction)->block;
        for (unsigned k = 0; k < branching->block_count; k++)
            if (branching->blocks[k] == block && branching->on_paths[k] < branching->path_count) {
                unsigned class = subject->items[i].row->class;
                is_kept |= loads_element(subject, i);
                if (!may_trap(&subject->items[i]))
                    continue;
                remark_point(remark, i);
                count++;
                is_kept |= class == class_DIVIDE || class == class_SQRT;
            }
    }
    return is_kept ? 0 : count;
}

static bool find_traps(const struct subject *subject, const struct vectorising *vectorising,
                       struct remark *remark)
{
    struct branching branching;
    const struct compiler *compiler = subject->compiler;
    if (compiler->family != compiler_GCC || compiler->has_no_trapping_math || !compiler->vectorises ||
        vectorising->obstacle != obstacle_BRANCH || !vectorising->has_fp)
        return false;
    find_branching(subject, &branching);
    if (branching.is_too_much || branching.path_count != 2 || !is_plain(subject) || !stores_alike(&branching))
        return false;
    unsigned count = find_conditional(subject, &branching, remark);
    if (!count)
        return false;
    char buffer[64];
    remark_say(
        remark,
        "A branch guards %s. The compiler could compute both sides with vectors and select (if-conversion), "
        "but must not: that could raise a floating-point exception that the program as written does not "
        "raise.",
        remark_count(buffer, sizeof buffer, count, "floating-point operation", "floating-point operations"));
    remark_advise(remark, &no_traps);
    return true;
}

/* -fassociative-math that is not in force. */
static bool find_ignored(const struct subject *subject, const struct vectorising *vectorising,
                         struct remark *remark)
{
    const struct compiler *compiler = subject->compiler;
    if (vectorising->carried.kind != carried_SUM || compiler->has_associative_math ||
        !flags_name(subject, "-fassociative-math") || !(flags_vector_speedup(subject) > 1))
        return false;
    remark->cycles = target_cycles(subject, target_bits(subject));
    remark_say(remark, "The loop is a floating-point sum. -fassociative-math was given to allow reordering, "
                       "but has no effect without -fno-signed-zeros and -fno-trapping-math.");
    for (unsigned i = 0; i < subject->item_count; i++)
        if (vectorising->carried.kinds[i] == carried_SUM)
            remark_point(remark, i);
    remark_advise(remark, &together);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct vectorising vectorising;
    const struct compiler *compiler = subject->compiler;
    /* A call on another path, as of sqrt for errno, is what stands in the way: flag-math-errno and calls. */
    if (!flags_matter(subject) || compiler->optimisation < 2 || compiler->has_fast_math ||
        around_calls(subject))
        return false;
    /* Cheap tests before an expensive one. */
    bool has_branch = model_loop(subject->model, subject->loop)->block_count > 1;
    if (!(has_branch && compiler->family == compiler_GCC && !compiler->has_no_trapping_math) &&
        !flags_name(subject, "-fassociative-math"))
        return false;
    vectorising_find(&vectorising, subject);
    return find_traps(subject, &vectorising, remark) || find_ignored(subject, &vectorising, remark);
}

const struct rule rule_flag_fast_math = {
    .name = "flag-fast-math",
    .title = "Strict floating-point rules prevent vectorisation",
    .meaning = "By default a compiler follows the floating-point standard in every detail, including those "
               "that hardly any program needs: exceptions, the sign of zero, the order of additions. Options "
               "relax these one by one; then the loop can be vectorised.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-ffast-math",
                  "Or all at once with -ffast-math, if the program uses no infinities or NaNs and the last "
                  "digits of its results do not matter.",
                  action_FAST_MATH}},
    .find = find,
};
