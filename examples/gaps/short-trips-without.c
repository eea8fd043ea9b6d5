/* Long pieces: see short-trips-with.c. */
#define SHORTEST 4096
#define LONGEST 4096
#define PIECES 160000
#include "short-trips-with.c"
