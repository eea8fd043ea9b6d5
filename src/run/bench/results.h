/* Results of tests, by their names: kept in a file as they come, one whole line each, and read again.

   The first line is `# assay bench results 1 ISA`.  A line that is cut short, the last of a run that was
   killed, counts as not there.  Comments after the first line say which computer it was.  A comment
   `# measured DAY by assay VERSION` stands before the results of each run: a session; `# counters WHAT…` or
   `# no counters ERRNO` says whether µops are counted in it.

   A name that is there several times was measured in several passes: the quickest of its steady results
   counts (nothing makes code quicker than it is, and other programs make it slower).  But a program on the
   core's other thread makes everything slower by half, steadily: one that is quicker by a tenth with its
   spread added counts instead, and if none is steady, the one that is quickest so.  Counts of events are
   those of that pass, or of another one if it has none. */
#ifndef RUN_BENCH_RESULTS_H
#define RUN_BENCH_RESULTS_H
#include "base/error.h"
#include "base/memory.h"
#include "code/machine/host.h"
#include "model/model.h"
#include "runtime/bench/bench_file.h"

/* A spread above this is that of a disturbed measurement. */
#define BENCH_STEADY 0.01

/* The number of a session, from 1, in the order of the files; 0: unknown. */
typedef uint16_t bench_session;

/* When results were measured, and with the tests of which version of Assay; "": the file does not say. */
struct bench_session_facts {
    char day[16]; /* 2026-11-16 */
    char version[32];
};

struct bench_row {
    char name[BENCH_NAME];
    bench_session session;
    size_t order;   /* in which it came */
    unsigned times; /* that it was measured */
    struct bench_result result;
};

/* Whose results they are, as far as the file says. */
struct bench_computer {
    struct host_facts facts; /* isa_NONE: unknown */
    char processor[96];      /* its name; "": it has none */
    char day[16];            /* of the last session */
};

/* Whether events were counted. */
enum bench_counters { bench_UNKNOWN_COUNTERS, bench_COUNTED, bench_NOT_COUNTED };

struct bench_results {
    enum isa isa;      /* NONE until a file says */
    struct array rows; /* of struct bench_row */
    bool is_sorted;
    struct bench_computer computer;
    struct array sessions;        /* of struct bench_session_facts */
    bench_session session;        /* of the rows that come next */
    enum bench_counters counters; /* in the last session that says it */
    int refusal;                  /* NOT_COUNTED: what the kernel said; 0: there are no events */
    bench_session newest;         /* of the rows that were asked for since it was set to 0 */
};

void bench_results_begin(struct bench_results *results);
void bench_results_end(struct bench_results *results);
/* Adds what a file or a text has. */
bool bench_results_read(struct bench_results *results, const char *path, struct error *error);
bool bench_results_parse(struct bench_results *results, const char *path, const char *text, size_t size,
                         struct error *error);
void bench_results_add(struct bench_results *results, const char *name, const struct bench_result *result);
/* The computer that Assay runs on. */
struct bench_computer bench_this_computer(enum isa isa);
/* Rows that are added from now on were measured today, with this version, and those of these events counted
   that this computer counts. */
void bench_results_today(struct bench_results *results, const char *version, const struct bench_event *events,
                         size_t event_count);
/* Both are "" for 0. */
struct bench_session_facts bench_results_session(const struct bench_results *results, bench_session session);
/* NULL: there is none. */
const struct bench_result *bench_results_find(struct bench_results *results, const char *name);

/* Of its result; 0: there is none, or the file does not say. */
bench_session bench_results_session_of(struct bench_results *results, const char *name);
/* In how many passes it was measured. */
unsigned bench_results_times(struct bench_results *results, const char *name);

/* A file that results are appended to; made with its first line if it is new or empty. -1: see the error. */
int bench_results_open(const char *path, enum isa isa, struct error *error);
/* The comments before the results of a run: its day, and what is counted. */
bool bench_results_append_session(int file, const char *version, const struct bench_event *events,
                                  size_t event_count);
bool bench_results_append(int file, const char *name, const struct bench_result *result);
#endif
