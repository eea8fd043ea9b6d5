/* assay counters: what this computer can count, and what each counter is good for. */
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/session.h"
#include "show/report/counters.h"
#include "run/sample/counters.h"

int command_counters(const struct invocation *invocation, struct error *error)
{
    struct session session;
    struct counter_tree tree = {0};
    struct array folders = folders_find("ASSAY_COUNTERS", "counters");
    int code = 2;
    if (session_begin(&session, invocation, error) &&
        counters_read(&tree, (const char *const *)folders.data, folders.count, error)) {
        report_counters(&tree, &session.style, session.out);
        code = 0;
    }
    counters_free(&tree);
    folders_free(&folders);
    return session_end(&session, code, error);
}
