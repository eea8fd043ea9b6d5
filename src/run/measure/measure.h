/* A second run with probes on the hot loops: entries, iterations, paths and cycles, beside the first run's
   samples.  The figures of a loop that contains others are those of its own code.

   The second run must not be seen: its standard output and standard error go nowhere, and it slows the
   program by a few percent, or by a quarter where loops are entered very often (budget.h).  Its input is the first run's: a file is read again from where
   the first run began, a terminal gives no input.  What came through a pipe and was read is gone, so there is
   no second run then.  Files that the program writes are written twice. */
#ifndef RUN_MEASURE_MEASURE_H
#define RUN_MEASURE_MEASURE_H
#include "model/model.h"
#include "run/launch/program.h"
#include "run/launch/run.h"

/* Standard input before the first run. */
struct measure_input {
    bool is_file;           /* it can be read again */
    bool is_stream;         /* a pipe or a socket */
    bool had_data, is_over; /* of a stream: bytes were waiting; nobody writes any more */
    int64_t position;       /* of a file */
};
/* To be called before the first run. */
void measure_input_note(struct measure_input *input);

struct measure_options {
    const char *const *words; /* program and arguments, NULL after the last */
    const char *runtime;      /* folder of the runtimes */
    struct measure_input input;
    bool has_addresses; /* a third run, slower: addresses, paths and branches of the loops */
};

/* What the second run was like, for whoever words it. */
struct measure_result {
    int exit_status, end_signal; /* as in struct launch_run */
    double seconds;              /* wall-clock time */
    double probe_share;          /* share of the time of all threads that was spent in probes; NaN: unknown */
    size_t wished, probed, reached; /* loops: chosen; with probes; that ran */
    size_t counted; /* of the probed: without the clock, which would have slowed the program too much */
};

/* Probes on these loops (of uint32_t), and counters at the entries of these functions.  Fills probe_… tables, and of run_loops entries, iterations, measured
   cycles and how they were measured; run_paths; of run_functions calls.  A loop that cannot be probed stays as it is and is counted
   in run_limits.  Afterwards rows of loop_cycles, if there are some, give set-up times.  false: the program
   could not be run again; the error says why, and run_limits has a row. */
bool measure_loops(struct model *model, const struct launch_program *program,
                   const struct measure_options *options, const struct array *loops,
                   const struct array *functions, struct measure_result *result, struct error *error);
#endif
