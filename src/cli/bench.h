/* What the files of assay bench share: bench.c (forms, blocks), bench_machine.c (the machine file),
   bench_files.c (where results and machine files lie). */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H
#include "cli/session.h"
#include "run/bench/bench.h"

struct bench_work {
    struct session session;
    const struct invocation *invocation;
    struct machine *machine; /* NULL: no file describes this computer */
    bool is_host;
    enum isa isa;
    struct bench_results results; /* of --result, read once: they name the instruction set */
    struct bench_session bench;
    bool has_bench;
    bool is_whole; /* all parts are planned, and rounds follow from results */
};

/* The forms that --form and --forms choose. */
bool bench_add_forms(struct bench_work *work, struct error *error);
/* Tests of all parts: forms, the core, the memory. */
bool bench_plan_all(struct bench_work *work, struct error *error);
/* Walks through memory, as far as --largest and the computer go. */
bool bench_add_memory(struct bench_work *work, struct error *error);
/* Results of --result, of --resume, or of a file; measured where they are missing.  path: that file, NULL for
   none. */
bool bench_get_results(struct bench_work *work, const char *path, struct error *error);

/* bench_machine.c: assay bench alone; the exit code. */
int bench_machine(struct bench_work *work, struct error *error);
/* The next tests of a plan that depends on results; how many have no result yet. */
size_t bench_plan_more(struct bench_work *work);

/* bench_files.c: where the user's machine files are, to be freed; NULL with an error: no folder is known. */
char *bench_machine_folder(struct error *error);
/* The file that results of this computer are kept in, to be freed; its folder exists.  NULL with an error:
   there is none. */
char *bench_cache_file(const struct bench_computer *computer, struct error *error);
/* A name for the file of a processor that no machine file describes; to be freed. */
char *bench_name_of(const struct bench_computer *computer);
/* Whether a machine file may be written there: there is none, or assay bench wrote it. */
bool bench_may_write(const char *path, struct error *error);
/* Whole or not at all. */
bool bench_write(const char *path, const char *text, struct error *error);
#endif
