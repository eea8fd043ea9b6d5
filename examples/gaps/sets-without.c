/* Each node in a set of its own: see sets-with.c. */
#define DISTANCE 4160
#define STEPS 200000000
#include "sets-with.c"
