/* The recording of one process by libassay-probe.so, as it lies in memory and in its file.

   The file is mapped and written in place, so that a process that is killed leaves everything behind but the
   event that it was writing.  It grows by segments: struct probe_header, then segments at multiples of 4096,
   each with a struct probe_segment in front, one after the other up to `size` of the header.  A segment
   whose kind is 0 was not finished.  Little-endian; all fields at multiples of their size; what was never
   touched is zero.

   Events are 16 bytes.  Each thread writes them into its buffer (a segment); when it is full, and at the end,
   the events are summarised into slots (segments of slots belong to threads, too) and their identities are
   zeroed one by one.  An event with identity 0 was not written.  Events that are left in a buffer belong
   after what the slots have: a reader summarises them by the same code (summary.c).

   Times of events are ticks of the clock (cntvct, rdtsc).  Times in slots and frames are net: in 1/64 ticks,
   and without the cost of probes, which is subtracted when a span ends.  Net of a span = 64 * (LEAVE - ENTER)
   - inner_cost - cost of the events inside (pair_cost / 2 for each ENTER and LEAVE, value_cost for each
   other), and may be below 0, because the clock is coarse: sums keep that (they are signed, so that means are
   right), while minimum, maximum, squares and buckets take it as 0. */
#ifndef RUNTIME_PROBE_RECORD_FILE_H
#define RUNTIME_PROBE_RECORD_FILE_H
#include <stdint.h>

#define PROBE_RECORD_MAGIC "ASSAYPRB"
enum { PROBE_RECORD_VERSION = 1 };

enum probe_event_kind {
    PROBE_ENTER = 1, /* time */
    PROBE_LEAVE = 2, /* time */
    PROBE_START =
        3, /* value: a loop's variable or counter at its entry; follows ENTER if the loop has a clock */
    PROBE_STOP = 4,    /* value: the same at its exit; followed by LEAVE if the loop has a clock */
    PROBE_SEEN = 5,    /* value of a VALUE subject */
    PROBE_TOUCH = 6,   /* address of an ADDRESS subject */
    PROBE_TALLIED = 7, /* iterations of a COUNT_ONLY subject that were too many for its counters */
    PROBE_MOVED = 8,   /* how far the variable of a COUNT_ONLY subject moved in one entry (nodes): times
                         inverse, shifted, its   iterations */
};

enum { PROBE_STACK_SHIFT = 3 };

/* Identity of a place that a trampoline has taken and not written to yet, because a handler interrupted it: the
   place is not given to others when the buffer is emptied meanwhile.  It is no event. */
#define PROBE_UNWRITTEN UINT32_MAX

struct probe_event {
    uint32_t identity; /* (subject + 1) << 4 | kind */
    uint32_t stack;    /* stack pointer >> PROBE_STACK_SHIFT, cut to 32 bits; IA-64: less ar.bsp before that */
    uint64_t value;
};

enum {
    PROBE_BUFFER_BYTES =
        1 << 14, /* at a multiple of twice that: bit 14 of the next position says that it is full */
    PROBE_BUFFER_BIT = 14,
    PROBE_BUFFER_EVENTS = PROBE_BUFFER_BYTES / 16
};

enum probe_end { PROBE_END_UNKNOWN = 0, PROBE_END_EXIT = 1, PROBE_END_EXEC = 2, PROBE_END_SIGNAL = 3 };

enum { PROBE_COMMAND_BYTES = 2048, PROBE_PATH_BYTES = 1024 };

struct probe_header {
    char magic[8];
    uint32_t version, isa;
    uint64_t size; /* of the file that is in use */
    uint32_t process, parent;
    uint32_t end, status;                        /* enum probe_end; exit status or signal */
    uint64_t start_nanoseconds, end_nanoseconds; /* CLOCK_MONOTONIC; end 0: unknown */
    uint64_t start_ticks, end_ticks;
    uint64_t ticks_per_second;    /* measured between start and end, or the clock's own word; 0: start and end
                                     say it */
    uint64_t cycles_per_kilotick; /* core cycles in 1024 ticks, by chains of dependent additions at the start
                                     and at the end; 0: unknown */
    uint64_t cycles_per_kilotick_end;
    /* What probes cost, measured at the start, in 1/64 ticks: */
    uint64_t reading_cost;             /* between two readings of the clock with nothing between */
    uint64_t inner_cost;               /* part of a pair ENTER, LEAVE that the pair's own time contains */
    uint64_t pair_cost;                /* a whole pair, as its caller sees it, without summaries */
    uint64_t value_cost;               /* an event without clock */
    uint32_t threads, flags;           /* PROBE_KEEP_ALL, PROBE_UNSUMMARISED */
    uint64_t foreign_events;           /* of threads that no recorder could be made for: not recorded */
    uint64_t traps;                    /* how often a probe was reached by a trap */
    char command[PROBE_COMMAND_BYTES]; /* words, each with 0 after */
};

enum probe_segment_kind {
    PROBE_SEGMENT_MODULE = 1,   /* struct probe_module */
    PROBE_SEGMENT_THREAD = 2,   /* struct probe_thread, then padding, then the buffer at `buffer` */
    PROBE_SEGMENT_COUNTERS = 3, /* the counters of a thread: words, right after struct probe_segment */
    PROBE_SEGMENT_SLOTS = 4,    /* slots of a thread, one after the other after struct probe_segment, each
                                   starts with struct probe_slot; subject_kind 0 ends them */
    PROBE_SEGMENT_EVENTS = 5,   /* PROBE_KEEP_ALL, PROBE_UNSUMMARISED: events of a thread, in order, after struct probe_segment;
                                   identity 0 ends them */
    PROBE_SEGMENT_FRAMES = 6,   /* struct probe_shadow: open spans of a thread on one of its stacks */
    PROBE_SEGMENT_SUBJECTS =
        7, /* struct probe_subjects: what the subjects are, where nodes in the code say it and no plan does */
    PROBE_SEGMENT_UNUSED = 8, /* nothing: padding, or frames that moved to a larger segment */
};

struct probe_segment {
    uint32_t kind, thread; /* number of the thread in this process, from 1; 0: of the process */
    uint64_t size;         /* with this header; a multiple of 4096 */
};

/* Followed by a copy of an object's struct probe_node_table (nodes_file.h); its subjects have the numbers
   `first` and following.  Each object with nodes has a segment of its own, in the order of their numbers. */
struct probe_subjects {
    struct probe_segment segment;
    uint32_t first, count;
    uint64_t module; /* offset in this segment of the text that names the loaded file; 0: none */
};

/* What became of a module of the plan. */
enum probe_placing {
    PROBE_PLACED = 1,
    PROBE_OTHER_BUILD = 2,  /* the file that was loaded is not the one of the plan: nothing was patched */
    PROBE_OTHER_BYTES = 3,  /* some of its code was not as planned: those patches were left out */
    PROBE_NO_ROOM = 4,      /* no memory within reach of its code */
    PROBE_NOT_WRITABLE = 5, /* its code could not be made writable */
    PROBE_NO_TRAPS = 6, /* placed, but patches that would be traps were left out: libc and the dynamic linker
                           run with signals blocked at times */
};
struct probe_module {
    struct probe_segment segment;
    uint32_t module; /* of the plan */
    uint32_t placing;
    uint64_t bias;                   /* address in memory - address in the file */
    uint64_t trampolines;                 /* address in memory */
    uint64_t jumps, traps, left_out; /* patches */
    uint32_t error_number, reserved;
};

/* A thread that starts after another has ended may go on with its records: then it has the same number. */
struct probe_thread {
    struct probe_segment segment;
    uint32_t number, system_number;
    uint64_t buffer;                 /* offset in the file; PROBE_BUFFER_BYTES, and up to the end of the segment what
                                        handlers wrote while it was full */
    uint64_t start_ticks, end_ticks; /* end: of the last event that was summarised; 0: none was */
    uint64_t cost;     /* of all events that were summarised, in 1/64 ticks; its remainder modulo 2^64 */
    uint64_t away;     /* ticks spent summarising: times in frames and slots are without them */
    uint64_t events;   /* summarised so far */
    uint64_t unpaired; /* LEAVE without ENTER */
    uint64_t lost;     /* events that could not be summarised, for want of memory */
};

/* Bucket b of a histogram holds values v: v < 8: b = v; else, with e the place of v's highest bit, the next
   two bits choose among four buckets of the octave: b = 8 + (e - 3) * 4 + (v >> (e - 2) & 3).  Values above
   2^63 share the last ones. */
enum { PROBE_BUCKETS = 256 };

struct probe_distribution {
    uint64_t count, minimum, maximum;
    uint64_t sum[2],
        square[2]; /* 128 bits, low word first; signed values: sum is signed, square of the magnitude */
    /* Of times: those far above the shortest (PROBE_FAR times, and above PROBE_FAR_TICKS ticks), where the
       thread was most likely interrupted. */
    uint64_t far_count, far_sum;
    uint32_t buckets[PROBE_BUCKETS]; /* stop at their largest */
};
enum { PROBE_FAR = 32, PROBE_FAR_TICKS = 2048 };

struct probe_slot {
    uint32_t subject;
    uint8_t subject_kind, subject_flags; /* as in the plan */
    uint16_t words;                      /* size of the whole slot in words of 8 bytes */
};

struct probe_span_slot { /* PROBE_SPAN */
    struct probe_slot slot;
    uint64_t abandoned; /* ENTER without LEAVE: longjmp, exceptions, never returned */
    uint64_t bursts;    /* spans shorter than the clock can tell: no more than the cost of reading it */
    int64_t self;       /* net, without the spans inside */
    int64_t total;      /* net, of spans that no span of the same subject is around: recursion counts once */
    uint64_t open;      /* frames of this subject; what the process left open when it ended */
    struct probe_distribution time; /* net */
};

struct probe_loop_slot { /* PROBE_LOOP, PROBE_COUNT_ONLY */
    struct probe_slot slot;
    uint64_t abandoned, bursts, open;
    uint64_t cross[2];                          /* sum of iterations * net time, 128 bits, signed */
    struct probe_distribution time, iterations; /* time: net; count 0 without the clock */
    struct probe_frequency {
        uint64_t value, count, error;
    } frequent[8];
};

enum { PROBE_FREQUENT = 16 };
/* Values as the subject says: cut to its width, sign-extended (PROBE_IS_SIGNED).  Integers: minimum and
   maximum are the values themselves, buckets are of the magnitude.  Floating point (float becomes double):
   minimum, maximum, sum[0] and square[0] are the bits of doubles, without NaN and infinities; bucket 0 is 0,
   else exponent + 128, from 1 to 255; values of `frequent` are the bits of doubles. */
struct probe_value_slot { /* PROBE_VALUE */
    struct probe_slot slot;
    uint64_t distinct;                               /* at least so many, exact up to PROBE_FREQUENT */
    uint64_t odd;                                    /* NaN and infinities: not in the distribution */
    struct probe_distribution values;                /* its buckets: of values from 0 on */
    uint32_t negative[PROBE_BUCKETS];                /* buckets of values below 0 */
    struct probe_frequency frequent[PROBE_FREQUENT]; /* count is at most `error` too large */
};

enum { PROBE_STRIDES = 8, PROBE_SETS = 64, PROBE_RECENT = 32, PROBE_LINE_WORDS = 512 };
struct probe_address_slot { /* PROBE_ADDRESS */
    struct probe_slot slot;
    uint64_t count, minimum, maximum, last;
    struct probe_frequency strides[PROBE_STRIDES]; /* distance from the access before, as a signed number */
    uint64_t alignment[8];             /* by the number of low zero bits, 0 … 6, and 7 for 7 and more */
    uint64_t line_splits, page_splits; /* of 64 bytes, of 4096 */
    uint64_t
        aliases; /* loads: a recent store of the same group had the same low 12 bits and another address */
    uint64_t alias_subject;    /* the store's, of the last one */
    uint64_t sets[PROBE_SETS]; /* accesses to a new line, by bits 6 … 11 of the address */
    uint64_t lines[PROBE_LINE_WORDS], pages[PROBE_LINE_WORDS]; /* which of 32768 hashes of lines and pages
                              were seen: the number of lines is estimated by the share of zeros */
};

/* Two predictors, as processors have them and simpler: counters of two bits, chosen by the outcomes before,
   those of this branch or those of all branches with probes of the thread.  A branch that neither guesses
   depends on its data. */
enum { PROBE_HISTORY_BITS = 11, PROBE_HISTORIES = 1 << PROBE_HISTORY_BITS };
struct probe_branch_slot { /* PROBE_BRANCH */
    struct probe_slot slot;
    uint64_t count, taken;
    uint64_t misses[2]; /* by its own outcomes, by those of all */
    uint64_t history;   /* of its own, the last one in bit 0 */
    uint8_t counters[2][PROBE_HISTORIES];
};

struct probe_frame { /* a span that is open */
    uint32_t subject, stack;
    uint64_t time;         /* ENTER, in ticks without those away; PROBE_INHERITED: opened before the fork */
    int64_t inside;        /* net of spans inside */
    uint64_t cost;         /* `cost` of the thread after ENTER */
    uint64_t start, inner; /* LOOP: value of START; iterations of inner entries */
    uint64_t iterations;   /* LOOP, after STOP */
    uint32_t state, reserved; /* enum probe_frame_state */
};

#define PROBE_INHERITED UINT64_MAX
enum probe_frame_state {                          /* LOOP: bits */
                         PROBE_FRAME_TIMED = 1,   /* it was opened by ENTER */
                         PROBE_FRAME_STARTED = 2, /* START came */
                         PROBE_FRAME_STOPPED = 4, /* STOP came */
};

/* The frames that are open on one of a thread's stacks, innermost last. */
enum { PROBE_SHADOWS = 64 }; /* of a thread at most */
struct probe_shadow {
    struct probe_segment segment;
    uint32_t number, depth;      /* from 0; frames in use */
    uint64_t used;               /* when it was used last: number of the event */
    struct probe_frame frames[]; /* the first is not a span: it is below all others */
};
#endif
