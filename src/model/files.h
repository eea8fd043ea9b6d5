/* Source files by name. */
#ifndef MODEL_FILES_H
#define MODEL_FILES_H
#include "model/tables.h"

/* By row of files: whether it is this file, however its name is written. To be freed. */
bool *files_named(const struct model *model, const char *path);
#endif
