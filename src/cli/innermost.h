/* The innermost loops that a command works on, and their machines; shared by assay bounds, cycles and report.
   All compute in C, so a database is first loaded into a model. */
#ifndef CLI_INNERMOST_H
#define CLI_INNERMOST_H
#include "cli/session.h"
#include "code/machine/machine.h"

struct innermost {
    struct session *session;
    struct array loops;                  /* of int64_t: their ids, in order */
    bool is_chosen;                      /* selected with an option */
    const char *machine;                 /* name, in place of --machine; NULL: that one */
    struct machine *machines[isa_COUNT]; /* machines in use; x86-64's also serves i386 */
    bool is_host[isa_COUNT];
};

/* The loops selected with --function, --loop, --line and --program, at most --limit. Returns 0, or the exit
   code with the error set. */
int innermost_choose(struct innermost *innermost, bool obeys_limit, struct error *error);
/* The machines for all of them: --machine, else the defaults. */
bool innermost_take_machines(struct innermost *innermost, struct error *error);
/* All innermost loops of the model and their machines.  If a query needs them, the machines are said once. */
bool innermost_take_all(struct innermost *innermost, struct error *error);
/* One line for each machine, with the origin of its figures. */
void innermost_print_machines(const struct innermost *innermost);
/* The instruction set of a loop, x86-64 for i386. */
enum isa innermost_isa(const struct model *model, uint32_t loop);
void innermost_free(struct innermost *innermost);
#endif
