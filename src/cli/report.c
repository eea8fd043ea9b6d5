/* assay report: what is wrong with innermost loops, and what to do about it. */
#include "cli/commands.h"
#include "cli/innermost.h"
#include "quality/quality.h"

int command_report(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    struct innermost innermost = {.session = &session, .invocation = invocation, .loops = ARRAY_OF(int64_t)};
    struct array loops = ARRAY_OF(uint32_t);
    struct quality_options options = {.threads = session_threads(invocation)};
    int code = session_begin(&session, invocation, error) ? 0 : 2;
    if (!code && !innermost_read(&innermost, NULL, error))
        code = 2;
    if (!code)
        code = innermost_choose(&innermost, false, error);
    if (!code && !innermost_take_machines(&innermost, error))
        code = 2;
    for (size_t i = 0; !code && i < innermost.loops.count; i++)
        *(uint32_t *)array_push(&loops) = (uint32_t)*ARRAY_AT(int64_t, &innermost.loops, i);
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        options.machines.of[isa] = innermost.machines[isa];
    if (!code)
        quality_build(session.model, &options, &loops);
    array_free(&loops);
    innermost_free(&innermost);
    return session_end(&session, code, error);
}
