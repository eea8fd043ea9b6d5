/* assay model from RUN.db: a first model of a program that was recorded.  assay model from FILE.c: the flow of its functions. */
#include "cli/model.h"
#include "cli/session.h"
#include "code/source/flow.h"
#include "show/report/modelling/from.h"
#include "show/report/modelling/from_source.h"

#include <string.h>
#include <unistd.h>

static bool is_source(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && !strcmp(path + length - 2, ".c");
}

static int from_source(const struct invocation *invocation, const char *path, struct error *error)
{
    struct session session = {0};
    struct array steps = ARRAY_OF(struct source_step);
    uint32_t errors = 0, unsaid = 0;
    bool is_fine = session_begin(&session, invocation, error);
    if (is_fine)
        trust_add_file(session.trust, path);
    struct source_options options = {.compile_commands = options_value(invocation, OPTION_COMPILE_COMMANDS),
                                     .trust = session.trust};
    is_fine = is_fine && source_flow_read(path, &options, &steps, &errors, error) &&
              report_model_from_source(path, &steps, session.out, &unsaid, error);
    if (is_fine && errors)
        session_say(&session, "the compiler finds %u mistake%s in %s: what depends on them may be missing",
                    errors, errors == 1 ? "" : "s", path);
    if (is_fine)
        session_say(&session, "%u parameter%s stand%s for what the source does not say", unsaid,
                    unsaid == 1 ? "" : "s", unsaid == 1 ? "s" : "");
    array_free(&steps);
    return session_end(&session, is_fine ? 0 : 2, error);
}

int model_from(const struct invocation *invocation, struct error *error)
{
    struct session session = {0};
    const char *path = options_operand(invocation, 1);
    size_t loops = 0;
    if (!path || invocation->operands.count > 2) {
        error_set(
            error, NULL,
            "assay model from takes one database of assay run, or one C source: assay model from run.db -o prog.model");
        return 2;
    }
    if (!store_is_database(path)) {
        if (is_source(path) && !access(path, R_OK))
            return from_source(invocation, path, error);
        if (access(path, R_OK))
            error_set_errno(error, path, "cannot be read");
        else
            error_set(
                error, path,
                "is neither a database nor a C source; assay run --measure -o FILE -- ./prog … makes one");
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
