/* Addresses in memory become places in the model. */
#include "denormal/parts.h"

#include <stdlib.h>

void denormal_match_modules(struct model *model, struct array *modules)
{
    (void)model;
    (void)modules;
}

struct denormal_place denormal_locate(struct model *model, const struct array *modules, uint64_t address)
{
    (void)model;
    (void)modules;
    return (struct denormal_place){.address = address};
}

void denormal_free_modules(struct array *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        free(ARRAY_AT(struct denormal_module, modules, i)->path);
    array_free(modules);
}

uint32_t denormal_add_stack(struct model *model, const struct array *modules, const uint64_t *addresses,
                            size_t count)
{
    (void)model;
    (void)modules;
    (void)addresses;
    (void)count;
    return 0;
}
