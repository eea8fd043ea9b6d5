/* assay run, in three steps: the options (run_options.c), a recording (run.c, run_ranks.c; of perf: run/sample/perf_data/), the answer
   (run_answer.c). */
#ifndef CLI_RUN_H
#define CLI_RUN_H
#include "cli/session.h"
#include "run/measure/measure.h"
#include "run/launch/program.h"
#include "run/sample/counters.h"
#include "run/sample/perf_data/perf_data.h"
#include "run/sample/recording.h"
#include "run/sample/sampler.h"
#include "show/report/profiles/profiles.h"

struct run_command {
    struct array
        words; /* of const char *: the program, NULL after the last; empty with --pid, --merge, --from */
    uint32_t process;                                          /* --pid; 0: none */
    const char *database, *page, *rank_folder, *merged_folder; /* NULL: none */
    struct perf_data_wish recording;                           /* --from: its path; NULL: none */
    const char *profile_file; /* --output with --format: in place of the database */
    const struct profile_format *profile;
    bool is_measured, is_explained, is_tried, reads_all;
    double try_seconds; /* --budget */
    size_t top;
    enum advice_level level;
    struct sampler_options sampling;
    struct counter_tree counters; /* --counters: those of this computer, */
    struct array wishes;          /* and of struct sample_wish: the wanted ones */
    struct measure_input input;   /* standard input before the first run */
};

bool run_read_options(struct run_command *command, const struct invocation *invocation, struct error *error);
void run_free_options(struct run_command *command);

/* run_ranks.c: whether the folder, which is made, takes recordings; the recording of this rank into the
   folder; all recordings of a folder as one. */
bool run_may_write_rank(const char *folder, struct error *error);
bool run_write_rank(const struct sample_recording *recording, const char *folder, struct error *error);
bool run_read_ranks(struct sample_recording *recording, const char *folder, struct error *error);

/* run_processor.c: whether the computer that ran it has the same processor as this one; else the name of the machine
   file that has its processor, to be freed, or NULL. */
bool run_was_here(struct model *model);
char *run_foreign_machine(struct model *model, const struct sample_recording *recording);

/* run_try.c: fills run_trials; what keeps it from that is said. */
void run_try(struct session *session, const struct run_command *command,
             const struct launch_program *program);

/* run_answer.c: reads the hot code, measures if asked, writes the database and the page, and prints.  program
   is NULL where there is nothing to run again. */
bool run_answer(struct session *session, const struct run_command *command,
                const struct sample_recording *recording, const struct launch_program *program,
                struct error *error);
#endif
