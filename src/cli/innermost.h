/* The innermost loops that a command is asked about, and the machines for them: what assay bounds and assay
   cycles have in common.  Both compute in C, so a database becomes a model again first. */
#ifndef CLI_INNERMOST_H
#define CLI_INNERMOST_H
#include "cli/session.h"
#include "machine/machine.h"

struct innermost {
    struct session *session;
    const struct invocation *invocation;
    struct array loops;                  /* of int64_t: their ids, in order */
    bool is_chosen;                      /* an option chose them */
    struct machine *machines[isa_COUNT]; /* those in use; that of x86-64 serves i386 */
    bool is_host[isa_COUNT];
};

/* The model of the first operand; of a database the tables of these names, up to NULL. */
bool innermost_read(struct innermost *innermost, const char *const *tables, struct error *error);
/* The session gets a connection to its model, and loses it. */
bool innermost_connect(struct session *session, struct error *error);
void innermost_disconnect(struct session *session);
/* Those that --function, --loop, --line and --program choose, at most --limit if that is asked.  0, or the
   exit code with the error set. */
int innermost_choose(struct innermost *innermost, bool obeys_limit, struct error *error);
/* The machines of all of them: the one of --machine, else the usual ones. */
bool innermost_take_machines(struct innermost *innermost, struct error *error);
/* One line for each, with where it comes from. */
void innermost_print_machines(const struct innermost *innermost);
/* The line for one. */
void innermost_print_machine(FILE *out, const struct machine *machine, bool is_named, bool is_host);
/* The instruction set of a loop, x86-64 for i386. */
enum isa innermost_isa(const struct model *model, uint32_t loop);
void innermost_free(struct innermost *innermost);
#endif
