/* What the files of this room share. */
#ifndef LEDGER_PARTS_H
#define LEDGER_PARTS_H
#include "ledger/ledger.h"

#include <sys/types.h>

struct ledger {
    sqlite3 *connection;
    char *path;
    struct array statements; /* of struct kept_statement */
    int64_t data_version;    /* at the last question for news */
    unsigned depth;          /* of transactions */
    int lock;                /* -1: not taken */
    dev_t device;            /* and node: the file that was opened; 0: only read */
    ino_t node;
};

/* The last failure of the connection, in plain words.  Returns false. */
bool ledger_explain(struct ledger *ledger, struct error *error);
void ledger_expect_statements(struct ledger *ledger);
void ledger_forget_statements(struct ledger *ledger);
void ledger_release_lock(struct ledger *ledger);
#endif
