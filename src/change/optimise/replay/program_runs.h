/* Whole programs, built and run by commands of the user: what a variant brings where no call of its function
   can be captured, and whether the program still says the same.

   The build command sees $ASSAY_FLAGS (the variant's words, to stand after its own options),
   $ASSAY_PROGRAM (where to put the program) and $ASSAY_SOURCE (the source: a copy, which a variant may have
   changed, and perhaps an object file after it). Where the command names the source itself, $ASSAY_SOURCE is
   put in its place. The run command sees $ASSAY_PROGRAM. Nothing of the user's is overwritten. Original and
   variant run in turn, so that a busy computer slows both. Times are processor time, or time by the clock for
   programs that use several processors. Results are what the run command writes to its standard output: the
   same bytes, or numbers within the tolerance and the same words around them. */
#ifndef CHANGE_OPTIMISE_REPLAY_PROGRAM_RUNS_H
#define CHANGE_OPTIMISE_REPLAY_PROGRAM_RUNS_H
#include "change/optimise/replay/replay.h"

struct program_runs;
struct program_change {
    const char *flags;  /* words of $ASSAY_FLAGS */
    const char *text;   /* of the changed source; NULL: as it is */
    const char *object; /* path of an object file to be linked, too; NULL: none */
};
/* Builds and runs the original once. source: absolute path of the file that variants change; seconds: that
   building and running may take at most. */
struct program_runs *program_runs_begin(const char *build, const char *run, const char *source,
                                        double seconds, struct error *error);
/* A private folder, which goes with the runs. */
const char *program_runs_folder(const struct program_runs *runs);
/* The program with a change; its path, which stays the runs' and is overwritten by the next; NULL: the error says
   why. */
const char *program_runs_build(struct program_runs *runs, const struct program_change *change,
                               struct error *error);
bool program_runs_measure(struct program_runs *runs, const struct program_change *change, double seconds,
                          double tolerance, struct replay_result *result, struct error *error);
void program_runs_end(struct program_runs *runs);

/* program_output.c: whether two outputs say the same; *largest: the largest relative difference of numbers;
 *where: a sentence about the first difference beyond the tolerance, to be freed. */
enum replay_verdict program_output_compare(const char *original, const char *other, double tolerance,
                                           double *largest, char **where);
#endif
