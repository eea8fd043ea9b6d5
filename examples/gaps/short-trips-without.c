/* One long row: see short-trips-with.c. */
#define SHORTEST 4096
#define LONGEST 4096
#define ROUNDS 15000
#include "short-trips-with.c"
