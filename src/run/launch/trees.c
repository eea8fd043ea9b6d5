#include "run/launch/trees.h"

#include "base/child.h"
#include "base/leftovers.h"
#include "run/launch/building.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OUTPUT = 1 << 28, GIT_SECONDS = 3600 };

/* In the process that becomes git: a hook that runs Assay names its own repository and index. */
static int leave_hook(void *context)
{
    static const char *const names[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
                                        "GIT_OBJECT_DIRECTORY"};
    (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    return 0;
}

/* Runs git with these words.  The settings of a repository may name programs, and it may be a stranger's:
   those that git runs for what is asked here are off. */
static bool run_git(const char *const *words, bool is_of_user, struct child_answer *answer,
                    struct error *error)
{
    static const char *const before[] = {"git",
                                         "-c",
                                         "core.fsmonitor=false",
                                         "-c",
                                         "core.hooksPath=/dev/null",
                                         "-c",
                                         "submodule.recurse=false"};
    struct array all = ARRAY_OF(const char *);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        *(const char **)array_push(&all) = before[i];
    do
        *(const char **)array_push(&all) = *words;
    while (*words++);
    struct child_job job = {.words = all.data,
                            .work = is_of_user ? NULL : leave_hook,
                            .place = child_place_PRESENT,
                            .limits = {.memory = UINT64_C(1) << 40,
                                       .file_size = UINT64_C(1) << 40,
                                       .output = MOST_OUTPUT,
                                       .seconds = GIT_SECONDS}};
    bool done = child_run(&job, answer, error);
    array_free(&all);
    return done;
}

/* Its output without the last end of line, to be freed, or NULL. */
static char *ask_git(const char *const *words, bool is_of_user, const char *what, struct error *error)
{
    struct child_answer answer;
    if (!run_git(words, is_of_user, &answer, error))
        return NULL;
    char *text = NULL, *why = answer.messages.data;
    size_t length = answer.output.count;
    if (answer.end == child_end_DONE) {
        while (length && ((char *)answer.output.data)[length - 1] == '\n')
            length--;
        text = memory_copy_text(answer.output.data, length);
    } else if (answer.end == child_end_MISSING) {
        error_set(error, NULL, "--git needs git, which is not installed");
    } else {
        error_set(error, NULL, "%s: git says: %.*s", what, (int)strcspn(why, "\n"), why);
    }
    child_answer_free(&answer);
    return text;
}

static char *find_commit(const char *name, struct error *error)
{
    char *wanted = memory_format("%s^{commit}", name);
    const char *const words[] = {"rev-parse", "--verify", "--end-of-options", wanted, NULL};
    struct error refused = {0};
    char *commit = ask_git(words, true, name, &refused);
    if (!commit)
        error_set(error, NULL, "--git %s: the repository has no such commit", name);
    free(wanted);
    return commit;
}

static bool take_range(struct trees *trees, const char *range, struct error *error)
{
    const char *dots = strstr(range, "..");
    trees->names[trees_OLD] = memory_copy_text(range, dots ? (size_t)(dots - range) : strlen(range));
    trees->names[trees_NEW] = memory_format("%s", !dots ? "the working tree" : dots[2] ? dots + 2 : "HEAD");
    if (!*trees->names[trees_OLD] || (dots && dots[2] == '.'))
        return error_set(error, NULL, "--git takes REV or OLD..NEW, not '%s'", range);
    for (int which = 0; which < trees_COUNT && (which == trees_OLD || dots); which++) {
        trees->commits[which] = find_commit(trees->names[which], error);
        if (!trees->commits[which])
            return false;
    }
    return true;
}

bool trees_begin(struct trees *trees, const char *range, struct error *error)
{
    *trees = (struct trees){.guard.pipe = -1, .last_lines = ARRAY_OF(char)};
    for (int which = 0; which < trees_COUNT; which++)
        trees->made[which] = ARRAY_OF(char *);
    const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
    const char *const inside[] = {"rev-parse", "--show-prefix", NULL};
    trees->top = ask_git(top, true, "the current directory is not in a working tree", error);
    trees->inside = trees->top ? ask_git(inside, true, trees->top, error) : NULL;
    if (!trees->inside || !take_range(trees, range, error))
        return false;
    const char *base = getenv("TMPDIR");
    char *folder = memory_format("%s/assay-diff-XXXXXX", base && *base == '/' ? base : "/tmp");
    if (!mkdtemp(folder)) {
        error_set_errno(error, folder, "cannot create a folder there");
        free(folder);
        return false;
    }
    trees->folder = folder;
    trees->place = memory_format("%s/tree", folder);
    leftovers_add(trees->folder);
    leftovers_guard();
    trees->guard = guard_begin(trees->folder);
    return true;
}

static bool copy_contents(const char *from, const char *to, const struct stat *status)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status->st_mode & 0777);
    bool done = out >= 0;
    for (off_t left = status->st_size; done && left > 0;) {
        ssize_t count = sendfile(out, in, NULL, (size_t)left);
        done = count > 0;
        left -= count;
    }
    const struct timespec times[] = {status->st_atim, status->st_mtim};
    if (done)
        futimens(out, times);
    if (out >= 0)
        done = !close(out) && done;
    if (in >= 0)
        close(in);
    return done;
}

static void make_folders_of(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* Whether all folders of a name are folders: git takes what lies behind a symbolic link for deleted, too. */
static bool is_within(const char *top, const char *name)
{
    bool is_folder = true;
    for (const char *slash = strchr(name, '/'); is_folder && slash; slash = strchr(slash + 1, '/')) {
        char *folder = memory_format("%s/%.*s", top, (int)(slash - name), name);
        struct stat status;
        is_folder = !lstat(folder, &status) && S_ISDIR(status.st_mode);
        free(folder);
    }
    return is_folder;
}

/* Files that are listed and gone were deleted; a submodule is a folder. */
static bool copy_file(const struct trees *trees, const char *name, struct error *error)
{
    char *from = memory_format("%s/%s", trees->top, name), *to = memory_format("%s/%s", trees->place, name);
    struct stat status;
    bool done = true;
    if (is_within(trees->top, name) && !lstat(from, &status)) {
        make_folders_of(to, strlen(trees->place) + 1);
        if (S_ISLNK(status.st_mode)) {
            char target[4096];
            ssize_t length = readlink(from, target, sizeof target - 1);
            target[length > 0 ? length : 0] = 0;
            done = length > 0 && !symlink(target, to);
        } else if (S_ISREG(status.st_mode)) {
            done = copy_contents(from, to, &status);
        }
    }
    if (!done)
        error_set_errno(error, from, "cannot be copied");
    free(from);
    free(to);
    return done;
}

static bool copy_working_tree(const struct trees *trees, struct error *error)
{
    const char *const words[] = {"-C",       trees->top,           "ls-files",      "-z", "--cached",
                                 "--others", "--exclude-standard", "--deduplicate", NULL};
    const char *const index[] = {"-C", trees->place, "read-tree", "HEAD", NULL};
    char *nothing = ask_git(index, false, trees->top, error);
    struct child_answer answer;
    bool done = nothing && run_git(words, true, &answer, error);
    free(nothing);
    if (!done)
        return false;
    const char *list = answer.output.data;
    if (answer.end != child_end_DONE)
        done = error_set(error, trees->top, "git cannot list the files of the working tree");
    for (size_t at = 0; done && at < answer.output.count; at += strlen(list + at) + 1)
        done = copy_file(trees, list + at, error);
    child_answer_free(&answer);
    return done;
}

/* Objects are shared, and nothing is fetched from elsewhere. */
static bool check_out(const struct trees *trees, int which, struct error *error)
{
    const char *commit = trees->commits[which];
    const char *const clone[] = {"clone", "--quiet",  "--shared",   "--no-checkout",
                                 "--",    trees->top, trees->place, NULL};
    const char *const checkout[] = {"-C",       trees->place, "-c",       "advice.detachedHead=false",
                                    "checkout", "--quiet",    "--detach", commit,
                                    NULL};
    char *cloned = ask_git(clone, false, trees->top, error);
    char *checked = cloned && commit ? ask_git(checkout, false, trees->names[which], error) : NULL;
    bool done = cloned && (commit ? checked != NULL : copy_working_tree(trees, error));
    free(cloned);
    free(checked);
    return done;
}

bool trees_build(struct trees *trees, int which, const char *const *words, struct error *error)
{
    if (!check_out(trees, which, error))
        return false;
    struct building building = {.words = words,
                                .root = trees->place,
                                .directory = memory_format("%s/%s", trees->place, trees->inside),
                                .log = memory_format("%s/log", trees->folder),
                                .name = trees->names[which],
                                .made = &trees->made[which],
                                .last_lines = &trees->last_lines};
    bool done = building_run(&building, error);
    free(building.directory);
    free(building.log);
    if (!done)
        return false;
    trees->roots[which] = memory_format("%s/%s", trees->folder, which == trees_OLD ? "old" : "tree");
    return which == trees_NEW || !rename(trees->place, trees->roots[which]) ||
           error_set_errno(error, trees->place, "cannot be renamed");
}

void trees_end(struct trees *trees)
{
    if (trees->folder) {
        leftovers_remove_folder(trees->folder);
        leftovers_drop(trees->folder);
        guard_end(&trees->guard);
    }
    for (int which = 0; which < trees_COUNT; which++) {
        for (size_t i = 0; i < trees->made[which].count; i++)
            free(*ARRAY_AT(char *, &trees->made[which], i));
        array_free(&trees->made[which]);
        free(trees->commits[which]);
        free(trees->names[which]);
        free(trees->roots[which]);
    }
    array_free(&trees->last_lines);
    free(trees->folder);
    free(trees->place);
    free(trees->top);
    free(trees->inside);
    building_end_if_interrupted();
}
