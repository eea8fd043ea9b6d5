/* A byte-code interpreter: the indirect jump is its nature. (GCC 14 swaps two elements as one vector, which waits for the
   stores of both, a fault of its own.)
   build: gcc -O2 -fno-tree-slp-vectorize
   silent: * */
#include "corpus.h"

enum { PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP, END };
static const unsigned char code[] = { PUSH, 3, PUSH, 4, ADD, DUPLICATE, MULTIPLY, PUSH, 7, SWAP, SUBTRACT, END };
static double total;

KERNEL long kernel(const unsigned char *code)
{
    long stack[16], *top = stack, t;
    for (;;) {
        switch (*code++) {
        case PUSH: *top++ = *code++; break;
        case ADD: top--, top[-1] += top[0]; break;
        case SUBTRACT: top--, top[-1] -= top[0]; break;
        case MULTIPLY: top--, top[-1] *= top[0]; break;
        case DUPLICATE: top++, top[-1] = top[-2]; break;
        case SWAP: t = top[-1], top[-1] = top[-2], top[-2] = t; break;
        default: return top[-1];
        }
    }
}

void set_up(void)
{
}

void run(void)
{
    total = (double) kernel(code);
}

double result(void)
{
    return total;
}
