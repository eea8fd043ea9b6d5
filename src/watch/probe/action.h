/* What a probe does at its point, without an instruction set: plan.c chooses actions, islet_aarch64.c and
   islet_x86.c make code of them.

   Every action keeps all registers, flags and memory of the program: what it needs and `free` does not offer,
   it saves and restores. */
#ifndef WATCH_ACTION_H
#define WATCH_ACTION_H
#include <stdbool.h>
#include <stdint.h>

/* Registers as the ISA numbers them in encodings: x0 … x30 (31 is the stack pointer), rax rcx rdx rbx rsp rbp
 * rsi rdi r8 … r15. */
enum { WATCH_NO_REGISTER = 255, WATCH_AARCH64_SP = 31, WATCH_X86_RSP = 4 };

/* Where a point is: before an instruction, after it, or on its way if it is a branch that is taken. */
enum watch_where { WATCH_BEFORE, WATCH_AFTER, WATCH_TAKEN };

enum watch_source_kind {
    WATCH_CLOCK,   /* ticks: cntvct_el0, rdtsc */
    WATCH_GENERAL, /* register `base` */
    WATCH_VECTOR,  /* low 64 bits of vector register `base` */
    WATCH_ADDRESS, /* base + (index extended) * scale + displacement; either register may be missing.  x86:
                      segment_base below */
    WATCH_MEMORY,  /* `bytes` bytes at that address, extended by `is_signed`: plain memory of the program */
    WATCH_COUNTER, /* the thread's counter `counter` + displacement, which is below 4096 */
    WATCH_PLACE, /* an address of the module: `displacement` as the file numbers it (PC-relative operands) */
    WATCH_PLACE_MEMORY, /* `bytes` bytes there: a variable at a fixed address */
    WATCH_LOOP_COUNT,   /* IA-64: ar.lc + displacement; nodes alone */
};

enum watch_extend { WATCH_WHOLE, WATCH_UNSIGNED32, WATCH_SIGNED32 }; /* of the index, before it is scaled */

struct watch_source {
    uint8_t kind;
    uint8_t base, index, scale; /* scale: factor 1, 2, 4, 8, 16; 0 with no index */
    uint8_t extend;
    uint8_t bytes;
    bool is_signed;
    bool may_be_null; /* MEMORY: where `base` holds 0, nothing is read and the value is 0 (arguments by
                         reference that are left out).  There is no index then */
    bool is_32_bit;   /* x86 address size prefix: the sum is cut to 32 bits */
    uint8_t segment;  /* x86: 0, or 'f' and 'g': the base of fs or gs is added (rdfsbase is not to be relied
                         upon: then the point is refused) */
    int64_t displacement;
    uint32_t counter;
};

enum watch_action_kind {
    WATCH_EVENT,     /* one struct probe_event: identity, stack pointer, source */
    WATCH_COUNT,     /* counter += 1 */
    WATCH_INCREMENT, /* register += 1: a register that the whole loop leaves alone */
    WATCH_CLEAR,     /* register = 0 */
    WATCH_KEEP,      /* counter = source */
    WATCH_TALLY,     /* n = (source - counter) * inverse >> shift, + bias; n < PROBE_TALLY_WORDS:
                        counters[tally_first + n] += 1, else     PROBE_ENTRY_TALLY.  n is never negative unless
                        the     program changed the variable: as unsigned that is too large */
};

struct watch_action {
    uint8_t kind;
    uint8_t register_; /* INCREMENT, CLEAR */
    uint32_t identity; /* EVENT */
    struct watch_source source;
    /* EVENT: not 0: counter limit - 1 counts the events, and once it is 2^limit_bits there are no more.
       TALLY: the other way round: it counts the times that nothing is done, and from 2^limit_bits on
       something is. */
    uint32_t limit;
    uint8_t limit_bits;
    uint32_t counter; /* COUNT, KEEP, TALLY */
    uint32_t tally;   /* TALLY: number; its first word is counter + 1 */
    uint64_t inverse; /* TALLY: see struct probe_plan_subject */
    uint8_t shift;
    int8_t bias;
    bool is_summed; /* TALLY: n >= PROBE_TALLY_WORDS: the word after the tally += 1, the next one += n */
};

/* What code may use at a point without saving it. */
struct watch_free {
    uint32_t general;  /* bit by register */
    bool has_flags;    /* flags are not needed */
    bool has_red_zone; /* x86: nothing lives below the stack pointer */
};
#endif
