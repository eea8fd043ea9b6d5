/* The SQL shell, a line editor with history and completion around whoever runs statements, and scripts with the
   same commands. */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H
#include "store/store.h"

#include <stdio.h>

struct shell {
    struct store *store;
    struct store_choice choice; /* changed by .choose */
    FILE *output;
    /* Runs statements and prints their rows; shell_must_end says when it has to stop. */
    bool (*run)(void *context, const char *sql, const struct store_choice *choice, struct error *error);
    void *context;
    /* .mode NAME; false if the name is not table, csv or json. May be NULL. */
    bool (*set_mode)(void *context, const char *mode);
    bool has_rows_only; /* no text may stand between results */
};

/* Reads statements from standard input until its end or .quit. Errors in statements are printed and do not
   end the shell. Returns false only if the shell cannot start. */
bool shell_run(struct shell *shell, struct error *error);
/* Runs a script: statements, and commands on lines of their own between them. Ends at the first error. */
bool shell_script(struct shell *shell, const char *script, struct error *error);
/* Whether Ctrl-C came. */
bool shell_must_end(void);
#endif
