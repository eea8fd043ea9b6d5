/* The parts of assay probe. */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H
#include "cli/session.h"
#include "watch/probe/choice.h"

struct probe_command {
    struct watch_choice choice;
    struct array words;   /* of const char *, NULL behind the last: the program and its arguments */
    const char *database; /* to be written, or NULL */
    size_t top;
    int64_t run;
    bool is_report; /* of a database */
    bool shows_plan;
};

/* Reads and checks the command line.  The caller frees the choice and the words in any case. */
bool probe_read_options(struct probe_command *command, const struct invocation *invocation,
                        struct error *error);
/* Returns the exit code. */
int probe_run(struct session *session, struct probe_command *command, const struct invocation *invocation,
              struct error *error);
/* The report, from the session's connection. */
bool probe_tell(struct session *session, const struct probe_command *command,
                const struct invocation *invocation, const char *path, struct error *error);
#endif
