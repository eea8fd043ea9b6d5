/* What assay report says about a loop: names of rules, in the order of their gains as the report has them. */
#include "change/optimise/judge/judge_parts.h"
#include "code/quality/quality.h"

#include <stdlib.h>
#include <string.h>

static bool has_name(const struct array *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(*ARRAY_AT(const char *, names, i), name))
            return true;
    return false;
}

void judge_read_advice(const char *object, const struct judged_loop *loop, const struct machine *machine,
                       struct array *names)
{
    struct model model;
    struct error error = {0};
    struct array loops = ARRAY_OF(uint32_t);
    model_init(&model);
    if (judge_read_model(object, &model, &error)) {
        struct quality_options options = {.threads = 1, .path_limit = QUALITY_PATHS};
        options.machines.of[machine->isa] = machine;
        judge_find_loops(&model, loop, &loops);
        if (loops.count)
            quality_build(&model, &options, &loops);
        for (uint32_t i = 1; loops.count && i < model.advice.count; i++) {
            const char *name =
                model_text(&model, model_rule_row(&model, model_advice(&model, i)->rule)->name);
            if (name && !has_name(names, name))
                *(char **)array_push(names) = memory_format("%s", name);
        }
    }
    array_free(&loops);
    model_free(&model);
}
