/* One thread, which waits for nobody: see waiting-with.c. */
#define THREADS 1
#define PIECES 2500
#include "waiting-with.c"
