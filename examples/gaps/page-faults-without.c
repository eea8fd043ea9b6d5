/* The same memory each time: see page-faults-with.c. */
#define IS_NEW 0
#define ROUNDS 200000
#include "page-faults-with.c"
