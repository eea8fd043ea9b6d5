/* Calls of small functions of the same program that the compiler could not inline, because they are in
   another source file.

   Both files are known from the debug information, and so are the options: without -flto the compiler sees
   one file at a time. The callee must be small, without loops and without calls of its own, so that the call
   is a good part of its cost. */
#include "code/quality/rules/callees.h"

#include "base/path.h"
#include "code/quality/rules/flags.h"

#include <stddef.h>
#include <string.h>

/* Functions up to about this size are inlined into loops by GCC and Clang at -O2 wherever they can see them
   (max-inline-insns-auto and inline-threshold, in instructions of the machine). */
enum { SMALL = 30 };

static bool has_calls(const struct model *model, uint32_t function)
{
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
    return at < model->calls.count && model_call(model, (uint32_t)at)->caller == function;
}

static const char *file_name(const struct model *model, uint32_t unit)
{
    const char *name = model_text(model, model_unit(model, unit)->name);
    return name ? path_name(name) : NULL;
}

/* Whether the callee is one that -flto would inline. */
static bool is_inlinable(const struct subject *subject, const struct callee *callee)
{
    const struct model *model = subject->model;
    const struct function *caller = model_function(model, model_loop(model, subject->loop)->function);
    const struct function *function = model_function(model, callee->function);
    return callee->sort == callee_OWN && callee->function && callee->instructions &&
           callee->instructions <= SMALL && function->unit && caller->unit &&
           function->unit != caller->unit && !function->loop_count && !has_calls(model, callee->function);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    bool is_told = false;
    const struct compiler *compiler = subject->compiler;
    if (!flags_are_known(subject) || compiler->has_lto || compiler->optimisation < 2 ||
        subject_is_aside(subject))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        struct callee callee;
        if (subject->items[i].row->flow != flow_CALL ||
            !callee_find(subject, subject->items[i].instruction, &callee) || !is_inlinable(subject, &callee))
            continue;
        remark_point(remark, i);
        const char *file = file_name(subject->model, model_function(subject->model, callee.function)->unit);
        if (!is_told)
            remark_say(remark,
                       "Each iteration calls %s, which has %u instructions and is in another source "
                       "file%s%s: the compiler could not inline it.",
                       callee.name ? callee_source_name(subject, callee.name) : "a function",
                       callee.instructions, file ? ", " : "", file ? file : "");
        is_told = true;
    }
    return is_told;
}

const struct rule rule_flag_lto = {
    .name = "flag-lto",
    .title = "The loop calls a small function from another source file",
    .meaning = "A compiler sees one source file at a time and cannot inline functions from others, however "
               "small they are. A loop with a call is not vectorised, and the call clobbers registers. "
               "Link-time optimisation sees all files together.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_GCC, "-flto", "-flto, when compiling and linking, with the same -O.",
                  action_LINK_TIME},
                 {audience_CLANG, "-flto", "-flto or -flto=thin, when compiling and linking.",
                  action_LINK_TIME},
                 {audience_INTEL, "-flto", "-ipo, when compiling and linking.", action_LINK_TIME},
                 {audience_C, NULL, "Or define the function static inline in a header.", action_INLINE},
                 {audience_FORTRAN, NULL, "Or put the function into the file of the loop.", action_INLINE}},
    .find = find,
};
