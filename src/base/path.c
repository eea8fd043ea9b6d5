#include "base/path.h"

#include "base/memory.h"

#include <string.h>

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return memory_copy_text(".", 1);
    return memory_copy_text(path, slash == path ? 1 : (size_t)(slash - path));
}
