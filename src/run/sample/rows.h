/* A recording becomes rows: runs, run_processes, run_threads, run_files, samples, run_functions, run_loops, run_positions,
   run_calls, run_library_calls, run_counters, counter_values, run_limits.  The model has the files of sample_hot_files (or
   more). */
#ifndef RUN_SAMPLE_ROWS_H
#define RUN_SAMPLE_ROWS_H
#include "run/sample/recording.h"

/* Replaces all rows of these tables. */
void sample_rows_add(struct model *model, const struct sample_recording *recording);
enum sample_depth { SAMPLE_INNERMOST, SAMPLE_ANY_DEPTH };
/* Loops of the run that have at least this share of its time, in themselves (without the loops inside them) and
   in libraries that they call: of uint32_t, those with the most time in themselves first.  Not the ones that
   wait (sample_waits), nor those of libraries (sample_is_library). */
void sample_hot_loops(const struct model *model, enum sample_depth depth, double least_share, size_t most,
                      struct array *loops);
/* Functions that have that share in their own code outside their loops, likewise. */
void sample_hot_functions(const struct model *model, double least_share, size_t most,
                          struct array *functions);
/* Processor time in a function's own code outside its loops. */
double sample_outside_seconds(const struct model *model, const struct run_function *row);
/* Whether a function of the run waits for others, as far as names say that: in MPI, in the runtime of OpenMP,
   for locks.  A quicker loop in it saves nothing. */
bool sample_waits(const struct model *model, uint32_t function);
/* Whether a function of the run belongs to a run-time library, which nobody changes. */
bool sample_is_library(const struct model *model, uint32_t function);
/* library.c: after measuring, what library calls cost by iterations of the loops around them, and the usual
   cure of each. */
void sample_library_cures(struct model *model);
/* branches.c: where a recording of perf has records of branches: cycles of an iteration of innermost loops, measured, and
   how often they were entered, estimated. */
void sample_branches(struct model *model, const struct sample_recording *recording);
/* counted.c: after quality_build, where the run counted instructions (--counters instructions): iterations
   and measured cycles of loops with one path. */
void sample_counted(struct model *model);
/* savings.c: after quality_build on these loops and, maybe, measuring: predicted_cycles of run_loops, and the
   rows of run_savings, the largest saving first.  A gain is a gain of the predicted part alone: where a loop
   was measured and took longer than predicted, the rest of its time stays. */
void sample_savings(struct model *model);
#endif
