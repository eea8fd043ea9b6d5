/* An operator of two letters is kept as one: l r for << >>, e d for == !=, k g for <= >=, a o for && ||.
   Signs are m: minus, n: ~, p: plus, z: !. */
#include "code/read/ia64/arithmetic.h"

#include <stddef.h>
#include <string.h>

void arithmetic_start(struct arithmetic *arithmetic)
{
    arithmetic->value_count = arithmetic->operator_count = 0;
    arithmetic->is_undefined = false;
}

static bool is_one_of(const char *letters, char letter)
{
    return letter && strchr(letters, letter);
}

static int rank(char operation)
{
    static const char *const levels[] = {"o", "a", "ed<>kg", "+-", "&|^!", "*/%lr"};
    for (int i = 0; i < (int)(sizeof levels / sizeof *levels); i++)
        if (is_one_of(levels[i], operation))
            return i + 1;
    return 0; /* parentheses */
}

static bool compare(char operation, int64_t left, int64_t right)
{
    switch (operation) {
    case 'e':
        return left == right;
    case 'd':
        return left != right;
    case '<':
        return left < right;
    case '>':
        return left > right;
    case 'k':
        return left <= right;
    default:
        return left >= right;
    }
}

static int64_t divide(int64_t left, int64_t right, bool wants_rest)
{
    if (right == 0)
        return 0;
    if (right == -1)
        return wants_rest ? 0 : (int64_t)(0 - (uint64_t)left);
    return wants_rest ? left % right : left / right;
}

static int64_t compute(char operation, int64_t left, int64_t right)
{
    uint64_t a = (uint64_t)left, b = (uint64_t)right;
    switch (operation) {
    case 'a':
        return left && right;
    case 'o':
        return left || right;
    case '+':
        return (int64_t)(a + b);
    case '-':
        return (int64_t)(a - b);
    case '*':
        return (int64_t)(a * b);
    case '/':
    case '%':
        return divide(left, right, operation == '%');
    case '&':
        return (int64_t)(a & b);
    case '|':
        return (int64_t)(a | b);
    case '^':
        return (int64_t)(a ^ b);
    case '!':
        return (int64_t)(a | ~b);
    case 'l':
        return b > 63 ? 0 : (int64_t)(a << b);
    case 'r':
        return b > 63 ? 0 : (int64_t)(a >> b);
    default:
        return -(int64_t)compare(operation, left, right);
    }
}

static int64_t compute_sign(char sign, int64_t value)
{
    switch (sign) {
    case 'm':
        return (int64_t)(0 - (uint64_t)value);
    case 'n':
        return ~value;
    case 'z':
        return !value;
    default:
        return value;
    }
}

/* Applies waiting operators that bind at least as strongly as least. */
static void reduce(struct arithmetic *arithmetic, int least)
{
    int64_t *values = arithmetic->values;
    while (arithmetic->operator_count > 0) {
        char operation = arithmetic->operators[arithmetic->operator_count - 1];
        unsigned last = arithmetic->value_count - 1;
        if (is_one_of("mnpz", operation)) {
            values[last] = compute_sign(operation, values[last]);
        } else if (rank(operation) >= least) {
            arithmetic->is_undefined |= is_one_of("/%", operation) && !values[last];
            values[last - 1] = compute(operation, values[last - 1], values[last]);
            arithmetic->value_count--;
        } else {
            return;
        }
        arithmetic->operator_count--;
    }
}

static bool push(struct arithmetic *arithmetic, char operation)
{
    if (arithmetic->operator_count == ARITHMETIC_DEEPEST)
        return false;
    arithmetic->operators[arithmetic->operator_count++] = operation;
    return true;
}

bool arithmetic_add_value(struct arithmetic *arithmetic, int64_t value)
{
    if (arithmetic->value_count == ARITHMETIC_DEEPEST)
        return false;
    arithmetic->values[arithmetic->value_count++] = value;
    return true;
}

bool arithmetic_add_sign(struct arithmetic *arithmetic, char sign)
{
    return push(arithmetic, sign == '-'   ? 'm'
                            : sign == '~' ? 'n'
                            : sign == '+' ? 'p'
                            : sign == '!' ? 'z'
                                          : sign);
}

bool arithmetic_add_operator(struct arithmetic *arithmetic, char operation)
{
    reduce(arithmetic, rank(operation));
    return push(arithmetic, operation);
}

unsigned arithmetic_find_operator(char first, char second, char *operation)
{
    static const char pairs[][3] = {"<<l", ">>r", "==e", "!=d", "<>d", "<=k", ">=g", "&&a", "||o"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == first && pairs[i][1] == second) {
            *operation = pairs[i][2];
            return 2;
        }
    *operation = first;
    return is_one_of("+-*/%&|^!<>", first);
}

char arithmetic_finish(struct arithmetic *arithmetic)
{
    reduce(arithmetic, 1);
    return arithmetic->operator_count ? arithmetic->operators[arithmetic->operator_count - 1] : '\0';
}

void arithmetic_close(struct arithmetic *arithmetic)
{
    arithmetic->operator_count--;
}

void arithmetic_next(struct arithmetic *arithmetic)
{
    arithmetic->value_count--;
}
