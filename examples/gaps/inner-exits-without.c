/* The loop inside always has 4 iterations, which the processor learns. */
#define SAME
#include "inner-exits-with.c"
