/* Scripts in Lua for commands: what script/ needs from a session. */
#ifndef CLI_SCRIPTS_H
#define CLI_SCRIPTS_H
#include "cli/printing.h"
#include "script/script.h"

/* Machines that scripts asked for, and the model behind a database; freed by scripts_end. */
struct scripts {
    struct session *session;
    struct model *loaded;  /* of a database, when cycles were first asked for */
    struct array machines; /* of struct machine * */
    const char *usual;     /* --machine */
};

/* Fills the host but for its output and arguments.  Ctrl-C ends the script. */
void scripts_begin(struct scripts *scripts, struct session *session, struct printing *printing,
                   const struct store_choice *choice, struct script_host *host);
void scripts_end(struct scripts *scripts);
#endif
