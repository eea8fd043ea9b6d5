/* assay recover: undoes a write into a database that was cut short. */
#include "cli/commands.h"
#include "cli/session.h"

int command_recover(const struct invocation *invocation, struct error *error)
{
    struct session session;
    const char *path = options_operand(invocation, 0);
    bool was_cut_short;
    int code = 2;
    if (session_begin(&session, invocation, error) && store_recover(path, &was_cut_short, error)) {
        session_say(&session,
                    was_cut_short ? "%s is as it was before the write that was cut short"
                                  : "%s: no write was cut short, nothing is to be undone",
                    path);
        code = 0;
    }
    return session_end(&session, code, error);
}
