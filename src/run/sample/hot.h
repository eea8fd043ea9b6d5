/* Which files a run spent its time in, and where in them: what has to be read of them. */
#ifndef RUN_SAMPLE_HOT_H
#define RUN_SAMPLE_HOT_H
#include "run/sample/recording.h"

struct hot_file {
    const char *path;
    uint32_t file;          /* place in recording.files */
    double share;           /* of all samples, in the file itself */
    struct array addresses; /* of uint64_t, sorted, each once: of samples, and of callers on stacks */
};
/* Files with at least this share, largest first, that are on disk as they were loaded: of struct hot_file. */
void sample_hot_files(const struct sample_recording *recording, double least_share, struct array *files);
void sample_hot_files_free(struct array *files);
#endif
