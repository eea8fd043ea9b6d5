/* The recording that the tracer writes, one file for each process.

   The file begins with TRACE_MAGIC; records follow each other without gaps.  A record is its kind and the
   number of bytes after (struct trace_record), then a structure named below, then the data that it
   describes.  Numbers have the byte order of the machine of the run; texts run to the end of their record,
   without a 0.

   Records are appended when a phase ends, and now and then while it lasts, because a program may be killed: a
   PHASE, then all that changed since the last one.  A PHASE with the number and the start of the last one
   continues it.  What is counted by phase (SITES, ARRAY_COUNTS, MAP) belongs to the last PHASE before it;
   what comes twice adds up.  Everything else is current: a later record of the same number replaces the
   earlier one; numbers of arrays and stacks begin at 1 and appear in order.  A file without an END is
   truncated: its complete records are still valid. */
#ifndef RUNTIME_DENORMAL_TRACE_TRACE_FILE_H
#define RUNTIME_DENORMAL_TRACE_TRACE_FILE_H
#include <stdint.h>

#define TRACE_MAGIC "assay dart 001\n" /* 16 bytes with its 0 */

enum trace_kind {
    TRACE_START = 1,
    TRACE_MODULE,
    TRACE_PHASE,
    TRACE_SITES, /* of struct trace_site, until the record ends */
    TRACE_ARRAY,
    TRACE_ARRAY_COUNTS, /* of struct trace_array_counts */
    TRACE_MAP,
    TRACE_BIRTHS,  /* of struct trace_birth */
    TRACE_ORIGINS, /* of struct trace_origin */
    TRACE_STACK,   /* addresses follow, 64 bits each, innermost first; of callers: after the call */
    TRACE_LIMIT,
    TRACE_END,
    TRACE_LOG /* of struct trace_log_entry, in order of their numbers */
};

struct trace_record {
    uint32_t kind, bytes;
};

struct trace_start {
    uint32_t process, origins, binades, phase_milliseconds;
    /* text: the command line, words separated by blanks */
};

struct trace_module {
    uint64_t start, end; /* its code in memory */
    uint64_t bias;       /* address in memory - address in the file */
    uint32_t is_program; /* 1: what was started, not a library */
    uint32_t reserved;
    /* text: path */
};

struct trace_phase {
    uint32_t number;     /* from 1 */
    uint32_t start, end; /* milliseconds since the start of the process */
    uint32_t reserved;
    /* text: name */
};

struct trace_site {
    uint64_t address;
    uint64_t executions, operand_events, underflow_events, operands, results, births, ends;
    uint64_t loads, stores, move_loads, move_stores, near;
};

enum trace_array_kind { /* in the order of Assay's enumeration of the same name */
                        TRACE_ARRAY_GLOBAL,
                        TRACE_ARRAY_STATIC,
                        TRACE_ARRAY_COMMON,
                        TRACE_ARRAY_LOCAL,
                        TRACE_ARRAY_HEAP,
                        TRACE_ARRAY_ALLOCATABLE,
                        TRACE_ARRAY_POINTER,
                        TRACE_ARRAY_BLOCK
};
enum { TRACE_DIMENSIONS = 7, TRACE_ELEMENT = 40 };

struct trace_array {
    uint32_t number;
    uint32_t same_as;  /* 0, or the number that all counts of this one belong to: nothing else holds then */
    uint32_t kind;     /* enum trace_array_kind */
    uint32_t variable; /* as the list of arrays numbered it; 0: none */
    uint32_t element_bytes;
    uint32_t value_bytes; /* of a floating-point number in it: 4, 8, or 0 where that is not known */
    uint32_t rank;        /* dimensions that are known; 0: none */
    uint32_t lives;
    uint32_t stack;        /* of the allocation; 0: none */
    uint32_t is_size_open; /* 1: on a stack, where only the end of the frame is known to be its end */
    uint64_t address, bytes;
    uint64_t function; /* an address in memory of the function that has the variable; 0: none */
    uint64_t dimensions[TRACE_DIMENSIONS]; /* elements, the fastest first */
    char element[TRACE_ELEMENT];           /* name of the element's type, 0 after it; empty: not known */
    /* text: name; empty for blocks without a variable */
};

struct trace_array_counts {
    uint32_t number, reserved;
    uint64_t loads, stores, move_loads, move_stores, integer_loads, integer_stores;
};

enum trace_map_kind { TRACE_MAP_LOADS, TRACE_MAP_STORES, TRACE_MAP_ORIGIN };
struct trace_map {
    uint32_t number;
    uint32_t kind;
    uint32_t source;     /* TRACE_MAP_ORIGIN: number of the array that values came from */
    uint32_t cell_bytes; /* bytes of the array that share a count */
    /* Then pairs of runs until the record ends: how many cells without a count, how many with one (at least
       1), and the count of each of those.  All are LEB128: seven bits a byte, least first, the last without
       bit 7.  The first cell begins at the first byte of the array. */
};

struct trace_birth {
    uint32_t number, stack; /* 0: not known */
    uint64_t address;       /* 0: they came from outside */
    uint64_t values, descendants, removable;
    uint32_t first_array, reserved;
};

struct trace_origin {
    uint32_t destination, source; /* source 0: born on the way */
    uint64_t values;
};

struct trace_stack {
    uint32_t number, count;
};

struct trace_limit {
    uint64_t count; /* 0: not counted */
    /* text */
};

/* The log: an operation that made, passed on or consumed a denormal, a load or a store of one.  All operations of
   the run are numbered from 1, those after an exec from 1 again; a child goes on from its parent's number. */
enum trace_action { /* in the order of Assay's enumeration denormal_action */
                    TRACE_LOAD,
                    TRACE_STORE,
                    TRACE_ADD,
                    TRACE_SUBTRACT,
                    TRACE_MULTIPLY,
                    TRACE_DIVIDE,
                    TRACE_SQRT,
                    TRACE_MULTIPLY_ADD,
                    TRACE_MINIMUM,
                    TRACE_MAXIMUM,
                    TRACE_COMPARE,
                    TRACE_CONVERT,
                    TRACE_ROUND,
                    TRACE_OTHER
};
enum { TRACE_LOG_MOST = 100000, TRACE_LOG_OPERANDS = 3 };
/* Texts of its TRACE_LIMIT records. */
#define TRACE_LOG_BEFORE "operations on denormals before the log begins, which are not in it"
#define TRACE_LOG_AFTER                                                                                      \
    "operations on denormals after the log was full (100,000 entries), which are not in it: --around N logs " \
    "those around the N-th, --array NAME those of one array"
struct trace_log_entry {
    uint64_t number;
    uint64_t address;                    /* in memory, of the instruction */
    uint64_t values[TRACE_LOG_OPERANDS]; /* bits of the operands; [0] also of what is loaded or stored */
    uint64_t result;                     /* its bits */
    uint64_t data_address;               /* of a load or store */
    uint64_t element;                    /* its place in the array, in values of operand_bytes */
    uint32_t from[TRACE_LOG_OPERANDS];   /* numbers of the entries that the operands come from; 0: normal numbers,
                                            or nothing that was seen */
    uint32_t array;                      /* 0: none */
    uint8_t action, lane, operands;
    uint8_t operand_bytes, result_bytes; /* 4, 8; result_bytes 0: no floating-point result */
    uint8_t is_move;                     /* a load or store by an integer instruction */
    uint8_t reserved[2];
};

struct trace_end {
    int32_t status; /* exit status as the tool was told */
    uint32_t milliseconds;
};
#endif
