/* The parts of assay probe. */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H
#include "cli/session.h"
#include "run/probe/plan/choice.h"

struct probe_command {
    struct probe_choice choice;
    struct array words;   /* of const char *, NULL after the last: the program and its arguments */
    const char *database; /* to be written, or NULL */
    size_t top;
    int64_t run;
    bool is_report; /* of a database */
    bool shows_plan;
    const char *script; /* plan in Lua, or NULL */
};

/* Reads and checks the command line.  The caller frees the choice and the words in any case. */
bool probe_read_options(struct probe_command *command, const struct invocation *invocation,
                        struct error *error);
/* Returns the exit code. */
int probe_run(struct session *session, struct probe_command *command, const struct invocation *invocation,
              struct error *error);
/* Plans by the script: adds its wishes to the choice, and keeps it for probe_script_digest; NULL: an error.
 */
struct probe_script *probe_script_plan(struct session *session, struct probe_command *command,
                                       struct error *error);
/* Whether the script returned a function; calls it, which sees the tables of the run, and prints its rows. */
bool probe_script_digests(const struct probe_script *script);
bool probe_script_digest(struct probe_script *script, struct error *error);
void probe_script_end(struct probe_script *script);
/* The report, from the session's connection. */
bool probe_tell(struct session *session, const struct probe_command *command,
                const struct invocation *invocation, const char *path, struct error *error);
#endif
