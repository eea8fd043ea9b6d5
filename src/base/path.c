#include "base/path.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

char *path_absolute(const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    char *whole = *path == '/' ? memory_copy_text(path, strlen(path))
                               : memory_format("%s/%s", here && here[1] ? here : "", path);
    free(here);
    return whole;
}

char *path_uri(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/",
                      scheme[] = "file://";
    char *uri = memory_get(strlen(path) * 3 + sizeof scheme), *end = *path == '/' ? stpcpy(uri, scheme) : uri;
    for (; *path; path++)
        if (strchr(plain, *path))
            *end++ = *path;
        else
            end += snprintf(end, 4, "%%%02X", (unsigned char)*path);
    return uri;
}

bool path_is_same_file(const char *left, const char *right)
{
    struct stat a, b;
    if (!strcmp(left, right))
        return true;
    return !stat(left, &a) && !stat(right, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
