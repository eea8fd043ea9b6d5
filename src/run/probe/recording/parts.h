/* What the files of recordings share: the recording of one process, read and merged (read.c, merge.c),
   numbers from summaries (numbers.c), rows (rows.c). */
#ifndef RUN_PROBE_RECORDING_PARTS_H
#define RUN_PROBE_RECORDING_PARTS_H
#include "runtime/probe/summary_file.h"
#include "run/probe/recording/recording.h"

/* struct probe_distribution of all threads. */
struct recorded_spread {
    uint64_t count, minimum, maximum; /* as recorded; without meaning while count is 0 */
    unsigned __int128 sum, square;    /* modulo 2^128; the sum of signed values is signed */
    uint64_t far_count, far_sum;      /* of times: see struct probe_distribution */
    uint64_t buckets[PROBE_BUCKETS];
};

/* The most frequent values of all threads, the most frequent first. */
struct recorded_frequent {
    struct probe_frequency values[PROBE_FREQUENT];
    unsigned count;
    uint64_t distinct; /* values that any thread listed */
};

struct recorded_span {
    uint64_t abandoned, bursts, open;
    __int128 self, total;
    struct recorded_spread time;
};

struct recorded_loop {
    uint64_t abandoned, bursts, open;
    __int128 cross;
    struct recorded_spread time, iterations; /* iterations: without those of the tally */
    struct recorded_frequent frequent;
    uint64_t *tally;                    /* entries by number of iterations, PROBE_TALLY_WORDS; NULL: none */
    uint64_t summed, summed_iterations; /* entries that were only added up, besides all others */
    bool is_partial;                    /* its probe saw enough before the run ended */
};

struct recorded_value {
    uint64_t distinct, odd;
    struct recorded_spread values;
    double sum, square; /* of floating point */
    uint64_t negative[PROBE_BUCKETS];
    struct recorded_frequent frequent;
};

struct recorded_address {
    uint64_t count, minimum, maximum;
    struct recorded_frequent strides;
    uint64_t alignment[8], line_splits, page_splits, aliases, alias_subject;
    uint64_t sets[PROBE_SETS];
    uint64_t lines[PROBE_LINE_WORDS], pages[PROBE_LINE_WORDS];
};

struct recorded_branch {
    uint64_t count, taken, misses[2]; /* as in struct probe_branch_slot */
};

/* A stretch of the file with events of a thread (PROBE_KEEP_ALL), in order. */
struct recorded_events {
    uint32_t thread;
    uint64_t offset, end;
};

struct recorded {
    int file;
    uint64_t size; /* of the file, or what its header says is used */
    struct probe_header header;
    struct array modules; /* of struct probe_module, by module; only those of the plan */
    struct array events;  /* of struct recorded_events, by thread */
    void **subjects;      /* by subject: struct recorded_span …, as its kind says; NULL: nothing happened */
    size_t subject_count;
    struct arena memory;
    uint32_t threads; /* that reached a probe */
    uint64_t unpaired, lost;
    double probe_ticks,
        thread_ticks; /* of all threads: spent in probes; from their starts to their last events */
    uint64_t damaged; /* pieces of the file that make no sense: passed over */
    bool is_cut;      /* the file ends before what its header says */
};

struct recorded_segment {
    uint32_t thread, kind;
    uint64_t offset, end; /* within the file */
};

/* false: it is not a recording at all.  recorded_free is needed only after true. */
bool recorded_read(struct recorded *recorded, const struct probe_plan *plan, const char *path,
                   struct error *error);
void recorded_free(struct recorded *recorded);
/* Bytes of the file; false: it does not have them. */
bool recorded_bytes(const struct recorded *recorded, uint64_t offset, void *into, size_t size);

/* merge.c: adds the slot of a thread, whose size and kind were checked. */
void recorded_merge(struct recorded *recorded, const struct probe_plan_subject *how,
                    const struct probe_slot *slot);
/* Adds the tally of a thread to a loop; false: it is empty. */
bool recorded_merge_tally(struct recorded *recorded, uint32_t subject,
                          const uint64_t words[PROBE_TALLY_WORDS]);

/* The probe of a loop saw enough before the run ended. */
void recorded_merge_enough(struct recorded *recorded, uint32_t subject);
/* Adds entries that were only added up; false: there were none. */
bool recorded_merge_sums(struct recorded *recorded, uint32_t subject, uint64_t entries, uint64_t iterations);

/* numbers.c.  A bucket holds values from low up to, not including, high; low == high: only that. */
struct recorded_bucket {
    double low, high;
};
struct recorded_bucket recorded_bucket_of_integers(unsigned bucket);
struct recorded_bucket recorded_bucket_of_floats(unsigned bucket);
double recorded_mean(const struct recorded_spread *spread);
double recorded_deviation(const struct recorded_spread *spread, bool is_signed);
/* The mean time without interruptions: few times far above the others are left out if they matter. */
double recorded_calm_mean(const struct recorded_spread *spread);
double recorded_float_deviation(double sum, double square, uint64_t count);
/* Within 12 %: the geometric middle of the bucket that holds the median; exact below 8 and where all are the
   same.  NaN: nothing was counted. */
double recorded_median(const struct recorded_spread *spread);
/* The same for loops, exact where a tally counted or one number has more than a half. */
double recorded_median_iterations(const struct recorded_loop *loop);
/* How many distinct things set these bits, at most `most`: exact while there are few. */
uint64_t recorded_estimate(const uint64_t words[PROBE_LINE_WORDS], uint64_t most);
/* What an entry of a loop takes that does not depend on its iterations, in 1/64 ticks: the line of least
   squares at 0.  NaN: the numbers of iterations do not differ enough, or the times scatter too much. */
double recorded_setup(const struct recorded_loop *loop);

/* rows.c: all rows of a process. */
void recorded_add_rows(struct model *model, const struct probe_plan *plan, const struct recorded *recorded);
/* Nothing for a count of 0. */
void recorded_add_limit(struct model *model, uint32_t run, enum probe_limit_kind kind, uint64_t count);
#endif
