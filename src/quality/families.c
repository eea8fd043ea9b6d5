#include "quality/families.h"

#include <stddef.h>

void families_find(struct model *model, const struct array *loops)
{
    (void)loops;
    model->loop_families.count = 1;
    model->loop_roles.count = 0;
}

const struct loop_role_row *families_role(const struct model *model, uint32_t loop)
{
    size_t at = array_first_not_below(&model->loop_roles, 0, offsetof(struct loop_role_row, loop), loop);
    if (at == model->loop_roles.count || model_loop_role_row(model, (uint32_t)at)->loop != loop)
        return NULL;
    return model_loop_role_row(model, (uint32_t)at);
}
