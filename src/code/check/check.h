/* Assertions about the loops of a program, and whether they hold.

   A demand is one comment in a source, one rule of a file, or a baseline.  Demands are read first
   (check_read_rules, check_read_sources); check_match finds the innermost loops that answer to each.  Then
   the caller has these loops analysed (quality_build) on one machine after the other, and check_judge adds a
   verdict for each assertion, loop and machine.  Queries (check_ask) and another build (check_compare) have
   verdicts of their own.

   Comments are looked for in the files of the line table alone, so that only sources of this program are
   read, and base/trust.h decides which of these.  A comment is about the loops that come from the lines of
   the statement after it, or of the next loop (source_text.h): loops at least half of whose instructions
   were written there, or inlined there.  Of the loops that a compiler made of one source loop, the main loop
   counts; every inlined copy and every instance of a template is a loop of its own.

   Nothing is worded here: show/report/check/ does that. */
#ifndef CODE_CHECK_CHECK_H
#define CODE_CHECK_CHECK_H
#include "base/trust.h"
#include "code/check/assertion.h"
#include "code/check/source_text.h"
#include "code/diff/changes.h"
#include "code/machine/machine.h"
#include "store/store.h"

enum check_origin {
    check_COMMENT,
    check_LOOP,     /* of a rules file: loop FILE:LINE: … */
    check_FUNCTION, /* function NAME: … */
    check_FILE,     /* file PATH: … */
    check_QUERY,    /* rule 'NAME': SQL */
    check_BASELINE,
};

struct check_demand {
    enum check_origin origin;
    char *file;            /* where it is written; NULL: on the command line */
    uint32_t line, column; /* there */
    struct assertions assertions;
    char *subject; /* of a rule: the file, the function, the name of the query; NULL for a comment */
    uint32_t subject_line;
    char *sql;
    uint32_t source, comment;  /* of a comment: place in struct check.sources, and among the comments there */
    struct source_lines lines; /* of a comment: the statement or loop that it is about */
    struct array loops;        /* of uint32_t: innermost loops that answer to it, in order */
};

enum check_outcome {
    check_HOLDS,
    check_FAILS,
    check_UNKNOWN,    /* there is no such figure of this loop */
    check_GONE,       /* no loop answers to it */
    check_NO_MACHINE, /* none of the machines that it names runs the program */
    check_SKIPPED,    /* this machine does not run the program, another one does */
};

struct check_verdict {
    enum check_outcome outcome;
    uint32_t demand;                   /* place in struct check.demands */
    uint32_t order;                    /* in which it was found */
    const struct assertion *assertion; /* NULL: about all of the demand */
    uint32_t loop, path;               /* 0: none */
    uint32_t path_count;               /* that were analysed */
    char *machine;                     /* its name; NULL: none needed */
    double figure;                     /* FIGURE: of this path, the worst of all */
    enum core_part part;               /* LIMIT: of this path */
    char *text; /* ADVICE: what was found; QUERY: the row; UNKNOWN: the extension that the machine lacks;
                   GONE: a function that the lines call instead; NULL: none */
    char *file; /* QUERY: the place that the row names; NULL: none */
    uint32_t line;
    const struct loop_change *change; /* BASELINE */
};

/* A file of the line table. */
struct check_source {
    char *path;              /* real */
    char *text;              /* of a source with comments; else NULL */
    struct source_text read; /* likewise */
};

struct check {
    const struct model *model;
    struct trust *trust;
    struct array demands;  /* of struct check_demand */
    struct array verdicts; /* of struct check_verdict */
    struct array problems; /* of char *: comments and rules that cannot be read */
    struct array sources;  /* of struct check_source */
    struct array missing;  /* of char *: sources of the program that could not be read */
    struct array newer;    /* of char *: sources with comments that changed after the program was built */
    uint32_t *source_of;   /* by row of files: place in sources + 1; 0: none */
    struct array lines;    /* of struct check_line: compiled lines of sources with comments */
    unsigned read_count;   /* sources that could be read */
    unsigned absent;       /* comments in code that the program does not have */
    const struct comparison *comparison; /* with a baseline */
    double allowed;                      /* by which loops may be slower than in the baseline: 0.03 */
};

void check_begin(struct check *check);
void check_end(struct check *check);

/* A file of rules: false if there is no such file, or no rule in it. */
bool check_read_rules(struct check *check, const char *path, struct error *error);
/* Rules from a text; what cannot be read goes to problems. */
void check_parse_rules(struct check *check, const char *path, const char *text);

/* The program, and comments in its sources.  path: of the program, whose time of change is compared with
   theirs; root: where relative names of sources begin. */
void check_read_sources(struct check *check, const struct model *model, struct trust *trust, const char *path,
                        const char *root);
/* Finds the loops of all demands; comments in code that was not compiled are taken out.  Demands without a
   loop get their verdict. */
void check_match(struct check *check);
/* Loops (of uint32_t, in order) that have to be analysed on a machine: name is that of `on`, NULL for demands
   without it. */
struct array check_loops(const struct check *check, const struct machine *const *machines, const char *name);
/* Names after `on`, each once: of const char *. */
struct array check_machine_names(const struct check *check);
/* Verdicts on the demands of this name, after quality_build for check_loops with these machines (by ISA). */
void check_judge(struct check *check, const struct machine *const *machines, const char *name);
/* After all of them: verdicts on what no named machine runs; then verdicts are in the order of demands. */
void check_conclude(struct check *check);

/* Runs the queries, in a process of their own (apart.c); the error is about one that cannot be run, or did
   not end in time. */
bool check_ask(struct check *check, struct store *store, unsigned seconds, struct error *error);
bool check_has_queries(const struct check *check);

/* Whether a loop takes longer than before by more than allowed, for certain. */
bool check_is_slower(const struct loop_change *change, double allowed);
/* Verdicts on loops that are slower than in an older build by more than allowed; changes of struct
 * loop_change. */
void check_compare(struct check *check, const struct comparison *comparison, const struct array *changes,
                   double allowed);

static inline struct check_demand *check_demand_at(const struct check *check, size_t place)
{
    return ARRAY_AT(struct check_demand, &check->demands, place);
}
static inline struct check_verdict *check_verdict_at(const struct check *check, size_t place)
{
    return ARRAY_AT(struct check_verdict, &check->verdicts, place);
}
/* Whether a verdict makes the check fail. */
static inline bool check_is_bad(const struct check_verdict *verdict)
{
    return verdict->outcome != check_HOLDS && verdict->outcome != check_SKIPPED;
}
/* How many verdicts fail. */
size_t check_failures(const struct check *check);

/* For the parts of this room. */
bool check_ask_here(struct check *check, uint32_t place, struct store *store, struct error *error);
struct check_line {
    uint32_t source, line; /* source: place + 1 */
};
struct check_demand *check_add_demand(struct check *check, enum check_origin origin, const char *file,
                                      uint32_t line, uint32_t column);
struct check_verdict *check_add_verdict(struct check *check, uint32_t demand, enum check_outcome outcome);
#endif
