/* Forms are measured: plans, results, and the figures that they give, beside those of a machine file. */
#ifndef GAUGE_BENCH_H
#define GAUGE_BENCH_H
#include "gauge/plan.h"
#include "gauge/results.h"
#include "machine/machine.h"

struct gauge_form {
    char text[96];
    enum gauge_refusal refusal;
    size_t first, count; /* of its tests */
};

struct gauge_bench {
    enum isa isa;
    struct array forms;   /* of struct gauge_form */
    struct array planned; /* of struct gauge_planned: those of partners come first */
    struct gauge_results results;
    unsigned passes;     /* that each test is measured in; 0 is 1 */
    const char *version; /* of Assay, which results are marked with */
    struct array events; /* of struct gauge_event: counted where the computer allows it */
};

/* A latency, a throughput, or why there is none. */
struct gauge_figure {
    const struct gauge_form *form;
    const struct gauge_planned *planned; /* NULL: the form has no tests */
    enum gauge_status status;
    int signal;
    gauge_session session; /* of its result */
    bool has_result;       /* false: not measured yet */
    double cycles;         /* of one instance, without partners */
    double median, spread, ghz;
    double chain;    /* of one instance, with partners */
    double spaced;   /* the latency of a spaced chain (plan.h); NaN: it has none */
    double expected; /* by the machine file; NaN: it does not say */
    unsigned counted;
    struct gauge_count counts[GAUGE_EVENTS]; /* of one instance, where its test has nothing else */
};

/* What Assay itself runs on. */
enum isa gauge_host_isa(void);

void gauge_bench_begin(struct gauge_bench *bench, enum isa isa);
void gauge_bench_end(struct gauge_bench *bench);
void gauge_bench_add(struct gauge_bench *bench, const char *form);
/* The forms that results are of, but for those that it has. */
void gauge_bench_add_measured(struct gauge_bench *bench, const struct gauge_results *results);
/* How many planned tests have no result yet. */
size_t gauge_bench_missing(struct gauge_bench *bench);
/* Measures here what has no result yet, pass by pass; file: an open file that results are appended to, or -1.
 */
bool gauge_bench_run(struct gauge_bench *bench, int file, struct error *error);
/* Figures of all forms, in order, of struct gauge_figure: latencies, then throughput.  The machine may be
 * NULL. */
struct array gauge_bench_figures(struct gauge_bench *bench, const struct machine *machine);

/* How far a figure is from the machine's: a factor of at least 1; NaN if one of them is unknown. */
double gauge_figure_ratio(const struct gauge_figure *figure);

/* expect.c: what a machine file says of planned tests. */
struct gauge_expectation;
struct gauge_expectation *gauge_expectation_begin(const struct machine *machine, enum isa isa);
void gauge_expectation_end(struct gauge_expectation *expectation);
/* Cycles of its unit; form: NULL for a partner. NaN: the machine does not have it. */
double gauge_expect(struct gauge_expectation *expectation, const char *form,
                    const struct gauge_planned *planned);
/* Cycles of a block that is repeated, or of a loop; NaN: no answer. */
double gauge_expect_block(struct gauge_expectation *expectation, const uint8_t *code, size_t size,
                          bool is_loop);

/* events.c: events of the files in these folders that tell µops, for this computer, or for a runner on any
   with this instruction set. */
bool gauge_find_events(struct array *events, enum isa isa, bool is_for_runner, const char *const *folders,
                       size_t folder_count, struct error *error);
/* Why results have no counts, in words. */
const char *gauge_refusal_of(const struct gauge_results *results);

/* runner.c: everything that a computer without Assay needs to run the tests without a result, into a new
   folder. */
bool gauge_write_runner(struct gauge_bench *bench, const char *folder, struct error *error);

/* common.c: the forms that compilers use most, in order; NULL after the last. */
const char *gauge_common_form(enum isa isa, size_t place, char form[96]);
#endif
