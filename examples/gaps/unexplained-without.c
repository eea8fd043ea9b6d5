/* 40 nodes: see unexplained-with.c. */
#define DISTANCE 4160
#define STEPS 200000000
#include "sets-with.c"
