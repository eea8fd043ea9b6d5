/* Apart: see unexplained-with.c. */
#define DISTANCE 2048
#define ROUNDS 400000
#include "unexplained-with.c"
