/* What a command does with a stranger's text, in a process of its own (base/apart.h). */
#ifndef CLI_FOREIGN_H
#define CLI_FOREIGN_H
#include "cli/session.h"

struct foreign {
    struct session *session;
    /* Prints to session->out, which is a pipe to Assay then. */
    bool (*work)(void *context, struct error *error);
    void *context;
    const char *what; /* it is, for messages: "the query" */
    FILE *file;       /* that it may write to as well, and flushes; NULL: none */
    /* Numbers that it leaves behind; NULL: none. */
    void *result;
    size_t result_size;
    unsigned seconds; /* its limit; 0: none */
    /* Whether it has to end; NULL: after Ctrl-C, if the session has SQL. */
    bool (*must_end)(void);
    bool ends_gently; /* instead of that: it catches interrupts itself (base/interrupt.h), as this command
                         does */
};

bool foreign_run(const struct foreign *foreign, struct error *error);
/* Computes tables that statements of a session's program read, so that they are there for all that follows.
   Which these are is found out apart, too. Mistakes of the statements are left to whoever runs them. seconds:
   for reading them; 0: no limit. */
bool foreign_supply(struct session *session, const char *statements, const struct store_choice *choice,
                    unsigned seconds, struct error *error);
#endif
