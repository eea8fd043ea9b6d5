#include "cli/folders.h"

#include "base/path.h"
#include "run/launch/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What ASSAY_RUNTIME may name: LAUNCH_RUNTIME, with this installation's own place. */
#define RUNTIME_FOLDER                                                                                       \
    "the folder with Assay's runtimes (runtime in a build, " ASSAY_LIBDIR "/assay in an installation)"

static void add(struct array *folders, char *path)
{
    *(char **)array_add(folders) = path;
}

/* The file that the code at an address comes from, to be freed; NULL if unknown. */
static char *mapped_file(uintptr_t address)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL, *found = NULL;
    size_t room = 0;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        uintptr_t begin, end;
        int path = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &path) == 2 && path &&
            address >= begin && address < end)
            found = memory_copy_text(line + path, strcspn(line + path, "\n"));
    }
    if (maps)
        fclose(maps);
    free(line);
    if (found && access(found, F_OK)) {
        free(found);
        return NULL;
    }
    return found;
}

/* The folder of the assay executable, to be freed; NULL if unknown. /proc/self/exe would be the dynamic
   linker's where that was told to start it (packaging/launcher.c). */
static char *own_folder(void)
{
    char place[4096], *file = mapped_file((uintptr_t)&own_folder);
    if (!file) {
        ssize_t length = readlink("/proc/self/exe", place, sizeof place - 1);
        if (length <= 0)
            return NULL;
        file = memory_copy_text(place, (size_t)length);
    }
    char *folder = path_folder(file);
    free(file);
    return folder;
}

static void add_installed(struct array *folders, const char *kind)
{
    autofree char *place = own_folder();
    if (!place)
        return;
    add(folders, memory_format("%s/../share/assay/%s", place, kind));
    add(folders, memory_format("%s/../data/%s", place, kind));
}

char *folders_own(const char *kind)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    return config && config[0] == '/' ? memory_format("%s/assay/%s", config, kind)
           : home && home[0] == '/'   ? memory_format("%s/.config/assay/%s", home, kind)
                                      : NULL;
}

struct array folders_find(const char *variable, const char *kind)
{
    struct array folders = ARRAY_OF(char *);
    const char *list = getenv(variable);
    char *own = folders_own(kind);
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length)
            add(&folders, memory_copy_text(list, length));
        list += length + (list[length] == ':');
    }
    if (own)
        add(&folders, own);
    add_installed(&folders, kind);
    return folders;
}

struct array folders_installed(const char *kind)
{
    struct array folders = ARRAY_OF(char *);
    add_installed(&folders, kind);
    return folders;
}

/* Whether some runtime is in this folder, installed or as built. */
static bool is_runtime(const char *folder)
{
    static const struct {
        const char *part, *name;
    } parts[] = {{"denormal-profile", "libassay-denormal-profile.so"},
                 {".", "denormal-trace"},
                 {"probe", "libassay-probe-aarch64.so"},
                 {"probe", "libassay-probe-x86_64.so"},
                 {"sample", "libassay-sample-aarch64.so"},
                 {"sample", "libassay-sample-x86_64.so"},
                 {"replay", "assay-replay-aarch64.o"},
                 {"replay", "assay-replay-x86_64.o"},
                 {"simgrid", "assay-simulator"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        autofree char *path = launch_find_part(folder, parts[i].part, parts[i].name);
        if (path)
            return true;
    }
    return false;
}

char *folders_runtime(struct error *error)
{
    const char *chosen = getenv("ASSAY_RUNTIME");
    if (chosen && *chosen) {
        if (is_runtime(chosen))
            return memory_copy_text(chosen, strlen(chosen));
        error_set(error, chosen, "is what ASSAY_RUNTIME says, but not " RUNTIME_FOLDER);
        return NULL;
    }
    autofree char *place = own_folder();
    char *places[] = {place ? memory_format("%s/runtime", place) : NULL,
                      ASSAY_LIBDIR[0] == '/' ? memory_format("%s/assay", ASSAY_LIBDIR)
                      : place                ? memory_format("%s/../%s/assay", place, ASSAY_LIBDIR)
                                             : NULL};
    char *found = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!found && places[i] && is_runtime(places[i]))
            found = places[i];
        else
            free(places[i]);
    }
    if (!found)
        error_set(error, NULL,
                  "the runtimes of probes, samples and denormals are not installed with this assay (%s); set "
                  "ASSAY_RUNTIME to " RUNTIME_FOLDER,
                  place ? place : "unknown location");
    return found;
}

void folders_free(struct array *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(*ARRAY_AT(char *, folders, i));
    array_free(folders);
}
