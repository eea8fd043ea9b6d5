/* What a mnemonic does to numbers, as far as the search for jump tables has to understand it. */
#ifndef STRUCTURE_OPERATIONS_H
#define STRUCTURE_OPERATIONS_H
#include "model/model.h"

enum operation {
    OPERATION_OTHER,
    OPERATION_COPY,      /* the source, or as much of it as fits, filled up with zeros */
    OPERATION_COPY_PAIR, /* two registers and two places in memory side by side */
    OPERATION_SIGN_EXTEND,
    OPERATION_ADD,
    OPERATION_SUBTRACT,
    OPERATION_SHIFT_LEFT,
    OPERATION_AND,
    OPERATION_EXTRACT, /* bits from a first one on, as many as said */
    OPERATION_SHIFT_RIGHT,
    OPERATION_CLEAR, /* exclusive or: zero where both sources are one register */
    OPERATION_COMPARE,
    OPERATION_INCREMENT,
    OPERATION_DECREMENT,
    OPERATION_POP,
};
enum operation operation_of(enum isa isa, const char *name);

/* What holds of (left, right), the sides of the comparison before it, when a conditional jump is taken. */
enum condition {
    CONDITION_OTHER,
    CONDITION_ABOVE,
    CONDITION_NOT_BELOW,
    CONDITION_BELOW,
    CONDITION_NOT_ABOVE,
};
/* Signed comparisons count as well: what is above a signed bound is above it unsigned too unless negative. */
enum condition condition_of(enum isa isa, const char *name, bool *is_signed);

/* A call puts its result there.  The other registers that calls may change count as kept: compilers read them
   after a call only where they know that the callee leaves them alone. */
bool is_result_of_calls(enum isa isa, const char *register_name);
#endif
