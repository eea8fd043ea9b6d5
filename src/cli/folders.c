#include "cli/folders.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(struct array *folders, char *path)
{
    *(char **)array_add(folders) = path;
}

static void add_installed(struct array *folders, const char *kind)
{
    char place[4096];
    ssize_t length = readlink("/proc/self/exe", place, sizeof place - 1);
    if (length <= 0)
        return;
    place[length] = 0;
    char *slash = strrchr(place, '/');
    if (!slash)
        return;
    *slash = 0;
    add(folders, memory_format("%s/../share/assay/%s", place, kind));
    add(folders, memory_format("%s/../%s", place, kind));
}

struct array folders_find(const char *variable, const char *kind)
{
    struct array folders = ARRAY_OF(char *);
    const char *list = getenv(variable), *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length)
            add(&folders, memory_copy_text(list, length));
        list += length + (list[length] == ':');
    }
    if (config && config[0] == '/')
        add(&folders, memory_format("%s/assay/%s", config, kind));
    else if (home && home[0])
        add(&folders, memory_format("%s/.config/assay/%s", home, kind));
    add_installed(&folders, kind);
    return folders;
}

void folders_free(struct array *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(*ARRAY_AT(char *, folders, i));
    array_free(folders);
}
