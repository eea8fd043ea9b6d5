/* Forms are measured: plans, results, and the figures that they give, beside those of a machine file. */
#ifndef RUN_BENCH_BENCH_H
#define RUN_BENCH_BENCH_H
#include "run/bench/plan.h"
#include "run/bench/results.h"
#include "code/machine/machine.h"

struct bench_form {
    char text[96];
    enum bench_refusal refusal;
    size_t first, count; /* of its tests */
};

struct bench_session {
    enum isa isa;
    struct array forms;   /* of struct bench_form */
    struct array planned; /* of struct bench_planned: those of partners come first */
    struct bench_results results;
    unsigned passes;     /* that each test is measured in; 0 is 1 */
    const char *version; /* of Assay, which results are marked with */
    struct array events; /* of struct bench_event: counted where the computer allows it */
};

/* A latency, a throughput, or why there is none. */
struct bench_figure {
    const struct bench_form *form;
    const struct bench_planned *planned; /* NULL: the form has no tests */
    enum bench_status status;
    int signal;
    bench_session session; /* of its result */
    bool has_result;       /* false: not measured yet */
    double cycles;         /* of one instance, without partners */
    double median, spread, ghz;
    double chain;    /* of one instance, with partners */
    double spaced;   /* the latency of a spaced chain (plan.h); NaN: it has none */
    double expected; /* by the machine file; NaN: it does not say */
    unsigned counted;
    struct bench_count counts[BENCH_EVENTS]; /* of one instance, where its test has nothing else */
};

/* What Assay itself runs on. */
enum isa bench_host_isa(void);

void bench_session_begin(struct bench_session *bench, enum isa isa);
void bench_session_end(struct bench_session *bench);
void bench_session_add(struct bench_session *bench, const char *form);
/* The forms that results are of, but for those that it has. */
void bench_session_add_measured(struct bench_session *bench, const struct bench_results *results);
/* How many planned tests have no result yet. */
size_t bench_session_missing(struct bench_session *bench);
/* Measures here what has no result yet, pass by pass; file: an open file that results are appended to, or -1.
 */
bool bench_session_run(struct bench_session *bench, int file, struct error *error);
/* Figures of all forms, in order, of struct bench_figure: latencies, then throughput.  The machine may be
 * NULL. */
struct array bench_session_figures(struct bench_session *bench, const struct machine *machine);

/* How far a figure is from the machine's: a factor of at least 1; NaN if one of them is unknown. */
double bench_figure_ratio(const struct bench_figure *figure);

/* expect.c: what a machine file says of planned tests. */
struct bench_expectation;
struct bench_expectation *bench_expectation_begin(const struct machine *machine, enum isa isa);
void bench_expectation_end(struct bench_expectation *expectation);
/* Cycles of its unit; form: NULL for a partner. NaN: the machine does not have it. */
double bench_expect(struct bench_expectation *expectation, const char *form,
                    const struct bench_planned *planned);
/* Cycles of a block that is repeated, or of a loop; NaN: no answer. */
double bench_expect_block(struct bench_expectation *expectation, const uint8_t *code, size_t size,
                          bool is_loop);

/* events.c: events of the files in these folders that tell µops, for this computer, or for a runner on any
   with this instruction set. */
bool bench_find_events(struct array *events, enum isa isa, bool is_for_runner, const char *const *folders,
                       size_t folder_count, struct error *error);
/* Why results have no counts, in words. */
const char *bench_refusal_of(const struct bench_results *results);

/* runner.c: everything that a computer without Assay needs to run the tests without a result, into a new
   folder. */
bool bench_write_runner(struct bench_session *bench, const char *folder, struct error *error);

/* common.c: the forms that compilers use most, in order; NULL after the last. */
const char *bench_common_form(enum isa isa, size_t place, char form[96]);
#endif
