/* Constant expressions of assembly, as GNU as computes them: 64 bits, shifts bind like products and sums less
   than bits, a comparison that holds is -1, && and || give 1.

   Operators and values wait on two stacks of fixed size, so no text can make this recurse.  The caller passes
   what it reads in turn: signs and opening parentheses, a value, then an operator or a closing parenthesis;
   nothing is computed before its value is there. */
#ifndef CODE_READ_IA64_ARITHMETIC_H
#define CODE_READ_IA64_ARITHMETIC_H
#include <stdbool.h>
#include <stdint.h>

enum { ARITHMETIC_DEEPEST = 64 };

struct arithmetic {
    unsigned value_count, operator_count;
    bool is_undefined; /* there was a division by zero */
    int64_t values[ARITHMETIC_DEEPEST];
    char operators[ARITHMETIC_DEEPEST];
};

void arithmetic_start(struct arithmetic *arithmetic);
/* These three are false if the expression is nested too deep. */
bool arithmetic_add_value(struct arithmetic *arithmetic, int64_t value);
/* - ~ ! + before a value, ( or another letter for another kind of parenthesis. */
bool arithmetic_add_sign(struct arithmetic *arithmetic, char sign);
bool arithmetic_add_operator(struct arithmetic *arithmetic, char operation);
/* Length of the operator at the start of a text, 0 for none, as arithmetic_add_operator takes it. */
unsigned arithmetic_find_operator(char first, char second, char *operation);
/* Computes everything after the innermost open parenthesis and returns that parenthesis; 0: none is open. */
char arithmetic_finish(struct arithmetic *arithmetic);
/* After that: the parenthesis is closed, its value stays. */
void arithmetic_close(struct arithmetic *arithmetic);
/* After that: its value is dropped, another one follows. */
void arithmetic_next(struct arithmetic *arithmetic);
#endif
