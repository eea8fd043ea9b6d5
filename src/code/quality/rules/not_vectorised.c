/* Loops whose work is all on single numbers.

   If vectors could do it, the gain shows how much is lost. An obstacle that the programmer may know how to
   remove (a branch, a result of the iteration before, elements that an index selects) is reported as a hint
   without figures. Calls and x87 code have rules of their own. Loops that search, follow pointers, or do
   something that no vector instruction does are not reported. */
#include "code/quality/rules/forks.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/vector_advice.h"
#include "code/quality/vector/sides.h"

#include <stddef.h>

static const struct remedy take_apart = {audience_ANY, NULL,
                                         "Split the loop: put the part that can be vectorised into a loop of "
                                         "its own, and the rest into a second one.",
                                         action_SPLIT};
static const struct remedy gcc_select = {
    audience_GCC, "-O3",
    "Compile with -O3: both sides of the branch only choose between values, so GCC makes a selection of it.",
    action_OPTIMISE};
static const struct remedy select = {audience_ANY, NULL,
                                     "Compute both cases and select (x = c ? a : b; in Fortran merge) "
                                     "instead of branching, with -O3. Or handle "
                                     "the elements of each case in a loop of its own.",
                                     action_BRANCH_FREE};
static const struct remedy select_computed = {
    audience_ANY, NULL,
    "Compute both cases and select (x = c ? a : b; in Fortran merge) instead of branching; -O3 with "
    "-fno-trapping-math lets compilers do that themselves. Or handle the elements of each case in a loop of "
    "its own.",
    action_BRANCH_FREE};
static const struct remedy select_stored = {
    audience_ANY, NULL,
    "Store in every iteration, the old value where nothing changes (y[i] = c ? a : y[i]; in Fortran merge), "
    "with -O3, if no other thread writes there. Or handle the elements of each case in a loop of its own.",
    action_BRANCH_FREE};
static const struct remedy local = {audience_ANY, NULL,
                                    "Keep the running value in a local variable and store it after the loop.",
                                    action_KEEP_LOCAL};
static const struct remedy distinct = {
    audience_ANY, NULL,
    "If all elements of the index array differ, declare it: #pragma omp simd (Fortran: !$omp simd) with "
    "-fopenmp-simd; otherwise sort the work so that equal indices come together.",
    action_SIMD};

static const struct remedy gcc_unswitch = {
    audience_GCC, "-O3",
    "Compile with -O3: GCC then makes a loop for each outcome (-funswitch-loops) and vectorises them.",
    action_OPTIMISE};
static const struct remedy unswitch = {
    audience_ANY, NULL,
    "Ask before the loop and write a loop for each outcome; or copy the condition to a local variable first, "
    "and let the compiler do it (-O3).",
    action_HOIST};

static void point_at_work(const struct subject *subject, struct remark *remark)
{
    bool has_arithmetic = false;
    for (uint32_t i = 0; i < subject->item_count; i++)
        has_arithmetic |= subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorisable &&
                          subject->items[i].is_arithmetic;
    for (uint32_t i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorisable &&
            (subject->items[i].is_arithmetic || !has_arithmetic))
            remark_point(remark, i);
}

/* Paths of a loop have the same obstacle most of the time: it is reported for the first that comes back. */
static bool is_first_path(const struct subject *subject)
{
    const struct model *model = subject->model;
    for (size_t i = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), subject->loop);
         i < model->paths.count && model_path(model, (uint32_t)i)->loop == subject->loop; i++)
        if (!model_path(model, (uint32_t)i)->is_exit)
            return model_path(model, (uint32_t)i)->position == subject->path->path;
    return true;
}

/* Whether the branch that stands in the way asks the same in every iteration. */
static bool asks_again(const struct subject *subject)
{
    struct values values;
    if (subject->vectorising->item >= subject->item_count)
        return false;
    values_find(&values, subject);
    return fork_is_invariant(&values, subject->vectorising->item);
}

static void advise_sides(const struct subject *subject, struct remark *remark)
{
    enum sides_kind kind = sides_find(subject);
    if (kind == sides_SELECT)
        remark_advise(remark, &gcc_select);
    remark_advise(remark, kind == sides_STORE     ? &select_stored
                          : kind == sides_COMPUTE ? &select_computed
                                                  : &select);
}

static bool tell_obstacle(const struct vector_advice *advice, struct remark *remark)
{
    const struct vectorising *vectorising = advice->vectorising;
    const char *why;
    bool in_memory = vectorising->carried.kind == carried_IN_MEMORY, is_likely = false;
    if (!vectorising->has_fp || !is_first_path(advice->subject))
        return false;
    switch (vectorising->obstacle) {
    case obstacle_BRANCH:
        if (asks_again(advice->subject)) {
            why = "a branch asks in every iteration what is the same in all of them";
            remark_advise(remark, &gcc_unswitch);
            remark_advise(remark, &unswitch);
            is_likely = sides_are_contiguous(advice->subject) && !subject_is_aside(advice->subject);
            break;
        }
        why = "a branch handles some elements differently from others";
        advise_sides(advice->subject, remark);
        break;
    case obstacle_RECURRENCE:
        why = in_memory ? "its running value is stored and loaded again in every iteration"
                        : "each iteration needs a result of the previous one";
        remark_advise(remark, in_memory ? &local : &take_apart);
        break;
    case obstacle_UPDATE:
        why = "it updates elements through an index array, and two iterations may update the same one";
        remark_advise(remark, &distinct);
        break;
    default:
        return false;
    }
    remark->level = is_likely ? advice_level_POTENTIAL : advice_level_HINT;
    remark_say(remark, "All its work is scalar, and %s: %s.",
               vectorising->obstacle == obstacle_BRANCH ? "the compiler did not vectorise it"
                                                        : "as it is written it cannot be vectorised",
               why);
    if (vectorising->item < advice->subject->item_count)
        remark_point(remark, vectorising->item);
    return true;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct vector_advice advice;
    if (!vector_advice_find(&advice, subject) || advice.vector_count || !advice.scalar_count)
        return false;
    if (advice.vectorising->obstacle)
        return tell_obstacle(&advice, remark);
    if (!vector_advice_gains(&advice, remark))
        return false;
    if (subject->compiler->flags && subject->compiler->forbids_vectorising)
        remark->level = advice_level_HINT; /* rule flag-harmful reports the option */
    if (advice.scalar_count == 1)
        remark_say(remark, "The one instruction that works on its data is scalar");
    else
        remark_say(remark, "The %u instructions that work on its data are scalar", advice.scalar_count);
    remark_say(remark, "; a vector of this processor holds %u %s.", vector_advice_lanes(&advice),
               vector_advice_numbers(&advice));
    vector_advice_promise(&advice, remark);
    vector_advice_reasons(&advice, remark);
    point_at_work(subject, remark);
    return true;
}

const struct rule rule_not_vectorised = {
    .name = "not-vectorised",
    .title = "The loop is not vectorised",
    .meaning = "The processor can do the same operation on several neighbouring numbers with one vector "
               "(SIMD) instruction. This loop handles one number after the other, so most of the processor's "
               "throughput goes unused.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-O3",
                  "Compile with -O3. With -O2, GCC does not vectorise up to version 11, and only the "
                  "simplest loops from 12 on.",
                  action_OPTIMISE, precondition_vectorisable},
                 {audience_CLANG, "-O2", "Compile with -O2 or -O3: below that Clang does not vectorise.",
                  action_OPTIMISE, precondition_vectorisable},
                 {audience_ANY, "-march",
                  "Compile for this processor: -march=native on x86-64, -mcpu=native on AArch64, -xHost for "
                  "Intel's compilers, or the name of the processor instead of native.",
                  action_TARGET, precondition_more_instructions}},
    .find = find};
