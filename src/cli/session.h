/* What every command starts with: how to print, and the tables of a file, from a database or built in memory.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H
#include "base/trust.h"
#include "cli/options.h"
#include "model/part.h"
#include "show/report/common/style.h"
#include "store/store.h"

struct read_options;

/* Groups of tables that are computed on first use. */
enum supply { SUPPLY_CYCLES, SUPPLY_REPORT, SUPPLY_FLOW, SUPPLY_COUNT };

struct session {
    struct report_style style;
    bool is_quiet;
    struct model *model; /* NULL for a database */
    struct store *store;
    sqlite3 *connection;
    FILE *out;
    struct output *output; /* NULL for standard output */
    FILE *terminal;        /* filter in front of standard output if that is a terminal; else NULL */
    FILE *paged;           /* collects what a pager may show; NULL: printed at once */
    char *paged_text;      /* what it collected */
    size_t paged_size;
    bool has[SUPPLY_COUNT];       /* these tables exist, or were reported missing */
    bool lacks[SUPPLY_COUNT];     /* a query read them, but the database has none */
    bool needs_all;               /* missing tables are an error, which the command reports */
    bool has_said_machines;       /* for queries: their output does not name them */
    struct trust *trust;          /* decides which files named by other files may be read */
    struct array macros, folders; /* of const char *, ended by NULL: --define and --include */
    const struct invocation *invocation;
};

/* Style, messages and the output file. */
bool session_begin(struct session *session, const struct invocation *invocation, struct error *error);
/* The output is text to read from its top: a terminal shows it by a pager if it is long. */
void session_page(struct session *session);
/* For commands that run a program whose output belongs to the user: standard output stays the program's, and
   the answer goes to standard error.  JSON and CSV have standard output, and the program's goes to standard error. */
bool session_answer_beside_program(struct session *session, struct error *error);
/* The tables of files: built in memory, or those of a database.  With `tables`, up to NULL, these tables of a
   database are loaded into a model too, for commands that compute in C. */
bool session_read(struct session *session, const char *const *paths, size_t count, const char *const *tables,
                  struct error *error);
/* Of a database these tables, with the rest empty (store/load.h); then the code of some functions, by id. */
bool session_read_outline(struct session *session, const char *path, const char *const *tables,
                          struct error *error);
bool session_read_functions(struct session *session, const char *path, const uint8_t *wanted,
                            struct error *error);
/* Opens and closes SQL over what was read. */
bool session_connect(struct session *session, struct error *error);
void session_disconnect(struct session *session);
/* Opens SQL; tables that were not read are computed when a query needs them. */
bool session_answer(struct session *session, struct error *error);
/* Begins, reads one file and opens SQL; tables that were not read are computed when a query needs them. */
bool session_open(struct session *session, const struct invocation *invocation, const char *path,
                  struct error *error);
/* The same for a ledger (ledger/ledger.h), which is only read. */
bool session_open_ledger(struct session *session, const struct invocation *invocation, const char *path,
                         struct error *error);
/* Whether a database has the tables of a group, or nothing that could be in them. */
bool session_database_has(sqlite3 *connection, enum supply kind);
/* Whether a table is of a group; computes the tables of one, if they are not there. */
bool session_supply_has(enum supply kind, const char *table);
void session_supply(struct session *session, enum supply kind);
/* Whether Ctrl-C came while SQL was open. */
bool session_was_interrupted(void);
/* Ctrl-C ends the process again: for long work that is not SQL. */
void session_release_interrupts(void);
/* How long SQL of strangers may take: ASSAY_SQL_SECONDS, or a minute. */
bool session_sql_seconds(unsigned *seconds, struct error *error);
/* Flushes, puts the output file into place if there was no error, and frees everything.
   Returns the exit code, 2 where the output could not be written. */
int session_end(struct session *session, int code, struct error *error);
/* Reads files into a model and finds their structure. */
bool session_build(const struct session *session, struct model *model, const char *const *paths, size_t count,
                   struct error *error);
/* The same; of files that a part names only the functions of the part.  Parts are found by path, as in
   `paths`. */
bool session_build_parts(const struct session *session, struct model *model, const char *const *paths,
                         size_t count, const struct model_part *parts, size_t part_count,
                         struct error *error);
/* The options for reading files. */
bool session_reading(const struct session *session, struct read_options *reading, struct error *error);
/* The value of --isa; isa_NONE if not given. */
bool session_isa(const struct invocation *invocation, enum isa *isa, struct error *error);
/* The value of --threads, checked by session_build; 0: one per processor. */
unsigned session_threads(const struct invocation *invocation);
/* How many paths are listed for each innermost loop. */
bool session_paths(const struct invocation *invocation, int64_t *limit, struct error *error);
/* Data flow of the session's model; never fails. */
bool session_follow(struct session *session, struct error *error);
/* One line on standard error, unless quiet. */
void session_say(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Reports gaps in the model, if there are any, when the output is text. */
void session_say_problems(const struct session *session);
#endif
