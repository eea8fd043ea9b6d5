#include "base/trust.h"

#include "base/path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const markers[] = {".git",
                                      ".hg",
                                      ".svn",
                                      "CMakeLists.txt",
                                      "meson.build",
                                      "Makefile",
                                      "makefile",
                                      "GNUmakefile",
                                      "configure",
                                      "configure.ac",
                                      "build.ninja",
                                      "SConstruct",
                                      "compile_commands.json",
                                      "Cargo.toml",
                                      "go.mod",
                                      "MODULE.bazel"};
enum { MARKERS = sizeof markers / sizeof *markers };

/* Whether path is folder or lies below it. */
static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static void add(struct array *texts, const char *text)
{
    *(char **)array_push(texts) = memory_copy_text(text, strlen(text));
}

static bool has(const struct array *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (!strcmp(*ARRAY_AT(char *, texts, i), text))
            return true;
    return false;
}

/* The root contains everything, so it is never added. */
static void add_real_folder(struct trust *trust, const char *real)
{
    if (strcmp(real, "/") && !has(&trust->folders, real))
        add(&trust->folders, real);
}

static bool has_marker(const char *folder)
{
    for (unsigned i = 0; i < MARKERS; i++) {
        char *path = memory_format("%s/%s", folder, markers[i]);
        bool is_there = !access(path, F_OK);
        free(path);
        if (is_there)
            return true;
    }
    return false;
}

/* The user's home and the folders above it hold more than one project. */
static bool may_be_project(const char *folder, const char *home)
{
    struct stat facts;
    return strcmp(folder, "/") && !(home && is_below(home, folder)) && !stat(folder, &facts) &&
           !(facts.st_mode & S_IWOTH);
}

static void add_with_project(struct trust *trust, const char *real)
{
    const char *place = getenv("HOME");
    char *home = place && *place == '/' ? realpath(place, NULL) : NULL;
    char *project = NULL, *folder = memory_copy_text(real, strlen(real));
    add_real_folder(trust, real);
    while (may_be_project(folder, home)) {
        char *above = path_folder(folder);
        if (has_marker(folder)) {
            free(project);
            project = folder;
        } else {
            free(folder);
        }
        folder = above;
    }
    if (project)
        add_real_folder(trust, project);
    if (project != folder)
        free(project);
    free(folder);
    free(home);
}

void trust_begin(struct trust *trust, bool is_all)
{
    *trust = (struct trust){.folders = ARRAY_OF(char *), .refused = ARRAY_OF(char *), .is_all = is_all};
    char *here = realpath(".", NULL);
    if (here)
        add_with_project(trust, here);
    free(here);
}

void trust_add_folder(struct trust *trust, const char *path)
{
    char *real = realpath(path, NULL);
    if (real)
        add_real_folder(trust, real);
    free(real);
}

/* The folder of the given name, and the folder that a link leads to. */
void trust_add_file(struct trust *trust, const char *path)
{
    char *file = realpath(path, NULL), *named = path_folder(path);
    char *folders[] = {realpath(named, NULL), file ? path_folder(file) : NULL};
    for (unsigned i = 0; i < 2; i++) {
        if (file && folders[i])
            add_with_project(trust, folders[i]);
        free(folders[i]);
    }
    free(named);
    free(file);
}

static bool lies_with_us(const struct trust *trust, const char *real)
{
    if (is_below(real, "/usr"))
        return true;
    if (!trust || is_below(real, "/proc") || is_below(real, "/sys"))
        return false;
    for (size_t i = 0; i < trust->folders.count; i++) {
        const char *folder = *ARRAY_AT(char *, &trust->folders, i);
        if (is_below(real, folder) && !strstr(real + strlen(folder), "/."))
            return true;
    }
    return false;
}

/* Several threads may ask; folders were all added before. */
static pthread_mutex_t refusing = PTHREAD_MUTEX_INITIALIZER;

static bool decide(struct trust *trust, const char *path, bool notes)
{
    if (trust && (trust->is_all || trust->is_none))
        return trust->is_all;
    char *real = realpath(path, NULL);
    bool may = real && lies_with_us(trust, real);
    pthread_mutex_lock(&refusing);
    if (notes && trust && real && !may && !has(&trust->refused, real))
        add(&trust->refused, real);
    pthread_mutex_unlock(&refusing);
    free(real);
    return may;
}

bool trust_allows(struct trust *trust, const char *path)
{
    return decide(trust, path, true);
}

bool trust_allows_guess(struct trust *trust, const char *path)
{
    return decide(trust, path, false);
}

void trust_free(struct trust *trust)
{
    array_free_texts(&trust->folders);
    array_free_texts(&trust->refused);
}
