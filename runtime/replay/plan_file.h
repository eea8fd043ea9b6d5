/* What Assay tells the replay program, and what that answers on standard output. */
#ifndef RUNTIME_REPLAY_PLAN_FILE_H
#define RUNTIME_REPLAY_PLAN_FILE_H
#include <stdint.h>

enum { REPLAY_PLAN_MAGIC = 0x31706c52, REPLAY_ANSWER_MAGIC = 0x31736e41, REPLAY_MOST_COPIES = 4096 };

/* Data that the variant has of its own and the captured process has, too: copied before and after a call. */
struct replay_copy {
    uint64_t own, captured, size;
};

struct replay_plan {
    uint32_t magic, copy_count;
    uint64_t variant; /* address of its function; 0: only the original is run */
    double tolerance; /* relative; 0: bit for bit */
    double ulps;      /* units in the last place of the largest element; 0: none */
    double budget;    /* seconds for measuring; 0: one call of each, not measured */
    double patience;  /* seconds of processor time that the original's first call may take */
    uint64_t memory, memory_size; /* addresses that neither the process nor this program uses */
    uint32_t wants_touched, is_unguarded;
    struct replay_copy copies[]; /* copy_count */
};

enum replay_end {
    replay_end_DONE,
    replay_end_SETUP,     /* a step of the replay failed: `step`, and the error number in `detail` */
    replay_end_SIGNAL,    /* `detail` is the signal */
    replay_end_SYSTEM,    /* a system call: `detail` is its number */
    replay_end_SLOW,      /* it was ended */
    replay_end_UNSAVED,   /* memory at `address` that is not in the codelet */
    replay_end_UNSTEADY,  /* the original computes something else the second time */
    replay_end_KINDS
};
enum replay_step {
    replay_step_FILES,
    replay_step_ROOM,
    replay_step_MAPS,
    replay_step_GUARD,
    replay_step_MEMORY,
    replay_step_SIGNALS,
    replay_STEPS
};

struct replay_timing {
    double seconds, spread; /* of a call: mean of the middle half; half of the quartiles' distance */
    uint64_t calls, in_a_row; /* timed; of them, without putting memory back */
};

struct replay_answer {
    uint32_t magic, end;
    uint32_t is_variant, step; /* who ended it */
    int64_t detail;
    uint64_t address, instruction; /* of what ended it */
    struct replay_timing original, variant;
    uint32_t is_processor_time, has_result_difference;
    uint64_t compared, differing, beyond; /* words of 8 bytes: compared; not the same bits; not within */
    uint64_t far, strange; /* of them: by more than the last digits; not numbers, or not both of them */
    double largest_error, largest_ulps;   /* of those that are numbers */
    uint64_t first_address;               /* of the first beyond the tolerance, else of the first differing */
    uint64_t expected, found;             /* there */
    uint32_t first_kind, first_slot;      /* of a result, where has_result_difference; kind as compared */
    uint64_t written_pages, touched_pages;
    uint64_t touched_count; /* of struct replay_touched after this */
};

struct replay_touched {
    uint64_t address, bytes;
    uint64_t is_written;
};
#endif
