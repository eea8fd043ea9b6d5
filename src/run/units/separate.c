/* Who calls is known from the call tree of the run: rows of run_calls. */
#include "run/units/separate.h"

#include "run/sample/rows.h"
#include "run/units/evidence.h"

#include <stdlib.h>
#include <string.h>

/* What a call takes, in instructions of the function that is called: the call and the return, arguments that are put in
   their registers, registers that are saved around it.  By two programs: muscle (functions of 25 instructions, 27 % of
   the time: -flto saved 15 %) and examples/options/separate.c (7 instructions, 28 %: 67 %). */
static const double CALL_INSTRUCTIONS = 14;

static bool is_linked_whole(const struct model *model, uint32_t unit)
{
    const char *flags = model_text(model, model_unit(model, unit)->flags);
    return flags && strstr(flags, "-flto");
}

/* Functions with loops have their time in them, not in being called. */
static uint8_t *functions_with_loops(const struct model *model)
{
    uint8_t *has_loops = memory_get(model->functions.count + 1);
    for (uint32_t id = 1; id < model->loops.count; id++)
        has_loops[model_loop(model, id)->function] = 1;
    return has_loops;
}

static bool is_apart(const struct model *model, const struct function *callee, const struct function *caller)
{
    return callee->program == caller->program && callee->unit && caller->unit &&
           callee->unit != caller->unit && !is_linked_whole(model, callee->unit) &&
           !is_linked_whole(model, caller->unit);
}

struct separate separate_find(const struct model *model, uint32_t run)
{
    struct separate found = {0};
    double all = model_sampled_run(model, run)->sampled_seconds;
    autofree uint8_t *has_loops = functions_with_loops(model);
    for (uint32_t id = 1; id < model->run_calls.count && all > 0; id++) {
        const struct run_call *row = model_run_call(model, id);
        uint32_t caller = row->caller ? model_run_call(model, row->caller)->function : 0;
        if (row->run != run || !row->function || !caller || has_loops[row->function])
            continue;
        const struct function *function = model_function(model, row->function);
        if (!function->instruction_count || function->instruction_count > EVIDENCE_SMALL ||
            sample_is_library(model, row->function) ||
            !is_apart(model, function, model_function(model, caller)))
            continue;
        found.share += row->self_seconds / all;
        found.calls += row->self_seconds / all * CALL_INSTRUCTIONS / function->instruction_count;
    }
    return found;
}
