/* Divides numbers by larger ones: the quotient is 0, which Neoverse V1 finds out earlier than the table of
   forms says.  In faster-without.c the quotients are the usual ones that the table is for.

   Neoverse V1: 5.0 cycles an iteration, 6.6 without; predicted: 7.0. */
#define LARGEST 20
#define SMALLEST 30
#define ROUNDS 200000
#include "division-with.c"
