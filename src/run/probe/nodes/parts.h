/* What the files that make nodes share; the lines of a listing are for change/edit/, too. */
#ifndef RUN_PROBE_NODES_PARTS_H
#define RUN_PROBE_NODES_PARTS_H
#include "run/probe/nodes/nodes.h"

#define NODE_BEGINS "// assay: node begins"
#define NODE_BEGINS_INSIDE "// assay: node begins inside a line"
#define NODE_ENDS "// assay: node ends"

/* Names of the object's own data; table.c makes them. */
#define NODE_BASE ".Lassay_base"
#define NODE_COUNTERS ".Lassay_counters"
#define NODE_FULL ".Lassay_full"

/* What a place in the text is like for the assembler. */
struct node_place {
    bool has_cfi;      /* between .cfi_startproc and .cfi_endproc */
    bool is_cfa_stack; /* the frame's address is given by the stack pointer */
    bool is_intel;     /* x86: .intel_syntax */
    bool is_group;     /* in a section that the linker may drop for another copy */
};

/* IA-64: what is free at a point. */
struct node_freedom {
    uint32_t general, predicates; /* by number */
    uint64_t low_floats;          /* IA-64: bits of free ones of f0 to f63, */
    unsigned high_floats;         /* and how many below f128 are free */
    bool keeps_branches;          /* IA-64: the function names b6 or b7 */
};

/* Text of nodes, line by line. */
struct node_text {
    struct array text; /* of char */
    uint32_t labels;   /* made so far */
    struct node_place place;
    struct node_freedom freedom;
    bool needs_stop_first; /* IA-64: the instruction before does not end its group */
};
void node_line(struct node_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline uint32_t node_label(struct node_text *text)
{
    return ++text->labels;
}

struct node_lines;

/* An instruction set. */
struct node_writer {
    enum isa isa;
    uint32_t probe_isa;     /* of plan_file.h */
    bool does_tallies;      /* KEEP and TALLY: the latter is an event PROBE_MOVED */
    char type_sign;         /* of section types */
    const char *stack_word; /* the stack pointer in unwind directives: its number; */
    const char *stack_name; /* and its name */
    /* false: it cannot be done here; nothing was written. */
    bool (*action)(struct node_text *text, const struct probe_action *action,
                   const struct probe_free_registers *free);
    /* A branch to the label .Lassay_N exactly when the branch of this statement would not be taken.  false:
       not a branch with an opposite. */
    bool (*opposite)(struct node_text *text, const char *statement, size_t length, uint32_t label);
    /* NULL, or to the label unless the predicate of this statement is true. */
    void (*unless)(struct node_text *text, const char *statement, size_t length, uint32_t label);
    void (*jump)(struct node_text *text, uint32_t label); /* NULL: nodes are not put out of line */
    void (*begin_main)(struct node_text *text);
    void (*data)(struct node_text *text, bool has_counters); /* that nodes use: NODE_BASE and more */
    void (*routines)(struct node_text *text);                /* that nodes call */
    /* Offsets in the text, as node_before and node_after; taken: for a node on the way of a taken branch. */
    size_t (*before)(const struct node_lines *lines, uint32_t instruction);
    size_t (*after)(const struct node_lines *lines, uint32_t instruction);
    size_t (*taken)(const struct node_lines *lines, uint32_t instruction);
    /* NULL, or what the instruction set does otherwise than the plan: points are changed and added. */
    void (*prepare)(struct probe_plan *plan, uint32_t program);
    /* NULL, or what is free before or on the way of an instruction, instead of what its points say. */
    struct node_freedom (*freedom)(const struct model *model, uint32_t instruction, bool is_entry);
};
extern const struct node_writer x86_64_nodes, aarch64_nodes, ia64_nodes;
const struct node_writer *node_writer(enum isa isa); /* NULL: none */

/* The lines of a listing. */
struct node_instruction {
    uint32_t instruction, line, column; /* row of code; column 0: unknown */
};
struct node_name {
    uint32_t line;
    uint64_t address;
    const char *name;
};
struct node_lines {
    const struct model *model;
    const struct nodes_listing *listing;
    const char *text;
    size_t size;
    struct array starts;       /* of size_t: offset of each line, and of the end */
    struct array instructions; /* of struct node_instruction, by place in the text */
    struct array by_row;       /* of uint32_t: number in instructions + 1, by row of code */
    struct array labels;       /* of struct node_name, by line */
    struct array places;       /* of struct node_place, by line: at its start */
};
void node_lines_make(struct node_lines *lines, const struct model *model, const struct nodes_listing *listing,
                     const struct node_writer *writer);
void node_lines_free(struct node_lines *lines);
/* NULL: the instruction is not in this listing, or shares its place with others (macros, repetitions). */
const struct node_instruction *node_lines_find(const struct node_lines *lines, uint32_t instruction);
/* The statement of an instruction, without comment. */
struct span node_lines_statement(const struct node_lines *lines, const struct node_instruction *place);

/* A prefix on a line of its own: its instruction follows. */
bool node_is_lone_prefix(struct span statement);
/* Where an instruction stands in its listing, and the bundle that it is in; NULL: unknown, none. */
const struct listing_instruction *node_listing_row(const struct model *model, uint32_t instruction);
const struct bundle *node_bundle_of(const struct model *model, uint32_t instruction);

/* Where in the text: an offset.  SIZE_MAX: no node can stand there. */
size_t node_before(const struct node_lines *lines, uint32_t instruction);
size_t node_after(const struct node_lines *lines, uint32_t instruction);
/* Before the label that these branches go to, for a node that they leave out; other labels of the place stay
   in front of it. */
size_t node_before_label(const struct node_lines *lines, uint32_t instruction, const uint32_t *branches,
                         size_t count);
/* The same between bundles. */
size_t node_before_bundle(const struct node_lines *lines, uint32_t instruction);
size_t node_after_bundle(const struct node_lines *lines, uint32_t instruction);
size_t node_taken_bundle(const struct node_lines *lines,
                         uint32_t instruction); /* its predicate is known there */
/* Whether something in the bundle before the instruction writes the register. */
bool node_is_written_before(const struct model *model, uint32_t instruction, const char *name);
uint32_t node_line_of(const struct node_lines *lines, size_t offset); /* from 0 */

/* Nodes out of line: the unwind directives that hold at an offset begin a stretch of code of its own. */
void node_far_begin(struct node_text *far, const struct node_lines *lines, size_t offset);
void node_far_end(struct node_text *far);
/* NODE_BASE alone. */
void node_plain_data(struct node_text *text, bool has_counters);
/* The data at the end. */
void node_table(struct node_text *text, const struct probe_plan *plan, const struct nodes_listing *listing,
                const struct node_writer *writer, uint32_t counter_count, const struct array *far);
#endif
