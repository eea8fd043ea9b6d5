/* Words, environment, and libraries in LD_PRELOAD.

   A run may have programs of 64 and of 32 bits, and the dynamic linker complains of a library of the wrong
   kind: so the folder of the recordings gets links to both under the names that the linker puts in place of
   $LIB, and each program finds the one of its own kind, as do programs of both machines where one of them
   runs under an emulator. That path has no blanks and colons either, which
   would end a name in LD_PRELOAD. */
#include "run/launch/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void launch_init(struct launch *launch)
{
    *launch = (struct launch){.words = ARRAY_OF(char *), .environment = ARRAY_OF(char *)};
}

void launch_free(struct launch *launch)
{
    free(launch->file);
    array_free_texts(&launch->words);
    array_free_texts(&launch->environment);
    *launch = (struct launch){0};
}

void launch_add_word(struct launch *launch, char *word)
{
    *(char **)array_push(&launch->words) = word;
}

void launch_add_words(struct launch *launch, const char *const *words)
{
    for (; *words; words++)
        launch_add_word(launch, memory_copy_text(*words, strlen(*words)));
}

void launch_assign(struct launch *launch, char *assignment)
{
    *(char **)array_push(&launch->environment) = assignment;
}

static bool is_named(const char *assignment, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);
        if (!strncmp(assignment, *names, length) && assignment[length] == '=')
            return true;
    }
    return false;
}

void launch_inherit(struct launch *launch, const char *const *without)
{
    for (char **assignment = environ; *assignment; assignment++)
        if (!is_named(*assignment, without))
            launch_assign(launch, memory_copy_text(*assignment, strlen(*assignment)));
}

char *launch_find_part(const char *folder, const char *part, const char *name)
{
    char *path = memory_format("%s/%s", folder, name);
    if (access(path, R_OK)) {
        free(path);
        path = memory_format("%s/%s/%s", folder, part, name);
    }
    char *full = access(path, R_OK) ? NULL : realpath(path, NULL);
    free(path);
    return full;
}

static bool make_folder(const char *path)
{
    return !mkdir(path, 0700) || errno == EEXIST;
}

/* What the dynamic linkers of Debian and of others have for $LIB. */
static bool link_libraries(const char *folder, const char *name, const char *wide, const char *narrow,
                           struct error *error)
{
    const struct {
        const char *folder, *library;
    } places[] = {{"lib", narrow ? narrow : wide},
                  {"lib32", narrow},
                  {"lib64", wide},
                  {"lib/x86_64-linux-gnu", wide},
                  {"lib/aarch64-linux-gnu", wide},
                  {"lib/i386-linux-gnu", narrow}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *place = memory_format("%s/%s", folder, places[i].folder);
        char *link = memory_format("%s/%s", place, name);
        bool is_done = make_folder(place) && (!places[i].library || !symlink(places[i].library, link));
        free(place);
        free(link);
        if (!is_done)
            return error_set_errno(error, folder, "cannot create a link there");
    }
    return true;
}

bool launch_preload(struct launch *launch, const char *folder, const char *name, const char *wide,
                    const char *narrow, struct error *error)
{
    const char *others = getenv("LD_PRELOAD");
    if (!link_libraries(folder, name, wide, narrow, error))
        return false;
    launch_assign(launch, memory_format("LD_PRELOAD=%s/$LIB/%s%s%s", folder, name,
                                        others && *others ? ":" : "", others ? others : ""));
    return true;
}

bool launch_preload_for(const char *folder, const char *name, const char *machine, const char *library,
                        struct error *error)
{
    char *link = memory_format("%s/lib/%s-linux-gnu/%s", folder, machine, name);
    unlink(link);
    bool is_done = !symlink(library, link);
    free(link);
    return is_done || error_set_errno(error, folder, "cannot create a link there");
}
