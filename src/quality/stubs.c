/* Names are interned, so a table by name finds the functions with code; then each stub asks for its own name
   without the suffix @plt or @version. Stubs of programs at fixed addresses lead to functions that are chosen
   when they start (ifunc): nobody can call those directly. */
#include "quality/stubs.h"

#include <stdlib.h>
#include <string.h>

static bool has_code(const struct function *function)
{
    return function->origin != origin_PLT && function->origin != origin_IMPORT && function->instruction_count;
}

static string_id plain_name(const struct model *model, string_id name)
{
    const char *text = model_text(model, name);
    return strings_find_length(&model->strings, text, strcspn(text, "@"));
}

uint32_t *stubs_find(const struct model *model)
{
    uint32_t *behind = memory_get(model->functions.count * sizeof *behind);
    uint32_t *owners = memory_get((model->strings.entries.count + 1) * sizeof *owners);
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (function->name && function->is_global && has_code(function))
            owners[function->name] = id;
    }
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (!function->name || (function->origin != origin_PLT && function->origin != origin_IMPORT) ||
            model_program(model, function->program)->format == format_EXECUTABLE)
            continue;
        uint32_t owner = owners[plain_name(model, function->name)];
        if (owner && model_function(model, owner)->program == function->program)
            behind[id] = owner;
    }
    free(owners);
    return behind;
}
