/* Apart: see forwarding-with.c. */
#define DISTANCE 2048
#define ROUNDS 400000
#include "forwarding-with.c"
