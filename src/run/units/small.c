/* Who calls them is known from the call tree of the run: rows of run_calls. */
#include "run/units/small.h"

#include "code/quality/compiler.h"
#include "run/sample/rows.h"
#include "run/units/evidence.h"

/* What a call takes, in instructions of the function that is called: the call and the return, arguments that are put in
   their registers, registers that are saved around it.  By two programs: muscle (functions of 25 instructions, 27 % of
   the time: -flto saved 15 %) and examples/options/separate.c (7 instructions, 28 %: 67 %). */
static const double CALL_INSTRUCTIONS = 14;

static bool is_linked_whole(const struct model *model, uint32_t function)
{
    struct compiler compiler;
    compiler_find(&compiler, model, function);
    return compiler.has_lto;
}

static bool is_apart(const struct model *model, uint32_t callee, uint32_t caller)
{
    const struct function *one = model_function(model, callee), *other = model_function(model, caller);
    return one->program == other->program && one->unit && other->unit && one->unit != other->unit &&
           !is_linked_whole(model, callee) && !is_linked_whole(model, caller);
}

/* Functions with loops have their time in them, not in being called; those of run-time libraries are nobody's to
   compile. */
static bool is_small(const struct model *model, uint32_t id)
{
    const struct function *function = model_function(model, id);
    uint32_t count = id ? function->instruction_count : 0;
    return count && count <= EVIDENCE_SMALL && !function->loop_count && !sample_is_library(model, id);
}

/* Compilers inline what is called by its name.  A caller that calls through pointers, and nowhere calls this function
   by its name, calls it through one of them. */
static bool is_by_pointer(const struct model *model, uint32_t callee, uint32_t caller)
{
    bool has_pointer = false;
    uint32_t name = model_function(model, callee)->name;
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), caller);
    for (; at < model->calls.count && model_call(model, (uint32_t)at)->caller == caller; at++) {
        const struct call *call = model_call(model, (uint32_t)at);
        if (call->callee == callee || (call->callee && model_function(model, call->callee)->name == name))
            return false;
        has_pointer |= !call->callee && call->kind != call_kind_IMPORT;
    }
    return has_pointer;
}

static void add(struct small_functions *found, const struct function *function, double share)
{
    found->share += share;
    found->calls += share * CALL_INSTRUCTIONS / function->instruction_count;
}

struct small_functions small_of_unit(const struct model *model, uint32_t run, uint32_t unit)
{
    struct small_functions found = {0};
    for (uint32_t id = 1; id < model->run_functions.count; id++) {
        const struct run_function *row = model_run_function(model, id);
        if (row->run == run && row->function && model_function(model, row->function)->unit == unit &&
            is_small(model, row->function))
            add(&found, model_function(model, row->function), row->self_share);
    }
    return found;
}

struct small_functions small_apart(const struct model *model, uint32_t run)
{
    struct small_functions found = {0};
    double all = model_sampled_run(model, run)->sampled_seconds;
    for (uint32_t id = 1; id < model->run_calls.count && all > 0; id++) {
        const struct run_call *row = model_run_call(model, id);
        uint32_t caller = row->caller ? model_run_call(model, row->caller)->function : 0;
        if (row->run == run && caller && is_small(model, row->function) &&
            is_apart(model, row->function, caller) && !is_by_pointer(model, row->function, caller))
            add(&found, model_function(model, row->function), row->self_seconds / all);
    }
    return found;
}
