/* Tests of forms: what is run, and how its cycles become a latency or a throughput.

   Latency of a flow (from a slot to a slot): a chain, in which each instruction waits for the one before by
   this flow alone.  Where result and source are registers of one kind, they are the same register.  Where an
   instruction also reads what it writes by another flow, four registers take turns, so that this flow comes
   round every fourth time only.  Otherwise partners close the chain, whose cycles are known and taken off.
   Partners are instructions, too, measured before (`bench_plan_partners`):

     step    general register plus a constant register      and     general register made zero
     v>g     from a vector to a general register            g>v     and back
     f>g     a flag as a number                             g>f     a comparison
     k>g     from a mask or predicate to a general register g>k     and back
     m>g     from an mm register to a general register      g>m     and back
     vand    vector register made zero                      vor     another value put in
     mul32, add32, mul64, add64    the same with floating-point numbers: times 0, plus the value

   A chain cannot be quicker than the form's throughput: `cmpxchg`, of which one takes five cycles from the
   next, has five for each flow, and other µops of an instruction may be in the way of the chain's.  So most
   flows have a second test, a spaced chain: links between the instances, whose cycles are known, give the
   rest of each instance time (space: a general register as it is, in several cycles; vspace: a vector).  The
   quicker of both counts, if it is so by more than the chains are known by.

   Of v>g and g>v, and likewise of the other domains, only the sum can be measured, whatever one does: every
   chain that leaves a domain comes back to it.  Half the sum, rounded down, is taken for the way out. Whoever
   adds up latencies around a loop gets the same sum for each choice.

   Throughput: results go to registers in turn, and sources are registers that nobody writes.  What is read
   and written takes turns, too.  Where registers cannot be chosen and a chain remains, a second test breaks
   it with instructions that set the register anew, and the quicker of the two counts.

   Places: each instance of x86 has a displacement of its own.  Loads and stores go side by side within a
   line: Golden Cove loads three times a cycle only from different parts of lines, and stores twice only into
   one line.  What is read and written in memory is at another place each time, so that no chain goes through
   memory. */
#ifndef RUN_BENCH_PLAN_H
#define RUN_BENCH_PLAN_H
#include "run/bench/instruction.h"
#include "runtime/bench/bench_file.h"

enum bench_partner {
    partner_STEP,
    partner_AND,
    partner_V_TO_G,
    partner_G_TO_V,
    partner_F_TO_G,
    partner_G_TO_F,
    partner_V_AND,
    partner_V_OR,
    partner_MUL32,
    partner_ADD32,
    partner_MUL64,
    partner_ADD64,
    partner_K_TO_G,
    partner_G_TO_K,
    partner_M_TO_G,
    partner_G_TO_M,
    partner_SPACE,
    partner_V_SPACE,
    partner_ZERO,   /* x86: the idiom that makes a general register zero, and writes all flags */
    partner_K_ONES, /* masks of gathers and scatters, which end as zeros */
    partner_V_ONES,
    partner_COUNT
};

enum bench_kind {
    bench_PARTNER,    /* of these, or of two of them in turn */
    bench_LATENCY,    /* from one slot to another */
    bench_MEMORY,     /* from a store to a plain load of it */
    bench_THROUGHPUT, /* results and accumulators in turn */
    bench_MIX,        /* instances of several forms, by turns */
    bench_EXPERIMENT, /* of the core or of memory: not of a form */
};

/* Divisions and square roots take longer for some numbers than for others.  Easy ones are 1 / 1, which chains
   leave as it is; after hard ones partners put the operand back. */
enum bench_operands { operands_ANY, operands_EASY, operands_HARD };

struct bench_planned {
    char name[BENCH_NAME]; /* the form, |, and what is measured */
    enum bench_kind kind;
    enum bench_operands operands;
    char from[8], to[8]; /* slots of a latency */
    struct array code;   /* of uint8_t: the unit */
    struct array values; /* of struct bench_value */
    unsigned instances;  /* of the form in the unit */
    unsigned instruction_count;
    unsigned partners[partner_COUNT]; /* that the chain goes through in the unit */
    uint64_t general, vector, memory; /* the runner's defaults */
    unsigned most_trips;
    unsigned vector_bytes;
    uint32_t copies[2], trips[2]; /* of the two sizes; 0: the usual ones */
    enum bench_layout layout;
    uint64_t bytes;   /* of the layout */
    uint64_t pass;    /* of a walk */
    unsigned threads; /* as in struct bench_test */
    bool is_avx;      /* which encodings its partners have */
    /* Another way to measure what the test before measures: the quicker counts. */
    bool is_variant;
    bool is_spaced; /* the variant is a chain with links between the instances */
};

/* Why a form has no test. */
enum bench_refusal {
    refusal_NONE,
    refusal_NO_SAMPLE,   /* no instruction of this form could be made */
    refusal_CONTROL,     /* it jumps, calls, stops or traps */
    refusal_SYSTEM,      /* it needs rights, or uses more than the registers and addresses that it shows */
    refusal_REGISTERS,   /* registers of other kinds: control, segments, tiles */
    refusal_COUNTER,     /* it uses the register that counts iterations by itself */
    refusal_VECTOR_BASE, /* SVE: addresses in a vector, whose length the runner does not know */
    refusal_COUNT
};
extern const char *const bench_refusal_words[];

/* Appends tests (struct bench_planned) of a form; how many depends on its slots. */
enum bench_refusal bench_plan_form(struct array *planned, enum isa isa, const char *form);
/* Appends the tests of partners, for legacy or AVX encodings (AArch64: the same). */
bool bench_plan_partners(struct array *planned, enum isa isa, bool is_avx);
/* As the runner takes it.  Points into the planned test. */
struct bench_test bench_test_of(const struct bench_planned *planned, enum isa isa);
void bench_planned_free(struct bench_planned *planned);
void bench_plan_free(struct array *planned);

/* The parts. */
struct bench_bank {
    enum isa isa;
    bool is_taken[domain_BANKS][32];
};
void bench_bank_begin(struct bench_bank *bank, enum isa isa, const struct bench_instruction *instruction);
/* The first of so many registers in a row that nobody has; NO_REGISTER if there are none. */
enum { NO_REGISTER = 0xff };
unsigned bench_bank_take(struct bench_bank *bank, enum bench_domain domain, unsigned run);

/* Appends a test without code, with values that suit the instruction. */
struct bench_planned *bench_planned_begin(struct array *planned, const struct bench_instruction *sample,
                                          enum bench_kind kind, enum bench_operands operands);
/* A partner from one register to another; false if it cannot be made.  `constant` is the other source of
   step, and, vand and vor. */
bool bench_put_partner(struct bench_planned *planned, enum isa isa, enum bench_partner partner, unsigned to,
                       unsigned from, unsigned constant, const struct bench_instruction *flags_of);
bool bench_put_instruction(struct bench_planned *planned, const struct bench_instruction *sample,
                           const uint8_t *numbers);
void bench_put_value(struct bench_planned *planned, enum bench_domain domain, unsigned number,
                     enum bench_pointer is_pointer, uint64_t value);
/* Masks of gathers and scatters, which end as zeros, are ones again. */
bool bench_put_masks(struct bench_planned *planned, const struct bench_instruction *sample,
                     const uint8_t *numbers);
unsigned bench_counter(enum isa isa);
/* Whether it loads from and stores to the memory that its address says. */
bool bench_updates_memory(const struct bench_instruction *sample);
/* Whether the slot is the mask of a gather or scatter. */
bool bench_is_consumed_mask(const struct bench_instruction *sample, const struct bench_slot *slot);

/* A spaced chain if the test says so; false: this flow has none. */
bool bench_plan_flow(struct bench_planned *planned, const struct bench_instruction *sample, unsigned from,
                     unsigned to);
/* Registers of instances that do not wait for each other, in three steps: sources that stay the same, bases
   of addresses, then results in turn, as long as there are registers.  Several forms may share a bank. */
enum { MOST_TURNS = 24 };
struct bench_body {
    struct bench_planned *planned; /* gets the values and the code */
    const struct bench_instruction *sample;
    struct bench_bank *bank;
    unsigned most, most_bases; /* instances with results of their own, and addresses */
    uint64_t displacement;     /* of its addresses in the buffer */
    uint8_t numbers[MOST_TURNS][MOST_SLOTS];
    unsigned count; /* instances that have numbers */
};
bool bench_number_sources(struct bench_body *body);
bool bench_number_bases(struct bench_body *body);
void bench_number_results(struct bench_body *body);
bool bench_put_instance(struct bench_body *body, unsigned instance);
/* is_broken: chains through registers that cannot be chosen are broken. */
bool bench_plan_throughput(struct bench_planned *planned, const struct bench_instruction *sample,
                           bool is_broken);
/* Whether a chain remains that is_broken breaks. */
bool bench_has_fixed_chain(const struct bench_instruction *sample);
bool bench_plan_memory(struct bench_planned *planned, const struct bench_instruction *store);
/* Tests of a form of x87; false if it is none, or one that changes the state of x87. */
bool bench_plan_x87(struct array *planned, const char *form);
/* Values for the operand of a slot. */
uint64_t bench_operand_value(const struct bench_planned *planned, const struct bench_instruction *sample,
                             unsigned slot);
/* Whether it moves the address that it uses, or the stack pointer: a test then walks through memory, and must
   begin anew before it leaves its buffer. */
bool bench_moves_pointer(const struct bench_instruction *sample);
bool bench_is_stack_pointer(const struct bench_instruction *sample, const struct bench_slot *slot);
/* How many registers in a row a slot stands for. */
unsigned bench_slot_run(const struct bench_instruction *instruction, unsigned slot);
#endif
