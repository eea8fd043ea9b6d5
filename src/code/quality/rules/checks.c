/* Checks in every iteration that end the program if they fail: assert(), and at() of C++ containers.

   The evidence is a branch of the path that leaves the loop to a block which only calls a function that
   reports a failed check and does not return. What does not change was moved out of the loop by the compiler,
   so each of these checks looks at something new. The gain is that of the path without the branches and
   what only they need. A check of data also keeps compilers from vectorising the loop, because
   the number of iterations is no longer known when it starts: where nothing else does, the advice is a
   potential one without a figure. Everything else is a hint. Checks of the stack (__stack_chk_fail) are not
   in loops. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/iterations.h"
#include "code/quality/rules/rule.h"
#include "code/quality/values.h"
#include "code/quality/vector/vectorise.h"
#include "code/quality/without.h"

#include <stddef.h>
#include <string.h>

enum { MOST_BLOCKS = 2 }; /* from the branch to the call */

enum check_kind { check_NONE, check_ASSERT, check_AT, check_KINDS };

static const struct {
    const char *name;
    enum check_kind kind;
} failures[] = {
    {"__assert_fail", check_ASSERT},
    {"__assert_perror_fail", check_ASSERT},
    {"__assert", check_ASSERT},
    {"__assert_rtn", check_ASSERT},
    {"_ZSt20__throw_out_of_rangePKc", check_AT},
    {"_ZSt24__throw_out_of_range_fmtPKcz", check_AT},
};

static const struct remedy no_asserts = {audience_C, "-DNDEBUG",
                                         "Compile what is measured or shipped with -DNDEBUG: assert() then "
                                         "checks nothing. Keep it for builds that "
                                         "test.",
                                         action_NO_CHECKS, NULL};
static const struct remedy check_before = {
    audience_C, NULL,
    "Check the largest and the smallest index once before the loop, and use x[i] in it instead of x.at(i).",
    action_HOIST, NULL};

static enum check_kind kind_of(const char *name)
{
    for (unsigned i = 0; name && i < sizeof failures / sizeof *failures; i++)
        if (!strcmp(name, failures[i].name))
            return failures[i].kind;
    return check_NONE;
}

static size_t first_edge(const struct model *model, uint32_t block)
{
    return array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
}

static bool is_edge_of(const struct model *model, size_t edge, uint32_t block)
{
    return edge < model->edges.count && model_edge(model, (uint32_t)edge)->source == block;
}

/* What a block outside the loop leads to: straight on to the call of a function that reports a failure. */
static enum check_kind kind_behind(const struct subject *subject, uint32_t id)
{
    const struct model *model = subject->model;
    for (unsigned step = 0; step < MOST_BLOCKS && id; step++) {
        const struct block *block = model_block(model, id);
        uint32_t last = block->first_instruction + block->instruction_count - 1;
        struct callee callee;
        if (!block->instruction_count)
            return check_NONE;
        if (model_encoding(model, model_instruction(model, last)->encoding)->flow == flow_CALL)
            return callee_find(subject, last, &callee) ? kind_of(callee.name) : check_NONE;
        size_t edge = first_edge(model, id);
        bool is_straight = is_edge_of(model, edge, id) && !is_edge_of(model, edge + 1, id);
        id = is_straight ? model_edge(model, (uint32_t)edge)->target : 0;
    }
    return check_NONE;
}

static enum check_kind kind_of_branch(const struct subject *subject, unsigned item)
{
    const struct model *model = subject->model;
    uint32_t block = model_instruction(model, subject->items[item].instruction)->block;
    for (size_t edge = first_edge(model, block); is_edge_of(model, edge, block); edge++) {
        uint32_t target = model_edge(model, (uint32_t)edge)->target;
        enum check_kind kind =
            model_block(model, target)->loop != subject->loop ? kind_behind(subject, target) : check_NONE;
        if (kind != check_NONE)
            return kind;
    }
    return check_NONE;
}

/* Whether what an item computes goes to items that are removed, and nowhere else. */
static bool is_only_for(const struct values *values, unsigned made, const bool *is_removed)
{
    const struct subject *subject = values->subject;
    bool is_used = false;
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned use = 0; use < subject->items[i].use_count; use++) {
            if (!value_is_read(&subject->items[i].uses[use]) || values_source(values, i, use).item != made)
                continue;
            if (!is_removed[i])
                return false;
            is_used = true;
        }
    return is_used;
}

/* Without the checks and what only they need. Values come from items before, so one pass backwards does. */
static double cycles_without(const struct subject *subject, const struct remark *remark)
{
    struct values values;
    struct without without;
    bool *is_removed = arena_get(subject->arena, subject->item_count * sizeof *is_removed);
    values_find(&values, subject);
    without_begin(&without, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        is_removed[i] = false;
    for (size_t i = 0; i < remark->evidence.count; i++)
        is_removed[*ARRAY_AT(uint32_t, &remark->evidence, i)] = true;
    for (unsigned i = subject->item_count; i-- > 0;) {
        const struct encoding *row = subject->items[i].row;
        if (row->flow == flow_NEXT && !row->store_bytes)
            is_removed[i] = is_only_for(&values, i, is_removed);
        if (is_removed[i])
            without_item(&without, i);
    }
    return without_cycles(&without);
}

/* Neighbouring elements; or pointers to them, which at() loads again in every iteration, though they stay. */
static bool is_for_vectors(const struct subject *subject, const struct subject_access *access)
{
    if (subject->items[access->item].purpose != purpose_DATA)
        return access->pattern == access_pattern_INVARIANT;
    return access->pattern == access_pattern_STRIDE_ONE || access->pattern == access_pattern_INDIRECT;
}

static bool is_check(const struct remark *remark, uint32_t item)
{
    for (size_t i = 0; i < remark->evidence.count; i++)
        if (*ARRAY_AT(uint32_t, &remark->evidence, i) == item)
            return true;
    return false;
}

/* Whether the loop would be one for vectors: all branches but one are checks, that one counts, and the loop
   works on neighbouring elements without a chain through the iterations. */
static bool stops_vectors(const struct subject *subject, const struct remark *remark)
{
    unsigned others = 0, work = 0;
    struct values values;
    struct carried carried;
    if (!subject->vectorising || subject->vectorising->obstacle != obstacle_EXIT ||
        subject->path->limit == core_part_LATENCY)
        return false;
    carried_find(&carried, subject, 1);
    if (carried.kind >= carried_IN_MEMORY)
        return false;
    values_find(&values, subject);
    for (uint32_t i = 0; i < subject->item_count; i++) {
        const struct subject_item *item = &subject->items[i];
        work += item->is_vectorisable && item->is_arithmetic;
        if (item->row->flow != flow_BRANCH || is_check(remark, i))
            continue;
        if (!vectorising_is_counted_exit(&values, i))
            return false;
        others++;
    }
    for (unsigned i = 0; i < subject->access_count; i++)
        if (!is_for_vectors(subject, &subject->accesses[i]))
            return false;
    return work && others == 1;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    unsigned counts[check_KINDS] = {0};
    char count[48];
    if (subject->path->is_exit || !without_matters(subject))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        enum check_kind kind =
            subject->items[i].row->flow == flow_BRANCH ? kind_of_branch(subject, i) : check_NONE;
        if (kind == check_NONE)
            continue;
        counts[kind]++;
        remark_point(remark, i);
    }
    unsigned all = counts[check_ASSERT] + counts[check_AT];
    if (!all)
        return false;
    remark_say(remark, "Each iteration does %s that %s the program if %s: %s.",
               remark_count(count, sizeof count, all, "check", "checks"), all == 1 ? "ends" : "end",
               all == 1 ? "it fails" : "they fail",
               !counts[check_AT]      ? "assert()"
               : counts[check_ASSERT] ? "assert() and at()"
                                      : "at()");
    if (stops_vectors(subject, remark)) {
        remark_say(remark, " Compilers do not vectorise the loop, because it may end at any element.");
    } else {
        double cycles = cycles_without(subject, remark);
        if (without_gains(subject, cycles))
            remark->cycles = cycles;
        else
            remark->level = advice_level_HINT;
        iterations_caution(subject, remark);
    }
    if (counts[check_ASSERT])
        remark_advise(remark, &no_asserts);
    if (counts[check_AT])
        remark_advise(remark, &check_before);
    return true;
}

const struct rule rule_checks = {
    .name = "checks",
    .title = "Checks in every iteration end the program if they fail",
    .meaning = "A check costs a comparison and a branch for each element, and a loop that may end at any "
               "element is not vectorised. Branches that never fail are predicted well, so this matters in "
               "short loops most.",
    .level = advice_level_POTENTIAL,
    .find = find,
};
