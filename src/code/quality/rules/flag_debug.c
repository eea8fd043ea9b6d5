/* Code without lines: reported for the first loop of the program, or, if other functions have lines, for the
   first loop of each function without lines. */
#include "code/quality/rules/rule.h"

#include <stddef.h>

/* Whether this is the first: no innermost loop of the function or of earlier functions of the program, and no
   complete path of the loop, comes before. */
static bool is_first(const struct subject *subject, uint32_t program)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function;
    if (!model_program(model, program)->has_debug)
        function = (uint32_t)array_first_not_below(&model->functions, 1, offsetof(struct function, program),
                                                   program);
    size_t at = array_first_not_below(&model->loops, 1, offsetof(struct loop, function), function);
    while (!model_loop(model, (uint32_t)at)->is_innermost)
        at++;
    if (at != subject->loop)
        return false;
    for (at = array_first_not_below(&model->paths, 0, offsetof(struct path, loop), subject->loop);
         at < model->paths.count && model_path(model, (uint32_t)at)->loop == subject->loop; at++)
        if (model_path(model, (uint32_t)at)->is_exit == subject->path->is_exit)
            return model_path(model, (uint32_t)at)->position == subject->path->path;
    return false;
}

static bool find(const struct subject *subject, struct remark *remark)
{
    const struct compiler *compiler = subject->compiler;
    const struct model *model = subject->model;
    uint32_t program = model_function(model, model_loop(model, subject->loop)->function)->program;
    if (compiler->has_debug || compiler->language == language_ASSEMBLY ||
        model_program(model, program)->format == format_LISTING || !is_first(subject, program))
        return false;
    remark_say(remark,
               "The %s has no debug information, so this report cannot show source lines, which loops belong "
               "together, how far a loop was unrolled and, for GCC, the compiler options.",
               model_program(model, program)->has_debug ? "function" : "program");
    return true;
}

const struct rule rule_flag_debug = {
    .name = "flag-debug",
    .title = "Debug information is missing",
    .meaning = "With -g the compiler records which source line each instruction comes from. The code stays "
               "the same: -g costs disk space, not run time.",
    .level = advice_level_HINT,
    .remedies = {{audience_GCC, "-g", "Add -g to the current options, and do not strip the program.",
                  action_DEBUG_INFORMATION},
                 {audience_CLANG, "-g",
                  "Add -g to the current options, and -grecord-command-line to record the options as well.",
                  action_DEBUG_INFORMATION},
                 {audience_INTEL, "-g", "Add -g and keep the -O level: -g without -O turns optimisation off.",
                  action_DEBUG_INFORMATION}},
    .find = find,
};
