/* Fortran sections of arrays that are copied for a call, in every iteration of the loop around it.

   A routine with an argument of explicit shape wants its elements side by side. Where the compiler does not
   know that of a section, it allocates memory, copies the section into it, calls, copies back and frees it.
   Older compilers call _gfortran_internal_pack for that, which rule calls handles; newer ones put the loops
   into the code. So this is about loops that only copy, with a stride on one side, in a loop that calls
   malloc and free. Whether there are gaps shows only at run time, and how much the copies cost depends on the
   routine. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/rule.h"
#include "model/loops.h"

#include <stddef.h>
#include <string.h>

enum { MOST_ITEMS = 48 };

/* Whether numbers are only copied: walking through memory on one side, in steps on the other. */
static bool copies(const struct subject *subject, struct remark *remark)
{
    unsigned strided = 0, dense = 0, loads = 0, stores = 0;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_arithmetic)
            return false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->is_stack)
            continue;
        loads += access->loads;
        stores += access->stores;
        dense += access->pattern == access_pattern_STRIDE_ONE;
        strided += access->pattern == access_pattern_CONSTANT_STRIDE;
        remark_point(remark, access->item);
    }
    return loads && loads == stores && strided && dense == strided && dense + strided == loads + stores;
}

/* Whether the loop around allocates and frees memory. */
static bool allocates(const struct subject *subject)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function,
             around = model_loop(model, subject->loop)->parent;
    bool has_malloc = false, has_free = false;
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
    for (; around && at < model->calls.count && model_call(model, (uint32_t)at)->caller == function; at++) {
        uint32_t instruction = model_call(model, (uint32_t)at)->instruction;
        struct callee callee;
        if (!loop_is_within(model, model_block(model, model_instruction(model, instruction)->block)->loop,
                            around) ||
            !callee_find(subject, instruction, &callee) || !callee.name)
            continue;
        has_malloc |= !strcmp(callee.name, "malloc");
        has_free |= !strcmp(callee.name, "free");
    }
    return has_malloc && has_free;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    if (subject->compiler->language != language_FORTRAN || subject->item_count > MOST_ITEMS ||
        subject->metric->call_count || subject->metric->flop_count || !copies(subject, remark) ||
        !allocates(subject))
        return false;
    remark_say(remark,
               "The loop copies a section of an array to memory that is allocated for it, or back. This "
               "happens in each iteration of the loop around it where the section has gaps, because the "
               "routine that is called expects its elements side by side.");
    return true;
}

const struct rule rule_array_temporary = {
    .name = "array-temporary",
    .title = "A section of an array is copied for a call",
    .meaning =
        "An argument of explicit shape, such as real :: v(n), has its elements side by side. To pass a "
        "section with gaps (a row of a matrix), or an array of which the compiler does not know that it "
        "has none, it allocates a temporary array, copies the section, and copies it back after the "
        "call. gfortran -Warray-temporaries names the places.",
    .level = advice_level_POTENTIAL,
    .remedies =
        {{audience_FORTRAN, NULL,
          "Pass columns instead of rows, x(:, i) and not x(i, :): store the matrix so that the first "
          "subscript "
          "runs through what is passed.",
          action_NO_TEMPORARY, NULL},
         {audience_FORTRAN, NULL,
          "Declare the argument of the called routine as assumed shape, real :: v(:), with an explicit "
          "interface (a module): it then takes sections as they are.",
          action_NO_TEMPORARY, NULL},
         {0}},
    .find = find,
};
