/* What the files of assay optimise share. */
#ifndef CLI_OPTIMISE_H
#define CLI_OPTIMISE_H
#include "cli/session.h"
#include "code/machine/machine.h"
#include "change/optimise/apply/apply.h"
#include "change/optimise/compile/relink.h"
#include "show/report/optimise/optimise.h"

struct optimise_work {
    struct session session;
    struct machine *machine;
    bool is_host;
    char *machine_words;
    struct ledger *ledger;
    struct array compilers; /* of char *: names of --compilers; empty: the one that compiles now */
    struct array capture;   /* of char *: words of --capture; empty: none */
    double budget, tolerance, ulps;
    unsigned forbidden;
    int64_t call, seed, finalists;
    const char *build, *run; /* --build-with, --measure-with */
};

/* A loop to be optimised, and what is known of it. */
struct optimise_loop {
    struct compilation compilation;
    unsigned line;
    double budget;            /* seconds */
    double share;             /* of the program's time; NaN: unknown */
    const char *const *words; /* of a run to capture a call from, up to NULL; NULL: none */
    const char *object;       /* file of that program that has the function; NULL: the program itself */
    /* How the whole program is built and run: --build-with and --measure-with, or found out. To be freed; NULL:
       not known. */
    char *build, *run;
    struct relink relink;
    bool is_inner; /* one of several: json has a comma before it */
};

/* optimise_options.c */
bool optimise_take_options(struct optimise_work *work, struct error *error);
/* "solve.c:40" taken apart; the file to be freed. */
bool optimise_take_line(const char *text, char **file, unsigned *line, struct error *error);
/* A command taken apart at spaces, but for quotes: of char *, NULL at the end. */
bool optimise_split_words(const char *text, struct array *words, struct error *error);
void optimise_free_words(struct array *words);

/* optimise_loop.c: searches, and prints the answer. Whether something better was found; false with the error
   set: it failed. */
bool optimise_one(struct optimise_work *work, struct optimise_loop *loop, bool *is_found,
                  struct error *error);

/* optimise_measure.c: how finalists are run. */
struct optimise_measure;
/* NULL: they are not; *why_not says why, to be freed, or is NULL where nobody asked. A call that cannot be
   captured is captured in a program with the function kept out of line, else whole programs are run; for these,
   build and run of the loop are found out. */
struct optimise_measure *optimise_measure_begin(struct optimise_work *work, struct optimise_loop *loop,
                                                const struct optimised *search, char **why_not);
struct search_measure optimise_measure_of(struct optimise_measure *measure, const struct optimised *search);
/* What is run, in words. */
const char *optimise_measure_words(const struct optimise_measure *measure);
bool optimise_measure_is_program(const struct optimise_measure *measure);
void optimise_measure_end(struct optimise_measure *measure);
/* Runs the whole program without and with a variant, by build and run of the loop: fills before, after and
   is_slower, or *problem, a sentence to be freed. */
void optimise_verify(const struct optimise_work *work, const struct optimise_loop *loop,
                     const struct optimised *search, const struct variant *variant,
                     const struct applied *applied, struct optimise_view *view, char **problem);

/* optimise_record.c: --record. */
bool optimise_record(const struct invocation *invocation, struct error *error);

/* optimise_program.c: --program, the options of all of it. */
bool optimise_program(struct optimise_work *work, struct error *error);
/* optimise_run.c: the command of a database's last run; to be freed; NULL: it has none. */
char *optimise_recorded_command(sqlite3 *connection);
/* optimise_run.c: the hot loops of a recorded run, one after the other. */
bool optimise_run(struct optimise_work *work, const char *path, bool *is_found, struct error *error);
#endif
