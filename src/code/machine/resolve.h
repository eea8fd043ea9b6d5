/* What one distinct instruction (a row of encodings) costs on a machine: the figures of its form, adjusted
   for its registers and its address: indexed addresses, equal registers, eliminated moves.

   Values live in resources: full registers, groups of flags that are renamed together, high bytes if they
   are renamed separately, and memory.  A resource is a number below MOST_RESOURCES, the same for all
   instructions of an instruction set. */
#ifndef CODE_MACHINE_RESOLVE_H
#define CODE_MACHINE_RESOLVE_H
#include "code/machine/form.h"
#include "code/machine/machine.h"

enum { RESOURCE_NONE, RESOURCE_MEMORY, MOST_RESOURCES = 512, MOST_ACCESSES = 2, MOST_MERGES = 2 };

/* What divisions are taken to divide (resolve_operands.c). */
enum cost_operands { cost_operands_ORDINARY, cost_operands_EASY, cost_operands_HARD };

/* How a value enters. */
enum cost_way { way_REGISTER, way_BASE, way_INDEX, way_MEMORY };

struct cost_flow {
    uint16_t from, to; /* resources; RESOURCE_MEMORY: the value loaded, the value stored */
    uint8_t way;       /* enum cost_way, of from */
    /* From RESOURCE_MEMORY: what it takes beyond a plain load, 0 for that.  To RESOURCE_MEMORY: what it takes
       beyond a plain store; core.forward is what lies between the two. */
    float latency;
};

/* A register that becomes another one's value, or its own, plus a constant: moves, additions of constants,
   pushes and pops.  Whole registers only. */
struct cost_step {
    uint16_t to, from; /* to RESOURCE_NONE: no such thing; from RESOURCE_NONE: the constant itself */
    int64_t constant;
};

struct cost_access {
    uint16_t base, index; /* resources, RESOURCE_NONE for none */
    uint8_t scale;
    bool loads, stores;
    bool is_relative; /* to the instruction, or apart from all others: displacement says nothing */
    bool is_vector;   /* to or from vector registers */
    bool is_aligned;  /* to its bytes, else the instruction would fail */
    bool is_pair;     /* loads two registers, one after the other */
    uint8_t lanes;    /* places of a gather or scatter, which the registers alone do not give; else 0 */
    uint16_t bytes;
    int64_t displacement; /* from the registers as they are before the instruction: -8 for a push */
};

/* A division or root whose time depends on its operands has another cost for easy and for hard ones. */
struct machine_cost {
    const struct machine_form *form; /* NULL: the machine file does not have it; figures are assumed */
    const char *name;                /* mnemonic */
    bool is_missing;                 /* the machine does not have this instruction at all */
    enum lack lack;                  /* and why */
    const char *lacking_extension;   /* its title; NULL where lack is not EXTENSION */
    /* For the front end. */
    uint8_t size, opcode_offset; /* bytes; of the main opcode in them */
    bool has_length_change;
    uint16_t fused; /* issue slots, unlamination included */
    uint16_t decoded, microcoded;
    uint8_t simple_decoders;
    bool needs_complex_decoder, leaves_loop_buffer;
    uint16_t splits;              /* a high byte, renamed apart, that it writes; RESOURCE_NONE */
    uint16_t merges[MOST_MERGES]; /* high bytes that a wider read of their registers needs in place */
    bool is_branch, is_conditional, is_call, is_return, is_noop;
    bool is_non_temporal;               /* asks for its data to bypass the caches */
    bool is_scalable;                   /* bytes of its accesses are those of vectors of 128 bits */
    bool is_plain_load, is_plain_store; /* and nothing else */
    /* For the back end. */
    const struct form_ports *ports;
    unsigned port_count;
    float divider, throughput;
    uint8_t load_turns; /* among the loads of a cycle; 0: as its accesses need */
    bool is_own_pipe;   /* chained only on one pipe */
    uint8_t domain;     /* of vector operations; 0: none */
    float chained; /* cycles from the result of an instruction that has such a figure, too; 0: as usual */
    bool is_eliminated, is_vector_move;
    bool uses_stack_engine, reads_stack_pointer; /* moves the stack pointer unseen; reads it otherwise */
    const struct cost_flow *flows;               /* a result without inputs has none */
    unsigned flow_count;
    const uint16_t *writes; /* resources, each once, RESOURCE_MEMORY not among them */
    unsigned write_count;
    struct cost_access accesses[MOST_ACCESSES];
    unsigned access_count;
    struct cost_step step;
    const struct machine_cost *easy, *hard; /* the same with such operands; NULL: they make no difference */
};

static inline bool machine_cost_loads(const struct machine_cost *cost)
{
    for (unsigned i = 0; i < cost->access_count; i++)
        if (cost->accesses[i].loads)
            return true;
    return false;
}

static inline bool machine_cost_stores(const struct machine_cost *cost)
{
    for (unsigned i = 0; i < cost->access_count; i++)
        if (cost->accesses[i].stores)
            return true;
    return false;
}

/* Resolved when they are first asked for.  One thread; workers have one each. */
struct machine_costs {
    const struct machine *machine;
    const struct model *model;
    struct machine_cost **of_encoding;
    size_t room;
    uint16_t *resource_of; /* by row of registers */
    uint16_t *high_of;     /* by resource: the high byte that is renamed apart from it, or RESOURCE_NONE */
    uint64_t *hidden_of;   /* by resource: names of it among machine.hidden, as bits of slots */
    uint8_t *is_beyond;    /* by row of registers: a vector register that the machine does not have */
    unsigned register_count, resource_count;
    uint16_t stack_pointers[2];    /* resources, where the machine has a stack engine; of 64 and of 32 bits */
    size_t operand_hint, use_hint; /* where the rows of the next encoding start, most likely */
    struct array plain;            /* of struct cost_plain: plain loads and stores */
    struct strings *words;       /* of a complete table: mnemonics, and operands that they take; made late */
    enum cost_operands operands; /* of divisions.  Set before anything is asked */
    struct arena rows;
};

/* Rows may be added to encodings meanwhile; registers must be there. */
void machine_costs_begin(struct machine_costs *costs, const struct machine *machine,
                         const struct model *model);
void machine_costs_end(struct machine_costs *costs);
const struct machine_cost *machine_cost(struct machine_costs *costs, uint32_t encoding);
/* An instruction that no model has, put together by hand: rows of operands (an operand that is read and
   written under different names has two of one position) and of registers that no operand shows. */
struct machine_made {
    const char *name, *form; /* name: must live as long as the cost */
    enum class class;
    uint8_t size; /* bytes of code */
    uint16_t load_bytes, store_bytes;
    const struct operand *operands;
    unsigned operand_count;
    const struct register_use *uses;
    unsigned use_count;
};
/* What it costs; NULL where the machine does not have it.  Forgotten by machine_costs_clear. */
const struct machine_cost *machine_cost_make(struct machine_costs *costs, const struct machine_made *made);
/* Forgets what was resolved, where encodings were dropped. */
void machine_costs_clear(struct machine_costs *costs);
#endif
