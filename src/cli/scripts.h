/* Scripts in Lua for commands: what script/ needs from a session. */
#ifndef CLI_SCRIPTS_H
#define CLI_SCRIPTS_H
#include "cli/printing.h"
#include "script/judge.h"

/* Machines that scripts asked for, and the model after a database; freed by scripts_end. */
struct scripts {
    struct session *session;
    struct model *loaded;   /* of a database, when cycles were first asked for */
    struct model *reported; /* the same with the tables of the report, when a report was first asked for */
    struct array machines;  /* of struct machine * */
    const char *usual;      /* --machine */
};

/* Fills the host but for its output and arguments.  Ctrl-C ends the script. */
void scripts_begin(struct scripts *scripts, struct session *session, struct printing *printing,
                   const struct store_choice *choice, struct script_host *host);
void scripts_end(struct scripts *scripts);
/* A machine by name (NULL: the usual one), which the scripts keep. */
const struct machine *scripts_machine(void *context, const char *name, enum isa isa, struct error *error);
/* Makes reports for them (script_host.report). */
bool scripts_report(void *context, const struct script_report *wanted, FILE *out, struct error *error);

/* Analyses, metrics and rules of all folders: of struct analysis, for analyses_free. */
struct array scripts_find(void);
/* Adds what metrics and rules in Lua find to the tables of the report of the session's model; says which of
   them failed. */
void scripts_judge(const struct session *session, const struct loop_machines *machines);
#endif
