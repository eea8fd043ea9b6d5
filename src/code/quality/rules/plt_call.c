/* Small functions of the same shared library that are called through the PLT.

   GCC compiles position-independent code so that another library could replace every exported function. So it
   neither inlines them nor calls them directly, even in the same file. That is worth a word if the function
   is small: without loops and calls of its own, so that the call is a good part of its cost. C++ functions in
   headers are exported, too, but compilers may inline those whenever they like: their calls are hints, and so
   are calls in loops that call larger functions, too, and in those that wait for something else anyway, such
   as the next element of a list, and calls on some paths only. Functions that are chosen when the program
   starts (ifunc) cannot be called directly; stubs of programs at fixed addresses lead to these, too. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/callees.h"
#include "code/quality/rules/rule.h"

#include <stddef.h>
#include <string.h>

/* As in flag-lto: functions up to about this size are inlined into loops. */
enum { SMALL = 30, SMALL_LOOP = 64 };

static const struct remedy no_interposition = {
    audience_GCC, "-fno-semantic-interposition",
    "-fno-semantic-interposition: GCC may inline the function and call it directly. Clang does that without "
    "an option.",
    action_VISIBILITY, NULL};
static const struct remedy hidden = {
    audience_C, NULL,
    "If it is not part of the library's interface, hide it: __attribute__((visibility(\"hidden\"))), or "
    "-fvisibility=hidden for all functions that are not marked otherwise. In one file make it static.",
    action_VISIBILITY, NULL};
static const struct remedy link_time = {audience_ANY, "-flto -fno-semantic-interposition",
                                        "It is in another source file: -flto and -fno-semantic-interposition "
                                        "together let the compiler inline it.",
                                        action_LINK_TIME, NULL};
static const struct remedy if_same_file = {
    audience_GCC, "-fno-semantic-interposition",
    "-fno-semantic-interposition: if the function is in the same source file, GCC may inline it and call it "
    "directly; if it is in another one, only with -flto as well.",
    action_VISIBILITY, NULL};

static bool has_calls(const struct model *model, uint32_t function)
{
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
    return at < model->calls.count && model_call(model, (uint32_t)at)->caller == function;
}

/* The function behind the stub, if it is small; 0 otherwise. */
static uint32_t find_small(const struct subject *subject, unsigned item)
{
    struct callee callee;
    if (subject->items[item].row->flow != flow_CALL ||
        !callee_find(subject, subject->items[item].instruction, &callee) || !callee.function)
        return 0;
    const struct model *model = subject->model;
    uint32_t behind = subject->stubs[callee.function];
    const struct function *stub = model_function(model, callee.function),
                          *function = model_function(model, behind);
    bool is_own = behind != callee.function && function->program == stub->program &&
                  model_program(model, stub->program)->format != format_EXECUTABLE;
    bool is_small = function->instruction_count && function->instruction_count <= SMALL &&
                    !function->loop_count && !has_calls(model, behind) && !function->is_resolver;
    return is_own && is_small ? behind : 0;
}

/* Whether iterations wait for a chain that the call is not a part of, and which takes longer than all the
   instructions of the loop and the function. */
static bool is_hidden(const struct subject *subject, const struct remark *remark, unsigned instructions)
{
    double issue = subject->machine->core.issue;
    if (subject->path->limit != core_part_LATENCY || !(issue > 0))
        return false;
    for (size_t i = 0; i < remark->evidence.count; i++)
        if (subject_is_marked(subject, core_part_LATENCY, *ARRAY_AT(uint32_t, &remark->evidence, i)))
            return false;
    return (subject->item_count + instructions) / issue <= subject_bound(subject, core_part_LATENCY);
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct model *model = subject->model;
    char count[32];
    uint32_t found = 0;
    unsigned others = 0;
    bool is_always = false;
    if (!subject->stubs || subject_is_aside(subject) || !subject->metric->call_count)
        return false;
    for (unsigned i = 0; i < subject->item_count; i++) {
        uint32_t behind = find_small(subject, i);
        others += !behind && subject->items[i].row->flow == flow_CALL;
        if (!behind)
            continue;
        remark_point(remark, i);
        if (!found)
            found = behind;
        is_always |= around_is_always_done(subject, subject->items[i].instruction);
    }
    if (!found)
        return false;
    const struct function *function = model_function(model, found);
    const char *name = model_text(model, function->name);
    uint32_t unit = model_function(model, model_loop(model, subject->loop)->function)->unit;
    bool is_known = unit && function->unit;
    if (!strncmp(name, "_Z", 2) || others || !is_always || subject->item_count > SMALL_LOOP ||
        is_hidden(subject, remark, function->instruction_count))
        remark->level = advice_level_HINT;
    remark_say(remark, "%s %s through the PLT, though it is in the same library and has only %s.",
               is_always ? "Each iteration calls" : "This path calls", callee_source_name(subject, name),
               remark_count(count, sizeof count, function->instruction_count, "instruction", "instructions"));
    remark_advise(remark, &hidden);
    if (!is_known)
        remark_advise(remark, &if_same_file);
    else
        remark_advise(remark, unit == function->unit ? &no_interposition : &link_time);
    return true;
}

const struct rule rule_plt_call = {
    .name = "plt-call",
    .title = "A small function of the same library is called through the PLT",
    .meaning = "Another library may replace any exported function (symbol interposition), so compilers do "
               "not inline exported functions of position-independent code, and calls go through a stub and "
               "a pointer. Few libraries need that, and hardly any for small functions in loops.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_ANY, NULL,
                  "-Wl,-Bsymbolic-functions when linking: the call is direct, though still a call.",
                  action_VISIBILITY, NULL}},
    .find = find,
};
