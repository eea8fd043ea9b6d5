/* The tables in SQL, on disk or in memory, after one kind of connection.

   store_open_model gives SQL over a model in memory: every table of tables.def is a virtual table that reads
   the arrays in place, and the views are the same as on disk.  store_open_file opens a database that
   store_write made, read-only.  So a query gives the same result on a binary and on its database, and code
   that lists rows (cli/, show/report/) need not know which it has. */
#ifndef STORE_STORE_H
#define STORE_STORE_H
#include "base/sqlite_header.h"
#include "model/model.h"
#include <sqlite3.h>

/* In the header of every database that Assay writes.  Raise the version when a table or column changes in a
   way that older programs would misread. */
enum { STORE_SCHEMA_VERSION = 8 };

struct store;

/* The model must outlive the store. */
struct store *store_open_model(const struct model *model, struct error *error);
struct store *store_open_file(const char *path, struct error *error);
/* Over a connection that somebody else opened, read-only, and whose tables are not Assay's model (a ledger):
   it is under the same protection, and closed with the store. */
struct store *store_open_connection(sqlite3 *connection);
void store_close(struct store *store);
sqlite3 *store_connection(struct store *store);
/* Rows that are computed on demand: supplier is called with the name of every table that a statement reads,
   before the statement is planned, possibly several times for one table. It may add rows to the model; it
   must not use the connection. */
typedef void store_supplier(void *context, const char *table);
void store_supply(struct store *store, store_supplier *supplier, void *context);
/* Switches the supplier off for internal statements. */
void store_hold_supply(struct store *store, bool is_held);
/* Whether a file is an SQLite database at all (by its first bytes). */
bool store_is_database(const char *path);
/* Whether its header says that this version of Assay wrote it. */
bool store_is_own(const char *path, struct error *error);
/* Rolls back an interrupted write, if the user owns the database and its journal and nobody else can have
   planted the journal. Apart from explicit writes, only this changes a database. */
bool store_recover(const char *path, bool *was_cut_short, struct error *error);
/* The memory limit for all SQL of the process; 0: no limit. */
void store_limit_memory(int64_t bytes);

/* Writes the whole model as a database, beside path and then renamed into place: path is replaced only when
   complete.  threads 0 means one for each processor.  The same model gives the same bytes, whatever the
   number of threads that made or write it. */
bool store_write(const struct model *model, const char *path, unsigned threads, struct error *error);

/* Writes a copy of a database, private until it is complete, in which these tables, up to NULL, have the rows
   of a model. The model was loaded from the database, so that ids are the same; everything else stays. */
bool store_copy(struct store *from, const char *path, const struct model *model, const char *const *tables,
                struct error *error);

/* The schema that store_write uses, as SQL text; to be freed. */
char *store_schema(void);

/* SQL with macros.  The words FUNCTION, LOOP, BLOCK and PROGRAM (upper case, outside strings, quoted names
   and comments, and not part of a dotted name) stand for the ids of the selected rows. They become bound
   parameters :FUNCTION …: no text is spliced. */
enum store_macro { STORE_FUNCTION, STORE_LOOP, STORE_BLOCK, STORE_PROGRAM, STORE_MACRO_COUNT };
extern const char *const store_macro_names[STORE_MACRO_COUNT]; /* "FUNCTION", … */

struct store_choice {
    int64_t function, loop, block, program; /* 0: not selected */
    unsigned may_be_null;                   /* bits 1 << STORE_FUNCTION …: NULL if not selected */
};
/* Prepares the first statement of text; *rest points after it. *statement is NULL for blanks and comments. A
   macro without a selected id is an error that names the option to use. */
bool store_prepare(struct store *store, const char *text, const struct store_choice *choice,
                   sqlite3_stmt **statement, const char **rest, struct error *error);
/* Where in its text the statement that store_prepare refused last is wrong; NULL: unknown. */
const char *store_wrong_place(const struct store *store);
/* Whether text ends a statement: its last token, comments apart, is a semicolon. */
bool store_is_complete(const char *text);
/* May be called from a signal handler: stops the running query, or the next one, and those after it. */
void store_interrupt(struct store *store);

/* Prints the rows of a prepared statement that has not been stepped yet. */
typedef bool store_print(void *context, sqlite3_stmt *statement, struct error *error);
/* Runs the statements of a script one after the other and prints the results that have columns. Stops at the
   first failure.  where (may be NULL) names the script in errors. */
bool store_run(struct store *store, const char *where, const char *script, const struct store_choice *choice,
               store_print *print, void *context, struct error *error);
/* Reads them only, up to the first that is wrong: what they need is supplied then. */
void store_read_over(struct store *store, const char *script, const struct store_choice *choice);
#endif
