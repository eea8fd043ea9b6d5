/* Constant expressions of assembly, as GNU as computes them: 64 bits, shifts bind like products and sums less
   than bits, a comparison that holds is -1, && and || give 1.

   Operators and values wait on two stacks of fixed size, so that no text can make this recurse.  Whoever
   reads the text says what stands there, in turn: signs and opened parentheses, a value, then an operator or
   what closes; nothing is computed before its value is there. */
#ifndef READ_IA64_ARITHMETIC_H
#define READ_IA64_ARITHMETIC_H
#include <stdbool.h>
#include <stdint.h>

enum { ARITHMETIC_DEEPEST = 64 };

struct arithmetic {
    unsigned value_count, operator_count;
    bool is_undefined; /* something was divided by zero */
    int64_t values[ARITHMETIC_DEEPEST];
    char operators[ARITHMETIC_DEEPEST];
};

void arithmetic_start(struct arithmetic *arithmetic);
/* These three are false where the expression is too deep. */
bool arithmetic_add_value(struct arithmetic *arithmetic, int64_t value);
/* - ~ ! + before a value, ( or another letter for a parenthesis that is to be told from that one. */
bool arithmetic_add_sign(struct arithmetic *arithmetic, char sign);
bool arithmetic_add_operator(struct arithmetic *arithmetic, char operation);
/* How many letters of a text are an operator, 0 where it begins with none; what arithmetic_add_operator
 * takes. */
unsigned arithmetic_find_operator(char first, char second, char *operation);
/* Computes what waits behind the innermost open parenthesis, and tells which that is; 0: none is open. */
char arithmetic_finish(struct arithmetic *arithmetic);
/* After that: the parenthesis is closed, its value stays. */
void arithmetic_close(struct arithmetic *arithmetic);
/* After that: its value is dropped, another one follows. */
void arithmetic_next(struct arithmetic *arithmetic);
#endif
