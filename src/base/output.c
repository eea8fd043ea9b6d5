#include "base/output.h"

#include "base/leftovers.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 100, MOST_LINKS = 40, NEW_MODE = 0666, PRIVATE_MODE = 0600 };

/* All files read by this process. */
struct spared {
    dev_t device;
    ino_t number;
};
static struct array spared_files = {.width = sizeof(struct spared)};
static pthread_mutex_t spared_lock = PTHREAD_MUTEX_INITIALIZER;

struct output {
    char *path;   /* as the user named it */
    char *place;  /* the file itself, with symbolic links resolved */
    char *beside; /* name of the unfinished file, NULL while it has none */
    FILE *stream;
    bool is_special; /* a device, a pipe or standard output: written directly */
    bool is_replacing;
    struct stat replaced;
};

static bool is_spared(const struct stat *facts)
{
    bool found = false;
    pthread_mutex_lock(&spared_lock);
    for (size_t i = 0; i < spared_files.count && !found; i++) {
        const struct spared *it = ARRAY_AT(struct spared, &spared_files, i);
        found = it->device == facts->st_dev && it->number == facts->st_ino;
    }
    pthread_mutex_unlock(&spared_lock);
    return found;
}

static void spare(const struct stat *facts)
{
    if (!S_ISREG(facts->st_mode) || is_spared(facts))
        return;
    pthread_mutex_lock(&spared_lock);
    *(struct spared *)array_add(&spared_files) = (struct spared){facts->st_dev, facts->st_ino};
    pthread_mutex_unlock(&spared_lock);
}

void output_spare(const char *path)
{
    struct stat facts;
    if (!stat(path, &facts))
        spare(&facts);
}

void output_spare_file(int file)
{
    struct stat facts;
    if (!fstat(file, &facts))
        spare(&facts);
}

bool output_may_replace(const char *path, struct error *error)
{
    struct stat facts;
    return stat(path, &facts) || !is_spared(&facts) ||
           error_set(error, path, "is an input, so it cannot be the output; name another file");
}

/* In a world-writable folder (/tmp), another user's link may lead anywhere. */
static bool may_follow(const char *link, const struct stat *facts)
{
    char *folder = path_folder(link);
    struct stat around;
    bool may = !stat(folder, &around) && (facts->st_uid == geteuid() || facts->st_uid == around.st_uid ||
                                          !(around.st_mode & S_ISVTX) || !(around.st_mode & S_IWOTH));
    free(folder);
    return may;
}

/* The target of a link, relative to the link's folder; to be freed. */
static char *link_target(const char *link)
{
    char target[PATH_MAX];
    ssize_t length = readlink(link, target, sizeof target);
    if (length <= 0 || (size_t)length >= sizeof target)
        return NULL;
    if (target[0] == '/')
        return memory_copy_text(target, (size_t)length);
    char *folder = path_folder(link), *whole = memory_format("%s/%.*s", folder, (int)length, target);
    free(folder);
    return whole;
}

/* The file itself with symbolic links resolved, whether it exists or not; NULL with errno set. */
static char *follow_links(const char *path)
{
    char *place = memory_copy_text(path, strlen(path));
    struct stat facts;
    for (unsigned links = 0; !lstat(place, &facts) && S_ISLNK(facts.st_mode); links++) {
        char *next = links < MOST_LINKS && may_follow(place, &facts) ? link_target(place) : NULL;
        errno = links < MOST_LINKS ? EACCES : ELOOP;
        free(place);
        if (!next)
            return NULL;
        place = next;
    }
    return place;
}

/* The real folder of a file, and its name there; to be freed, NULL: there is no such folder. */
static char *real_place(const char *path)
{
    autofree char *place = follow_links(path), *folder = place ? path_folder(place) : NULL;
    autofree char *real = folder ? realpath(folder, NULL) : NULL;
    return real ? memory_format("%s/%s", real, path_name(place)) : NULL;
}

bool output_is_same(const char *one, const char *other)
{
    struct stat facts;
    if (!stat(one, &facts))
        return S_ISREG(facts.st_mode) && path_is_same_file(one, other);
    autofree char *place = real_place(one), *beside = real_place(other);
    return place && beside && !strcmp(place, beside);
}

static char *name_beside(const struct output *output, unsigned try)
{
    return memory_format("%s.tmp-%ld-%u", output->place, (long)getpid(), try);
}

static int open_named(struct output *output, mode_t mode)
{
    for (unsigned try = 0; try < MOST_TRIES; try++) {
        char *name = name_beside(output, try);
        int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file >= 0)
            leftovers_add(output->beside = name);
        else
            free(name);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static int open_new(struct output *output)
{
    mode_t mode = output->is_replacing ? PRIVATE_MODE : NEW_MODE;
    char *folder = path_folder(output->place);
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    free(folder);
    if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
        file = open_named(output, mode);
    return file;
}

static bool is_standard_output(const struct stat *facts)
{
    struct stat standard;
    return !fstat(STDOUT_FILENO, &standard) && standard.st_dev == facts->st_dev &&
           standard.st_ino == facts->st_ino;
}

static int open_output(struct output *output)
{
    struct stat facts;
    bool exists = !stat(output->path, &facts);
    if (exists && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (exists && (!S_ISREG(facts.st_mode) || is_standard_output(&facts))) {
        output->is_special = true;
        return S_ISREG(facts.st_mode) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                      : open(output->path, O_WRONLY | O_CLOEXEC);
    }
    output->is_replacing = exists;
    output->replaced = facts;
    output->place = follow_links(output->path);
    return output->place ? open_new(output) : -1;
}

struct output *output_open(const char *path, struct error *error)
{
    if (!output_may_replace(path, error))
        return NULL;
    struct output *output = memory_get(sizeof *output);
    output->path = memory_copy_text(path, strlen(path));
    int file = open_output(output);
    output->stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (output->stream)
        return output;
    error_set_errno(error, path, "cannot write");
    if (file >= 0)
        close(file);
    output_abandon(output);
    return NULL;
}

FILE *output_stream(struct output *output)
{
    return output->stream;
}

const char *output_path(const struct output *output)
{
    return output->path;
}

/* Copies owner, group and permissions of the file that is replaced. If the group cannot be kept, its
   permissions are dropped. */
static bool keep_permissions(const struct output *output)
{
    if (!output->is_replacing)
        return true;
    int file = fileno(output->stream);
    const struct stat *before = &output->replaced;
    struct stat now;
    mode_t mode = before->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (fstat(file, &now))
        return false;
    bool keeps_group = now.st_gid == before->st_gid || !fchown(file, (uid_t)-1, before->st_gid);
    if (now.st_uid != before->st_uid && fchown(file, before->st_uid, (gid_t)-1))
        mode |= S_IRUSR | S_IWUSR; /* we own it now */
    return !fchmod(file, keeps_group ? mode : mode & ~(mode_t)S_IRWXG);
}

/* Gives the unnamed file a name beside its final one. */
static bool link_beside(struct output *output)
{
    char *unnamed = memory_format("/proc/self/fd/%d", fileno(output->stream));
    for (unsigned try = 0; try < MOST_TRIES && !output->beside; try++) {
        char *name = name_beside(output, try);
        if (!linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
            leftovers_add(output->beside = name);
            break;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    free(unnamed);
    return output->beside != NULL;
}

bool output_finish(struct output *output, struct error *error)
{
    bool done = output->is_special || output_may_replace(output->path, error);
    done = done && !fflush(output->stream) && !ferror(output->stream);
    if (!output->is_special)
        done = done && keep_permissions(output) && (output->beside || link_beside(output)) &&
               !rename(output->beside, output->place);
    if (!done)
        error_set_errno(error, output->path, "cannot write");
    else {
        leftovers_drop(output->beside);
        free(output->beside);
        output->beside = NULL;
    }
    output_abandon(output);
    return done;
}

void output_abandon(struct output *output)
{
    if (!output)
        return;
    if (output->stream)
        fclose(output->stream);
    if (output->beside) {
        unlink(output->beside);
        leftovers_drop(output->beside);
    }
    free(output->beside);
    free(output->place);
    free(output->path);
    free(output);
}
