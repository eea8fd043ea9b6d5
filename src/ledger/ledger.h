/* The ledger: tables that grow from one run of Assay to the next.

   What `store` writes is a picture of one program, made whole and never changed. What predictions and
   schedules need is the opposite: a file that many commands add to, over months, and that must survive any
   of them being killed. So the ledger is an ordinary SQLite database in WAL mode, with tables from
   ledger/tables.def (one sentence for each column: docs/ledger.md is made from them), and all times are
   seconds since 1970 as REAL.

   Any number of commands may read and add rows at once: SQLite puts writers in order, and each waits up to
   ten seconds for its turn. A scheduler that runs also takes the ledger's *lock*, which goes with the
   process: who finds it taken is told by whom, and must not start tasks.

   A write that fails (a full disk, a folder that went away) is an error of the one call; nothing of the
   transaction stays, and it can be tried again. */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H
#include "base/sqlite_header.h"
#include "base/error.h"
#include "base/memory.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct ledger;

enum { LEDGER_VERSION = 1 };

/* path NULL: $ASSAY_LEDGER, else assay/ledger.db in the user's data folder ($XDG_DATA_HOME, ~/.local/share),
   which is made where it is missing.  To read one that does not exist is an error that says how one comes to
   be; so is a file that is something else, and a ledger of a newer Assay. */
struct ledger *ledger_open(const char *path, bool to_write, struct error *error);
/* Whether the header of a file says that it is a ledger, of whatever version. */
bool ledger_is_ledger(const char *path);
/* A copy in memory, for trials that must not be stored. */
struct ledger *ledger_copy(struct ledger *ledger, struct error *error);
void ledger_close(struct ledger *ledger);
const char *ledger_path(const struct ledger *ledger);
sqlite3 *ledger_connection(struct ledger *ledger);
/* Closes it all but for its connection, which the caller closes. */
sqlite3 *ledger_leave_connection(struct ledger *ledger);
/* false: taken; the error names the process that has it. */
bool ledger_take_lock(struct ledger *ledger, struct error *error);
/* The process that has it, -1 where it cannot be told which; 0: nobody has. */
long ledger_lock_holder(const struct ledger *ledger);
/* Whether other connections changed it since the last call; true the first time. */
bool ledger_has_news(struct ledger *ledger);

/* Within a transaction another one is a part of it: undone, it leaves the rest. */
bool ledger_begin(struct ledger *ledger, struct error *error);
bool ledger_commit(struct ledger *ledger, struct error *error); /* where it fails, all is undone */
void ledger_undo(struct ledger *ledger);

/* One statement.  `types` has a letter for each parameter: i int64_t, r double (NaN: NULL), t text (NULL:
   NULL), n none (NULL, takes no argument).  Statements are kept prepared, by their text. */
bool ledger_do(struct ledger *ledger, struct error *error, const char *sql, const char *types, ...);
int64_t ledger_last_id(struct ledger *ledger);

/* Rows:  struct ledger_rows rows;
          if (!ledger_ask(ledger, &rows, error, "select …", "t", name)) return false;
          while (ledger_next(&rows)) … ledger_integer(&rows, 0) …
          return ledger_end(&rows, error);
   Texts live until the next row. */
struct ledger_rows {
    struct ledger *ledger;
    sqlite3_stmt *statement;
    int status;
};
bool ledger_ask(struct ledger *ledger, struct ledger_rows *rows, struct error *error, const char *sql,
                const char *types, ...);
bool ledger_next(struct ledger_rows *rows);
bool ledger_end(struct ledger_rows *rows, struct error *error); /* whether all rows could be read */
bool ledger_is_null(const struct ledger_rows *rows, int column);
int64_t ledger_integer(const struct ledger_rows *rows, int column);
double ledger_real(const struct ledger_rows *rows, int column);      /* NaN for NULL */
const char *ledger_text(const struct ledger_rows *rows, int column); /* NULL for NULL */

/* The tables, for the reference page and for tests. */
struct ledger_column {
    const char *name, *type, *doc;
};
struct ledger_table {
    const char *name, *doc;
    const struct ledger_column *columns;
    unsigned count;
};
extern const struct ledger_table ledger_tables[];
extern const unsigned ledger_table_count;
char *ledger_schema(void); /* to be freed */
#endif
