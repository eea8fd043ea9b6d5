/* Code of a model: what a walker carries out, on a stack of numbers. A frame has its names in slots at its
   bottom; values of an expression come above them. */
#ifndef PLAN_MODELLING_LANGUAGE_CODE_H
#define PLAN_MODELLING_LANGUAGE_CODE_H
#include "plan/modelling/language/syntax.h"

/* How many times a loop's statements are carried out: from the first index to the last one; `repeat`, where times are added
   up, as told (2.5 times as long); `repeat` of anything else, as told, which must be a whole number. */
enum counting { counting_UP, counting_EXACTLY, counting_WHOLE };

enum operation {
    op_NUMBER,   /* number */
    op_LOCAL,    /* slot `detail` */
    op_STORE,    /* into slot `detail` */
    op_VALUE,    /* of a symbol; computed when it is needed first */
    op_IS_SIZED, /* the vector's bounds are known: on at `target` */
    op_SIZE,     /* the vector's bounds are on the stack */
    op_ELEMENT,  /* of a vector; its indices are on the stack */
    op_CALL,     /* of a symbol; its arguments are on the stack */
    op_RETURN,   /* detail 1: with the value on the stack */
    op_RANK,
    op_RANKS,
    op_ADD,
    op_SUBTRACT,
    op_MULTIPLY,
    op_DIVIDE,
    op_REMAINDER,
    op_NEGATE,
    op_NOT,
    op_LESS,
    op_LESS_EQUAL,
    op_EQUAL,
    op_BUILT_IN,    /* `detail`; `target` arguments */
    op_LOOP_CYCLES, /* of loop `target` */
    op_WORLD_CLOCK, /* cycles a second */
    op_JUMP,
    op_AGAIN,       /* a jump back: a step */
    op_RECEIVED,    /* detail 0: the sender of the last receive; 1: the number in its message */
    op_JUMP_IF_NOT, /* the value on the stack is taken */
    op_COUNT, /* bounds of a loop, from slot `detail` and the stack, become a count (`number`: enum counting); none: on at
                 target */
    op_NEXT,          /* slot detail up, its count in the slot after down; more: on at target */
    op_JUMP_IF_DRAWN, /* chance is drawn */
    op_CHANCE,        /* a probability: as it is, or drawn: 0 or 1 */
    op_CHANCE_ALIKE,  /* drawn for all ranks; without draws a mistake */
    op_COMPUTE,       /* seconds; cause `target` */
    op_MESSAGE,       /* activity `detail`, cause `target`; `number` has a bit for each part on the stack */
};

enum built_in {
    built_in_MIN,
    built_in_MAX,
    built_in_ABS,
    built_in_FLOOR,
    built_in_CEIL,
    built_in_ROUND,
    built_in_SQRT,
    built_in_LOG,
    built_in_LOG2,
    built_in_EXP,
    built_in_POWER,
    built_in_GRID_COLUMNS,
    built_in_GRID_ROWS,
    built_in_SEND_TIME,
    built_in_RECEIVE_TIME,
    built_in_MESSAGE_TIME,
    built_in_SECONDS,
};

/* The translation: shared by its three files. */
enum { MOST_SUMS = 16 };
struct local {
    string_id name;
    uint16_t slot;
    struct dimension unit;
    uint32_t uses;
};
struct compiler {
    struct language_model *model;
    struct symbol *symbol; /* whose code it is */
    struct local locals[MOST_LOCALS];
    unsigned local_count, slots; /* names in sight; slots in use */
    string_id section;           /* names are first looked for among these entries of the hardware */
    uint32_t chances;            /* met so far */
    /* Statements that only compute add to sums, one for each cause, that become activities at their end. */
    bool adds_up;
    unsigned sum_count;
    uint32_t sum_causes[MOST_SUMS];
    uint16_t sum_slots[MOST_SUMS];
};

struct instruction *code_emit(struct compiler *compiler, enum operation operation, struct place place);
void code_emit_number(struct compiler *compiler, struct place place, double number);
void code_emit_slot(struct compiler *compiler, enum operation operation, struct place place, uint16_t slot);
size_t code_size(const struct compiler *compiler);
void code_emit_target(struct compiler *compiler, size_t at); /* the instruction at this place jumps to here */
uint16_t code_take_slot(struct compiler *compiler, struct place place);
bool code_declare_local(struct compiler *compiler, string_id name, struct place place, struct dimension unit,
                        uint16_t *slot);
struct local *code_find_local(struct compiler *compiler, string_id name);
struct dimension compile_expression(struct compiler *compiler, const struct node *node);
/* A value that must have this unit; what: "the size of a message". */
void compile_expecting(struct compiler *compiler, const struct node *node, struct dimension unit,
                       const char *what);
/* A time: seconds, or cycles and flops, which the hardware turns into seconds. */
void compile_time(struct compiler *compiler, const struct node *node, const char *what);
void compile_statement(struct compiler *compiler, const struct node *node);
/* Of a flow: all it computes, on the stack. */
void compile_flow(struct compiler *compiler, const struct node *body);
/* The arguments of a call, against what the callee declares. */
bool compile_arguments(struct compiler *compiler, const struct node *call, struct symbol *callee);
#endif
