#include "cli/repository.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folder with .git around the current directory, else that directory. */
static char *find_root(void)
{
    char *here = realpath(".", NULL), *root = here ? memory_format("%s", here) : memory_format("/");
    for (char *slash; here && *here; *slash = 0) {
        struct stat found;
        autofree char *mark = memory_format("%s/.git", here);
        bool is_root = !stat(mark, &found);
        if (is_root) {
            free(root);
            root = memory_format("%s", here);
            break;
        }
        slash = strrchr(here, '/');
        if (!slash)
            break;
    }
    free(here);
    return root;
}

char *repository_root(const struct invocation *invocation, struct error *error)
{
    const char *name = options_value(invocation, OPTION_ROOT);
    char *root = name ? realpath(name, NULL) : find_root();
    struct stat found;
    if (!root) {
        error_set_errno(error, name, "cannot be the root");
    } else if (name && (stat(root, &found) || !S_ISDIR(found.st_mode))) {
        error_set(error, name, "is not a folder: --root takes the root of the repository");
        free(root);
        root = NULL;
    }
    return root;
}
