/* What a probe does at its point, without an instruction set: plan/ chooses actions, trampoline/aarch64.c and
   trampoline/x86.c make code of them.

   Every action keeps all registers, flags and memory of the program: what it needs and `free` does not offer,
   it saves and restores. */
#ifndef RUN_PROBE_ACTION_H
#define RUN_PROBE_ACTION_H
#include <stdbool.h>
#include <stdint.h>

/* Registers as the ISA numbers them in encodings: x0 … x30 (31 is the stack pointer), rax rcx rdx rbx rsp rbp
 * rsi rdi r8 … r15. */
enum { PROBE_NO_REGISTER = 255, PROBE_AARCH64_SP = 31, PROBE_X86_RSP = 4 };

/* Where a point is: before an instruction, after it, or on its way if it is a branch that is taken. */
enum probe_where { PROBE_BEFORE, PROBE_AFTER, PROBE_TAKEN };

enum probe_source_kind {
    PROBE_FROM_CLOCK,   /* ticks: cntvct_el0, rdtsc */
    PROBE_FROM_GENERAL, /* register `base` */
    PROBE_FROM_VECTOR,  /* low 64 bits of vector register `base` */
    PROBE_FROM_ADDRESS, /* base + (index extended) * scale + displacement; either register may be missing.  x86:
                      segment_base below */
    PROBE_FROM_MEMORY, /* `bytes` bytes at that address, extended by `is_signed`: plain memory of the program */
    PROBE_FROM_COUNTER, /* the thread's counter `counter` + displacement, which is below 4096 */
    PROBE_FROM_PLACE, /* an address of the module: `displacement` as the file numbers it (PC-relative operands) */
    PROBE_FROM_PLACE_MEMORY, /* `bytes` bytes there: a variable at a fixed address */
    PROBE_FROM_LOOP_COUNT,   /* IA-64: ar.lc + displacement; nodes alone */
};

enum probe_extend { PROBE_WHOLE, PROBE_UNSIGNED32, PROBE_SIGNED32 }; /* of the index, before it is scaled */

struct probe_source {
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

enum probe_action_kind {
    PROBE_DO_EVENT,     /* one struct probe_event: identity, stack pointer, source */
    PROBE_DO_COUNT,     /* counter += 1 */
    PROBE_DO_INCREMENT, /* register += 1: a register that the whole loop leaves alone */
    PROBE_DO_CLEAR,     /* register = 0 */
    PROBE_DO_KEEP,      /* counter = source */
    PROBE_DO_TALLY,     /* n = (source - counter) * inverse >> shift, + bias; n < PROBE_TALLY_WORDS:
                           counters[tally_first + n] += 1, else PROBE_ENTRY_TALLY.  n is never negative unless
                           the program changed the variable: as unsigned that is too large */
};

struct probe_action {
    uint8_t kind;
    uint8_t register_; /* INCREMENT, CLEAR */
    uint32_t identity; /* EVENT */
    struct probe_source source;
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
    /* TALLY, summed; not 0: once a word has this bit, PROBE_ENTRY_TALLY switches the probe off; the second is
       of the word that adds up iterations. */
    uint8_t enough_bits, enough_sum_bits;
};

/* What code may use at a point without saving it. */
struct probe_free_registers {
    uint32_t general;  /* bit by register */
    bool has_flags;    /* flags are not needed */
    bool has_red_zone; /* x86: nothing lives below the stack pointer */
};
#endif
