/* The sources of the loops that assay bounds works on. */
#ifndef CLI_BOUNDS_SOURCES_H
#define CLI_BOUNDS_SOURCES_H
#include "base/trust.h"
#include "cli/options.h"
#include "model/model.h"

struct bounds_sources {
    uint32_t *source_of; /* by row of files: the file read for it, 0 if none */
    char **failures;     /* by row of files: why it was not read */
    size_t count;
    bool are_too_many; /* nothing was read */
};

/* Reads the source files of the loops (ids, int64_t), each once. */
void bounds_sources_read(struct bounds_sources *sources, struct model *model, const struct array *loops,
                         const struct invocation *invocation, struct trust *trust);
/* Why a loop has no MA, in one line; to be freed. */
char *bounds_sources_lack(const struct bounds_sources *sources, const struct model *model, uint32_t loop);
void bounds_sources_free(struct bounds_sources *sources);
#endif
