/* assay check --baseline: the program beside an older build of it, by what assay diff does. */
#ifndef CLI_CHECK_BASELINE_H
#define CLI_CHECK_BASELINE_H
#include "code/check/check.h"
#include "cli/innermost.h"
#include "code/diff/difference.h"

struct check_baseline {
    struct model *model;                     /* of the older build; NULL: none is compared */
    struct innermost innermost[diff_BUILDS]; /* for the machines */
    struct difference difference;
    bool has_difference;
};

/* Reads the older build and adds the verdicts.  The session has the model of the program.  What it finds has
   to outlive the verdicts: check_baseline_free comes last. */
bool check_baseline_compare(struct check_baseline *baseline, struct check *check, struct session *session,
                            const char *path, double allowed, struct error *error);
void check_baseline_free(struct check_baseline *baseline);
#endif
