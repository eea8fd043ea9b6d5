/* assay model from RUN.db: a first model of a program that was recorded. */
#include "cli/model.h"
#include "cli/session.h"
#include "show/report/modelling/from.h"

#include <unistd.h>

int model_from(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    const char *path = options_operand(invocation, 1);
    size_t loops = 0;
    if (!path || invocation->operands.count > 2) {
        error_set(error, NULL,
                  "assay model from takes one database of assay run: assay model from run.db -o prog.model");
        return 2;
    }
    if (!store_is_database(path)) {
        if (access(path, R_OK))
            error_set_errno(error, path, "cannot be read");
        else
            error_set(error, path, "is not a database; assay run --measure -o FILE -- ./prog … makes one");
        return 2;
    }
    bool is_fine = session_open(&session, invocation, path, error);
    struct asked asked = {.connection = session.connection, .path = path};
    is_fine = is_fine && report_model_from(&asked, session.out, &loops, error);
    if (is_fine)
        session_say(&session,
                    "%zu loop%s, each with its iterations and a free time; comments say what is missing",
                    loops, loops == 1 ? "" : "s");
    return session_end(&session, is_fine ? 0 : 2, error);
}
