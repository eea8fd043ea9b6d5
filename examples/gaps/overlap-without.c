/* One long sum: each iteration waits for the one before, as predicted.  overlap-with.c has the short sums. */
#define LENGTH 4096
#include "overlap-with.c"
