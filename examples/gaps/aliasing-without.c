/* Half a page apart: see aliasing-with.c. */
#define OFFSET 2048
#include "aliasing-with.c"
