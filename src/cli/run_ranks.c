/* Recordings of ranks: each rank of a cluster writes one file, a later command reads them all.

   A file is named after the rank and the computer, so that ranks of one folder never meet; without a rank,
   after the process. */
#include "base/path.h"
#include "cli/run.h"
#include "cli/say.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".assay-rank";

static int32_t rank_of(const struct sample_recording *recording)
{
    for (size_t i = 0; i < recording->processes.count; i++) {
        int32_t rank = ARRAY_AT(struct sample_process, &recording->processes, i)->rank;
        if (rank != NO_NUMBER)
            return rank;
    }
    return NO_NUMBER;
}

bool run_may_write_rank(const char *folder, struct error *error)
{
    struct stat facts;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return error_set_errno(error, folder, "cannot be made");
    if (!stat(folder, &facts) && !S_ISDIR(facts.st_mode))
        return error_set(error, folder, "is not a folder");
    return !access(folder, W_OK | X_OK) || error_set_errno(error, folder, "cannot be written to");
}

bool run_write_rank(const struct sample_recording *recording, const char *folder, struct error *error)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return error_set_errno(error, folder, "cannot be made");
    int32_t rank = rank_of(recording);
    const char *host = recording->host ? recording->host : "host";
    autofree char *path = rank != NO_NUMBER
                              ? memory_format("%s/rank-%05d.%s%s", folder, (int)rank, host, ending)
                              : memory_format("%s/process-%ld.%s%s", folder, (long)getpid(), host, ending);
    return sample_recording_write(recording, path, error);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool list_recordings(const char *folder, struct array *paths, struct error *error)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return error_set_errno(error, folder, "cannot be read");
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length >= sizeof ending && !strcmp(entry->d_name + length + 1 - sizeof ending, ending))
            *(char **)array_push(paths) = memory_format("%s/%s", folder, entry->d_name);
    }
    closedir(directory);
    if (paths->count)
        qsort(paths->data, paths->count, sizeof(char *), compare_texts);
    return paths->count ||
           error_set(error, folder, "has no recordings (srun assay run --rank-files %s ./prog)", folder);
}

bool run_read_ranks(struct sample_recording *recording, const char *folder, struct error *error)
{
    struct array paths = ARRAY_OF(char *);
    size_t good = 0, bad = 0;
    if (!list_recordings(folder, &paths, error))
        return false;
    for (size_t i = 0; i < paths.count; i++) {
        autofree char *path = *ARRAY_AT(char *, &paths, i);
        struct sample_recording one;
        struct error failure = {0};
        sample_recording_init(&one);
        if (sample_recording_read(&one, path, &failure)) {
            sample_recording_merge(recording, &one);
            good++;
        } else {
            say("%s", failure.text);
            bad++;
        }
        sample_recording_free(&one);
    }
    array_free(&paths);
    recording->unread += bad;
    return good || error_set(error, folder, "none of its recordings can be read");
}
