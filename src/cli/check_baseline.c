#include "cli/check_baseline.h"

#include "base/progress.h"
#include "code/quality/quality.h"

#include <stdlib.h>

/* Of a database: what comparing needs. */
static const char *const tables[] = {
    "programs",  "units",     "files",         "sections",     "functions",     "blocks",      "loops",
    "calls",     "registers", "edges",         "loop_blocks",  "paths",         "path_blocks", "code",
    "encodings", "operands",  "register_uses", "source_lines", "inlined_calls", "bundles",     NULL};

static bool read_old(struct check_baseline *baseline, struct session *session, const char *path,
                     struct error *error)
{
    struct model *own = session->model;
    session->model = NULL;
    bool done = session_read(session, &path, 1, tables, error);
    session_disconnect(session);
    baseline->model = session->model;
    session->model = own;
    return done;
}

static bool take_machines(struct check_baseline *baseline, struct session *session, struct error *error)
{
    struct model *own = session->model;
    bool done = true;
    for (int side = 0; side < diff_BUILDS && done; side++) {
        struct innermost *innermost = &baseline->innermost[side];
        *innermost = (struct innermost){.session = session, .loops = ARRAY_OF(int64_t)};
        session->model = baseline->difference.models[side];
        done = innermost_take_all(innermost, error);
        for (unsigned isa = 0; isa < isa_COUNT; isa++)
            baseline->difference.machines[side].of[isa] = innermost->machines[isa];
    }
    session->model = own;
    return done;
}

bool check_baseline_compare(struct check_baseline *baseline, struct check *check, struct session *session,
                            const char *path, double allowed, struct error *error)
{
    if (!read_old(baseline, session, path, error))
        return false;
    struct difference *difference = &baseline->difference;
    *difference = (struct difference){.models = {baseline->model, session->model},
                                      .threads = session_threads(session->invocation),
                                      .path_limit = QUALITY_PATHS};
    if (!take_machines(baseline, session, error))
        return false;
    baseline->has_difference = true;
    difference_match(difference);
    difference_time(difference, NULL, false);
    autofree uint8_t *chosen = memory_get(difference->changes.count + 1);
    for (size_t i = 0; i < difference->changes.count; i++)
        chosen[i] = check_is_slower(ARRAY_AT(struct loop_change, &difference->changes, i), allowed);
    difference_explain(difference, chosen);
    progress_clear();
    check_compare(check, &difference->comparison, &difference->changes, allowed);
    return true;
}

void check_baseline_free(struct check_baseline *baseline)
{
    if (!baseline->model)
        return;
    if (baseline->has_difference)
        difference_end(&baseline->difference);
    for (int side = 0; side < diff_BUILDS; side++)
        innermost_free(&baseline->innermost[side]);
    model_free(baseline->model);
    free(baseline->model);
}
