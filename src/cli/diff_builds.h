/* The two builds that assay diff compares, and a run of the old one. */
#ifndef CLI_DIFF_BUILDS_H
#define CLI_DIFF_BUILDS_H
#include "cli/innermost.h"
#include "code/diff/difference.h"

/* After the builds, diff_OLD and diff_NEW. */
enum { diff_RUN = diff_BUILDS, diff_FILES };

struct diff_builds {
    struct model *models[diff_FILES];
    struct innermost innermost[diff_BUILDS]; /* for the machines */
};

/* Programs or databases.  Two large programs are read at the same time. */
bool diff_builds_read(struct diff_builds *builds, struct session *session,
                      const char *const paths[diff_BUILDS], struct error *error);
/* The machines of both: --machine, and --old-machine for the old one. */
bool diff_builds_take_machines(struct diff_builds *builds, struct session *session,
                               struct difference *difference, struct error *error);
/* Shares of the old build's loops by a run of it; NULL: no run is given. */
bool diff_builds_read_run(struct diff_builds *builds, struct session *session, const char *path,
                          double **shares, struct error *error);
void diff_builds_free(struct diff_builds *builds);
#endif
