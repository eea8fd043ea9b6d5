/* Normal numbers: see denormals-with.c. */
#define SMALL 1e-10
#include "denormals-with.c"
