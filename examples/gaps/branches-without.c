/* The same bytes in order: see branches-with.c. */
#define IS_SORTED 1
#define LONGER 4
#include "branches-with.c"
