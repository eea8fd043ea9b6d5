/* Definitions are sorted by name without the suffix @plt or @version, so each stub or import finds its own.
 */
#include "code/quality/stubs.h"

#include <stdlib.h>
#include <string.h>

bool stubs_is_defined(const struct function *function)
{
    return function->origin != origin_IMPORT && function->origin != origin_PLT;
}

/* Global functions by name: a library calls its own through stubs of the linkage table, a member of an
   archive what another member defines. */
struct definition {
    const char *name;
    size_t length;
    uint32_t program, function;
};

static int compare_definitions(const void *left, const void *right)
{
    const struct definition *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return memcmp(a->name, b->name, a->length);
}

static int compare_in_order(const void *left, const void *right)
{
    const struct definition *a = left, *b = right;
    int order = compare_definitions(a, b);
    return order ? order : (a->function > b->function) - (a->function < b->function);
}

static struct definition definition_of(const struct model *model, uint32_t id)
{
    const struct function *function = model_function(model, id);
    const char *name = model_text(model, function->name);
    return (struct definition){name, name ? strcspn(name, "@") : 0, function->program, id};
}

static struct array find_definitions(const struct model *model)
{
    struct array definitions = ARRAY_OF(struct definition);
    for (uint32_t id = 1; id < model->functions.count; id++) {
        const struct function *function = model_function(model, id);
        if (stubs_is_defined(function) && function->is_global && function->name)
            *(struct definition *)array_push(&definitions) = definition_of(model, id);
    }
    if (definitions.count)
        qsort(definitions.data, definitions.count, definitions.width, compare_in_order);
    return definitions;
}

/* What a stub or an import stands for: the definition in its own program, else the first of another. Itself
   where there is none. */
static uint32_t resolved(const struct model *model, const struct array *definitions, uint32_t id)
{
    struct definition wanted = definition_of(model, id);
    struct bisection search = {0, definitions->count};
    uint32_t found = 0;
    if (!id || stubs_is_defined(model_function(model, id)) || !wanted.length)
        return id;
    while (bisect(&search))
        bisect_past(&search, compare_definitions(ARRAY_AT(struct definition, definitions, search.middle),
                                                 &wanted) < 0);
    for (size_t i = search.first; i < definitions->count; i++) {
        const struct definition *definition = ARRAY_AT(struct definition, definitions, i);
        if (compare_definitions(definition, &wanted))
            break;
        if (definition->program == wanted.program)
            return definition->function;
        found = found ? found : definition->function;
    }
    return found ? found : id;
}

uint32_t *stubs_find(const struct model *model)
{
    struct array definitions = find_definitions(model);
    uint32_t *meant = memory_get((model->functions.count + 1) * sizeof *meant);
    for (uint32_t id = 1; id < model->functions.count; id++)
        meant[id] = resolved(model, &definitions, id);
    array_free(&definitions);
    return meant;
}
