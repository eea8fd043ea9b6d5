/* The tables of the report, for SQL queries and assay db --report.

   They cover every innermost loop, so a row that a query does not find does not exist. */
#include "cli/report.h"

#include "base/progress.h"
#include "cli/compiler_remarks.h"
#include "cli/innermost.h"
#include "cli/scripts.h"
#include "code/flow/flow.h"
#include "code/quality/quality.h"

#include <string.h>

enum { OF_OTHERS = 5 }; /* tables at the front that are not the report's alone */
const char *const report_tables[] = {"processors",
                                     "problems",
                                     "loop_cycles",
                                     "core_bounds",
                                     "loop_levels",
                                     "loop_families",
                                     "loop_roles",
                                     "loop_metrics",
                                     "access_patterns",
                                     "port_uses",
                                     "rules",
                                     "loop_templates",
                                     "added_metrics",
                                     "added_figures",
                                     "bound_instructions",
                                     "advice",
                                     "remedies",
                                     "advice_evidence",
                                     "loop_weights",
                                     "program_actions",
                                     "remarks",
                                     NULL};

bool report_has_table(const char *table)
{
    for (const char *const *name = report_tables + OF_OTHERS; *name; name++)
        if (!strcmp(table, *name))
            return true;
    return false;
}

static bool has_flow(const struct model *model)
{
    for (uint32_t id = 1; id < model->programs.count; id++)
        if (!model_program(model, id)->has_flow)
            return false;
    return true;
}

bool report_store(struct session *session, struct error *error)
{
    struct model *model = session->model;
    struct innermost innermost = {.session = session, .loops = ARRAY_OF(int64_t)};
    struct array loops = ARRAY_OF(uint32_t);
    bool done = innermost_take_all(&innermost, error);
    if (done) {
        for (size_t i = 0; i < innermost.loops.count; i++)
            *(uint32_t *)array_push(&loops) = (uint32_t)*ARRAY_AT(int64_t, &innermost.loops, i);
        struct quality_options options = {.threads = session_threads(session->invocation)};
        for (unsigned isa = 0; isa < isa_COUNT; isa++)
            options.machines.of[isa] = innermost.machines[isa];
        quality_build(model, &options, &loops);
        scripts_judge(session, &options.machines);
        done = compiler_remarks_take(session, &loops, error);
        if (!has_flow(model))
            flow_forget(model);
        progress_clear();
    }
    array_free(&loops);
    innermost_free(&innermost);
    return done;
}
