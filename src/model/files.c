#include "model/files.h"

#include "base/path.h"

#include <string.h>

bool *files_named(const struct model *model, const char *path)
{
    bool *is_it = memory_get((model->files.count + 1) * sizeof *is_it);
    for (uint32_t id = 1; id < model->files.count; id++) {
        const char *known = model_text(model, model_file(model, id)->path);
        is_it[id] = known && !strcmp(path_name(known), path_name(path)) && path_is_same_file(known, path);
    }
    return is_it;
}
