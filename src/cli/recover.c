/* assay recover: undoes an interrupted write to a database. */
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
                    was_cut_short ? "%s is restored to its state before the interrupted write"
                                  : "%s: no write was interrupted, nothing to undo",
                    path);
        code = 0;
    }
    return session_end(&session, code, error);
}
