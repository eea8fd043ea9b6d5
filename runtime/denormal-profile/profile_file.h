/* The recording of one process by the profiler (libassay-denormal-profile.so), as it lies in memory and in
   its file.

   The library maps the file at start and counts straight into it, so that a process that is killed leaves all
   counts behind.  The file is sparse: what was never touched reads as zeros.  Little-endian; all fields are
   of fixed width and lie at multiples of their size, so that 32- and 64-bit processes write the same layout.

   Struct profile_header at offset 0 gives the places of the five sections: modules, phases, sites, samples,
   notes.  `used` of a section counts entries from its start (sites: entries in use, anywhere in the table);
   `lost` counts what did not fit.  Writers are many threads without locks: an entry is valid once its `ready`
   is 1.  A file may be truncated (full disk) or come from a process that died in the middle of a write.

   Events.  An operand event is the execution of an instruction with at least one denormal operand; an
   underflow event is one with at least one result that is denormal or underflowed to zero.  One
   execution can be both.  Results of x87 instructions are not trapped (see PROFILE_NOTE_X87_UNDERFLOW).

   Times are nanoseconds of CLOCK_MONOTONIC unless a name says ticks: those of the time-stamp counter,
   ticks_per_second of the header to a second.

   Exact mode: the counts of the sites are complete.

   Sampled mode: a thread that met many events sleeps (trapping is off) for a time S that is drawn from an
   exponential distribution of mean m, and then counts on.  operand_events and underflow_events are what was
   counted awake, exactly.  What was missed asleep is estimated from the rate right after each waking, r: as
   sleeping ends without memory, the expectation of m·r is the expectation of the number of events that the
   sleep hid, whatever the program did.  For each site and phase the library sums, over the sleeps of that
   phase (m and r in ticks):
       missed_operands    Σ m·r of operand events         missed_squares   Σ (m·r)² of both kinds together
       missed_underflows  Σ m·r of underflow events       missed_products  Σ m·(m·r) of both
       missed_low, missed_high   Σ m·r of both, with the time between events taken as long and as short as
                                 the error of the clock allows (a trap lasts far longer than that)
   and for each phase  slept_planned = Σ m, slept_squares = Σ m², slept_ticks = Σ S.  Then
       scale     = slept_ticks / slept_planned              (0 without sleeps)
       missed    = scale · (missed_operands + missed_underflows)
       rate      = (missed_operands + missed_underflows) / slept_planned
       error     = slept_ticks / slept_planned · sqrt(max(0, missed_squares − 2·rate·missed_products
                                                              + rate²·slept_squares))
       low       = max(counted, counted + scale·missed_low − 1.96·error)
       high      = counted + scale·missed_high + 1.96·error
   where counted = operand_events + underflow_events.  A site's estimate of operand events is operand_events +
   scale·missed_operands, and likewise for underflow.  With fewer than PROFILE_FEW_SLEEPS sleeps in a phase
   the error is not to be trusted; the interval is then at least ±100 % of what was missed. */
#ifndef RUNTIME_DENORMAL_PROFILE_PROFILE_FILE_H
#define RUNTIME_DENORMAL_PROFILE_PROFILE_FILE_H
#include <stdint.h>

#define PROFILE_MAGIC "ASSAYDIP"
enum { PROFILE_VERSION = 1, PROFILE_FEW_SLEEPS = 5 };

enum profile_mode { PROFILE_EXACT = 1, PROFILE_SAMPLED = 2 };
enum profile_end {
    PROFILE_END_UNKNOWN = 0, /* still running, or killed */
    PROFILE_END_EXIT = 1,
    PROFILE_END_EXEC = 2, /* became another program, which has (or lacks) a recording of its own */
    PROFILE_END_SIGNAL = 3
};
enum { PROFILE_UNIT_SSE = 1, PROFILE_UNIT_X87 = 2 };             /* bits */
enum { PROFILE_OPERAND_EVENT = 1, PROFILE_UNDERFLOW_EVENT = 2 }; /* of a sample */

struct profile_section {
    uint64_t offset;      /* from the start of the file */
    uint32_t entry_bytes; /* distance of entries */
    uint32_t capacity;    /* entries */
    uint64_t used;        /* may exceed the capacity: then it, too, counts what was asked for */
    uint64_t lost;
};

enum {
    PROFILE_PROGRAM_BYTES = 1024,
    PROFILE_COMMAND_BYTES = 2048,
    PROFILE_PATH_BYTES = 512,
    PROFILE_NAME_BYTES = 96,
    PROFILE_OPERAND_BYTES = 16,
    PROFILE_STACK_BYTES = 4096,
    PROFILE_VALUE_BYTES = 16,
    PROFILE_INSTRUCTION_BYTES = 16,
    PROFILE_REGISTERS = 17
};

struct profile_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes; /* of this struct */
    uint32_t word_bits;    /* 64 or 32 */
    uint32_t mode;         /* enum profile_mode */
    uint32_t pid, parent_pid;
    uint64_t start, end;     /* end: 0 while it is not known */
    uint64_t start_realtime; /* CLOCK_REALTIME, nanoseconds */
    uint32_t ended;          /* enum profile_end */
    int32_t exit_status;     /* where it ended by exit */
    uint32_t end_signal;
    uint32_t threads; /* that were watched */
    uint64_t ticks_per_second;
    double budget;        /* share of the time that was asked for, such as 0.05 */
    uint64_t event_ticks; /* what one event costs the program, from measurements at start */
    uint64_t spent_ticks; /* in events, in all threads together: an estimate from their number */
    uint64_t operand_events,
        underflow_events; /* in all; summed at the end, 0 before it: the sites are the truth */
    struct profile_section modules, phases, sites, samples, notes;
    char program[PROFILE_PROGRAM_BYTES];      /* path; cut where it is longer */
    char command_line[PROFILE_COMMAND_BYTES]; /* words, each with a zero after it; cut where it is longer */
    uint32_t command_bytes;               /* of command_line */
    uint32_t reserved;
};

/* A file that was loaded, as seen at start, after loading libraries and at exit. */
struct profile_module {
    uint32_t ready;
    uint32_t build_id_bytes;
    uint64_t start, end; /* of all loaded segments */
    uint64_t bias;       /* address in memory - address in the file */
    uint8_t build_id[24];
    char path[PROFILE_PATH_BYTES]; /* with a zero at the end; the dynamic loader's name for it, absolute where
                                  possible */
};

/* Phase 0 begins at the start of the process and is named "start". */
struct profile_phase {
    uint32_t ready;
    uint32_t sleeps;     /* number of sleeps that ended in it */
    uint64_t start, end; /* end: 0 while it lasts, or where the process was killed in it */
    double slept_planned, slept_squares, slept_ticks;
    char name[PROFILE_NAME_BYTES];
};

/* An entry of the table of counts: open addressing, the reader just goes through all of it. */
struct profile_site {
    uint64_t address; /* of the instruction, in memory; 0: not in use */
    uint32_t phase;
    uint32_t units; /* bits */
    uint64_t operand_events, underflow_events;
    uint64_t first, last; /* times */
    double missed_operands, missed_underflows, missed_low, missed_high, missed_squares, missed_products;
};

/* A sample of the events: the first ones of each site, then fewer and fewer.  Operand, lane, value and data
   address are those of the first denormal operand that was found, or of the result (underflow: as it was
   delivered, denormal or zero); operand_bits is 0 where the instruction could not be taken apart. */
struct profile_sample {
    uint32_t ready;
    uint32_t phase;
    uint64_t address;
    uint64_t time;
    uint32_t thread;        /* the system's number */
    uint8_t event;          /* PROFILE_OPERAND_EVENT or PROFILE_UNDERFLOW_EVENT */
    uint8_t unit;           /* PROFILE_UNIT_… */
    uint8_t operand_number; /* as Intel's manuals write the operands, from 0 */
    uint8_t lane;           /* from 0 */
    uint16_t operand_bits;  /* of a value: 16, 32, 64 or 80 */
    uint8_t is_memory;
    uint8_t instruction_bytes; /* of instruction */
    uint32_t stack_bytes;
    uint64_t data_address;           /* of the value, where is_memory */
    uint64_t stack_address;          /* of stack[0]: the stack pointer */
    char operand[PROFILE_OPERAND_BYTES]; /* "xmm3", "st0", "memory" */
    uint8_t value[PROFILE_VALUE_BYTES];  /* least significant byte first */
    uint8_t instruction[PROFILE_INSTRUCTION_BYTES];
    uint64_t registers[PROFILE_REGISTERS]; /* by DWARF number of the ISA, the instruction's address last (16;
                                          32-bit: 8) */
    uint8_t stack[PROFILE_STACK_BYTES];
};

/* Notes for the user about the recording.  Entry n of the notes belongs to the n-th line here, and applies if
   its count is not 0.  The sentences are for display. */
#define PROFILE_NOTES(NOTE)                                                                                      \
    NOTE(FLUSHES_FROM_START, "flush-to-zero is on since start-up: results are never denormal")               \
    NOTE(ZEROES_FROM_START, "denormals-are-zero is on since start-up: there is nothing to count")            \
    NOTE(FLUSHES_LATER, "the program switched flush-to-zero or denormals-are-zero on while it ran")          \
    NOTE(ENVIRONMENT_CHANGED, "changes of the floating-point environment by library calls, all followed")    \
    NOTE(MASKED_BY_PROGRAM, "times that the program itself switched trapping off (ldmxcsr, fldcw); it was "  \
                            "switched on again, but events in between are missing")                          \
    NOTE(HANDLER_OF_PROGRAM, "handlers for SIGFPE or SIGTRAP that the program installed; they still get "    \
                             "their signals")                                                                \
    NOTE(ENABLED_BY_PROGRAM, "times that the program enabled traps of its own")                              \
    NOTE(FOREIGN_SIGNALS, "signals SIGFPE or SIGTRAP that were not about denormals and were passed on")      \
    NOTE(X87_UNDERFLOW, "checks that found x87 results too small for normal numbers: x87 results are not "   \
                        "trapped, because the processor would report them late")                             \
    NOTE(X87_CHANGED, "x87 operands that the program overwrote before the trap: the result may differ")      \
    NOTE(X87_COMPARISON, "x87 comparisons with a denormal in memory: the processor reports these late, so "  \
                         "the program may have seen the result of an earlier comparison")                    \
    NOTE(X87_UNKNOWN, "x87 instructions with a denormal operand that could not be repeated")                 \
    NOTE(SMALL_STACK, "threads or stacks too small for a signal frame, which are not watched")               \
    NOTE(NO_TIMER, "threads without a timer: trapping that the program switches off stays off there, "       \
                   "and sampled mode counts only until its first sleep")                                     \
    NOTE(NO_TRAPS, "this processor or emulator does not trap denormals: nothing was counted")                \
    NOTE(PHASE_SIGNAL_TAKEN, "the program has its own handler for the signal that marks phases")             \
    NOTE(FILE_FAILED, "the recording could not be written to a file")                                        \
    NOTE(STILL_MASKED, "threads whose trapping was off at the last check")
#define PROFILE_NOTE_NAME(name, sentence) PROFILE_NOTE_##name,
enum profile_note_kind { PROFILE_NOTES(PROFILE_NOTE_NAME) PROFILE_NOTE_COUNT };
struct profile_note {
    uint64_t count;
    uint64_t address; /* an instruction, where one is known: the first */
    uint64_t time;    /* of the first */
};

#define PROFILE_LAYOUT(type, bytes) _Static_assert(sizeof(struct type) == (bytes), "same in 32 and 64 bits")
PROFILE_LAYOUT(profile_section, 32);
PROFILE_LAYOUT(profile_header, 3360);
PROFILE_LAYOUT(profile_module, 568);
PROFILE_LAYOUT(profile_phase, 144);
PROFILE_LAYOUT(profile_site, 96);
PROFILE_LAYOUT(profile_sample, 4336);
PROFILE_LAYOUT(profile_note, 24);
#undef PROFILE_LAYOUT
#endif
