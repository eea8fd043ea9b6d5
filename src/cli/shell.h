/* The interactive SQL shell: a line editor with history and completion around store_run. */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H
#include "store/store.h"

#include <stdio.h>

struct shell {
    struct store *store;
    struct store_choice choice; /* changed by .choose */
    FILE *output;
    store_print *print;
    void *context;
    /* .mode NAME; false if the name is not table, csv or json. May be NULL. */
    bool (*set_mode)(void *context, const char *mode);
};

/* Reads statements from standard input until its end or .quit. Errors in statements are printed and do not
   end the shell. Returns false only if the shell cannot start. */
bool shell_run(struct shell *shell, struct error *error);
#endif
