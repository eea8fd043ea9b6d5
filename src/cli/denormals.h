/* The parts of assay denormals. */
#ifndef CLI_DENORMALS_H
#define CLI_DENORMALS_H
#include "cli/session.h"
#include "run/denormal/denormal.h"
#include "run/denormal/layout.h"
#include "show/report/denormal/denormal.h"
#include "run/launch/program.h"

enum denormals_word { denormals_PROFILE, denormals_TRACE, denormals_REPORT, denormals_LOG, denormals_GRAPH };

struct denormals_choice {
    enum denormals_word word;
    struct denormal_options watching;
    struct array words;             /* of const char *: the program and its arguments */
    const char *database;           /* of a run: to be written, or NULL */
    const char *maps;               /* folder, or NULL */
    struct denormal_layout *layout; /* NULL: none */
    const char *log;                /* file of the log, or NULL */
    int64_t entry;                  /* graph: number of an entry of the log */
    size_t top;
    int64_t run; /* 0: all */
};

/* Reads and checks the command line: options of another subcommand are refused. The caller frees words and layout in
   any case. */
bool denormals_read_options(struct denormals_choice *choice, const struct invocation *invocation,
                            struct error *error);
/* profile and trace.  Returns the exit code. */
int denormals_run(struct session *session, struct denormals_choice *choice,
                  const struct invocation *invocation, struct error *error);
/* denormals_log.c: the log into a file of its own; and, from a database, as text or rows, or what led to one
   entry as a graph.  The last two return the exit code. */
bool denormals_write_log(struct session *session, const struct denormals_choice *choice, struct error *error);
int denormals_log(struct session *session, const struct denormals_choice *choice,
                  const struct invocation *invocation, struct error *error);
int denormals_graph(struct session *session, const struct denormals_choice *choice,
                    const struct invocation *invocation, struct error *error);
/* The report and the images, from the session's connection. */
bool denormals_tell(struct session *session, const struct denormals_choice *choice,
                    const struct invocation *invocation, const char *path, struct error *error);
#endif
