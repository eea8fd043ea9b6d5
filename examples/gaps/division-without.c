/* Small quotients: see division-with.c. */
#define LARGEST 2000
#define ROUNDS 200000
#include "division-with.c"
