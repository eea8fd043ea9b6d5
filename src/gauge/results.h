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
#ifndef GAUGE_RESULTS_H
#define GAUGE_RESULTS_H
#include "base/error.h"
#include "base/memory.h"
#include "machine/host.h"
#include "model/model.h"
#include "runtime/gauge/gauge_file.h"

/* A spread above this is that of a disturbed measurement. */
#define GAUGE_STEADY 0.01

/* The number of a session, from 1, in the order of the files; 0: unknown. */
typedef uint16_t gauge_session;

/* When results were measured, and with the tests of which version of Assay; "": the file does not say. */
struct gauge_session_facts {
    char day[16]; /* 2026-11-16 */
    char version[32];
};

struct gauge_row {
    char name[GAUGE_NAME];
    gauge_session session;
    size_t order;   /* in which it came */
    unsigned times; /* that it was measured */
    struct gauge_result result;
};

/* Whose results they are, as far as the file says. */
struct gauge_computer {
    struct host_facts facts; /* isa_NONE: unknown */
    char processor[96];      /* its name; "": it has none */
    char day[16];            /* of the last session */
};

/* Whether events were counted. */
enum gauge_counters { gauge_UNKNOWN_COUNTERS, gauge_COUNTED, gauge_NOT_COUNTED };

struct gauge_results {
    enum isa isa;      /* NONE until a file says */
    struct array rows; /* of struct gauge_row */
    bool is_sorted;
    struct gauge_computer computer;
    struct array sessions;        /* of struct gauge_session_facts */
    gauge_session session;        /* of the rows that come next */
    enum gauge_counters counters; /* in the last session that says it */
    int refusal;                  /* NOT_COUNTED: what the kernel said; 0: there are no events */
    gauge_session newest;         /* of the rows that were asked for since it was set to 0 */
};

void gauge_results_begin(struct gauge_results *results);
void gauge_results_end(struct gauge_results *results);
/* Adds what a file or a text has. */
bool gauge_results_read(struct gauge_results *results, const char *path, struct error *error);
bool gauge_results_parse(struct gauge_results *results, const char *path, const char *text, size_t size,
                         struct error *error);
void gauge_results_add(struct gauge_results *results, const char *name, const struct gauge_result *result);
/* The computer that Assay runs on. */
struct gauge_computer gauge_this_computer(enum isa isa);
/* Rows that are added from now on were measured today, with this version, and those of these events counted
   that this computer counts. */
void gauge_results_today(struct gauge_results *results, const char *version, const struct gauge_event *events,
                         size_t event_count);
/* Both are "" for 0. */
struct gauge_session_facts gauge_results_session(const struct gauge_results *results, gauge_session session);
/* NULL: there is none. */
const struct gauge_result *gauge_results_find(struct gauge_results *results, const char *name);

/* Of its result; 0: there is none, or the file does not say. */
gauge_session gauge_results_session_of(struct gauge_results *results, const char *name);
/* In how many passes it was measured. */
unsigned gauge_results_times(struct gauge_results *results, const char *name);

/* A file that results are appended to; made with its first line if it is new or empty. -1: see the error. */
int gauge_results_open(const char *path, enum isa isa, struct error *error);
/* The comments before the results of a run: its day, and what is counted. */
bool gauge_results_append_session(int file, const char *version, const struct gauge_event *events,
                                  size_t event_count);
bool gauge_results_append(int file, const char *name, const struct gauge_result *result);
#endif
