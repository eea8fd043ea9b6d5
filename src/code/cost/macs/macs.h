/* MACS bounds: the speed of the machine alone (M), of the application on it (MA), of the compiled code (MAC)
   and of that code in its order (MACS), in cycles of an iteration of an innermost loop, and per
   floating-point operation, branch and memory operation. */
#ifndef CODE_COST_MACS_MACS_H
#define CODE_COST_MACS_MACS_H
#include "code/cost/macs/bundles.h"
#include "code/cost/macs/schedule.h"

struct macs_options {
    bool single_bundles;       /* Itanium: count bundles, two per cycle, whichever pairs can issue together */
    bool proves;               /* solve the integer programs even where a formula has their optimum */
    bool only_listings;        /* leave binaries out */
    unsigned threads;          /* 0: one for each processor */
    uint32_t loop;             /* only this one; 0: all innermost loops */
    double measured;           /* measured cycles of an iteration, with loop; NaN: none */
    const double *in_runs;     /* by loop, where that is NaN: macs_measured; NULL: none */
    const uint32_t *source_of; /* by row of files: the file that was read instead; NULL: each file itself */
};

/* Where the cycles of MACS come from. */
enum macs_cycles { macs_COMPILER, macs_INTERVAL, macs_IN_ORDER, macs_OUT_OF_ORDER, macs_CORE };

/* Shapes of a solution: how often each. */
enum { MOST_USED_SHAPES = 6 };
struct macs_solution {
    unsigned count;
    struct {
        struct bundle_shape shape;
        unsigned times;
    } used[MOST_USED_SHAPES];
};

/* All facts about one loop. Unknown figures are NaN. */
struct macs {
    uint32_t loop;
    const struct machine *machine;
    bool is_known[bound_level_COUNT];
    struct macs_bound bounds[bound_level_COUNT];
    struct macs_solution solutions[bound_level_COUNT]; /* of MA and MAC, with options.proves */
    struct operation_counts counts;                    /* of an iteration */
    bool is_weighted;                     /* blocks count as often as the compiler says they run */
    unsigned block_count, recovery_count; /* blocks; how many of them only failed speculation leads to */
    unsigned repeat_count;                /* how many only repeat a gather */
    enum macs_cycles cycles_from;
    struct schedule schedule;
    enum core_part limit;   /* macs_CORE: the limiting part */
    uint32_t pipelined;     /* row of pipelined_loops, 0: none */
    uint32_t source_loop;   /* row of source_loops, 0: none */
    unsigned source_rivals; /* loops with other operations at the very same lines */
    /* Source iterations per iteration of the code, by the numbers computed and by the numbers loaded and
       stored. */
    double copies_by_floating, copies_by_memory;
};

struct macs_work;
/* The model and the machine must outlive the work. Meanwhile only rows of bounds, source_loops, files and
   strings may be added to the model. */
struct macs_work *cost_macs_begin(struct model *model, const struct machine *machine,
                                  const struct macs_options *options);
void cost_macs_end(struct macs_work *work);
/* false only if an integer program could not be solved. */
bool cost_macs_loop(struct macs_work *work, uint32_t loop, struct macs *macs, struct error *error);
/* The rows of bounds for it. */
void cost_macs_add(struct model *model, const struct macs *macs);

/* By loop: the cycles of an iteration in the last of the runs of the model (assay run --measure, assay
   probe) that measured them; NaN: none did. NULL: there were no runs. To be freed. */
double *macs_measured(const struct model *model);

/* Everything: adds rows of bounds: M, MAC, MACS, MA if source_loops has the loop, measured if given. Skips
   loops of programs that the machine does not run. */
bool cost_macs(struct model *model, const struct machine *machine, const struct macs_options *options,
               struct error *error);
/* The row of processors for a machine, made if it is new. */
uint32_t cost_processor_row(struct model *model, const struct machine *machine);
#endif
