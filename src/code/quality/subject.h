/* A path through an innermost loop, as metrics and rules see it.

   An item is an instruction of the path. Its purpose follows from where its result goes: to addresses and to
   the branches of the loop (ADDRESS, CONTROL), or anywhere else (DATA). Loads and stores have the purpose of
   the values they load and store. Only DATA that works on numbers is vectorisable. purposes.c and elements.c
   have the rules. */
#ifndef CODE_QUALITY_SUBJECT_H
#define CODE_QUALITY_SUBJECT_H
#include "code/cost/loops.h"
#include "code/quality/compiler.h"

enum item_purpose {
    purpose_DATA,    /* computes, loads or stores the data of the loop */
    purpose_ADDRESS, /* addresses depend on it */
    purpose_CONTROL, /* only branches of the loop depend on it, or it is one: counters, comparisons, jumps */
    purpose_STACK,   /* spills and fills */
    purpose_IDLE,    /* no-ops, hints, prefetches, fences */
};

/* Classes of the metrics of vectors. */
enum vector_class {
    vector_class_LOAD,
    vector_class_STORE,
    vector_class_ADD,
    vector_class_MULTIPLY,
    vector_class_FMA,
    vector_class_DIVIDE, /* and square roots */
    vector_class_OTHER,
    vector_class_COUNT
};

struct subject_item {
    uint32_t instruction, encoding; /* rows of code and encodings */
    const struct encoding *row;     /* of encodings */
    const struct operand *operands; /* its rows of operands */
    const struct register_use *uses;
    unsigned operand_count, use_count;
    enum item_purpose purpose;
    enum vector_class vector_class;
    bool is_fp;            /* works on, loads, stores or moves floating-point numbers */
    bool is_arithmetic;    /* computes: not a plain load, store, move or shuffle */
    bool is_vectorisable;  /* counts in the vectorisation ratio */
    bool is_vectorised;    /* works on more than one element at a time */
    unsigned element_bits; /* of the numbers it works on; 0: unknown */
    unsigned used_bits; /* of a vector that it works on: element_bits for a scalar, the whole for a vector */
    unsigned flops;     /* floating-point operations that it does */
};

struct subject_access {
    uint32_t item;
    uint8_t position; /* 1, or 2 */
    enum access_pattern pattern;
    int64_t stride;
    uint16_t bytes;
    bool loads, stores, is_stack;
};

/* The meaning of the resources of machine_cost, for one machine. */
struct subject_registers {
    uint8_t kind[MOST_RESOURCES];       /* enum register_kind */
    uint32_t row[MOST_RESOURCES];       /* of the full register, as def_use names it */
    uint16_t clobbered[MOST_RESOURCES]; /* registers that a call may change */
    uint16_t arguments[MOST_RESOURCES]; /* registers that may carry an argument */
    unsigned clobbered_count, argument_count;
};

struct subject {
    const struct model *model;
    const struct machine *machine;
    const struct loop_path *path; /* its figures; cycles are NaN if unknown */
    uint32_t loop;
    struct block_costs *work;         /* the current block, with marks of its bounds; item i is items[i] */
    const struct subject_item *items; /* unsigned item_count of them */
    unsigned item_count;
    const struct subject_access *accesses; /* in the order of items */
    unsigned access_count;
    int64_t
        trips; /* iterations each time the loop is entered, if all take this path, or the mean of a run; 0: unknown */
    double counted_trips;             /* that mean, where the code shows no number; NaN: none */
    const struct loop_role_row *role; /* NULL where it has none */
    const struct loop_family *family; /* NULL likewise */
    const struct compiler *compiler;  /* of the loop's code; never NULL, but its fields may be unknown */
    struct loop_metric *metric;       /* filled by metrics before rules run */
    const struct metric_facts *facts; /* of machines and registers, for metrics */
    struct arena *arena;              /* memory until the next subject */
    struct cost_scratch *spare;       /* for predictions of other blocks: without.h */
    struct machine_costs *made;       /* costs of instructions that the path does not have: vector/forms.h */
    const struct vectorising *vectorising; /* the gain from vectorising: vectorise.h; NULL: not computed */
    const struct subject_registers *registers;
    const struct template_match *match; /* templates.h; NULL: it is none of them */
    const uint32_t *stubs;              /* by row of functions: what it stands for (stubs.h); NULL: unknown */
    uint8_t *
        look; /* enum subject_look: whether the code looks unoptimised, which many rules ask; NULL: not kept */
};
enum subject_look { look_UNKNOWN, look_OPTIMISED, look_UNOPTIMISED };

/* What a worker needs for subject after subject. */
struct subject_work {
    struct block_costs costs[isa_COUNT];
    struct subject_registers *registers[isa_COUNT]; /* of the machines of costs */
    struct array items, accesses;
    struct array encoding_rows; /* by encoding: where its rows are */
    struct arena arena;
    struct cost_scratch spare;
    struct machine_costs made;
};

/* Takes a path: its block with an explained prediction, items, accesses. false if it has no instruction.
   Notes the result in the path (loop_path_note). */
bool subject_take(struct subject *subject, struct subject_work *work, const struct model *model,
                  const struct machine *machine, struct loop_path *path);
void subject_work_end(struct subject_work *work);

/* An instruction and its rows. */
void subject_item_take(const struct model *model, struct subject_item *item, uint32_t instruction);
/* Its operand in memory, the first if it has two; NULL for none. */
const struct operand *subject_item_memory(const struct subject_item *item);
/* Whether every iteration goes through a block. */
bool subject_always_takes(const struct subject *subject, uint32_t block);
/* The dependences of the current block, in its scratch. */
void subject_find_dependences(const struct subject *subject);
/* Call these three in this order. The numbers that items work on: everything but purpose, and is_vectorisable
   as if all were DATA. */
void subject_find_elements(const struct subject *subject, struct subject_item *items);
/* Accesses with their patterns. */
void subject_find_accesses(const struct subject *subject, struct array *accesses);
/* Purposes of all items, from where their results go; items that are not DATA are not vectorisable. */
void subject_find_purposes(const struct subject *subject, struct subject_item *items);

/* The bound of a part of the core, in cycles of an iteration; 0 if it has none. */
static inline double subject_bound(const struct subject *subject, enum core_part part)
{
    return subject->path->bounds[part];
}
/* Whether an item contributes to the bound of a part. */
static inline bool subject_is_marked(const struct subject *subject, enum core_part part, unsigned item)
{
    const uint8_t *marks = subject->work->prediction.bounds[part].marks;
    return marks && marks[item];
}
/* Whether the cycles are known. */
static inline bool subject_is_timed(const struct subject *subject)
{
    return subject->path->cycles > 0;
}
/* Whether it is a peel or tail loop, not the main one: it runs few iterations and gets no advice. */
static inline bool subject_is_aside(const struct subject *subject)
{
    return subject->role && (subject->role->role == loop_role_PEEL || subject->role->role == loop_role_TAIL);
}
#endif
